"""Coded rows on their way: packed in few bytes, kept by Spark in lines, and read again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Attribute, Schema, Table
from halfmask.data.keyed import is_among
from halfmask.engines.rows import SpreadTable, View, packed, unpacked
from halfmask.engines.spark.engine import LINE, _coded, _tables
from halfmask.engines.stream import Passes


def table_of(sizes: list[int], rows: int, seed: int = 1) -> Table:
    schema = Schema(
        tuple(Attribute(str(n), tuple(map(str, range(s)))) for n, s in enumerate(sizes))
    )
    rng = np.random.default_rng(seed)
    return Table(schema, np.stack([rng.integers(-1, size, rows) for size in sizes], axis=1))


@given(
    st.lists(st.sampled_from([1, 2, 127, 128, 129, 300, 32_768, 32_769]), min_size=1, max_size=4),
    st.integers(0, 200),
)
def test_what_is_packed_comes_back_in_the_fewest_bytes(sizes, rows):
    table = table_of(sizes, rows)
    content = packed(table)
    width = sum(1 if size <= 128 else 2 if size <= 32_768 else 4 for size in sizes)
    assert len(content) == rows * width
    assert unpacked(table.schema, content).codes.tolist() == table.codes.tolist()


@pytest.mark.parametrize("rows", [1, LINE, 3 * LINE + 1])
def test_lines_are_read_wherever_they_are_cut(rows):
    table = table_of([2, 300], rows)
    [batch] = _coded(lambda piece: piece, iter, iter([table]))
    assert len(batch) == -(-rows // LINE)
    read = np.vstack([t.codes for t in _tables(table.schema, iter([batch[:1], batch[1:]]))])
    assert read.tolist() == table.codes.tolist()


def test_a_smaller_part_is_the_beginning_of_a_larger_one():
    table = table_of([2, 300], 400)
    asked = []

    def read():
        asked.append(1)
        return iter([table.take(np.arange(250)), table.take(np.arange(250, 400))])

    rows = SpreadTable(Passes(read), View.whole(table.schema), len(table), None)
    some, more = rows.part(20), rows.part(90)
    passes = len(asked)
    assert some.codes.tolist() == table.part(20).codes.tolist()
    assert more.codes.tolist() == table.part(90).codes.tolist()
    assert rows.part(50).codes.tolist() == table.part(50).codes.tolist()
    assert len(asked) == passes  # the part that is here was enough


def test_numbers_are_found_among_none_and_beyond_the_last():
    numbers = np.array([5, 2**64 - 1], np.uint64)
    assert is_among(numbers, np.empty(0, np.uint64)).tolist() == [False, False]
    assert is_among(numbers, np.array([5], np.uint64)).tolist() == [True, False]
