"""Where a pool starts: rows drawn along a tree of the tables of two columns, and tied columns.

A pool that starts from independent columns has hardly any row where one column nearly decides
another, and weights cannot make rows that are not there. Drawn along the tree of the strongest
pairs [Chow & Liu 1968] it has them from the first round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]


def shares(counts: Table, total: float) -> Table:
    """Counts with errors as shares: none below a small part of a row, in all 1."""
    kept = np.maximum(np.asarray(counts, np.float64), 1e-3 * max(total, 1.0) / counts.size)
    parts: Table = kept / kept.sum()
    return parts


def mutual_information(table: Table) -> float:
    """Of the two columns of a table of shares, in nats.

    >>> mutual_information(np.full((2, 2), 0.25)), round(mutual_information(np.eye(2) / 2), 3)
    (0.0, 0.693)
    """
    apart = table.sum(1, keepdims=True) * table.sum(0, keepdims=True)
    held = table > 0
    return float((table[held] * np.log(table[held] / apart[held])).sum())


def spanning_tree(
    columns: int, weights: Mapping[tuple[int, int], float]
) -> list[tuple[int | None, int]]:
    """Edges (from, to) of the heaviest forest, each column after the one it hangs on.

    >>> spanning_tree(3, {(0, 1): 0.2, (1, 2): 0.9, (0, 2): 0.1})
    [(None, 1), (1, 2), (1, 0)]
    """
    edges: list[tuple[int | None, int]] = []
    placed: set[int] = set()
    while len(placed) < columns:
        open_edges = [
            (weight, a, b)
            for pair, weight in weights.items()
            for a, b in (pair, pair[::-1])
            if a in placed and b not in placed and weight > 0
        ]
        if open_edges:
            _, source, to = max(open_edges)
            edges.append((source, to))
        else:
            loose = [c for c in range(columns) if c not in placed]
            to = max(loose, key=lambda c: sum(w for pair, w in weights.items() if c in pair))
            edges.append((None, to))
        placed.add(to)
    return edges


def drawn_from_tree(
    singles: Sequence[Table],
    pairs: Mapping[tuple[int, int], Table],
    rows: int,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Rows drawn along the heaviest tree of the pairs; columns without a pair are independent.

    The tables are shares: `singles` of each column, `pairs` of columns (a, b), a line for each
    value of a.
    """
    strength = {pair: mutual_information(table) for pair, table in pairs.items()}
    codes = np.empty((rows, len(singles)), np.int32)
    for source, to in spanning_tree(len(singles), strength):
        if source is None:
            codes[:, to] = _spread(singles[to], rows, rng)
            continue
        table = pairs[source, to] if (source, to) in pairs else pairs[to, source].T
        reach = np.cumsum(table / table.sum(1, keepdims=True), axis=1)[codes[:, source]]
        above = rng.random(rows)[:, None] * reach[:, -1:] >= reach
        codes[:, to] = np.minimum(above.sum(1), table.shape[1] - 1)
    return codes


def _spread(single: Table, rows: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """As many rows of each value as its share asks, up to one, in any order."""
    points = (np.arange(rows) + rng.random()) / rows
    codes = np.searchsorted(np.cumsum(single), points, side="right")
    return rng.permutation(np.minimum(codes, len(single) - 1)).astype(np.int32)


def tied_pairs(
    singles: Sequence[Table], pairs: Mapping[tuple[int, int], Table], *, least: float, most: int
) -> list[tuple[int, int]]:
    """Pairs of which one column says at least the share `least` of the other, strongest first.

    At most `most` of them, and none whose table has more than 400 cells.
    """
    found = []
    for (a, b), table in pairs.items():
        entropy = min(_entropy(singles[a]), _entropy(singles[b]))
        if table.size <= 400 and entropy > 0.01:
            found.append((mutual_information(table) / entropy, (a, b)))
    strong = sorted((each for each in found if each[0] >= least), reverse=True)
    return [pair for _, pair in strong[:most]]


def _entropy(single: Table) -> float:
    held = single[single > 0]
    return float(-(held * np.log(held)).sum())
