"""Cutting: the bins of an ordered column, fitted so that no edge and no part tells of one person.

Values that many rows share (a spike such as 0) stand alone. What lies between is cut where the
rows divide evenly, where the range does, or where a target column changes; an edge moves to the
roundest number near by. The ends of the range are those that enough rows reach: what lies beyond
is coded as the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.bins import Bins, Part
from halfmask.data.coding.entropy import entropy_cuts
from halfmask.data.coding.scale import Scale
from halfmask.data.coding.tails import with_tails
from halfmask.errors import BadInput

BINS = 10
"""Into about so many bins an ordered column is cut, spikes not counted."""
FEW_VALUES = 20
"""With at most so many different values each that is common enough is a bin by itself."""
_PARTS = 16
"""A bin has at most about so many stretches."""
_SHARED = 1000
"""A value within a bin is drawn as itself when at least one row in so many holds it."""
_HEAPED = 0.9
"""When so many of its rows lie on round numbers, a stretch is drawn on round numbers."""

Cut = Literal["quantile", "width", "entropy"]


@dataclass(frozen=True, slots=True)
class CutTally:
    """Different ticks in ascending order, and how many rows hold each."""

    ticks: NDArray[np.int64]
    rows: NDArray[np.int64]
    classes: NDArray[np.int64] | None = None
    """For each tick, the rows of every class of a target column."""

    @property
    def total(self) -> int:
        """The number of rows."""
        return int(self.rows.sum())

    def within(self, low: int, high: int) -> CutTally:
        """The ticks from `low` to `high`."""
        first, last = np.searchsorted(self.ticks, [low, high + 1])
        inside = slice(int(first), int(last))
        classes = None if self.classes is None else self.classes[inside]
        return CutTally(self.ticks[inside], self.rows[inside], classes)

    def at(self, rank: int) -> int:
        """The tick of the row with this rank, the smallest being 0."""
        ends = np.cumsum(self.rows)
        place = np.searchsorted(ends, min(max(rank, 0), self.total - 1), side="right")
        return int(self.ticks[place])


def tally_of(
    ticks: NDArray[np.int64], rows: NDArray[np.int64], classes: NDArray[np.int64] | None = None
) -> CutTally:
    """Add up the rows of equal ticks."""
    different, place = np.unique(ticks, return_inverse=True)
    summed = np.bincount(place, rows, len(different)).astype(np.int64)
    if classes is None:
        return CutTally(different, summed)
    by_class = np.zeros((len(different), classes.shape[1]), np.int64)
    np.add.at(by_class, place, classes)
    return CutTally(different, summed, by_class)


def cut(
    tally: CutTally,
    scale: Scale,
    *,
    floor: int,
    bins: int | Sequence[int] | None = None,
    by: Cut = "quantile",
) -> tuple[tuple[Part, ...], ...]:
    """The bins of these ticks, every part held by at least `floor` rows.

    `bins` is a number of bins, or the first ticks of all bins but the first; None leaves few
    different values apart and cuts many into ten. `by="entropy"` needs the classes of the tally.

    >>> ages = tally_of(np.array([0, 18, 25, 31, 44, 52, 90]), np.array([80, 9, 12, 15, 14, 11, 2]))
    >>> [(b[0].low, b[-1].high) for b in cut(ages, Scale(), floor=10)]
    [(0, 0), (25, 25), (31, 31), (44, 44), (52, 52)]
    >>> [(b[0].low, b[-1].high) for b in cut(ages, Scale(), floor=10, bins=2)]
    [(0, 0), (25, 39), (40, 52)]
    """
    if tally.total < floor or not len(tally.ticks):
        raise BadInput(f"Fewer than {floor:,} rows hold a value.")
    if by not in get_args(Cut):
        raise BadInput(f"A column is cut by {', '.join(get_args(Cut))}, not by {by!r}.")
    whole = _capped(tally, scale, floor)
    spikes = whole.ticks[whole.rows >= _least_of_spike(whole, floor, bins)]
    between = whole.total - int(whole.rows[np.isin(whole.ticks, spikes)].sum())
    found: list[tuple[Part, ...]] = []
    for low, high in _runs(whole, spikes):
        run = whole.within(low, high)
        if low == high and low in spikes:
            found.append((Part(low, low, run.total),))
        elif run.total >= floor:
            edges = _edges(run, scale, floor, _share_of(bins, run.total / between), by)
            spans = _spans(run, edges, floor)
            # A run reaches as far as the spikes beside it; its own ends may be one person's values.
            spans[0] = (low, spans[0][1])
            spans[-1] = (spans[-1][0], high)
            for span in spans:
                parts = _parts(run.within(*span), scale, floor, whole.total, span)
                found.append(_with_margins(parts, span, edges))
    return with_tails(_with_strays(found, scale, whole), tally.ticks, tally.rows, scale, floor)


def _least_of_spike(whole: CutTally, floor: int, bins: int | Sequence[int] | None) -> int:
    """The rows that make a value a bin by itself."""
    if bins is None and len(whole.ticks) <= FEW_VALUES:
        return floor
    if isinstance(bins, Sequence):
        return whole.total + 1  # the steward has drawn the borders
    return max(floor, math.ceil(whole.total / (2 * (bins or BINS))))


def _capped(tally: CutTally, scale: Scale, floor: int) -> CutTally:
    """Bottom- and top-coded: each end is a value that `floor` rows reach, whoever the others are.

    Fewer than `floor` rows far outside shift ranks by as many places. So an end lies where twice
    as many rows reach it: without any `floor` - 1 of them, `floor` still do.
    """
    last = tally.total - 1
    middle = last // 2
    if last < 2 * floor - 1:  # too few for two ends: one number stands for all
        low = high = scale.roundest(int(tally.ticks[0]), int(tally.ticks[-1]))
    else:
        near, far = min(2 * floor - 2, middle), min(3 * floor - 2, middle)
        low = _end(tally, scale, floor, (near, far), above=False)
        ranks = max(last - near, middle + 1), max(last - far, middle + 1)
        high = _end(tally, scale, floor, ranks, above=True)
    return tally_of(np.clip(tally.ticks, low, high), tally.rows, tally.classes)


def _end(tally: CutTally, scale: Scale, floor: int, ranks: tuple[int, int], *, above: bool) -> int:
    """The outermost value up to the first rank that enough rows share, or the roundest between."""
    reached, inner = (tally.at(rank) for rank in ranks)
    outer = tally.ticks >= reached if above else tally.ticks <= reached
    shared = tally.ticks[outer & (tally.rows >= floor)]
    if len(shared):
        return int(shared[-1 if above else 0])
    first, final = sorted((reached, inner))
    return scale.roundest(first, final, last=above)


def _runs(whole: CutTally, spikes: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The spikes, and the stretches between them, in ascending order."""
    runs: list[tuple[int, int]] = []
    start = int(whole.ticks[0])
    for spike in spikes.tolist():
        if start < spike:
            runs.append((start, spike - 1))
        runs.append((spike, spike))
        start = spike + 1
    if start <= whole.ticks[-1]:
        runs.append((start, int(whole.ticks[-1])))
    return [(low, high) for low, high in runs if len(whole.within(low, high).ticks)]


