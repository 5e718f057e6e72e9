"""Hits: which rows of the original stand in the release, by how many people hold them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data.rows import Matches, SpreadRows
from halfmask.data.table import Table
from halfmask.measures.comparison import Comparison

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowHits:
    """Distinct rows of the original in groups; a group is one row, or all rows of one support."""

    supports: Counts
    """How many people hold each row of a group."""
    rows: Counts
    """The distinct rows of each group, and those of them that are in the release."""
    found: Counts
    in_original: Counts
    """For groups of rows of the release: how many people hold each, and how often each comes."""
    released: Counts


def row_hits(comparison: Comparison) -> RowHits:
    """The hits of a release, counted once for all measures that ask."""
    return comparison.once("row hits", _row_hits)


def _row_hits(comparison: Comparison) -> RowHits:
    if isinstance(comparison.original, SpreadRows):
        found = _matches(comparison)
        held = found.supports > 0
        return RowHits(
            found.supports[held], found.rows[held], found.found[held], found.supports,
            found.released,
        )  # fmt: skip
    original, release = comparison.original_side.tally, comparison.release_side.tally
    found_rows = (release.count(original.keys) > 0).astype(np.int64)
    ones = np.ones(len(original), np.int64)
    return RowHits(original.counts, ones, found_rows, original.count(release.keys), release.counts)


@dataclass(frozen=True, eq=False)
class StrangerHits:
    """Distinct rows that were held out: how many people have each, and where else they stand."""

    people: Counts
    in_original: Counts
    found: NDArray[np.bool_]


def stranger_hits(comparison: Comparison) -> StrangerHits:
    """Those of the rows held out, counted once for all measures that ask."""
    return comparison.once("stranger hits", _stranger_hits)


def _stranger_hits(comparison: Comparison) -> StrangerHits:
    holdout = comparison.holdout_side.tally
    if isinstance(comparison.original, SpreadRows):
        one_of_each = np.empty(len(holdout), np.intp)
        one_of_each[holdout.of_row] = np.arange(len(holdout.of_row))
        found = _matches(comparison)
        return StrangerHits(
            holdout.counts, found.of_asked[0][one_of_each], found.of_asked[1][one_of_each] > 0
        )
    in_original = comparison.original_side.tally.count(holdout.keys)
    return StrangerHits(
        holdout.counts, in_original, comparison.release_side.tally.count(holdout.keys) > 0
    )


def _matches(comparison: Comparison) -> Matches:
    return comparison.once("matches", _matched)


def _matched(comparison: Comparison) -> Matches:
    original, holdout = comparison.original, comparison.holdout
    assert isinstance(original, SpreadRows)  # noqa: S101 - the callers looked
    asked = holdout if isinstance(holdout, Table) else original.part(0)
    return original.matched(comparison.release, asked)
