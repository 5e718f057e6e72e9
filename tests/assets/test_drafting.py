"""Drafting: what holds in every row is offered, luck is not, and nothing rare is named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfmask.assets.drafting import draft_asset
from halfmask.assets.evaluation import evaluate
from halfmask.data import Column
from halfmask.documents.asset import parse_asset
from halfmask.documents.asset_draft import draft_text
from halfmask.errors import BadInput
from halfmask.randomness import Randomness
from halfmask_reproduction.therapies import therapies

THERAPIES = therapies(1_500, rng=Randomness(1).child("therapies"))


def parsed(columns, min_support=10):
    draft = draft_asset(columns, min_support=min_support)
    return parse_asset(draft_text(draft, "x.csv", min_support=min_support))


def test_the_arrows_that_the_table_was_made_with_are_found():
    draft = draft_asset(THERAPIES, min_support=10)
    assert draft.key == ("pid",)
    assert draft.kinds["age"] == "int"
    assert draft.kinds["dose_mg"] == "float"
    assert [(found[0].body, found[0].head) for found in draft.dependencies] == [
        ("drug", "diagnosis")
    ]
    [rule] = [r for r in draft.rules if (r.body, r.head) == ("days", "drug")]
    assert (set(rule.values), rule.head_value) == ({"21", "28"}, "cisplatin")


def test_what_is_drafted_holds_in_every_row():
    assert evaluate(parsed(THERAPIES), THERAPIES, THERAPIES).absolute_violations == 0


def test_no_value_held_by_few_rows_is_named():
    rare = ["zebra"] * 4 + ["horse"] * 60 + ["cow"] * 60
    milk = ["striped"] * 4 + ["white"] * 120
    lone = [*map(str, range(4)), *["7"] * 120]
    columns = [Column.of("beast", rare), Column.of("milk", milk), Column.of("n", lone, "int64")]
    draft = draft_asset(columns, min_support=10)
    text = draft_text(draft, "farm.csv", min_support=10)
    assert "zebra" not in text
    assert "striped" not in text
    assert "range_n" not in text
    assert "held by fewer than 10 rows" in text


def test_luck_is_no_rule():
    rng = np.random.default_rng(2)
    columns = [Column.of(f"c{i}", [str(x) for x in rng.integers(12, size=400)]) for i in range(4)]
    likely = Column.of("often", ["yes" if x else "no" for x in rng.random(400) < 0.93])
    draft = draft_asset([*columns, likely], min_support=10)
    assert draft.rules == ()
    assert draft.dependencies == ()


def test_names_that_yaml_could_misread_come_back_as_they_are():
    cells = ["no", "yes: 'x'", "007", "# a"] * 25
    columns = [Column.of("on", cells), Column.of("a b: c", [*cells[1:], cells[0]])]
    asset = parsed(columns)
    assert set(asset.attributes) == {"on", "a b: c"}
    assert evaluate(asset, columns, columns).absolute_violations == 0


@settings(max_examples=25)
@given(st.lists(st.tuples(*[st.sampled_from(["1", "2", "x y", None])] * 3), min_size=2))
def test_any_table_gives_a_draft_that_it_satisfies(rows):
    columns = [Column.of(name, [row[i] for row in rows]) for i, name in enumerate("abc")]
    asset = parsed(columns, min_support=2)
    assert evaluate(asset, columns, columns).absolute_violations == 0


def test_a_table_of_identifiers_only_is_refused():
    with pytest.raises(BadInput, match="Every column identifies rows"):
        draft_asset([Column.of("id", ["a", "b", "c"])], min_support=1)
