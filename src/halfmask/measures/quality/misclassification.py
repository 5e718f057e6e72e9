"""Misclassification error: how many rows fall into another cluster than before.

    M_E = |{rows whose nearest medoid changed}| / |rows|

Medoids are baskets of the original, chosen as PAM begins: each next one is the basket that brings
all others nearest (1 − |A ∩ B| / |A ∪ B|). Row i of the release is held against row i of the
original, so this is for methods that keep their rows. [Oliveira & Zaïane 2003, cited by Bertino &
Nai Fovino 2005] Worked by hand: of {a, b}, {a, b}, {c} and {c} one basket goes over.

>>> before = Baskets.of(["ab", "ab", "c", "c"])
>>> misclassified(before, Baskets.of(["ab", "c", "c", "c"]), before, clusters=2)
0.25
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Baskets, Transactions
from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure

CLUSTERS = 5
AMONG, READ = 400, 5_000
"""Baskets among which medoids are chosen, and rows that are classified; more are drawn from."""


def misclassified(
    original: Baskets, release: Baskets, among: Baskets, *, clusters: int = CLUSTERS
) -> float:
    """The share of rows that change their cluster; medoids are chosen `among` some baskets."""
    chosen = _medoids(_distances(among.transactions, among.transactions), clusters)
    medoids = among.transactions.take(chosen)
    sides = (_distances(side.transactions, medoids).argmin(axis=1) for side in (original, release))
    return float(np.not_equal(*sides).mean())


def _medoids(distances: NDArray[np.float64], clusters: int) -> NDArray[np.intp]:
    """The first is the most central basket, each next the one that saves most distance."""
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
    """Jaccard distances; two empty baskets are equal."""
    held = np.zeros((rows.n_items, len(others)))
    held[others.items, others.row_of] = 1.0
    common = np.zeros((len(rows), len(others)))
    np.add.at(common, rows.row_of, held[rows.items])
    either = rows.lengths[:, None] + others.lengths[None, :] - common
    return 1 - np.divide(common, either, out=np.ones_like(common), where=either > 0)


def _compute(comparison: Comparison) -> Estimate:
    original, release = comparison.original_side.rows, comparison.release_side.rows
    if not (isinstance(original, Baskets) and isinstance(release, Baskets)):
        raise NotMeasurable("This measure classifies baskets, and these are tables.")
    if len(original) != len(release):
        raise NotMeasurable("The rows of this release are not those of the original, row by row.")
    rng = comparison.randomness.child("rows classified")
    rows = np.sort(rng.choice(len(original), min(READ, len(original)), replace=False))
    some = np.sort(rng.choice(len(original), min(AMONG, len(original)), replace=False))
    before, after, among = (
        Baskets(side.schema, side.transactions.take(part))
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
    meaning="The share of baskets that fall into another cluster than before, for methods that "
    "keep the rows.",
    how="Nearest of five medoids of the original by Jaccard distance, before and after, over up to "
    "5,000 baskets drawn at random.",
    cost="1 s",
    compute=_compute,
    default=False,
)
