"""Families: what a release kept of how parents and their children belong together.

Each number is read off two families of one coding; siblings are child rows of one parent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.data.families import Family
from halfmask.data.table import ABSENT
from halfmask.errors import NotMeasurable
from halfmask.measures.measure import Estimate, Reading, Room, Unmeasured
from halfmask.measures.quality.marginals import total_variation
from halfmask.measures.readings import Readings
from halfmask.measures.side import row_keys
from halfmask.randomness import Randomness

NAMED = 10
"""Pairs of columns that are named because they moved most."""


def compare_families(
    original: Family, release: Family, holdout: Family | None, *, randomness: Randomness
) -> Readings:
    """The readings of a release beside what a hold-out, unrelated children and a copy would get."""
    others = {} if holdout is None else {"holdout": holdout}
    others |= {
        "independent": original.of_anybody(randomness.child("children of anybody")),
        "copy": original,
    }
    again = original.resampled(randomness.child("another sample"))
    by_lot = {"independent": _dealt_anew(original, randomness.child("parents by lot"))}
    return Readings(
        tuple(
            _read(
                measure,
                original,
                release,
                others | by_lot if measure.name == "child_counts" else others,
                again,
            )
            for measure in _MEASURES
        )
    )


@dataclass(frozen=True, slots=True)
class _Measure:
    """A question about two families, and what its answer means."""

    name: str
    room: Room
    meaning: str
    how: str
    compute: Callable[[Family, Family], Estimate]


def _read(
    measure: _Measure,
    original: Family,
    release: Family,
    others: Mapping[str, Family],
    again: Family,
) -> Reading | Unmeasured:
    """One number; `chance` among its particulars is what another sample of the people gets."""
    try:
        found = measure.compute(original, release)
        chance = measure.compute(original, again).value if measure.room == "quality" else None
        yardsticks = {n: measure.compute(original, each).value for n, each in others.items()}
    except NotMeasurable as blank:
        return Unmeasured(measure.name, str(blank), measure.room)
    return Reading(
        name=measure.name,
        room=measure.room,
        value=found.value,
        low=found.value,
        high=found.value,
        unit="share",
        better="lower",
        meaning=measure.meaning,
        how=measure.how,
        yardsticks=yardsticks,
        details=found.details if chance is None else {**found.details, "chance": chance},
    )


def _dealt_anew(family: Family, rng: np.random.Generator) -> Family:
    """The same children, each given to a parent by lot: what counts without any rule look like."""
    lots = rng.integers(family.link.parents, size=len(family.link))
    return replace(family, link=replace(family.link, parent_of=lots))


def _child_counts(original: Family, release: Family) -> Estimate:
    counts = (original.link.counts, release.link.counts)
    size = max(int(each.max(initial=0)) for each in counts) + 1
    first, second = (np.bincount(each, minlength=size).astype(np.float64) for each in counts)
    return Estimate(
        total_variation(first, second),
        details={
            "mean_original": float(counts[0].mean()),
            "mean_release": float(counts[1].mean()),
            "childless_original": float((counts[0] == 0).mean()),
            "childless_release": float((counts[1] == 0).mean()),
        },
    )


def _parent_child(original: Family, release: Family) -> Estimate:
    names = [(p, c) for p in original.parents.schema.names for c in original.children.schema.names]
    distances = np.array(
        [total_variation(_joint(original, *pair), _joint(release, *pair)) for pair in names]
    )
    worst = np.argsort(-distances, kind="stable")[:NAMED]
    return Estimate(
        float(distances.mean()),
        details={
            "worst": float(distances.max()),
            "ten_worst": [
                {"attributes": list(names[i]), "distance": float(distances[i])} for i in worst
            ],
        },
    )


def _joint(family: Family, parent: str, child: str) -> NDArray[np.float64]:
    tables = (family.parents, family.children)
    columns = [t.schema.position(name) for t, name in zip(tables, (parent, child), strict=True)]
    sizes = [t.schema.attributes[c].size + 1 for t, c in zip(tables, columns, strict=True)]
    above = family.parents.codes[family.link.parent_of, columns[0]].astype(np.int64)
    below = family.children.codes[:, columns[1]]
    cells = np.bincount((above + 1) * sizes[1] + below + 1, minlength=sizes[0] * sizes[1])
    if not len(family.link):
        raise NotMeasurable("The original or the release has no child rows.")
    return cells.astype(np.float64)


def _siblings(original: Family, release: Family) -> Estimate:
    first, second = (sibling_agreement(family) for family in (original, release))
    names = original.children.schema.names
    return Estimate(
        float(np.abs(first - second).mean()),
        details={
            "original": dict(zip(names, first.tolist(), strict=True)),
            "release": dict(zip(names, second.tolist(), strict=True)),
        },
    )


def sibling_agreement(family: Family) -> NDArray[np.float64]:
    """For each child column the probability that two children of one parent agree in it.

    Every parent with two children or more counts once.
    """
    counts = family.link.counts
    several = counts > 1
    if not several.any():
        raise NotMeasurable("In the original or the release no parent has two or more children.")
    pairs = np.where(several, counts * (counts - 1), 1)
    found = []
    for column, attribute in zip(family.children.codes.T, family.children.schema, strict=True):
        keys = family.link.parent_of * (attribute.size + 1) + column - ABSENT
        held, times = np.unique(keys, return_counts=True)
        alike = np.bincount(held // (attribute.size + 1), times * (times - 1), family.link.parents)
        found.append(float((alike / pairs)[several].mean()))
    return np.array(found)


def _families_found(original: Family, release: Family) -> Estimate:
    """Of the families of two children or more, how many stand in the release as they are."""
    wanted, there = (_whole(family) for family in (original, release))
    if not wanted:
        raise NotMeasurable("No parent has two or more children.")
    return Estimate(sum(each in there for each in wanted) / len(wanted))


def _whole(family: Family) -> list[bytes]:
    """Each family of two children or more as one key: the parent's row and all child rows."""
    above = _row_texts(family.parents)
    below = _row_texts(family.children)
    order = np.argsort(family.link.parent_of, kind="stable")
    ends = np.cumsum(family.link.counts)
    found = []
    for parent, (start, end) in enumerate(zip(ends - family.link.counts, ends, strict=True)):
        if end - start > 1:
            children = sorted(below[row] for row in order[start:end].tolist())
            found.append(blake2b(b"".join([above[parent], *children]), digest_size=16).digest())
    return found


