"""Databases that hypothesis draws: every awkward shape that a steward's data can have."""

from __future__ import annotations

from hypothesis import strategies as st

from halfmask.data import Attribute, Schema, Table, Transactions

__all__ = ["databases", "tables", "transactions"]


@st.composite
def tables(draw, max_rows: int = 12, max_columns: int = 5, max_values: int = 4):
    """Tables with duplicates, constant columns, one row, one column and absent cells."""
    sizes = draw(st.lists(st.integers(1, max_values), min_size=1, max_size=max_columns))
    absent = draw(st.booleans())
    cell = [st.integers(-1 if absent else 0, size - 1) for size in sizes]
    codes = draw(st.lists(st.tuples(*cell), min_size=1, max_size=max_rows))
    repeats = draw(st.lists(st.integers(1, 4), min_size=len(codes), max_size=len(codes)))
    schema = Schema(
        tuple(
            Attribute(f"a{i}", tuple(str(v) for v in range(size))) for i, size in enumerate(sizes)
        )
    )
    rows = [row for row, n in zip(codes, repeats, strict=True) for _ in range(n)]
    return Table(schema, rows)


@st.composite
def transactions(draw, max_rows: int = 10, max_items: int = 7, max_weight: int = 4):
    """Weighted rows of items with empty rows, repeated rows and items in no row."""
    n_items = draw(st.integers(1, max_items))
    rows = draw(st.lists(st.sets(st.integers(0, n_items - 1)), min_size=1, max_size=max_rows))
    plain = Transactions.of([sorted(row) for row in rows], n_items)
    weights = draw(st.lists(st.integers(1, max_weight), min_size=len(rows), max_size=len(rows)))
    return Transactions(plain.offsets, plain.items, plain.weights * weights, n_items)


def databases():
    """Rows of a table or of baskets."""
    return st.one_of(tables().map(lambda table: table.transactions), transactions())
