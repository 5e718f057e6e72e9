"""Links: keys are joined as they stand, and what cannot be joined is refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Column
from halfmask.data.families import Family, Link, link, numbers_siblings
from halfmask.demo.visits import patients_and_visits
from halfmask.errors import BadInput

NAMES = ("patients", "visits")


def keys(*cells, storage="string"):
    return Column.of("id", cells, storage)


def test_a_child_row_finds_the_row_of_its_parent():
    found, rows = link(keys("a", "b", "c"), keys("c", "a", "c"), tables=NAMES)
    assert found.parent_of.tolist() == [2, 0, 2]
    assert found.counts.tolist() == [1, 0, 2]
    assert rows.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("parent", "child", "sentence"),
    [
        (keys("a", "b", "a"), keys("a"), "'id' is not unique in 'patients': 1 of its 3 rows"),
        (keys("a", None), keys("a"), "'id' is missing in rows of 'patients'"),
        (keys("a", "b"), keys("a", "x", None), "2 of the 3 rows of 'visits' have no parent in"),
        (keys("a", "b"), keys("a", None), "1 of them without a key; .*--orphans drop"),
        (keys("a", "b"), keys("x", "y"), "No row of 'visits' has a key that occurs in 'patients'"),
        (keys("1", "2", storage="int64"), keys("1"), "number in 'patients' and text in 'visits'"),
    ],
)
def test_what_cannot_be_joined_is_refused_in_a_sentence(parent, child, sentence):
    with pytest.raises(BadInput, match=sentence) as refused:
        link(parent, child, tables=NAMES)
    assert str(refused.value).endswith(".")


def test_orphans_are_dropped_only_when_told_so():
    found, rows = link(keys("a", "b"), keys("x", "b", None), tables=NAMES, orphans="drop")
    assert rows.tolist() == [1]
    assert found.counts.tolist() == [0, 1]
    with pytest.raises(BadInput, match="No row"):
        link(keys("a"), keys("x"), tables=NAMES, orphans="drop")


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 4), st.integers(0, 9))
def test_at_most_so_many_rows_of_each_parent(parents, most, seed):
    whole = Link(np.array(parents, np.intp), 6)
    rows = whole.at_most(most, np.random.default_rng(seed))
    assert (np.diff(rows) > 0).all()
    assert whole.take(rows).counts.tolist() == np.minimum(whole.counts, most).tolist()


@given(st.lists(st.integers(0, 5), max_size=30), st.sets(st.integers(0, 5)))
def test_some_parents_bring_all_their_children(parents, some):
    whole, chosen = Link(np.array(parents, np.intp), 6), np.array(sorted(some), np.intp)
    rows, part = whole.of_parents(chosen)
    assert chosen[part.parent_of].tolist() == whole.parent_of[rows].tolist()
    assert part.counts.tolist() == whole.counts[chosen].tolist()


def test_a_link_and_a_family_refuse_nonsense():
    with pytest.raises(BadInput, match="does not exist"):
        Link(np.array([3]), 3)
    hospital = patients_and_visits(100, rng=np.random.default_rng(1))
    assert hospital.patients  # a family of other numbers of rows is refused
    from halfmask.data import Attribute, Schema, Table

    table = Table(Schema((Attribute("a", ("x",)),)), np.zeros((2, 1), np.int32))
    with pytest.raises(BadInput, match="do not have the rows"):
        Family(table, table, Link(np.array([0]), 2))


def test_columns_that_number_siblings_are_known():
    whole = Link(np.array([0, 1, 0, 1, 0]), 3)
    assert numbers_siblings(Column.of("n", ["2", "1", "1", "2", "3"], "int64"), whole) == 1
    assert numbers_siblings(Column.of("n", ["1", "0", "0", "1", "2"], "int64"), whole) == 0
    assert numbers_siblings(Column.of("n", ["2", "1", "1", "2", "4"], "int64"), whole) is None
    assert numbers_siblings(Column.of("n", ["2", "1", "1", "x", "3"], "int64"), whole) is None
    assert numbers_siblings(Column.of("n", ["2", None, "1", "2", "3"], "int64"), whole) is None
    one_each = Link(np.array([0, 1]), 2)
    assert numbers_siblings(Column.of("n", ["1", "1"], "int64"), one_each) is None


def test_the_made_up_hospital_has_the_relations_it_tells_of():
    hospital = patients_and_visits(3000, rng=np.random.default_rng(2))
    whole, _ = link(hospital.patients[0], hospital.visits[1], tables=NAMES)
    chronic = np.array(hospital.patients[4].cells)
    assert (
        whole.counts[chronic == "heart failure"].mean() > 3 * whole.counts[chronic == "none"].mean()
    )
    assert 0.2 < (whole.counts == 0).mean() < 0.5
    diagnosis = np.array(hospital.visits[3].cells)
    assert (diagnosis == "heart failure")[chronic[whole.parent_of] == "none"].sum() == 0
    ages = np.array(hospital.patients[1].cells, np.int64)[whole.parent_of]
    sexes = np.array(hospital.patients[2].cells)[whole.parent_of]
    assert set(sexes[diagnosis == "pregnancy"]) == {"female"}
    assert ages[diagnosis == "pregnancy"].max() < 45
