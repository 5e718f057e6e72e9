"""Coarse data quality: one number for a whole release, before any asset is looked at.

(7)  Diss(D, D') = Σ_i |f(i) − f'(i)| / Σ_i f(i)        perturbed or blocked items
(8)  Quality(D') = 1 − Σ_cells h / |GT| / cells          values lifted h levels of |GT|
[Bertino & Nai Fovino 2005; (8) is the precision of Sweeney 2002]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from halfmask.assets.values import Values
from halfmask.data import Column, Countable
from halfmask.errors import BadInput, NotMeasurable
from halfmask.methods.suppression.hierarchy import Hierarchy


def coarse_dissimilarity(original: Countable, release: Countable) -> float:
    """Formula (7) over the items of both sides; an item that only the release has counts too.

    Blind to items that change rows; `measures.hiding.cell_dissimilarity` sees those.

    >>> from halfmask.data import Baskets
    >>> coarse_dissimilarity(Baskets.of(["ab", "ab"]), Baskets.of(["ab", "bc"]))
    0.5
    """
    before, after = _supports(original), _supports(release)
    total = sum(before.values())
    if not total:
        raise NotMeasurable("The original holds no item, so no share of them changed.")
    names = before.keys() | after.keys()
    return sum(abs(before.get(n, 0.0) - after.get(n, 0.0)) for n in sorted(names)) / total


def _supports(side: Countable) -> dict[str, float]:
    items = range(side.schema.n_items)
    supports = side.support([(item,) for item in items]).tolist()
    return {side.schema.label(item): supports[item] for item in items}


def coarse_quality(lifts: NDArray[np.float64], depths: Sequence[int]) -> float:
    """Formula (8) from the levels that each cell was lifted, one column for each attribute.

    >>> round(coarse_quality(np.array([[1, 0], [1, 2], [2, 4]]), [2, 4]), 5)
    0.41667
    """
    levels = np.asarray(depths, np.float64)
    if lifts.ndim != 2 or lifts.shape[1] != len(levels) or not lifts.size:
        raise BadInput("Every attribute needs a depth, and every row a level for each attribute.")
    if (levels <= 0).any() or (lifts < 0).any() or (lifts > levels).any():
        raise BadInput(
            "A value is generalised by at least 0 levels and at most the depth above it."
        )
    return float(1 - (lifts / levels).mean())


def generalised_quality(
    original: Sequence[Column], release: Sequence[Column], hierarchies: Mapping[str, Hierarchy]
) -> float:
    """Formula (8) of a release whose rows keep their place, over the attributes with a hierarchy.

    >>> from halfmask.data import Assortment
    >>> towns = Hierarchy.of({"Rome": "Italy", "Lodi": "Italy"}, Assortment(("Lodi", "Rome")))
    >>> old, new = ["Rome", "Lodi"], ["Italy", "Lodi"]
    >>> generalised_quality([Column.of("town", old)], [Column.of("town", new)], {"town": towns})
    0.5
    """
    after = {column.name: column for column in release}
    parts = [c for c in original if c.name in hierarchies and c.name in after]
    if not parts or len({len(c) for c in (*parts, *(after[c.name] for c in parts))}) > 1:
        raise NotMeasurable(
            "No attribute has a hierarchy and the same number of rows on both sides."
        )
    lifted = [
        lifts(Values.of(c, "str"), Values.of(after[c.name], "str"), hierarchies[c.name])
        for c in parts
    ]
    return float(1 - np.mean(lifted))


def lifts(before: Values, after: Values, hierarchy: Hierarchy) -> NDArray[np.float64]:
    """How far up the hierarchy each value was taken, of its depth; 1 where it went elsewhere."""
    width = len(after.labels)
    joint = before.index.astype(np.int64) * width + after.index
    pairs, place = np.unique(joint, return_inverse=True)
    found = [hierarchy.lift(before.labels[p // width], after.labels[p % width]) for p in pairs]
    return np.array(found, np.float64)[place]
