"""The aligned form: cell by cell, in rows of original and release that correspond.

Search: the rows that changed, found by their key in one pass over each side. Evaluation: what
changed in them, attribute by attribute, and which constraints that broke.
[Bertino & Nai Fovino 2005, figures 1 and 2, with their slips mended]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.assets.asset import Constraint, Relation, Weights
from halfmask.assets.constraints import FALSE, Truth, truth
from halfmask.assets.lacks import AttributeLack, RowCounts, Violations
from halfmask.assets.rows import RawRows
from halfmask.assets.values import Values, same_space
from halfmask.errors import BadInput
from halfmask.methods.suppression.hierarchy import Hierarchy

Ghosts = Literal["strict", "paper"]
"""Rows that the original does not have: inaccurate in every attribute, or ignored."""


@dataclass(frozen=True, eq=False)
class AlignedPairs:
    """Which row of either side stands for each key; -1 where a side has none."""

    original: NDArray[np.intp]
    release: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.original)


def by_position(original: RawRows, release: RawRows) -> AlignedPairs:
    """Row r of the release is row r of the original."""
    if len(original) != len(release):
        raise BadInput(
            f"The original has {len(original):,} rows and the release {len(release):,}; rows "
            "correspond by their place only when there are as many on both sides."
        )
    rows = np.arange(len(original), dtype=np.intp)
    return AlignedPairs(rows, rows)


def by_key(original: RawRows, release: RawRows, relation: Relation) -> AlignedPairs:
    """Rows with the same key correspond; a key held twice or missing is refused."""
    for side, rows in (("original", original), ("release", release)):
        lacking = [name for name in relation.key if name not in rows.columns]
        if lacking:
            raise BadInput(f"The {side} lacks the key column {lacking[0]!r}.")
    sides = [np.zeros(len(rows), np.int64) for rows in (original, release)]
    for name in relation.key:
        one, two = original.values(name, relation), release.values(name, relation)
        for side, values in (("original", one), ("release", two)):
            if values.is_null.any():
                raise BadInput(
                    f"Some rows of the {side} have no {name!r}, which is part of the key."
                )
        codes = same_space(one, two)
        sides = [part * codes[2] + code for part, code in zip(sides, codes[:2], strict=True)]
        joint = np.unique(np.concatenate(sides), return_inverse=True)[1]
        sides = [joint[: len(original)], joint[len(original) :]]
    for side, keys in zip(("original", "release"), sides, strict=True):
        twice = len(keys) - len(np.unique(keys))
        if twice:
            raise BadInput(
                f"The key ({', '.join(relation.key)}) does not identify the rows of the "
                f"{side}: {twice:,} of them repeat a key."
            )
    return _joined(sides[0], sides[1])


def _joined(original: NDArray[np.int64], release: NDArray[np.int64]) -> AlignedPairs:
    """Keys of the original in its order, then those that only the release has."""
    n_keys = int(max(original.max(initial=-1), release.max(initial=-1))) + 1
    place = np.full(n_keys, -1, np.intp)
    place[release] = np.arange(len(release))
    known = np.zeros(n_keys, bool)
    known[original] = True
    ghosts = np.flatnonzero(~known[release])
    partners = place[original]
    if len(original) and len(release) and (partners < 0).all():
        raise BadInput(
            "No key of the release occurs in the original, so its rows are new. Evaluate it "
            "in the free form."
        )
    nothing = np.full(len(ghosts), -1, np.intp)
    rows = np.arange(len(original), dtype=np.intp)
    return AlignedPairs(np.concatenate([rows, nothing]), np.concatenate([partners, ghosts]))


@dataclass(frozen=True, eq=False)
class Aligned:
    """Two sides whose rows correspond, and what is counted between them."""

    original: RawRows
    release: RawRows
    pairs: AlignedPairs
    relation: Relation
    hierarchies: Mapping[str, Hierarchy]
    ghosts: Ghosts = "strict"
    _truth_of: dict[int, tuple[Truth, Truth]] = field(default_factory=dict, repr=False)
    """The truth of each constraint on both sides, by identity: it is asked for several times."""

    @cached_property
    def _sides(self) -> dict[str, tuple[Values, Values]]:
        return {
            name: (
                self.original.values(name, self.relation).take(self.pairs.original),
                self.release.values(name, self.relation).take(self.pairs.release),
            )
            for name in self.relation.attributes
        }

    @cached_property
    def is_ghost(self) -> NDArray[np.bool_]:
        """Which keys only the release has."""
        return np.less(self.pairs.original, 0)

    @cached_property
    def changes(self) -> dict[str, NDArray[np.float64]]:
        """By how much each cell changed: 0 not at all, 1 wholly, between for a generalisation."""
        found = {}
        for name, (before, after) in self._sides.items():
            change = self._change(name, before, after)
            change[self.is_ghost] = 1.0 if self.ghosts == "strict" else 0.0
            found[name] = change
        return found

    def _change(self, name: str, before: Values, after: Values) -> NDArray[np.float64]:
        form = self.relation.attributes[name]
        one, two, _ = same_space(before, after)
        change = np.not_equal(one, two).astype(np.float64)
        both = (one >= 0) & (two >= 0)
        if form.equal == "tolerance" and form.tolerance is not None:
            change[both & (np.abs(_floats(before) - _floats(after)) <= form.tolerance)] = 0.0
        elif form.equal == "ancestor":
            lifted = _lifts(before, after, self.hierarchies[name])
            change = np.where(both & (change > 0), lifted, change)
        return change

    @property
    def agrees_by_chance(self) -> bool:
        """Whether paired rows agree no more than rows paired at random would.

        So it is when the release numbers its rows afresh with keys that happen to exist. Cells
        agree by chance with probability Σ p q over the values of an attribute.
        """
        paired = (self.pairs.original >= 0) & (self.pairs.release >= 0)
        found = expected = variance = 0.0
        for before, after in self._sides.values():
            one, two, n_values = same_space(before, after)
            one, two = one[paired] + 1, two[paired] + 1
            shares = [np.bincount(x, minlength=n_values + 1) / max(len(x), 1) for x in (one, two)]
            chance = float((shares[0] * shares[1]).sum())
            found += float((one == two).sum())
            expected += chance * len(one)
            variance += chance * (1 - chance) * len(one)
        return found <= expected + 3 * math.sqrt(variance)

    def rows(self) -> RowCounts:
        """The search phase in numbers."""
        changed = self._changed(tuple(self.changes))
        missing = self.pairs.release < 0
        return RowCounts(
            original=len(self.original),
            release=len(self.release),
            compared=len(self.pairs),
            changed=int((changed | missing | self.is_ghost).sum()),
            missing=int(missing.sum()),
            ghosts=int(self.is_ghost.sum()),
        )

    @property
    def evalset(self) -> tuple[tuple[str, ...], ...]:
        """The keys of the original's rows that were changed or are gone (the search phase)."""
        gone = self._changed(tuple(self.changes)) | (self.pairs.release < 0)
        rows = self.pairs.original[gone & ~self.is_ghost]
        keys = [self.original.values(name, self.relation).take(rows) for name in self.relation.key]
        labels = [[str(key.labels[i]) for i in key.index.tolist()] for key in keys]
        return tuple(zip(*labels, strict=True))

    def attribute(self, weights: Weights, constraints: tuple[Constraint, ...]) -> AttributeLack:
        """AV, CV and CSV of one attribute; `constraints` are those tested."""
        name, n = weights.attribute, max(len(self.pairs), 1)
        change, after = self.changes[name], self._sides[name][1]
        went_missing = after.is_null & (change > 0) & ~self.is_ghost
        broken = sum(
            int((self.induced(c) & (change > 0)).sum()) for c in constraints if name in c.attributes
        )
        raw = [side.values(name, self.relation) for side in (self.original, self.release)]
        return AttributeLack(
            attribute=name,
            accuracy=float(change[~went_missing].sum()) / n,
            completeness=float(went_missing.sum()) / n,
            consistency=float(broken),
            accuracy_weight=weights.accuracy,
            completeness_weight=weights.completeness,
            missing_before=_share(raw[0].is_null),
            missing_after=_share(raw[1].is_null),
            unreadable=raw[1].unreadable,
        )

    def violations(self, constraint: Constraint) -> Violations:
        """How often a constraint is broken, before and after."""
        before, after = self._truths(constraint)
        seen, kept = self.pairs.original >= 0, self.pairs.release >= 0
        induced = int(self.induced(constraint).sum())
        return Violations(
            constraint=constraint.name,
            kind=constraint.kind,
            weight=constraint.weight,
            before=_share(before[seen] == FALSE),
            after=_share(after[kept] == FALSE),
            absolute=float((after[kept] == FALSE).sum()),
            induced=induced,
            repaired=int(((before == FALSE) & (after != FALSE)).sum()),
            counted=float(induced),
        )

    def induced(self, constraint: Constraint) -> NDArray[np.bool_]:
        """Rows in which an attribute of the constraint changed so that it is false only now."""
        before, after = self._truths(constraint)
        only_now: NDArray[np.bool_] = np.equal(after, FALSE) & np.not_equal(before, FALSE)
        return self._changed(constraint.attributes) & only_now

    def _truths(self, constraint: Constraint) -> tuple[Truth, Truth]:
        if id(constraint) not in self._truth_of:
            names = constraint.attributes
            before, after = ({n: self._sides[n][side] for n in names} for side in (0, 1))
            expression = constraint.expression
            self._truth_of[id(constraint)] = truth(expression, before), truth(expression, after)
        return self._truth_of[id(constraint)]

    def tuples(self, names: tuple[str, ...]) -> float:
        """The share of rows changed in any of these attributes."""
        return _share(self._changed(names))

    def _changed(self, names: tuple[str, ...]) -> NDArray[np.bool_]:
        """Rows changed in any of these attributes."""
        changed = np.zeros(len(self.pairs), bool)
        for name in names:
            changed |= self.changes[name] > 0
        return changed


def _share(which: NDArray[np.bool_]) -> float:
    return float(which.mean()) if len(which) else 0.0


def _floats(values: Values) -> NDArray[np.float64]:
    numbers = [np.nan if value is None else float(value) for value in values.values]
    return np.array(numbers, np.float64)[values.index]


def _lifts(before: Values, after: Values, hierarchy: Hierarchy) -> NDArray[np.float64]:
    """How far up the hierarchy each value was taken, of its depth; 1 where it went elsewhere.

    One minus the mean is the paper's coarse quality of a generalised table, formula (8).
    """
    width = len(after.labels)
    joint = before.index.astype(np.int64) * width + after.index
    pairs, place = np.unique(joint, return_inverse=True)
    found = [hierarchy.lift(before.labels[p // width], after.labels[p % width]) for p in pairs]
    return np.array(found, np.float64)[place]
