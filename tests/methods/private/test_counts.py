"""What is counted of rows is the same in plain Python, in one table, and in pieces elsewhere."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from halfmask.data import Attribute, Schema, Table, rows
from halfmask.data.table import ABSENT
from halfmask.engines.rows import SpreadTable, View
from halfmask.engines.stream import Passes
from halfmask.methods.loglinear import TableSet
from halfmask.methods.private.counts import NodePlaces, counts_of
from halfmask.methods.private.log import LeafNode, leaf_numbers
from halfmask.methods.private.mechanisms import RandomBits
from halfmask.methods.private.trees import UNIT, Grower

SIZES = (3, 2, 4)
SCHEMA = Schema(tuple(Attribute(str(n), tuple(map(str, range(s)))) for n, s in enumerate(SIZES)))
TABLES = [(0,), (2, 0), (0, 1, 2)]
TREE = (LeafNode(1, (1, 2)), LeafNode(), LeafNode(0, (3, 4, 5)), *[LeafNode()] * 3)


def coded(n=500, seed=1):
    rng = np.random.default_rng(seed)
    return np.stack([rng.integers(s, size=n) for s in SIZES], axis=1).astype(np.int32)


def elsewhere(codes, back):
    """The same rows in three pieces, beside others that are held back; one of these has no code."""
    back = Table(SCHEMA, back)
    every = np.vstack([back.codes, codes])
    pieces = [Table(SCHEMA, every[part]) for part in np.array_split(np.arange(len(every)), 3)]
    engine = Passes(lambda: iter(pieces))
    return SpreadTable(engine, View.whole(SCHEMA), len(codes), back)


def plainly(codes, tables, sizes):
    """Cell by cell."""
    found = []
    for table in tables:
        held = Counter(tuple(row) for row in codes[:, list(table)].tolist())
        found += [held[cell] for cell in product(*(range(sizes[c]) for c in table))]
    return found


@pytest.mark.parametrize("at_once", [1, 30, 1 << 22])
def test_counts_are_the_same_wherever_rows_are(monkeypatch, at_once):
    monkeypatch.setattr(rows, "MOST_CELLS_AT_ONCE", at_once)
    codes = coded()
    back = np.vstack([coded(20, seed=2), [[1, ABSENT, 0]]])
    tables = TableSet(SIZES, TABLES)
    for held in (Table(SCHEMA, codes), elsewhere(codes, back)):
        assert counts_of(held, tables).tolist() == plainly(codes, TABLES, SIZES)


def place_of(row):
    """The leaf of a row in `TREE`, followed by hand."""
    return 0 if row[1] == 0 else 1 + row[0]


def test_places_in_a_tree_are_one_more_column():
    codes = coded()
    places = NodePlaces(TREE, leaf_numbers(TREE))
    tables = places.tables(SIZES, [(2,)])
    assert tables.sizes == (*SIZES, 4)
    with_leaf = np.column_stack([codes, [place_of(row) for row in codes.tolist()]])
    expected = plainly(with_leaf, [(3, 2)], tables.sizes)
    for held in (Table(SCHEMA, codes), elsewhere(codes, coded(20, seed=2))):
        assert counts_of(held, tables, places).tolist() == expected


def test_all_nodes_of_a_level_are_asked_at_once_and_each_as_if_alone():
    codes, pool = coded(700), coded(300, seed=3)
    asked = {1: [0], 4: [], 5: [0, 1]}  # of the tree's leaves, two others are not asked
    grower = Grower(Table(SCHEMA, codes), pool, SIZES, 2, 800.0, RandomBits(1))
    found = grower.off(TREE, asked)
    leaves = {1: 0, 4: 2, 5: 3}
    for place, (node, columns) in enumerate(asked.items()):
        sides = [
            [r for r in each.tolist() if place_of(r) == leaves[node]] for each in (codes, pool)
        ]
        for column in columns:
            true, drawn = (Counter((r[column], r[2]) for r in side) for side in sides)
            cells = product(range(SIZES[column]), range(SIZES[2]))
            off = sum(abs(UNIT * true[c] - round(drawn[c] * 800 / 300 * UNIT)) for c in cells)
            assert found[column][place] == off
