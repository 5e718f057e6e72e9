"""Misclassification error: how many rows fall into another cluster than before.

    M_E = |{rows whose nearest medoid changed}| / |rows|

Medoids are rows of the original, chosen as PAM begins: each next one is the row that brings all
others nearest (1 − |A ∩ B| / |A ∪ B| of items; those of a table are `column=value`). Row i of
the release is held against row i of the original, so this is for methods that keep their rows.
[Oliveira & Zaïane 2003, cited by Bertino & Nai Fovino 2005] Worked by hand: of {a, b}, {a, b}, {c}
and {c} one row goes over.

>>> before = Transactions.of([[0, 1], [0, 1], [2], [2]], 3)
>>> misclassified(before, Transactions.of([[0, 1], [2], [2], [2]], 3), before, clusters=2)
0.25
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Transactions
from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure

CLUSTERS = 5
AMONG, READ = 400, 5_000
"""Rows among which medoids are chosen, and rows that are classified; more are drawn from."""


def misclassified(
    original: Transactions, release: Transactions, among: Transactions, *, clusters: int = CLUSTERS
) -> float:
    """The share of rows that change their cluster; medoids are chosen `among` some rows."""
    medoids = among.take(_medoids(_distances(among, among), clusters))
    sides = (_distances(side, medoids).argmin(axis=1) for side in (original, release))
    return float(np.not_equal(*sides).mean())


def _medoids(distances: NDArray[np.float64], clusters: int) -> NDArray[np.intp]:
    """The first is the most central row, each next the one that saves most distance."""
    nearest = np.full(len(distances), np.inf)
    chosen: list[int] = []
    for _ in range(min(clusters, len(distances))):
        costs = np.minimum(nearest[:, None], distances).sum(axis=0)
        best = int(costs.argmin())
        if chosen and costs[best] >= nearest.sum() - 1e-12:
            break  # a further cluster brings nobody nearer
        chosen.append(best)
        nearest = np.minimum(nearest, distances[:, best])
    return np.array(chosen, np.intp)


def _distances(rows: Transactions, others: Transactions) -> NDArray[np.float64]:
    """Jaccard distances; two empty rows are equal."""
    items, place = np.unique(others.items, return_inverse=True)
    held = np.zeros((len(items), len(others)))
    held[place, others.row_of] = 1.0
    known = np.isin(rows.items, items)
    common = np.zeros((len(rows), len(others)))
    np.add.at(common, rows.row_of[known], held[np.searchsorted(items, rows.items[known])])
    either = rows.lengths[:, None] + others.lengths[None, :] - common
    return 1 - np.divide(common, either, out=np.ones_like(common), where=either > 0)


def _compute(comparison: Comparison) -> Estimate:
    original, release = comparison.original_side.rows, comparison.release_side.rows
    if len(original) != len(release):
        raise NotMeasurable("The rows of this release are not those of the original, row by row.")
    rng = comparison.randomness.child("rows classified")
    rows = np.sort(rng.choice(len(original), min(READ, len(original)), replace=False))
    some = np.sort(rng.choice(len(original), min(AMONG, len(original)), replace=False))
    before, after, among = (
        side.transactions.take(part)
        for side, part in ((original, rows), (release, rows), (original, some))
    )
    details = {"clusters": CLUSTERS, "rows_classified": len(rows)}
    return Estimate(misclassified(before, after, among), details=details)


MISCLASSIFICATION = Measure(
    name="misclassification",
    of_one_method=True,
    room="quality",
    better="lower",
    unit="share",
    meaning="The share of rows that fall into another cluster than before, for methods that keep "
    "the rows.",
    how="Nearest of five medoids of the original by Jaccard distance, before and after, over up to "
    "5,000 rows drawn at random; the items of a table are column=value.",
    cost="1 s",
    compute=_compute,
    default=False,
)
