"""The trade-off: what each minimum support would give away, before a single row is drawn.

Candidates arrive by support, so the code tables of all higher supports are stages of one search,
and the expected anonymity score of a table has a closed form. The whole curve costs little more
than one fit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass

import numpy as np

from halfmask.data import Table
from halfmask.errors import TargetNotMet
from halfmask.measures import expected_nas
from halfmask.methods.generator import GeneratorModel, GeneratorSettings, Progress, learn_at
from halfmask.randomness import Randomness

__all__ = ["Point", "Run", "TradeOff", "smallest_support", "support_levels", "trade_off"]

LEVELS = 12
"""Points of a curve: enough to see its shape, and to narrow a range twelvefold with one search."""


@dataclass(frozen=True, slots=True)
class Point:
    """One minimum support and what a release made with it is expected to give away."""

    min_support: int
    patterns: int
    nas: float
    """The expected normalised anonymity score of a release."""
    how: str
    """Whether it is exact, within certain bounds, or estimated."""

    def to_dict(self) -> dict[str, float | int | str]:
        """The point in plain types."""
        return asdict(self)


def support_levels(lowest: int, highest: int, count: int = LEVELS) -> list[int]:
    """About `count` supports between the two, each the same factor above the one before.

    >>> support_levels(10, 1000, 5)
    [10, 32, 100, 316, 1000]
    >>> support_levels(3, 5)
    [3, 4, 5]
    """
    spread = np.geomspace(lowest, max(highest, lowest), count)
    return sorted({round(float(level)) for level in spread})


@dataclass(frozen=True, slots=True)
class Run:
    """How the work is run."""

    randomness: Randomness
    threads: int = 1
    progress: Progress | None = None


@dataclass(frozen=True, eq=False)
class TradeOff:
    """A model and the curve of expected scores it lies on, lowest support first."""

    model: GeneratorModel
    points: tuple[Point, ...]


def trade_off(table: Table, settings: GeneratorSettings, *, rows: int, run: Run) -> TradeOff:
    """The model of these settings, and what higher supports would give among `rows` rows."""
    lowest = int(settings.min_support)
    models = _models(table, settings, support_levels(lowest, len(table) // 2), run)
    points = tuple(_point(model, table, rows, run) for model in models.values())
    return TradeOff(models[lowest], points)


def smallest_support(
    table: Table, settings: GeneratorSettings, nas_at_most: float, *, rows: int, run: Run
) -> TradeOff:
    """The model of the smallest minimum support whose expected score meets the target.

    The range between the last support that misses and the first that meets is narrowed until they
    are neighbours. Where the score is not monotone, a support between those looked at may meet
    the target too.
    """
    low, high = int(settings.min_support), len(table) // 2
    models: dict[int, GeneratorModel] = {}
    points: dict[int, Point] = {}
    while True:
        wanted = [level for level in support_levels(low, high) if level not in points]
        models |= _models(table, settings, wanted, run) if wanted else {}
        points |= {s: _point(models[s], table, rows, run) for s in models if s not in points}
        meeting = [s for s in sorted(points) if points[s].nas <= nas_at_most]
        if not meeting:
            raise TargetNotMet(_unreachable(points.values(), nas_at_most))
        low = max((s for s in points if s < meeting[0]), default=meeting[0])
        high = meeting[0]
        if high - low <= 1:
            return TradeOff(models[high], tuple(points[s] for s in sorted(points)))


def _models(
    table: Table, settings: GeneratorSettings, supports: Collection[int], run: Run
) -> dict[int, GeneratorModel]:
    return learn_at(table, settings, supports, threads=run.threads, progress=run.progress)


def _point(model: GeneratorModel, table: Table, rows: int, run: Run) -> Point:
    """What to expect of one model."""
    hits = model.expected_hits(table, rows, randomness=run.randomness, threads=run.threads)
    score = expected_nas(hits.log2_probabilities, hits.multiplicities, rows)
    return Point(model.min_support, len(model.code_table.sets), score.normalised, hits.how)


def _unreachable(points: Iterable[Point], nas_at_most: float) -> str:
    best = min(points, key=lambda point: point.nas)
    return (
        f"No minimum support reaches an anonymity score of {nas_at_most:g} or less on these data; "
        f"the lowest expected is {best.nas:.3f}, at support {best.min_support:,}."
    )
