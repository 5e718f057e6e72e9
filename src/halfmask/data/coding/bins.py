"""Bins: an ordered column as a few ranges, and how its values lie within each of them.

The model sees which bin a row is in. Values are drawn back from the parts of the bin: stretches,
or single values that many rows share. A part is held by at least the minimum support of rows, and
its ends are round numbers or shared values, so that no part tells of one person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.scale import Scale
from halfmask.data.column import Column
from halfmask.errors import BadInput

STEEPEST = 200
"""The most that values may thin out within a part."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of ticks whose rows lie evenly on the multiples of `step`.

    One without rows is a margin: its values belong to the bin and are never drawn.

    >>> Part(17, 52, 40, step=10).first, Part(17, 52, 40, step=10).places
    (20, 4)
    """

    low: int
    high: int
    rows: int = field(compare=False)
    """Where they lie decides which parts are the same, not how many are told to be there."""
    step: int = 1
    tail: int = 0
    """How values thin out upwards (above 0) or downwards beyond what enough rows reach: from end to
    end they become e to the power of a tenth of this rarer."""

    def __post_init__(self) -> None:
        if self.low > self.high or self.step < 1 or self.rows < 0:
            raise BadInput("A part of a bin ends before it begins, or has a negative count.")
        if abs(self.tail) > STEEPEST:
            raise BadInput("A part of a bin thins out too fast to draw from.")
        if self.first > self.high:
            raise BadInput("A part of a bin has no value that could be drawn.")

    @property
    def first(self) -> int:
        """The smallest tick that can be drawn from it."""
        return -(-self.low // self.step) * self.step

    def below(self, place: float) -> float:
        """The share of its rows below a place of the part, given as a share of its length.

        >>> round(Part(0, 99, 10, tail=40).below(0.5), 2), Part(0, 99, 10).below(0.5)
        (0.88, 0.5)
        """
        fall = abs(self.tail) / 10
        if not fall:
            return place
        ahead = place if self.tail > 0 else 1 - place
        found = float(np.expm1(-fall * ahead) / np.expm1(-fall))
        return found if self.tail > 0 else 1 - found

    @property
    def places(self) -> int:
        """How many different ticks can be drawn from it."""
        return (self.high - self.first) // self.step + 1


def _thinned(shares: NDArray[np.float64], tails: NDArray[np.int64]) -> NDArray[np.float64]:
    """Shares of rows as places within their parts: the inverse of `Part.below`."""
    falls = np.maximum(np.abs(tails), 1) / 10
    ahead = np.where(tails < 0, 1 - shares, shares)
    fallen = -np.log1p(ahead * np.expm1(-falls)) / falls
    return np.where(tails == 0, shares, np.where(tails < 0, 1 - fallen, fallen))


@dataclass(frozen=True)
class Bins:
    """The bins of a column, each a run of parts, in ascending order.

    >>> bins = Bins(Scale(), ((Part(0, 0, 90),), (Part(1, 10, 20), Part(11, 40, 10))))
    >>> bins.labels, bins.find(np.array([-5, 0, 7, 40, 99])).tolist()
    (('0', '1 to 40'), [0, 0, 1, 1, 1])
    >>> bins.draw(np.array([0, 1, 1]), np.array([0.5, 0.0, 0.9])).tolist()
    [0, 1, 32]
    """

    scale: Scale
    bins: tuple[tuple[Part, ...], ...]
    codes: tuple[str, ...] = ()
    """Texts that say why there is no value; they follow the bins in the attribute's values."""
    clock: Bins | None = None
    """Of moments the times of day, as one bin: the bins then hold days, whatever the hour."""

    def __post_init__(self) -> None:
        parts = [part for bin_ in self.bins for part in bin_]
        if not all(self.bins) or not parts:
            raise BadInput("A bin has no parts.")
        if any(a.high >= b.low for a, b in pairwise(parts)):
            raise BadInput("The parts of a column's bins overlap.")
        if any(sum(part.rows for part in bin_) == 0 for bin_ in self.bins):
            raise BadInput("A bin is held by no row.")
        if self.clock is not None:
            ends = (self.clock.bins[0][0].low, self.clock.bins[-1][-1].high)
            if len(self.clock.bins) != 1 or ends[0] < 0 or ends[1] >= self.scale.per_day:
                raise BadInput("The times of day of a column lie outside the day.")

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What each bin is called."""
        ends = [(bin_[0].low, bin_[-1].high) for bin_ in self.bins]
        scale = self.scale if self.clock is None else self.scale.days
        lows = scale.texts(np.array([low for low, _ in ends], np.int64))
        highs = scale.texts(np.array([high for _, high in ends], np.int64))
        return tuple(a if a == b else f"{a} to {b}" for a, b in zip(lows, highs, strict=True))

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        return tuple(part for bin_ in self.bins for part in bin_)

    @cached_property
    def _lows(self) -> NDArray[np.int64]:
        return np.array([part.low for part in self._parts], np.int64)

    @cached_property
    def _highs(self) -> NDArray[np.int64]:
        return np.array([part.high for part in self._parts], np.int64)

    @cached_property
    def _bin_of(self) -> NDArray[np.int32]:
        sizes = [len(bin_) for bin_ in self.bins]
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    def find(self, ticks: NDArray[np.int64]) -> NDArray[np.int32]:
        """The bin of each tick; one that lies in no part belongs to the nearest."""
        return self._bin_of[self.part_of(ticks)]

    def part_of(self, ticks: NDArray[np.int64]) -> NDArray[np.intp]:
        """The number of the part, counted through all bins, that each tick lies in or nearest."""
        before = np.clip(np.searchsorted(self._lows, ticks, side="right") - 1, 0, None)
        after = np.minimum(before + 1, len(self._lows) - 1)
        below = ticks - self._highs[before]
        above = self._lows[after] - ticks
        return np.where((below > 0) & (above >= 0) & (above < below), after, before)

    def read(self, texts: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The bin of each text, and which of them are values of this column at all."""
        try:
            return self.find(self._places(texts)), np.ones(len(texts), bool)
        except ValueError:  # somebody else's release may hold words; each is tried by itself
            found, readable = np.zeros(len(texts), np.int32), np.zeros(len(texts), bool)
            for place, text in enumerate(texts):
                try:
                    found[place] = self.find(self._places([text]))[0]
                    readable[place] = True
                except ValueError:
                    continue
            return found, readable

    def _places(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Where the texts lie among the parts: their ticks, or their days."""
        ticks = self.scale.ticks(texts)
        return ticks if self.clock is None else ticks // self.scale.per_day

    def draw(self, bins: NDArray[np.int32], uniforms: NDArray[np.float64]) -> NDArray[np.int64]:
        """A tick for each bin number: its part by the rows in it, evenly within the part."""
        rows = np.array([part.rows for part in self._parts], np.float64)
        ends = np.cumsum(rows)
        first = np.searchsorted(self._bin_of, np.arange(len(self.bins)))
        starts = (ends - rows)[first]
        sizes = np.add.reduceat(rows, first)
        at = starts[bins] + uniforms * sizes[bins]
        last = np.append(first[1:], len(rows)) - 1
        last -= rows[last] == 0  # a margin is never drawn
        part = np.clip(np.searchsorted(ends, at, side="right"), first[bins], last[bins])
        share = np.clip((at - (ends - rows)[part]) / np.maximum(rows[part], 1), 0, 1)
        places = np.array([p.places for p in self._parts], np.int64)[part]
        steps = np.array([p.step for p in self._parts], np.int64)[part]
        tails = np.array([p.tail for p in self._parts], np.int64)[part]
        place = (_thinned(share, tails) * places).astype(np.int64)
        place = np.clip(place, 0, places - 1)
        firsts = np.array([p.first for p in self._parts], np.int64)[part]
        # A number that was declared to mean "no value" is not drawn as a value.
        taken = np.isin(firsts + steps * place, self._declared)
        place = np.where(taken, np.where(place + 1 < places, place + 1, place - 1), place)
        ticks: NDArray[np.int64] = firsts + steps * np.maximum(place, 0)
        if self.clock is None:
            return ticks
        # What chose the day within its part has digits left that choose the hour.
        rest = np.clip(share * places - np.floor(share * places), 0, 1 - 2.0**-53)
        return ticks * self.scale.per_day + self.clock.draw(np.zeros(len(bins), np.int32), rest)

    def log2_within(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The logarithm (base 2) of the probability of each text, given its bin.

        >>> bins = Bins(Scale(), ((Part(0, 0, 9),), (Part(1, 4, 20), Part(11, 40, 20))))
        >>> bins.log2_within(["0", "3", "7"]).tolist()
        [0.0, -3.0, -inf]
        """
        ticks = self.scale.ticks(texts)
        if self.clock is None:
            return self._log2_of(ticks)
        times = self.clock._log2_of(ticks % self.scale.per_day)  # noqa: SLF001 - one of us
        return self._log2_of(ticks // self.scale.per_day) + times

    def log2_within_rows(self, column: Column, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """The same for the rows of a column; a cell in no bin is all that its code says."""
        in_bin = (codes >= 0) & (codes < len(self.bins))
        found = np.zeros(len(codes))
        labels, place = np.unique(column.index[in_bin], return_inverse=True)
        if len(labels):
            found[in_bin] = self.log2_within([str(column.labels[i]) for i in labels])[place]
        return found

    def _log2_of(self, ticks: NDArray[np.int64]) -> NDArray[np.float64]:
        part = self.part_of(ticks)
        rows = np.array([p.rows for p in self._parts], np.float64)
        steps = np.array([p.step for p in self._parts], np.int64)[part]
        places = np.array([p.places for p in self._parts], np.float64)[part]
        inside = (ticks >= self._lows[part]) & (ticks <= self._highs[part]) & (ticks % steps == 0)
        sizes = np.bincount(self._bin_of, rows)[self._bin_of[part]]
        each = 1 / places
        for n in np.flatnonzero([self._parts[p].tail != 0 for p in part]):
            tail = self._parts[part[n]]
            at = (ticks[n] - tail.first) // tail.step / tail.places
            each[n] = tail.below(at + each[n]) - tail.below(at)
        with np.errstate(divide="ignore"):
            found: NDArray[np.float64] = np.log2(np.where(inside, rows[part] / sizes * each, 0))
        return found

    @cached_property
    def _declared(self) -> NDArray[np.int64]:
        readable = [code for code in self.codes if self.clock is None and self.read([code])[1][0]]
        return self.scale.ticks(readable) if readable else np.zeros(0, np.int64)
