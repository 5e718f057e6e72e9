"""Column attack: name what a person holds in one column, knowing all the others.

The attacker has the published tables and the person's values in the other columns. A bucket B
counts as much as rows like the person's are to be expected in it:

    P(v | known) = Σ_B w_B · c_B(v)/|B| / Σ_B w_B,     w_B = |B| · Π_{k≠j} c_B(v_k)/|B|

Every term is a share of v in a bucket, so an l-diverse release keeps it at 1/l or below.

Group attack: guess the sensitive value of a person from the values of the person's group.

The attacker knows the other columns of a person and so the group; the best guess is the most
frequent value of the group.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Baskets, SeparatedTable
from halfmask.data.countable import Itemset
from halfmask.data.published.anatomised import AnatomisedTables
from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.privacy.item_disclosure import anatomised_release

SAMPLE = 1000
"""Rows attacked when there are more; the reading says so."""


class ColumnAttack:
    """The attacker's view of the tables: for each value, the buckets it stands in."""

    def __init__(self, tables: AnatomisedTables) -> None:
        self._tables = tables
        self._order = np.argsort(tables.entries.values, kind="stable")
        self._first = np.searchsorted(
            tables.entries.values[self._order], np.arange(len(tables.values) + 1)
        )

    def matching(self, row: Itemset) -> int:
        """In how many buckets the person can be: those that hold each of its values (Definition 7).

        >>> from halfmask.data import Assortment
        >>> from halfmask.data.published.anatomised import Line
        >>> lines = [[Line(0, ("a",), 1), Line(1, ("a",), 1)], [Line(0, ("b",), 1), Line(1, (), 1)]]
        >>> attack = ColumnAttack(AnatomisedTables.of_lines(Assortment(("a", "b")), lines))
        >>> attack.matching((0,)), attack.matching((0, 1))
        (1, 1)
        """
        shares = np.stack([self._shares(j, part) for j, part in enumerate(self._parts(row))])
        return int((shares > 0).all(axis=0).sum())

    def certainties(self, row: Itemset) -> NDArray[np.float64]:
        """For each column, the probability given to what the person truly holds there."""
        shares = np.stack([self._shares(j, part) for j, part in enumerate(self._parts(row))])
        sizes = self._tables.bucket_sizes
        before = np.cumprod(np.vstack([np.ones_like(shares[:1]), shares[:-1]]), axis=0)
        after = np.cumprod(np.vstack([np.ones_like(shares[:1]), shares[:0:-1]]), axis=0)[::-1]
        weights = sizes * before * after
        totals = weights.sum(axis=1)
        found = (weights * shares).sum(axis=1)
        certain = np.zeros(len(totals))
        np.divide(found, totals, out=certain, where=totals > 0)
        return certain

    def _parts(self, row: Itemset) -> list[Itemset]:
        parts: list[list[int]] = [[] for _ in range(self._tables.n_columns)]
        for item in row:
            parts[self._tables.column_of[item]].append(item)
        return [tuple(part) for part in parts]

    def _shares(self, column: int, part: Itemset) -> NDArray[np.float64]:
        tables, values = self._tables, self._tables.values
        low, high = int(values.starts[column]), int(values.starts[column + 1])
        value = bisect_left(range(high), part, lo=low, key=values.__getitem__)
        shares = np.zeros(tables.n_buckets)
        if value < high and values[value] == part:
            entries = self._order[self._first[value] : self._first[value + 1]]
            buckets = tables.entries.buckets[entries]
            shares[buckets] = tables.entries.counts[entries] / tables.bucket_sizes[buckets]
        return shares


@dataclass(frozen=True, slots=True)
class _Attacked:
    certainty: NDArray[np.float64]
    held_something: NDArray[np.bool_]


