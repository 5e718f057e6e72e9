"""Drawing from a learnt generator: a release at once, or rows in parts that nobody keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from halfmask.data import Release, Table
from halfmask.data.coding.ordering import reordered
from halfmask.data.table import PIECE
from halfmask.methods.calibration.pool import Fitting, Gathered, calibrated_blocks
from halfmask.methods.generator.process import Drawn
from halfmask.methods.generator.record import claim_of, notes_of, record_of
from halfmask.randomness import Randomness
from halfmask.run import Progress

if TYPE_CHECKING:
    from halfmask.methods.generator.model import GeneratorModel


@dataclass
class Drawing:
    """Rows of a model on their way, all at once or in parts, which are the same rows."""

    model: GeneratorModel
    rows: int
    randomness: Randomness
    _: KW_ONLY
    threads: int = 1
    progress: Progress | None = None
    first_row: int = 0
    calibrate: bool = True
    fitting: Fitting | None = field(init=False)
    """How well the parts made so far meet the counts, where there are some to meet."""

    def __post_init__(self) -> None:
        margins = self.model.margins
        meets = self.calibrate and margins is not None and self.rows
        shrink = self.model.settings.calibration.shrink
        self.fitting = Fitting(margins, shrink) if meets and margins is not None else None

    def at_once(self) -> Drawn:
        """All rows."""
        if self.fitting is None:
            return self._draw(self.progress, self.rows, self.first_row)
        gathered = Gathered.of(self.rows, len(self.model.schema))
        for part in self._blocks(self.fitting):
            gathered.add(part)
        return gathered.drawn

    def parts(self) -> Iterator[Drawn]:
        """The same rows a stretch at a time, of which nothing is kept."""
        if self.fitting is not None:
            yield from self._blocks(self.fitting)
            return
        for first in range(0, max(self.rows, 1), PIECE):
            size = min(PIECE, self.rows - first)
            yield self._draw(None, size, self.first_row + first)
            if self.progress is not None and not self.progress(first + size, self.rows):
                break

    def released(self, drawn: Drawn, *, done: int | None = None) -> Release:
        """The release with its record; where it was written in parts, `drawn` are the first rows.

        `done` is then how many there were.
        """
        model, fit = self.model, None if self.fitting is None else self.fitting.fit
        return Release(
            data=Table(model.schema, drawn.codes),
            kind="synthetic",
            method="generator",
            iso_class="synthetic data",
            claim=claim_of(model, fit),
            record=record_of(model, drawn, fit, seeded=self.randomness.seeded),
            notes=notes_of(model, drawn, fit, asked=self.rows, done=done),
        )

    def _blocks(self, fitting: Fitting) -> Iterator[Drawn]:
        # Rows that are drawn to choose from do not count; they are a chance to stop.
        made = None if self.progress is None else _Made(self.progress)
        return calibrated_blocks(
            partial(self._pool, None if made is None else made.again),
            self.model.schema,
            fitting,
            self.rows,
            randomness=self.randomness,
            first_row=self.first_row,
            allowed=self.model.allowed,
            threads=self.threads,
            progress=made,
        )

    def _pool(self, progress: Progress | None, size: int, first: int) -> Drawn:
        """Rows to choose from; ranks go together as the model tells, but rules come before that."""
        drawn = self._draw(progress, size, first)
        if self.model.fence is not None or self.model.settings.calibration.order < 2:
            return drawn
        rng = self.randomness.child(f"order of the pool from {first}")
        return replace(drawn, codes=reordered(drawn.codes, self.model.schema, rng))

    def _draw(self, progress: Progress | None, size: int, first: int) -> Drawn:
        return self.model.source.draw(
            size,
            key=self.randomness.key("rows of the generator"),
            first_row=first,
            threads=self.threads,
            progress=progress,
        )


class _Made:
    """How many rows are made, told anew each time somebody asks whether to go on."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._last = (0, 0)

    def __call__(self, done: int, total: int) -> bool:
        self._last = (done, total)
        return self._progress(done, total)

    def again(self, _done: int, _total: int) -> bool:
        """The same as last time."""
        return self._progress(*self._last)
