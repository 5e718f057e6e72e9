"""An axis of a chart: from where to where it reaches, and the round numbers along it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

SIZE = 9.5
"""The height of letters along an axis."""


def per_cent(value: float) -> str:
    """A share as words of an axis.

    >>> per_cent(0.125)
    '12.5 %'
    """
    return f"{_plain(100 * value)} %"


def _plain(value: float) -> str:
    return f"{value:.6g}".replace("-", "−")


@dataclass
class Axis:
    """One of the two scales of a chart; what is not set is found from what stands on it."""

    label: str = ""
    low: float | None = None
    high: float | None = None
    log: bool = False
    ticks: Sequence[float] | None = None
    names: Sequence[str] | None = None
    """The words of the ticks given; otherwise their numbers, put by `words`."""
    words: Callable[[float], str] = _plain
    most: int = 6
    """Ticks, where they are chosen here."""
    whole: bool = False
    """Whether only whole numbers are ticks."""
    grid: bool = False
    line: bool = True
    room: float = 0.05
    """Left free at both ends where these are not set, as a share of the axis."""
    size: float = SIZE
    seen: list[float] = field(default_factory=list)

    def settle(self) -> None:
        """Choose the ends, and the ticks between them."""
        low, high = (min(self.seen), max(self.seen)) if self.seen else (0.0, 1.0)
        if self.log:
            grow = (high / low) ** self.room if high > low else 1.5
            ends = low / grow, high * grow
        else:
            tiny = max(abs(low), abs(high), 1e-3) * 1e-6
            grow = (high - low if high - low > tiny else max(abs(high), 1.0)) * self.room
            ends = low - grow, high + grow
        self.low = ends[0] if self.low is None else self.low
        self.high = ends[1] if self.high is None else self.high
        if self.high <= self.low:
            self.high = self.low + 1.0
        if self.ticks is None:
            found = _powers(*self.ends) if self.log else _round(*self.ends, self.most, self.whole)
            self.ticks = found
        else:
            shown = [n for n, tick in enumerate(self.ticks) if 0 <= self.share(tick) <= 1]
            self.names = None if self.names is None else [self.names[n] for n in shown]
            self.ticks = [self.ticks[n] for n in shown]

    @property
    def ends(self) -> tuple[float, float]:
        """Where it begins and ends, once it is settled."""
        assert self.low is not None  # noqa: S101 - settled
        assert self.high is not None  # noqa: S101 - idem
        return self.low, self.high

    def share(self, value: float) -> float:
        """How far along the axis a value stands, from 0 to 1."""
        low, high = self.ends
        if self.log:
            return math.log(max(value, 1e-300) / low) / math.log(high / low)
        return (value - low) / (high - low)

    @property
    def written(self) -> list[tuple[float, str]]:
        """The ticks with their words."""
        ticks = self.ticks or ()
        names = self.names if self.names is not None else [self.words(tick) for tick in ticks]
        return list(zip(ticks, names, strict=True))


def _round(low: float, high: float, most: int, whole: bool) -> list[float]:  # noqa: FBT001
    """Round numbers from low to high, at most so many.

    >>> _round(0, 0.37, 5, False), _round(1, 9, 5, True)
    ([0.0, 0.1, 0.2, 0.3], [2.0, 4.0, 6.0, 8.0])
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s for s in (1, 2, 2.5, 5, 10, 20) if s * power * most >= (high - low)) * power
    step = max(1.0, round(step)) if whole else step
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first + 1
    return [round((first + n) * step, 12) + 0.0 for n in range(count)]


def _powers(low: float, high: float) -> list[float]:
    """Powers of ten from low to high; with few of them also their halves and doubles.

    >>> _powers(0.5, 200)
    [1.0, 10.0, 100.0]
    >>> _powers(2, 30)
    [2.0, 5.0, 10.0, 20.0]
    """
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    tens = [10.0**n for n in exponents if low <= 10.0**n <= high]
    every = [round(m * 10.0**n, 12) for n in exponents for m in (1, 2, 5)]
    return tens if len(tens) > 2 else [tick for tick in every if low <= tick <= high]