def _attack(tables: AnatomisedTables, rows: list[Itemset]) -> _Attacked:
    attack = ColumnAttack(tables)
    certainty = np.array([attack.certainties(row) for row in rows])
    held = np.zeros(certainty.shape, bool)
    for r, row in enumerate(rows):
        held[r, tables.column_of[list(row)]] = True
    return _Attacked(certainty, held)


def _attacked_rows(comparison: Comparison) -> list[Itemset]:
    """The people who are attacked: all, or some drawn at random."""
    original = comparison.original
    if not isinstance(original, Baskets):
        raise NotMeasurable("The attack on columns needs the original baskets.")
    rows = original.transactions
    chosen = np.arange(len(rows))
    if len(rows) > SAMPLE:
        chosen = comparison.randomness.child("rows attacked").choice(chosen, SAMPLE, replace=False)
    offsets = rows.offsets
    return [tuple(rows.items[offsets[r] : offsets[r + 1]].tolist()) for r in chosen]


def _compute(comparison: Comparison) -> Estimate:
    tables = anatomised_release(comparison)
    people = _attacked_rows(comparison)
    attacked = _attack(tables, people)
    named = attacked.certainty[attacked.held_something]
    return Estimate(
        float(attacked.certainty.max()),
        details={
            "largest_with_items": float(named.max(initial=0.0)),
            "mean": float(attacked.certainty.mean()),
            "bound_of_the_tables": float(1 / tables.diversity().min()),
            "rows_attacked": len(people),
            "rows": round(comparison.original.size),
        },
    )


def _matching(comparison: Comparison) -> Estimate:
    attack = ColumnAttack(anatomised_release(comparison))
    counts = np.array([attack.matching(row) for row in _attacked_rows(comparison)])
    return Estimate(
        float(counts.mean()),
        details={
            "smallest": int(counts.min()),
            "rows_with_one": float((counts == 1).mean()),
            "rows_attacked": len(counts),
        },
    )


MATCHING_BUCKETS = Measure(
    name="matching_buckets",
    reads="counts",
    of_one_method=True,
    room="privacy",
    better="higher",
    unit="buckets",
    meaning="In how many buckets of the release a person can be, for a reader who knows all that "
    "the person holds; at 1 the bucket is known.",
    how="Buckets that hold the person's value of every column (matching buckets), mean over up to "
    "1,000 rows drawn at random.",
    cost="2 s",
    compute=_matching,
    default=False,
)

COLUMN_ATTACK = Measure(
    name="column_attack",
    reads="counts",
    of_one_method=True,
    room="privacy",
    better="lower",
    unit="probability",
    meaning="The largest probability with which a reader who knows everything about a person "
    "but one column names what the person holds in that column.",
    how="Bayes' rule over the buckets of the published tables, for up to 1,000 rows drawn at "
    "random; holding nothing counts as a value, and is listed separately in the details.",
    cost="2 s",
    compute=_compute,
    default=False,
)


def _within_groups(comparison: Comparison) -> Estimate:
    release = comparison.release
    if not isinstance(release, SeparatedTable):
        raise NotMeasurable(
            "This measure needs the groups of a separated table, and there are none."
        )
    sizes = release.counts.sum(axis=1)
    best = release.counts.max(axis=1)
    values = release.counts.sum(axis=0) / release.counts.sum()
    return Estimate(
        release.largest_share,
        details={
            "mean": float(best.sum() / sizes.sum()),
            "luck": float(values.max()),
            "groups": len(sizes),
            "smallest_group": int(sizes.min()),
            "fewest_values": int(np.count_nonzero(release.counts, axis=1).min()),
        },
    )


GROUP_ATTACK = Measure(
    name="group_attack",
    reads="counts",
    of_one_method=True,
    room="privacy",
    better="lower",
    unit="probability",
    meaning="The largest probability with which a person's sensitive value is guessed from the "
    "values of the person's group.",
    how="The share of the most frequent sensitive value, largest over the groups; the mean, "
    "and what the overall most frequent value gives, are in the details.",
    cost="0.1 s",
    compute=_within_groups,
    default=False,
)
