"""Anonymity of tables: worked by hand, and against the pycanon package."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfmask.data import Attribute, Schema, Table
from halfmask.errors import BadInput, NotMeasurable
from halfmask.measures.anonymity_models import (
    alpha,
    anonymities,
    class_sizes,
    distinct_diversity,
    entropy_diversity,
    k_anonymity_of,
    recursive_diversity,
    t_closeness,
)


def table_of(**columns) -> Table:
    attributes, codes = [], []
    for name, cells in columns.items():
        number = isinstance(cells[0], int)
        values = sorted(set(cells))
        attributes.append(Attribute(name, tuple(map(str, values)), "int64" if number else "string"))
        codes.append([values.index(cell) for cell in cells])
    return Table(Schema(tuple(attributes)), np.array(codes).T)


# Table I of the multi-dimension anatomy paper: ten rows in two buckets of five.
ROWS = ["abcdefgh", "abdeh", "abcfh", "abfh", "abcd", "abce", "aefg", "bfh", "fh", "dg"]
BUCKETS = ["one"] * 5 + ["two"] * 5


def column(items: str) -> list[str]:
    return ["".join(sorted(set(row) & set(items))) or "-" for row in ROWS]


@pytest.mark.parametrize(
    ("items", "sure", "distinct", "distance"),
    [
        ("defh", 0.4, 4, 0.2),
        ("abcg", 0.4, 3, 0.4),
        ("dfh", 0.4, 4, 0.2),
        ("beg", 0.6, 3, 0.3),
        ("ac", 0.6, 2, 0.3),
    ],
)
def test_columns_of_the_anatomy_example(items, sure, distinct, distance):
    table = table_of(bucket=BUCKETS, value=column(items))
    found = anonymities(table, ["bucket"], "value")
    assert (found.k, found.distinct_l) == (5, distinct)
    assert found.alpha == pytest.approx(sure)
    assert found.t == pytest.approx(distance)


def test_diversity_of_one_class_worked_by_hand():
    # values a a a b b c: entropy of (1/2, 1/3, 1/6)
    table = table_of(zip=["1"] * 6, ill=list("aaabbc"))
    entropy = -(math.log(1 / 2) / 2 + math.log(1 / 3) / 3 + math.log(1 / 6) / 6)
    assert entropy_diversity(table, ["zip"], "ill") == pytest.approx(math.exp(entropy))
    assert recursive_diversity(table, ["zip"], "ill", l=2) == 1.0  # 3 / (2 + 1)
    assert recursive_diversity(table, ["zip"], "ill", l=3) == 3.0  # 3 / 1
    assert class_sizes(table, ["zip"]).tolist() == [6]
    with pytest.raises(NotMeasurable, match="only 3 different values of 'ill'"):
        recursive_diversity(table, ["zip"], "ill", l=4)


def test_salaries_of_the_t_closeness_paper():
    """Li et al.: classes {3,4,5}, {6,8,11}, {7,9,10} thousand; distances 0.375, 0.167, 0.236."""
    salaries = [3, 4, 5, 6, 8, 11, 7, 9, 10]
    table = table_of(zip=list("aaabbbccc"), salary=salaries)
    assert t_closeness(table, ["zip"], "salary") == pytest.approx(0.375)
    assert t_closeness(table, ["zip"], "salary", ordered=False) == pytest.approx(2 / 3)


def test_cells_left_out_are_a_value_of_their_own():
    schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    table = Table(schema, np.array([[0, 0], [0, 0], [-1, 0], [-1, 1]]))
    assert k_anonymity_of(table, ["sex"]) == 2
    assert k_anonymity_of(table, ["sex", "ill"]) == 1


def test_questions_without_an_answer():
    table = table_of(zip=["1", "2"], ill=["a", "b"])
    with pytest.raises(BadInput, match="cannot be both sensitive and known"):
        alpha(table, ["ill"], "ill")
    with pytest.raises(BadInput, match="at least 2, not 1"):
        recursive_diversity(table, ["zip"], "ill", l=1)
    with pytest.raises(NotMeasurable, match="no rows"):
        k_anonymity_of(Table(table.schema, np.empty((0, 2), np.int32)), ["zip"])


rows_drawn = st.lists(
    st.tuples(
        st.sampled_from("uvw"), st.integers(0, 2), st.sampled_from("abcd"), st.integers(0, 4)
    ),
    min_size=2,
    max_size=30,
)


@settings(max_examples=25)  # the other side is slow
@given(rows_drawn)
def test_pycanon_says_the_same(rows):
    pd = pytest.importorskip("pandas")
    pycanon = pytest.importorskip(
        "pycanon.anonymity", reason="pip install --no-deps pycanon to compare with it"
    )
    zips, ages, ills, pays = zip(*rows, strict=True)
    table = table_of(zip=list(zips), age=list(ages), ill=list(ills), pay=list(pays))
    frame = pd.DataFrame({"zip": zips, "age": ages, "ill": ills, "pay": pays})
    known = ["zip", "age"]
    assert k_anonymity_of(table, known) == pycanon.k_anonymity(frame, known)
    sure, k = pycanon.alpha_k_anonymity(frame, known, ["ill"])
    assert (alpha(table, known, "ill"), k_anonymity_of(table, known)) == (pytest.approx(sure), k)
    assert distinct_diversity(table, known, "ill") == pycanon.l_diversity(frame, known, ["ill"])
    # it cuts the effective number down to a whole one; 1e-9 keeps exp(ln 3) on the right side
    whole = int(entropy_diversity(table, known, "ill") + 1e-9)
    assert whole - pycanon.entropy_l_diversity(frame, known, ["ill"]) in (0, 1)
    assert t_closeness(table, known, "ill") == pytest.approx(
        pycanon.t_closeness(frame, known, ["ill"])
    )
    if len(set(pays)) > 1:
        assert t_closeness(table, known, "pay") == pytest.approx(
            pycanon.t_closeness(frame, known, ["pay"])
        )


def test_pycanon_sorts_the_counts_of_recursive_diversity_upwards():
    """The definition sorts them downwards; the two agree where all counts of a class are equal."""
    pd = pytest.importorskip("pandas")
    pycanon = pytest.importorskip(
        "pycanon.anonymity", reason="pip install --no-deps pycanon to compare with it"
    )
    even = {"zip": ["1"] * 4, "sex": ["f"] * 4, "ill": list("aabb")}
    table = table_of(**even)
    c, l = pycanon.recursive_c_l_diversity(pd.DataFrame(even), ["zip", "sex"], ["ill"])  # noqa: E741
    assert (c, l) == (math.floor(recursive_diversity(table, ["zip"], "ill", l=2) + 1), 2)
    uneven = {"zip": ["1"] * 4, "sex": ["f"] * 4, "ill": list("aaab")}
    ours = recursive_diversity(table_of(**uneven), ["zip"], "ill", l=2)
    theirs, _ = pycanon.recursive_c_l_diversity(pd.DataFrame(uneven), ["zip", "sex"], ["ill"])
    assert ours == 3.0  # three of a kind against one: c must be above 3
    assert theirs == 1  # one against three
