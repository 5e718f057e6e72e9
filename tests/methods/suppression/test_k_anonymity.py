"""k-anonymity of tables: by hand, against every choice of levels, and recounted by pycanon."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import halfmask as hm
from halfmask.data import Attribute, Schema, Table
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.data.published.generalised_table import GeneralisedTable
from halfmask.errors import BadInput, HalfmaskError, UnknownName
from halfmask.methods.suppression import k_anonymity
from halfmask.methods.suppression.k_anonymity import best_levels
from halfmask.methods.suppression.ladders import Ladder, column_hierarchies
from reference.k_anonymity import best_quality
from tests.others import ask

TOWNS = "town=Rome, town=Bari -> south\ntown=Lodi, town=Pisa -> north"


def clinic(rows=400, seed=3):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "town": rng.choice(["Rome", "Bari", "Lodi", "Pisa"], rows, p=[0.5, 0.3, 0.15, 0.05]),
            "age": rng.integers(18, 90, rows),
            "ill": rng.choice(["flu", "burn", "hiv"], rows, p=[0.6, 0.3, 0.1]),
        }
    )


def smallest(frame, known):
    return frame.group_by(known).len()["len"].min()


def test_by_hand_with_a_hierarchy_of_two_levels():
    """Three towns in the north and south: Lodi and Pisa agree only as north, so all go one up."""
    frame = pl.DataFrame({"town": ["Rome"] * 3 + ["Bari"] * 3 + ["Lodi", "Pisa"], "ill": ["a"] * 8})
    found = hm.publish(
        frame, method="k-anonymity", k=2, private="ill", hierarchy=TOWNS, min_support=1,
        suppress_at_most=0, seed=1,
    )  # fmt: skip
    assert sorted(found.data["town"]) == ["north"] * 2 + ["south"] * 6
    # Eight of sixteen cells are one of two steps up.
    assert found.first.release.record["coarse_quality"] == 1 - 8 * 0.5 / 16
    # With two rows left out nothing else is lost: 1 - 4/16.
    left = hm.publish(
        frame, method="k-anonymity", k=2, private="ill", hierarchy=TOWNS, min_support=1,
        suppress_at_most=0.25, seed=1,
    )  # fmt: skip
    assert sorted(left.data["town"]) == ["Bari"] * 3 + ["Rome"] * 3
    assert left.first.release.record["coarse_quality"] == 1 - 4 / 16
    assert left.first.release.record["rows_left_out"] == 2


@st.composite
def ladders(draw):
    """A few values, and groups of them that only ever join."""
    n = draw(st.integers(1, 4))
    levels = [tuple(f"v{i}" for i in range(n))]
    for height in range(draw(st.integers(0, 2))):
        names = list(dict.fromkeys(levels[-1]))
        groups = {name: draw(st.integers(0, len(names) - 1)) for name in names}
        levels.append(tuple(f"g{height}.{groups[name]}" for name in levels[-1]))
    if n > 1:
        levels.append((None,) * n)
    return Ladder(tuple(levels))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_the_search_finds_the_best_of_all_choices(data):
    columns = data.draw(st.lists(ladders(), min_size=1, max_size=3))
    cells = [st.integers(0, len(one.levels[0]) - 1) for one in columns]
    rows = data.draw(st.lists(st.tuples(*cells), min_size=1, max_size=30))
    k, most = data.draw(st.integers(1, min(4, len(rows)))), data.draw(st.integers(0, 5))
    found = best_levels(np.array(rows, np.int32), columns, k=k, most=most)
    named = [tuple(str(code) for code in row) for row in rows]
    plain = [
        [{str(code): str(name) for code, name in enumerate(level)} for level in one.levels]
        for one in columns
    ]
    assert found.proven
    assert found.left_out <= most
    assert found.quality == pytest.approx(best_quality(named, plain, k, most))


def test_with_too_many_choices_the_first_way_down_is_taken_and_said(monkeypatch):
    monkeypatch.setattr(k_anonymity, "MOST_CHOICES", 2)
    found = hm.publish(clinic(), method="k-anonymity", k=5, private="ill", seed=1)
    assert not found.first.release.record["proven_best"]
    assert any("too many ways" in note for note in found.first.release.notes)
    assert smallest(found.data, ["town", "age"]) >= 5


@pytest.mark.parametrize("k", [2, 5, 20])
@pytest.mark.parametrize("share", [0.0, 0.1])
def test_every_published_row_agrees_with_enough_others(k, share):
    frame = clinic()
    found = hm.publish(
        frame, method="k-anonymity", k=k, private="ill", hierarchy=TOWNS, suppress_at_most=share,
        seed=k,
    )  # fmt: skip
    assert smallest(found.data, ["town", "age"]) >= k
    assert len(found.data) >= (1 - share) * len(frame)
    assert found.verdict.word != "do not publish"
    # What nobody knows stays as it is, row for row, but for the rows left out.
    assert set(found.data["ill"]) <= set(frame["ill"])
    assert [check.outcome for check in found.first.made.checks] == ["passed"]


def test_pycanon_counts_the_same_k():
    tables, promised = [], []
    for k in (2, 3, 10):
        frame = clinic(seed=k).rename({"town": "zip"}).with_columns(pay=pl.lit(1))
        hierarchy = TOWNS.replace("town", "zip")
        found = hm.publish(
            frame, method="k-anonymity", k=k, private="ill,pay", hierarchy=hierarchy, seed=1
        ).data
        tables.append({name: [str(v) for v in found[name]] for name in ("zip", "age", "ill")})
        tables[-1]["pay"] = [1] * len(found)
        promised.append(k)
        assert smallest(found, ["zip", "age"]) >= k
    for k, table, theirs in zip(promised, tables, ask("ask_pycanon", tables), strict=True):
        assert theirs["k"] >= k
        assert theirs["k"] == pl.DataFrame(table).group_by("zip", "age").len()["len"].min()


def test_a_schema_says_which_columns_are_known():
    roles = TableSpec({"town": ColumnSpec(role="quasi-identifier")})
    found = hm.publish(clinic(), method="k-anonymity", k=30, schema=roles, suppress_at_most=0)
    assert found.first.release.claim.terms["known"] == ("town",)
    assert smallest(found.data, ["town"]) >= 30
    assert smallest(found.data, ["town", "age"]) < 30


def test_columns_that_are_left_empty_are_named():
    numbers = pl.DataFrame({"n": [str(n) for n in range(60)] * 2, "sex": ["f", "m"] * 60})
    found = hm.publish(numbers, method="k-anonymity", k=30, categorical=["n"], min_support=1,
                       suppress_at_most=0, seed=1)  # fmt: skip
    assert found.data["n"].null_count() == 120
    assert found.first.release.record["columns_left_empty"] == ("n",)
    assert any("Left empty in all rows: 'n'" in note for note in found.first.release.notes)


def test_the_order_of_rows_is_not_that_of_the_original():
    frame = pl.DataFrame({"town": ["Rome"] * 50 + ["Bari"] * 50, "n": ["x"] * 100})
    found = hm.publish(frame, method="k-anonymity", k=2, private="n", seed=1)
    assert sorted(found.data["town"]) == sorted(frame["town"])
    assert found.data["town"].to_list() != frame["town"].to_list()


def test_a_generalised_table_answers_for_the_original_in_expectation():
    schema = Schema((Attribute("a", ("x", "y", "z")), Attribute("b", ("0", "1"))))
    shown = Schema((Attribute("a", ("xy", "z")), Attribute("b", ("0", "1"))))
    rows = Table(shown, np.array([[0, 0], [0, 1], [1, 1], [0, -1]]))
    found = GeneralisedTable(schema, rows, (np.array([0, 0, 1]), np.array([0, 1])))
    assert found.marginal(["a", "b"]).tolist() == [[0.5, 0.5], [0.5, 0.5], [0, 1]]
    assert found.marginal(["b", "a"]).tolist() == [[0.5, 0.5, 0], [0.5, 0.5, 1]]
    asked = [(0,), (1, 3), (0, 1), (2, 4)]
    assert found.support(asked).tolist() == [1.5, 0.5, 0.0, 1.0]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"k": 500}, "The table has 400 rows, and k = 500"),
        ({"k": 2, "private": "town,age,ill"}, "nothing to recognise by"),
        ({"k": 2, "hierarchy": "town=Rome -> south"}, "lacks 3 of the 4"),
        ({"k": 2, "hierarchy": "town=Rome, ill=flu -> both"}, "values of two columns"),
        ({"k": 2, "hierarchy": "Rome -> south"}, "write column=value"),
        ({"k": 2, "hierarchy": f"{TOWNS}\ntown=Rome -> north"}, "into a second group"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(said, sentence):
    with pytest.raises(BadInput, match=sentence):
        hm.publish(clinic(), method="k-anonymity", **said)


def test_a_column_that_is_not_there_is_named_with_the_nearest():
    with pytest.raises(UnknownName, match="town"):
        hm.publish(clinic(), method="k-anonymity", k=2, private="twon")
    with pytest.raises(HalfmaskError, match="Rome"):
        column_hierarchies("town=Rme -> south", Schema((Attribute("town", ("Rome", "Bari")),)))
