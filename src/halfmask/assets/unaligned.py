"""The free form: distributions against distributions, where no row corresponds to any.

A synthetic or anatomised release has no row that stands for a row of the original. The total
variation distance ½ Σ |P − Q| of an attribute's distribution, NULL one of its values, is the
smallest share of changed cells that any alignment of the rows could reach. What went missing is a
lack of completeness and no other (Definition 1); the rest of the distance is one of accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.assets.asset import Constraint, Relation, Weights
from halfmask.assets.constraints import FALSE, truth
from halfmask.assets.lacks import AttributeLack, RowCounts, Violations
from halfmask.assets.rows import RawRows, weighted
from halfmask.assets.values import same_space
from halfmask.data import Countable
from halfmask.data.counted import CountedRows


def total_variation(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    """½ Σ |P − Q| of two lists of weights, each divided by its sum.

    >>> total_variation(np.array([1.0, 3.0]), np.array([2.0, 2.0]))
    0.25
    """
    return float(np.abs(one / one.sum() - two / two.sum()).sum() / 2)


def _changed_values(distance: float, missing: float) -> float:
    """The part of a distance that is no value gone missing; the last bits of a float are none."""
    left = distance - max(missing, 0.0)
    return left if left > _NOTHING else 0.0


_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Unaligned:
    """Two sides that share their attributes and nothing else."""

    original: RawRows | CountedRows
    release: RawRows | CountedRows | Countable
    relation: Relation

    def rows(self) -> RowCounts:
        """How many rows there are; which of them changed has no answer."""
        rows = round(self.original.size)
        return RowCounts(rows, round(self.release.size), compared=rows)

    def attribute(self, weights: Weights, constraints: tuple[Constraint, ...]) -> AttributeLack:
        """Distance, growth of missing values and excess violations of one attribute."""
        name = weights.attribute
        before, after = (weighted(s, [name], self.relation) for s in (self.original, self.release))
        one, two, n_values = same_space(before.columns[name], after.columns[name])
        counts = [
            np.bincount(codes + 1, side.weights, n_values + 1).astype(np.float64)
            for codes, side in ((one, before), (two, after))
        ]
        missing = [float(count[0] / count.sum()) for count in counts]
        excess = [self.violations(c).counted for c in constraints if name in c.attributes]
        return AttributeLack(
            attribute=name,
            accuracy=_changed_values(total_variation(*counts), missing[1] - missing[0]),
            completeness=missing[1] - missing[0],
            consistency=float(sum(excess)),
            accuracy_weight=weights.accuracy,
            completeness_weight=weights.completeness,
            missing_before=missing[0],
            missing_after=missing[1],
            unreadable=after.columns[name].unreadable,
        )

    def violations(self, constraint: Constraint) -> Violations:
        """The rates at which a constraint is broken on either side."""
        shares, totals = [], []
        for source in (self.original, self.release):
            side = weighted(source, constraint.attributes, self.relation)
            false = truth(constraint.expression, side.columns) == FALSE
            totals.append(float(side.weights[false].sum()))
            shares.append(totals[-1] / float(side.weights.sum()))
        return Violations(
            constraint=constraint.name,
            kind=constraint.kind,
            weight=constraint.weight,
            before=shares[0],
            after=shares[1],
            absolute=totals[1],
            induced=None,
            repaired=None,
            counted=max(shares[1] - shares[0], 0.0) * round(self.original.size),
        )

    def tuples(self, names: Sequence[str]) -> float | None:
        """The distance of whole tuples; None where the release has no rows to take them from."""
        if not isinstance(self.release, RawRows | CountedRows):
            return None
        sides = [weighted(side, names, self.relation) for side in (self.original, self.release)]
        codes = [same_space(*(side.columns[name] for side in sides))[:2] for name in names]
        stacked = [np.stack([pair[side] for pair in codes], axis=1) for side in (0, 1)]
        joint = np.unique(np.concatenate(stacked), axis=0, return_inverse=True)[1].ravel()
        parts = np.split(joint, [len(stacked[0])])
        counts = [
            np.bincount(part, side.weights, int(joint.max()) + 1).astype(np.float64)
            for part, side in zip(parts, sides, strict=True)
        ]
        return total_variation(*counts)