def _share_of(bins: int | Sequence[int] | None, share: float) -> int | Sequence[int]:
    """How many of the bins a run gets that holds this share of the rows between the spikes."""
    return bins if isinstance(bins, Sequence) else max(1, round(share * (bins or BINS)))


def _edges(
    run: CutTally, scale: Scale, floor: int, wanted: int | Sequence[int], by: Cut
) -> list[int]:
    """The first tick of every range of a run but the first."""
    if isinstance(wanted, Sequence):
        return [edge for edge in wanted if run.ticks[0] < edge <= run.ticks[-1]]
    if by == "width":
        ends = np.linspace(run.ticks[0], run.ticks[-1] + 1, wanted + 1)[1:-1]
        return sorted({math.ceil(edge) for edge in ends.tolist()})
    if by == "entropy" and run.classes is not None:
        ranks = entropy_cuts(run.classes, most=wanted, floor=floor)
    else:
        ranks = [round(run.total * i / wanted) for i in range(1, wanted)]
    return _rounded(run, scale, ranks, max(floor, run.total // (10 * wanted)))


def _rounded(run: CutTally, scale: Scale, ranks: Sequence[int], reach: int) -> list[int]:
    """The roundest tick around each rank; `reach` rows on both sides may change their range."""
    edges = set()
    for rank in ranks:
        low, high = run.at(rank - reach), run.at(rank + reach)
        edges.add(scale.roundest(low + 1, high) if high > low + 1 else run.at(rank))
    return sorted(edge for edge in edges if run.ticks[0] < edge <= run.ticks[-1])


def _spans(run: CutTally, edges: Sequence[int], floor: int) -> list[tuple[int, int]]:
    """The run divided at the edges; a range that too few rows hold joins the one before it."""
    starts = [int(run.ticks[0]), *edges]
    ends = [*(edge - 1 for edge in edges), int(run.ticks[-1])]
    kept: list[tuple[int, int]] = []
    for low, high in zip(starts, ends, strict=True):
        if kept and min(run.within(low, high).total, run.within(*kept[-1]).total) < floor:
            kept[-1] = (kept[-1][0], high)
        else:
            kept.append((low, high))
    return kept


def _parts(
    inside: CutTally, scale: Scale, floor: int, rows: int, span: tuple[int, int]
) -> tuple[Part, ...]:
    """Shared values by themselves, the stretches between them by where their rows lie."""
    shared = inside.ticks[inside.rows >= max(floor, rows // _SHARED)]
    parts: list[Part] = []
    least = max(floor, inside.total // _PARTS)
    borders = [span[0] - 1, *shared.tolist(), span[1] + 1]
    for start, end in _runs(inside, shared):
        stretch = inside.within(start, end)
        if start == end and start in shared:
            parts.append(Part(start, start, stretch.total))
        elif stretch.total >= floor:
            pieces = stretch.total // least
            ranks = [round(stretch.total * i / pieces) for i in range(1, pieces)]
            edges = _rounded(stretch, scale, ranks, max(floor // 2, least // 4))
            low = max(border for border in borders if border < start) + 1
            high = min(border for border in borders if border > end) - 1
            parts += _stretches(stretch, scale, _spans(stretch, edges, floor), (low, high))
    return tuple(parts)


def _with_margins(
    parts: tuple[Part, ...], span: tuple[int, int], edges: Sequence[int]
) -> tuple[Part, ...]:
    """The parts, and up to the edges of their bin places that belong to it and are never drawn.

    At the ends of a run there is no edge, and none is told: the last value may be one person's.
    """
    low, high = span
    before: tuple[Part, ...] = ()
    after: tuple[Part, ...] = ()
    if low in edges and low < parts[0].low:
        before = (Part(low, parts[0].low - 1, 0),)
    if high + 1 in edges and parts[-1].high < high:
        after = (Part(parts[-1].high + 1, high, 0),)
    return (*before, *parts, *after)


def _stretches(
    stretch: CutTally, scale: Scale, spans: list[tuple[int, int]], room: tuple[int, int]
) -> list[Part]:
    """A part for each span; the outer ends are rounded outwards as far as there is room."""
    low, high = spans[0][0], spans[-1][1]
    first, last = (_coarse(high - low) for low, high in (spans[0], spans[-1]))
    spans[0] = (max(room[0], low // first * first), spans[0][1])
    spans[-1] = (spans[-1][0], min(room[1], -(-high // last) * last))
    return [_spread(stretch.within(*span), scale, *span) for span in spans]


def _coarse(width: int) -> int:
    """The power of ten that is as long as a stretch."""
    return int(10 ** (len(str(max(width, 1))) - 1))


def _spread(inside: CutTally, scale: Scale, low: int, high: int) -> Part:
    """One part from `low` to `high`, in the step on which nearly all its rows lie."""
    for step in scale.steps():
        places = high // step - -(-low // step) + 1
        on_step = inside.rows[inside.ticks % step == 0].sum()
        if places > 1 and on_step >= _HEAPED * inside.total:
            return Part(low, high, inside.total, step)
    return Part(low, high, inside.total)


def _with_strays(
    bins: list[tuple[Part, ...]], scale: Scale, whole: CutTally
) -> tuple[tuple[Part, ...], ...]:
    """Count the rows that no part holds (too few between two others) where they will be put."""
    lying = Bins(scale, tuple(bins)).part_of(whole.ticks)
    rows = np.bincount(lying, whole.rows, sum(map(len, bins))).astype(int).tolist()
    counted = []
    for bin_ in bins:
        counts, rows = rows[: len(bin_)], rows[len(bin_) :]
        if not bin_[0].rows:
            counts[1] += counts[0]
        if not bin_[-1].rows:
            counts[-2] += counts[-1]
        counted.append(
            tuple(replace(p, rows=n if p.rows else 0) for p, n in zip(bin_, counts, strict=True))
        )
    return tuple(counted)
