"""Marginals: how far the frequencies of one, two or three attributes together have moved.

    TV(a) = ½ Σ over the cells of the attributes a of |supp_p / n_p − supp_o / n_o|

TV is the largest possible error in the share of any set of cells: 0 is equal, 1 is disjoint.

Worst region: the kind of persons whom the release describes worst.

Every original row is written in the codes of the release and in those of the original. For each
value of each attribute the excess is taken over the persons who hold it:

    ( Σ bits in release codes − Σ bits in original codes ) / Σ bits in original codes

Only values held by at least `min_support` persons are looked at and named.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Transactions
from halfmask.errors import NotMeasurable
from halfmask.measures.code_tables import code_tables
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure

_MOST_COMBINATIONS = 2_000
"""Beyond this many combinations of attributes a seeded sample of them is read, and says so."""

_MOST_CELLS = 20_000_000
"""Combinations with more cells are counted by their keys instead of in an array."""


def total_variation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Half the summed difference of two counts, each divided by its own total.

    >>> total_variation(np.array([3.0, 1.0]), np.array([1.0, 1.0]))
    0.25
    """
    return float(0.5 * np.abs(first / first.sum() - second / second.sum()).sum())


def _distance(comparison: Comparison, columns: tuple[int, ...]) -> float:
    sides = (comparison.original_side, comparison.release_side)
    if sides[0] is sides[1]:
        return 0.0
    if _cells(comparison, columns) <= _MOST_CELLS:
        first, second = (side.marginal(columns, comparison.names) for side in sides)
        return total_variation(first, second)
    first_tally, second_tally = (side.tally_of(columns) for side in sides)
    keys = np.union1d(first_tally.keys, second_tally.keys)
    counts = (tally.count(keys).astype(np.float64) for tally in (first_tally, second_tally))
    return total_variation(*counts)


def _cells(comparison: Comparison, columns: Sequence[int]) -> float:
    if comparison.is_table:
        return float(np.prod([comparison.schema.attributes[c].size for c in columns]))
    return 2.0 ** len(columns)


def _combinations(comparison: Comparison, ways: int) -> tuple[list[tuple[int, ...]], bool]:
    """The combinations of attributes to read, and whether they are all of them."""
    width = len(comparison.names)
    if width < ways:
        raise NotMeasurable(f"There are only {width} attribute(s), fewer than {ways}.")
    total = int(np.prod([width - i for i in range(ways)]) // np.prod(range(1, ways + 1)))
    if total <= _MOST_COMBINATIONS:
        return list(combinations(range(width), ways)), True
    some = comparison.original_side.once(
        ("combinations", ways, comparison.randomness), lambda: _some(comparison, ways, width)
    )
    return some, False


def _some(comparison: Comparison, ways: int, width: int) -> list[tuple[int, ...]]:
    rng = comparison.randomness.child(f"{ways}-way marginals")
    chosen: set[tuple[int, ...]] = set()
    while len(chosen) < _MOST_COMBINATIONS:
        chosen.add(tuple(sorted(rng.choice(width, ways, replace=False).tolist())))
    return sorted(chosen)


def _compute(comparison: Comparison, *, ways: int) -> Estimate:
    asked, complete = _combinations(comparison, ways)
    few = [columns for columns in asked if _cells(comparison, columns) <= _MOST_CELLS]
    for side in (comparison.original_side, comparison.release_side):
        side.count_ahead(few, comparison.names)
    distances = np.array([_distance(comparison, columns) for columns in asked])
    order = np.argsort(-distances, kind="stable")
    named = [[comparison.names[c] for c in asked[i]] for i in order[:10]]
    return Estimate(
        float(distances.mean()),
        details={
            "worst": float(distances.max()),
            "worst_attributes": named[0],
            "ten_worst": [
                {"attributes": names, "distance": float(distances[i])}
                for names, i in zip(named, order[:10], strict=True)
            ],
            "combinations": len(asked),
            "all_combinations": complete,
        },
    )


def _measure(ways: int, word: str, cost: str) -> Measure:
    return Measure(
        name=f"marginals_{ways}",
        reads="counts",
        spread=True,
        room="quality",
        better="lower",
        unit="share",
        meaning=f"The share of rows that would have to change for the frequencies of {word} "
        "to agree with the original, on average.",
        how=f"Total variation distance, mean over the combinations of {ways} attribute(s), worst "
        f"ones named; beyond {_MOST_COMBINATIONS:,} combinations a sample of them is read.",
        cost=cost,
        compute=partial(_compute, ways=ways),
    )


MARGINALS = (
    _measure(1, "one attribute", "0.7 s"),
    _measure(2, "two attributes together", "0.8 s"),
    _measure(3, "three attributes together", "1.5 s"),
)


def bits_per_item(rows: Transactions, bits: NDArray[np.float64]) -> NDArray[np.float64]:
    """The bits of all rows that hold an item, for each item.

    >>> rows = Transactions.of([(0, 1), (1,)], n_items=3)
    >>> bits_per_item(rows, np.array([4.0, 1.0])).tolist()
    [4.0, 5.0, 0.0]
    """
    per_cell = np.repeat(bits * rows.weights, np.diff(rows.offsets))
    sums = np.bincount(rows.items, weights=per_cell, minlength=rows.n_items)
    return np.asarray(sums, np.float64)


def _worst(comparison: Comparison) -> Estimate:
    tables = code_tables(comparison)
    rows = comparison.original_side.distinct
    own, other = (bits_per_item(rows, table.encode(rows, laplace=1).bits) for table in tables.pair)
    holders = rows.item_counts
    named = np.flatnonzero((holders >= comparison.min_support) & (own > 0))
    if not len(named):
        raise NotMeasurable(f"No value is held by {comparison.min_support:,} people or more.")
    excess = (other[named] - own[named]) / own[named]
    order = np.argsort(-excess, kind="stable")[:10]
    label = comparison.original.schema.label
    worst = [
        {
            "region": label(int(named[i])),
            "excess": float(excess[i]),
            "rows": int(holders[named[i]]),
        }
        for i in order
    ]
    details = {"ten_worst": worst, "regions": len(named), "min_support": tables.min_support}
    return Estimate(float(excess.max()), details=details)


WORST_REGION = Measure(
    name="worst_region",
    room="quality",
    better="lower",
    unit="relative bits",
    meaning="How many extra bits the release's patterns need for the group of people they "
    "describe worst; 0 is none.",
    how="Original rows in the codes of both sides, summed over the people who share a value "
    "held by at least the minimum support.",
    cost="1.9 s",
    compute=_worst,
    of_all_rows=False,
)