def _row_texts(table: Table) -> list[bytes]:
    keys = np.ascontiguousarray(row_keys(table, range(len(table.schema))))
    return [key.tobytes() for key in keys]


_MEASURES = (
    _Measure(
        "child_counts",
        "quality",
        "The share of parents whose number of children would have to change for the numbers to "
        "be as frequent as in the original.",
        "Total variation distance between the frequencies of 0, 1, 2… children; independent: "
        "each child assigned to a random parent.",
        _child_counts,
    ),
    _Measure(
        "parent_child",
        "quality",
        "The share of child rows that would have to change for the joint frequencies of one column "
        "of the parent and one of the child to agree, on average.",
        "Total variation distance, mean over all pairs of a parent's and a child's column; "
        "independent: another sample of the original's parents with randomly assigned "
        "children.",
        _parent_child,
    ),
    _Measure(
        "siblings_alike",
        "quality",
        "How much more or less often two children of one parent agree in a column than in the "
        "original, on average.",
        "Mean over the child columns of the difference in the probability that two siblings "
        "agree, each parent counted once; independent: parents with randomly assigned "
        "children.",
        _siblings,
    ),
    _Measure(
        "families_found",
        "privacy",
        "The share of the original's families of two or more children that appear in the "
        "release whole, parent and all children.",
        "Parent row and child rows are compared in the codes that were learnt, bins as bins.",
        _families_found,
    ),
)
