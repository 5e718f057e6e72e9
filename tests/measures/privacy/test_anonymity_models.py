"""Anonymity of tables: worked by hand, and against the pycanon package."""

from __future__ import annotations

import math

import numpy as np
import pytest
from others import ask

from halfmask.data import Attribute, Schema, Table
from halfmask.errors import BadInput, NotMeasurable
from halfmask.measures.privacy.anonymity_models import (
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


def drawn_tables(count: int = 40) -> list[dict[str, list]]:
    """Small tables of every shape: few rows and many, rare values and common ones."""
    rng = np.random.default_rng(5)
    tables = []
    for _ in range(count):
        rows = int(rng.integers(2, 31))
        tables.append(
            {
                "zip": rng.choice(list("uvw"), rows).tolist(),
                "age": rng.integers(3, size=rows).tolist(),
                "ill": rng.choice(list("abcd"), rows, p=[0.5, 0.3, 0.15, 0.05]).tolist(),
                "pay": rng.integers(5, size=rows).tolist(),
            }
        )
    return tables


def test_pycanon_says_the_same():
    known, tables = ["zip", "age"], drawn_tables()
    for columns, theirs in zip(tables, ask("ask_pycanon", tables), strict=True):
        table = table_of(**columns)
        assert k_anonymity_of(table, known) == theirs["k"]
        assert [alpha(table, known, "ill"), theirs["k"]] == pytest.approx(theirs["alpha"])
        assert distinct_diversity(table, known, "ill") == theirs["distinct_l"]
        # it cuts the effective number down to a whole one; 1e-9 keeps exp(ln 3) on the right side
        whole = int(entropy_diversity(table, known, "ill") + 1e-9)
        assert whole - theirs["entropy_l"] in (0, 1)
        assert t_closeness(table, known, "ill") == pytest.approx(theirs["t"])
        if theirs["t_of_numbers"] is not None:
            assert t_closeness(table, known, "pay") == pytest.approx(theirs["t_of_numbers"])


def test_pycanon_sorts_the_counts_of_recursive_diversity_upwards():
    """The definition sorts them downwards; the two agree where all counts of a class are equal."""
    one_class = {"zip": ["1"] * 4, "age": [3] * 4, "pay": [1] * 4}
    tables = [{**one_class, "ill": list(ills)} for ills in ("aabb", "aaab")]
    even, uneven = (recursive_diversity(table_of(**t), ["zip"], "ill", l=2) for t in tables)
    theirs = [answer["recursive"] for answer in ask("ask_pycanon", tables)]
    assert theirs[0] == [math.floor(even + 1), 2]
    assert uneven == 3.0  # three of a kind against one: c must be above 3
    assert theirs[1][0] == 1  # one against three
