"""Identity and attribute disclosure, in the form of the tables that statistics offices use.

The attack: somebody knows a person's key attributes. Identity: the key is unique in the original
and in the release, so the one release row is taken for that one person (repU). Attribute: all
release rows of the key agree on the target, and this is the person's target (DiSCO).

    UiO  = original rows with a key that no other original row has / n
    UiS  = release rows with a key that no other release row has / n_release
    repU = original rows whose key is unique in original and in release / n
    Dorig, Dsyn = rows whose key always goes with one target, in original and in release
    DiSCO = original rows whose key goes with one target in the release, which is theirs / n

[Raab, Nowok & Dibben, synthpop 1.9] Luck alone shows in the yardstick of independent columns, and
in the same share computed for held-out persons.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.side import Side


def key_columns(comparison: Comparison) -> list[int]:
    """What an attacker knows of a person: the attributes named, or all but the sensitive one."""
    chosen = comparison.keys or tuple(n for n in comparison.names if n != comparison.sensitive)
    return [comparison.schema.position(name) for name in chosen]


def _identity(comparison: Comparison) -> Estimate:
    columns = key_columns(comparison)
    original = comparison.original_side.tally_of(columns)
    release = comparison.release_side.tally_of(columns)
    unique = original.keys[original.counts == 1]
    in_both = int((release.count(unique) == 1).sum())
    n = comparison.original.size
    details = {
        "keys": [comparison.names[c] for c in columns],
        "unique_in_original": len(unique) / n,
        "unique_in_release": float((release.counts == 1).sum()) / comparison.release.size,
        "unique_in_original_found_in_release": float((release.count(unique) > 0).sum()) / n,
    }
    return Estimate(in_both / n, details=details)


def _attribute(comparison: Comparison) -> Estimate:
    if comparison.sensitive is None:
        raise NotMeasurable("No sensitive attribute was named.")
    columns = key_columns(comparison)
    target = comparison.schema.position(comparison.sensitive)
    n = comparison.original.size
    right = _disclosed(comparison, comparison.original_side, columns, target)
    details = {
        "keys": [comparison.names[c] for c in columns],
        "target": comparison.sensitive,
        "one_target_in_original": _constant_share(comparison.original_side, columns, target),
        "one_target_in_release": _constant_share(comparison.release_side, columns, target),
    }
    if comparison.holdout is not None:
        strangers = comparison.holdout_side
        held_out = _disclosed(comparison, strangers, columns, target)
        details["disclosed_of_holdout"] = held_out / strangers.size
    return Estimate(right / n, details=details)


def _single_target(side: Side, columns: Sequence[int], target: int) -> NDArray[np.int64]:
    """For each distinct key the one target it goes with, or -2 where there are several."""
    of_row = side.tally_of(columns).of_row
    codes = side.table.codes[:, target].astype(np.int64)
    groups = len(side.tally_of(columns))
    least, most = np.full(groups, np.iinfo(np.int64).max), np.full(groups, -1)
    np.minimum.at(least, of_row, codes)
    np.maximum.at(most, of_row, codes)
    return np.where(least == most, most, -2)


def _constant_share(side: Side, columns: Sequence[int], target: int) -> float:
    single = _single_target(side, columns, target) >= 0
    return float(single[side.tally_of(columns).of_row].sum()) / side.size


def _disclosed(comparison: Comparison, side: Side, columns: Sequence[int], target: int) -> int:
    """Persons of this side whose target the release states, alone and rightly."""
    release = comparison.release_side
    stated = _single_target(release, columns, target)
    keys, theirs = release.tally_of(columns).keys, side.tally_of(columns)
    place = np.minimum(np.searchsorted(keys, theirs.keys), len(keys) - 1)
    told = np.where(keys[place] == theirs.keys, stated[place], -2)[theirs.of_row]
    return int(((told >= 0) & (told == side.table.codes[:, target])).sum())


IDENTITY_DISCLOSURE = Measure(
    name="identity_disclosure",
    by_matching=True,
    room="privacy",
    better="lower",
    unit="share",
    meaning="The share of people whose key attributes are unique in the original and unique "
    "in the release as well, so that one row seems to be them (repU).",
    how="Counts of distinct keys; the keys are those named, or all attributes but the sensitive.",
    cost="0.5 s",
    compute=_identity,
)

ATTRIBUTE_DISCLOSURE = Measure(
    name="attribute_disclosure",
    by_matching=True,
    room="privacy",
    better="lower",
    unit="share",
    meaning="The share of people whose sensitive attribute the release states correctly: all "
    "release rows with their key attributes agree on it (DiSCO).",
    how="Counts of distinct keys and their targets; held-out people are counted beside them.",
    cost="0.6 s",
    compute=_attribute,
)
