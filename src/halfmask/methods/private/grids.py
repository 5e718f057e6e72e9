"""Grids: cells of ticks that do not overlap, chosen without looking, or from noisy counts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.bins import Part
from halfmask.data.coding.calendar import UNITS
from halfmask.data.coding.cutting import FEW_VALUES
from halfmask.data.coding.scale import Scale

COARSE = 20
"""Cells of a declared range when it is first looked at."""
FINE = 64
"""Cells among which the rows are found more closely."""
SURE = 4.0
"""So many times the noise must a cell show before it is taken for one with rows."""
_DECADES = 15
_YEARS = (1800, 2200)


@dataclass(frozen=True, eq=False)
class Grid:
    """Stretches of ticks one after the other; what lies beyond belongs to the first or the last.

    >>> grid = Grid.of([0, 10, 20], 99)
    >>> grid.cells, grid.count(np.array([-5, 12, 200]), np.array([1, 2, 3])).tolist()
    ([(0, 9), (10, 19), (20, 99)], [1, 2, 3])
    """

    starts: NDArray[np.int64]
    end: int

    @classmethod
    def of(cls, starts: Sequence[int], end: int) -> Grid:
        """The grid with cells that begin at these ticks."""
        return cls(np.array(sorted(set(starts)), np.int64), end)

    @property
    def cells(self) -> list[tuple[int, int]]:
        """The first and the last tick of each cell."""
        lasts = [*(self.starts[1:] - 1).tolist(), self.end]
        return list(zip(self.starts.tolist(), lasts, strict=True))

    def count(self, ticks: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows in each cell."""
        place = np.searchsorted(self.starts, ticks, side="right") - 1
        counts = np.zeros(len(self.starts), np.int64)
        np.add.at(counts, np.maximum(place, 0), rows)
        return counts

    def within(self, first: int, last: int) -> Grid:
        """Some neighbouring cells."""
        return Grid(self.starts[first : last + 1], self.cells[last][1])


def coarse_grid(scale: Scale, ends: tuple[int, int] | None) -> Grid:
    """Cells over all that can be; 0 stands alone, for amounts are often nothing."""
    if ends is not None:
        starts = _equal(*ends, COARSE)
        zero = not scale.is_moment and ends[0] <= 0 < ends[1]
        return Grid.of([*starts, *((0, 1) if zero else ())], ends[1])
    if not scale.is_moment:
        return _magnitudes()
    if scale.layout is not None and not scale.layout.day:
        day = round(UNITS["D"] / UNITS[scale.unit])
        return Grid.of([day * hour // 24 for hour in range(24)], day - 1)
    years = np.arange(*_YEARS).astype(str).astype("datetime64[Y]").astype("datetime64[D]")
    end = np.datetime64(f"{_YEARS[1]}-01-01", "D").astype(np.int64) - 1
    return Grid(years.astype(np.int64), int(end))


def _magnitudes() -> Grid:
    """Steps of 1, 2, 5 and 10 on both sides of 0, up to the largest number that is kept exactly."""
    steps = [f * 10**p for p in range(_DECADES) for f in (1, 2, 5)]
    return Grid.of([*(1 - step for step in steps[1:]), 0, *steps], 10**_DECADES - 1)


def _equal(low: int, high: int, cells: int) -> list[int]:
    """The starts of up to so many cells of about equal width."""
    width = high - low + 1
    many = max(1, min(cells, width))
    return [low + -(-width * k // many) for k in range(many)]


def refined(coarse: Grid, weights: NDArray[np.float64], cells: int = FINE) -> Grid:
    """Every cell in equal parts, more of them where more rows seem to be."""
    shares = weights / max(float(weights.sum()), 1e-9)
    starts: list[int] = []
    for (low, high), share in zip(coarse.cells, shares.tolist(), strict=True):
        starts += _equal(low, high, 1 + int(share * cells))
    return Grid.of(starts, coarse.end)


def merged(
    grid: Grid, counts: NDArray[np.int64], sigma: float, bins: int
) -> tuple[tuple[Part, ...], ...]:
    """About so many bins that seem to hold as many rows each; a cell with many stands alone.

    >>> grid = Grid.of([0, 1, 10, 20, 30], 39)
    >>> found = merged(grid, np.array([50, 30, 28, 2, 26]), 1.0, 3)
    >>> [(b[0].low, b[-1].high) for b in found]
    [(0, 0), (1, 19), (20, 39)]
    """
    rows = np.where(counts > sigma, counts, 0).tolist()
    fair = max(sum(rows) / bins, 1.0)
    least = fair if bins == 1 or not _few_values(grid, counts, sigma) else min(fair, SURE * sigma)
    groups: list[list[int]] = [[]]
    for place, many in enumerate(rows):
        alone = bins > 1 and many >= least
        if groups[-1] and (alone or sum(rows[k] for k in groups[-1]) >= fair):
            groups.append([])
        groups[-1].append(place)
        if alone:
            groups.append([])
    joined = _joined([group for group in groups if group], rows, min(fair / 2, SURE * sigma))
    return tuple(_parts([grid.cells[k] for k in g], [rows[k] for k in g]) for g in joined)


def _few_values(grid: Grid, counts: NDArray[np.int64], sigma: float) -> bool:
    """Whether the rows seem to hold a few different values, each of which can be told."""
    sure = counts >= SURE * sigma
    single = all(low == high for (low, high), yes in zip(grid.cells, sure, strict=True) if yes)
    return single and int(sure.sum()) <= FEW_VALUES


def _joined(groups: list[list[int]], rows: Sequence[int], least: float) -> list[list[int]]:
    """Groups that seem to hold hardly any row go to the one before, or the first to the next."""
    found: list[list[int]] = []
    for group in groups:
        if found and sum(rows[k] for k in group) < least:
            found[-1] = [*found[-1], *group]
        else:
            found.append(group)
    if len(found) > 1 and sum(rows[k] for k in found[0]) < least:
        found[:2] = [[*found[0], *found[1]]]
    return found


def _parts(cells: Sequence[tuple[int, int]], rows: Sequence[int]) -> tuple[Part, ...]:
    """The cells of a bin with the rows they seem to hold; evenly where none shows."""
    empty = not any(rows)
    return tuple(
        Part(low, high, high - low + 1 if empty else many)
        for (low, high), many in zip(cells, rows, strict=True)
    )
