"""Every code table of the authors' program, set by set: order, usages, supports and sizes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from authors import load, written

from halfmask.data import Assortment, Transactions
from halfmask.patterns.krimp import krimp
from halfmask.patterns.mining import item_ranks
from reference import krimp as reference

TRUTH = json.loads(
    gzip.decompress((Path(__file__).parents[1] / "data" / "krimp_truth.json.gz").read_bytes())
)
PRUNING = {"nop": "none", "pop": "authors"}


@pytest.mark.parametrize(
    "row", TRUTH["krimp"], ids=lambda r: f"{r['db']}-{r['type']}-{r['minsup']}-{r['prune']}"
)
def test_the_code_table_is_the_authors(row, data_folder):
    rows, schema = load(data_folder / f"{row['db']}.csv.gz")
    found = krimp(
        rows,
        schema,
        min_support=row["minsup"],
        candidates="closed" if row["type"] == "cls" else "all",
        prune=PRUNING[row["prune"]],
    )
    table = found.code_table
    assert found.complete
    assert found.candidates == row["candidates_incl_singletons"]
    assert found.accepted == row["accepted"]
    assert len(table) == row["sets_in_ct"]
    assert (table.usages > 0).sum() == row["sets_nonzero"]
    assert (table.item_usages > 0).sum() == row["singletons_used"]
    assert table.usage_sum == row["usage_sum"]
    assert table.bits.database == pytest.approx(row["db_bits_exact"], abs=1e-3)
    assert table.bits.table == pytest.approx(row["ct_bits_exact"], abs=1e-3)
    assert table.bits.total == pytest.approx(row["total_bits_exact"], abs=1e-3)
    assert written(table, item_ranks(rows)) == row["table"]


@pytest.mark.parametrize("row", TRUTH["clean_pruning"], ids=lambda r: r["db"])
def test_repaired_pruning_gives_the_known_sizes(row, data_folder):
    rows, schema = load(data_folder / f"{row['db']}.csv.gz")
    found = krimp(rows, schema, min_support=1, prune="repaired")
    table = found.code_table
    assert found.accepted == row["accepted"]
    assert len(table) == row["sets_in_ct"]
    assert (table.item_usages > 0).sum() == row["singletons_used"]
    assert table.usage_sum == row["usage_sum"]
    assert table.bits.database == pytest.approx(row["db_bits"], abs=1e-3)
    assert table.bits.table == pytest.approx(row["ct_bits"], abs=1e-3)


def tiny(name: str, ids: str = "") -> tuple[Transactions, Assortment]:
    """A database of six rows, in the numbering of the truth file (or of the other one)."""
    numbers = TRUTH["tiny"][ids or name]["item_ids"]
    letters = sorted(numbers, key=numbers.get)
    rows = [[numbers[letter] for letter in row] for row in TRUTH["tiny"][name]["rows"]]
    return Transactions.of(rows, len(letters)), Assortment(tuple(letters))


@pytest.mark.parametrize("name", ["tiny6a", "tiny6b"])
def test_the_search_takes_the_published_steps(name):
    rows, _ = tiny(name)
    weighted = [(frozenset(row), 1) for row in rows]
    start, *steps = TRUTH["tiny"][name]["trace"]
    counts = dict(enumerate(rows.item_counts.tolist()))
    size = reference.size(reference.usages(weighted, []), counts)
    assert size.total == pytest.approx(start["total"], abs=1e-6)
    taken = [step for step, _ in reference.search(weighted, reference.frequent(weighted, 1))]
    assert [list(step.candidate) for step in taken] == [step["cand"] for step in steps]
    for step, known in zip(taken, steps, strict=True):
        assert step.usage == known["usage_if_added"]
        assert step.accepted == known["accept"]
        # The truth file prints the unchanged sizes where a candidate would not be used at all.
        assert step.size.database == pytest.approx(known["db"], abs=1e-6)
        assert step.size.table == pytest.approx(known["ct"], abs=1e-6)


@pytest.mark.parametrize("name", ["tiny6a", "tiny6b"])
def test_the_search_ends_with_the_published_table(name):
    rows, schema = tiny(name)
    known = TRUTH["tiny"][name]["result"]
    table = krimp(rows, schema, min_support=1, ranks=np.arange(6, dtype=np.int32)).code_table
    assert [list(itemset) for itemset in table.sets] == [s["set"] for s in known["sets"]]
    assert table.usages.tolist() == [s["usage"] for s in known["sets"]]
    assert table.supports.tolist() == [s["support"] for s in known["sets"]]
    assert table.item_usages.tolist() == [s["usage"] for s in known["items"]]
    assert table.bits.total == pytest.approx(known["total"], abs=1e-6)


def test_pruning_deletes_the_unused_pair_of_tiny6a():
    rows, schema = tiny("tiny6a")
    for prune in ("authors", "repaired"):
        table = krimp(rows, schema, min_support=1, prune=prune).code_table
        assert len(table) == 3
        assert table.bits.total == pytest.approx(36.69925, abs=1e-6)


def test_encoding_with_one_added_gives_the_published_lengths():
    known = TRUTH["tiny"]["ds_tiny6a_vs_tiny6b"]
    rows_a, schema = tiny("tiny6a")
    rows_b, _ = tiny("tiny6b", ids="tiny6a")
    table_a = krimp(rows_a, schema, min_support=1).code_table
    table_b = krimp(rows_b, schema, min_support=1, ranks=item_ranks(rows_b)).code_table
    assert [list(itemset) for itemset in table_b.sets] == [s["set"] for s in known["ct_b"]]
    assert table_a.encode(rows_a, laplace=1).total == pytest.approx(known["aa"], abs=1e-6)
    assert table_a.encode(rows_b, laplace=1).total == pytest.approx(known["ab"], abs=1e-6)
    assert table_b.encode(rows_b, laplace=1).total == pytest.approx(known["bb"], abs=1e-6)
    assert table_b.encode(rows_a, laplace=1).total == pytest.approx(known["ba"], abs=1e-6)


@pytest.mark.parametrize(
    ("db", "bits"),
    [
        ("iris", 1140.87),
        ("led7", 24342.45),
        ("pima", 6910.67),
        ("page-blocks", 7695.88),
        ("nursery", 248737.13),
        ("kr-k", 603010.72),
    ],
)
def test_an_original_in_its_own_corrected_codes(db, bits, data_folder):
    rows, schema = load(data_folder / f"{db}.csv.gz")
    table = krimp(rows, schema, min_support=1).code_table
    encoded = table.encode(rows, laplace=1)
    assert encoded.total == pytest.approx(bits, abs=0.006)
    assert encoded.set_usages.tolist() == table.usages.tolist()
    assert encoded.item_usages.tolist() == table.item_usages.tolist()
