"""A CodeTable refuses nonsense and answers what it is asked."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from strategies import databases

from halfmask.data import Assortment, Transactions
from halfmask.errors import BadInput
from halfmask.patterns.code_table import CodeTable
from halfmask.patterns.krimp import krimp
from reference import krimp as reference

SCHEMA = Assortment(("a", "b", "c"))
GOOD = {
    "sets": [(0, 1, 2), (0, 1)],
    "usages": [2, 3],
    "supports": [2, 5],
    "item_usages": [0, 1, 2],
    "item_supports": [5, 6, 4],
    "rows": 7,
}


def table(**other) -> CodeTable:
    return CodeTable(SCHEMA, **{**GOOD, **other})


def test_a_sound_table_is_taken():
    assert len(table()) == 2
    assert table().usage_sum == 8


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"sets": [(0, 1), (0, 1, 2)], "usages": [3, 2], "supports": [5, 2]}, "longest first"),
        ({"sets": [(0, 1, 3), (0, 1)]}, "outside the schema"),
        ({"sets": [(-1, 1, 2), (0, 1)]}, "outside the schema"),
        ({"sets": [(0, 2, 1), (0, 1)]}, "increasing order"),
        ({"sets": [(0, 1, 2), (0,)]}, "two or more items"),
        ({"sets": [(0, 1), (0, 1)]}, "occurs twice"),
        ({"usages": [2, 6]}, "more rows than contain it"),
        ({"usages": [2, 2]}, "do not add up"),
        ({"item_usages": [0, 1, 1]}, "do not add up"),
        ({"usages": [2]}, "must be 2 whole numbers"),
        ({"usages": [2.0, 3.0]}, "whole numbers"),
        ({"usages": [2, -3]}, "negative"),
        ({"usages": [2, 2**60]}, "too large"),
        ({"usages": [2, 2**70]}, "whole numbers"),
        ({"supports": [2, 6]}, "than one of its items"),
        ({"rows": 5}, "more rows than the 5"),
    ],
)
def test_nonsense_is_refused(other, reason):
    with pytest.raises(BadInput, match=reason):
        table(**other)


def test_arrays_of_a_table_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        table().usages[0] = 9


def test_code_lengths_follow_the_usages():
    assert table().set_bits.tolist() == [2.0, pytest.approx(math.log2(8 / 3))]
    assert table().item_bits.tolist() == [math.inf, 3.0, 2.0]


def test_sizes_are_those_of_the_definition():
    elements = {(0, 1, 2): 2, (0, 1): 3, (1,): 1, (2,): 2}
    usage = {frozenset(x): u for x, u in elements.items()}
    size = reference.size(usage, {0: 5, 1: 6, 2: 4})
    assert table().bits.database == pytest.approx(size.database)
    assert table().bits.table == pytest.approx(size.table)
    assert table().bits.total == pytest.approx(size.total)


def test_patterns_are_listed_with_their_names_and_unused_ones_on_request():
    listed = table().patterns()
    assert [p.labels for p in listed] == [("a", "b", "c"), ("a", "b"), ("b",), ("c",)]
    assert (listed[1].usage, listed[1].support, listed[1].items) == (3, 5, (0, 1))
    unused = table().patterns(unused=True)[2]
    assert (unused.labels, unused.usage, unused.support, unused.bits) == (("a",), 0, 5, None)


def test_a_row_that_needs_an_unused_element_has_a_length_only_with_a_correction():
    rows = Transactions.of([(0,), (0, 1)], 3)
    assert table().encode(rows).bits.tolist() == [math.inf, pytest.approx(math.log2(8 / 3))]
    # Five elements, one added to each: 13 codes.
    assert table().encode(rows, laplace=1).bits.tolist() == pytest.approx(
        [math.log2(13), math.log2(13 / 4)]
    )


def test_rows_of_another_schema_are_refused():
    with pytest.raises(BadInput, match="one schema"):
        table().encode(Transactions.of([(0,)], 4))
    with pytest.raises(BadInput, match="at least 0"):
        table().encode(Transactions.of([(0,)], 3), laplace=-1)


def test_a_table_without_sets_is_a_table():
    empty = CodeTable(SCHEMA, [], [], [], [2, 1, 0], [2, 1, 0], 2)
    assert empty.cover((0, 2)) == ((0,), (2,))
    assert empty.bits.database == pytest.approx(3 * math.log2(3) - 2)


@given(databases())
def test_encoding_the_original_gives_back_usages_and_size(rows):
    schema = Assortment(tuple(str(i) for i in range(rows.n_items)))
    found = krimp(rows, schema, min_support=1).code_table
    encoded = found.encode(rows)
    assert np.array_equal(encoded.set_usages, found.usages)
    assert np.array_equal(encoded.item_usages, found.item_usages)
    assert encoded.total == pytest.approx(found.bits.database)
