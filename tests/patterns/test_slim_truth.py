"""Every table of the authors' Slim, set by set, and how many pairs it tried to get there."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from authors import load, written

from halfmask.patterns.krimp import krimp
from halfmask.patterns.mining import item_ranks
from halfmask.patterns.slim import slim
from reference import slim as reference_slim

TRUTH = json.loads(
    gzip.decompress((Path(__file__).parents[1] / "data" / "slim_truth.json.gz").read_bytes())
)
PRUNING = {"nop": "none", "pop": "authors"}
SMALL = ("iris", "pima", "led7", "page-blocks")


def named(row) -> str:
    return f"{row['db']}-{row['prune']}"


@pytest.mark.parametrize("row", TRUTH["authors"], ids=named)
def test_the_code_table_is_the_authors(row, data_folder):
    rows, schema = load(data_folder / f"{row['db']}.csv.gz")
    found = slim(rows, schema, gain="authors", prune=PRUNING[row["prune"]])
    table = found.code_table
    assert found.complete
    assert found.candidates == row["evaluated"]
    assert found.accepted == row["accepted"]
    assert len(table) == row["sets_in_ct"]
    assert (table.usages > 0).sum() == row["sets_nonzero"]
    assert (table.item_usages > 0).sum() == row["singletons_used"]
    assert table.usage_sum == row["usage_sum"]
    # The program prints whole bits.
    assert table.bits.database == pytest.approx(row["db_bits"], abs=0.51)
    assert table.bits.table == pytest.approx(row["ct_bits"], abs=0.51)
    assert table.bits.total == pytest.approx(row["total_bits"], abs=0.51)
    assert written(table, item_ranks(rows)) == row["table"]


@pytest.mark.parametrize("row", TRUTH["right_sign"], ids=lambda r: r["db"])
def test_the_right_sign_gives_the_known_sizes(row, data_folder):
    rows, schema = load(data_folder / f"{row['db']}.csv.gz")
    found = slim(rows, schema, gain="unpaid")
    assert found.candidates == row["evaluated"]
    assert found.accepted == row["accepted"]
    assert found.code_table.bits.total == pytest.approx(row["total_bits"], abs=0.06)


@pytest.mark.parametrize("gain", ["authors", "unpaid", "estimate"])
@pytest.mark.parametrize("db", SMALL)
def test_the_definition_gives_the_same(db, gain, data_folder):
    """The reference on the small sets: the authors' counts, and in every mode the native table."""
    rows, schema = load(data_folder / f"{db}.csv.gz")
    ranks = item_ranks(rows)
    tally = Counter(frozenset(row) for row in rows.relabelled(ranks))
    expected = reference_slim.slim(list(tally.items()), rows.n_items, gain=gain)
    found = slim(rows, schema, gain=gain)
    table = found.code_table
    assert [frozenset(ranks[list(s)].tolist()) for s in table.sets] == list(expected.sets)
    assert table.usages.tolist() == [expected.usages[x] for x in expected.sets]
    assert (found.candidates, found.accepted) == (expected.evaluated, expected.accepted)
    if gain == "authors":
        known = next(r for r in TRUTH["authors"] if (r["db"], r["prune"]) == (db, "nop"))
        assert (expected.evaluated, expected.accepted) == (known["evaluated"], known["accepted"])


KRIMP = {
    "iris": 1474.97,
    "pima": 9533.78,
    "led7": 31543.74,
    "page-blocks": 10959.06,
    "nursery": 261143.88,
    "kr-k": 681472.19,
    "mushroom": 277774.15,
}
"""Totals of the authors' Krimp without pruning: all itemsets from support 1, for mushroom the
closed ones from 20."""


@pytest.mark.parametrize("db", KRIMP)
def test_the_default_search_ends_below_krimp(db, data_folder):
    rows, schema = load(data_folder / f"{db}.csv.gz")
    assert slim(rows, schema).code_table.bits.total < KRIMP[db]


@pytest.mark.parametrize("min_support", [10, 50])
@pytest.mark.parametrize("db", [*SMALL, "nursery", "kr-k"])
def test_under_a_floor_too_it_ends_at_or_below_krimp(db, min_support, data_folder):
    rows, schema = load(data_folder / f"{db}.csv.gz")
    other = krimp(rows, schema, min_support=min_support).code_table.bits.total
    assert slim(rows, schema, min_support=min_support).code_table.bits.total <= other + 1e-6
