"""Basket lengths: how far the distribution of the number of items in a basket has moved.

TV = ½ Σ over the lengths of |share of the release's baskets − share of the original's|

Generalisation: how much was lost by publishing items under more general names.

NCP = Σ over the items' occurrences of (items that the published name stands for / all items),
nothing for an item under its own name, divided by the number of occurrences.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Baskets, GeneralisedBaskets, GeneralisedTable
from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.quality.marginals import total_variation


def _compute(comparison: Comparison) -> Estimate:
    sides = (comparison.original_side.rows, comparison.release_side.rows)
    if not all(isinstance(side, Baskets) for side in sides):
        raise NotMeasurable("This measure counts the items of baskets, and these are tables.")
    lengths = [np.diff(side.transactions.offsets) for side in sides]
    longest = int(max(found.max() for found in lengths)) + 1
    counts = [
        np.bincount(found, side.transactions.weights, minlength=longest).astype(np.float64)
        for found, side in zip(lengths, sides, strict=True)
    ]
    means = [float((np.arange(longest) * count).sum() / count.sum()) for count in counts]
    return Estimate(
        total_variation(counts[0], counts[1]),
        details={"mean_of_original": means[0], "mean_of_release": means[1]},
    )


BASKET_LENGTHS = Measure(
    name="basket_lengths",
    room="quality",
    better="lower",
    unit="share",
    meaning="The share of baskets that would have to change their number of items for the lengths "
    "to be distributed as in the original.",
    how="Total variation distance of the numbers of items in a basket.",
    cost="0.1 s",
    compute=_compute,
    default=False,
)


def _generalised(comparison: Comparison) -> Estimate:
    release, original = comparison.release, comparison.original
    if not isinstance(release, GeneralisedBaskets | GeneralisedTable):
        raise NotMeasurable("This measure needs generalised items, and no item was generalised.")
    occurrences = original.support([(item,) for item in range(original.schema.n_items)])
    if not occurrences.sum():
        raise NotMeasurable("No item occurs in the original, so none lost anything.")
    if isinstance(release, GeneralisedTable):
        names, own_name, losses = _of_columns(release)
    else:
        names, own_name, losses = _of_items(release)
    return Estimate(
        float((occurrences * losses).sum() / occurrences.sum()),
        details={
            "items": original.schema.n_items,
            "names_published": names,
            "under_their_own_name": int(own_name.sum()),
        },
    )


Losses = tuple[int, NDArray[np.bool_], NDArray[np.float64]]
"""Names published; which items have their own; what each lost."""


def _of_items(release: GeneralisedBaskets) -> Losses:
    own_name = np.array(release.became) == np.array(release.schema.names)
    losses = np.where(own_name, 0.0, release.group_sizes / release.schema.n_items)
    return release.published.schema.n_items, own_name, losses


def _of_columns(release: GeneralisedTable) -> Losses:
    """Of a table a name stands for a share of the values of its column."""
    sizes = np.concatenate(release.group_sizes)
    several = np.array([a.size for a in release.schema])[release.schema.domains]
    own_name = np.equal(sizes, 1)
    return release.published.schema.n_items, own_name, np.where(own_name, 0.0, sizes / several)


GENERALISATION = Measure(
    name="generalisation",
    reads="counts",
    of_one_method=True,
    room="quality",
    better="lower",
    unit="share",
    meaning="How much is lost by generalisation: 0 when every item keeps its own name, 1 when "
    "one name stands for all.",
    how="Normalised certainty penalty: the share of all items (of a table: of the values of its "
    "column) that a published name stands for, mean over all occurrences.",
    cost="0.1 s",
    compute=_generalised,
    default=False,
)
