"""Drawing from a learnt generator: a release at once, or rows in parts that nobody keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from halfmask.data import Release, Table
from halfmask.data.coding.reordering import reordered
from halfmask.data.table import PIECE
from halfmask.methods.calibration.pool import BlockFit, Blocks, Fitting, Gathered
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
        self.fitting = Fitting(margins) if meets and margins is not None else None
        self._made = None if self.progress is None else _Made(self.progress)

    def at_once(self) -> Drawn:
        """All rows."""
        if self.fitting is None:
            return self._draw(self.progress, self.rows, self.first_row)
        gathered = Gathered.of(self.rows, len(self.model.schema))
        for part in self.parts():
            gathered.add(part)
        return gathered.drawn

    def parts(self) -> Iterator[Drawn]:
        """The same rows a stretch at a time, of which nothing is kept."""
        done = 0
        for number, (_, size) in enumerate(self.places):
            drawn, fit = self.block(number)
            if fit is not None and self.fitting is not None:
                self.fitting.add(fit)
            done += len(drawn.codes)
            yield drawn
            go_on = self._made is None or self._made(done, self.rows)
            if len(drawn.codes) < size or not go_on:
                break

    @property
    def places(self) -> list[tuple[int, int]]:
        """The first row of each stretch, and how many it has."""
        if self._blocks is not None:
            return self._blocks.places
        starts = range(0, max(self.rows, 1), PIECE)
        return [(first, min(PIECE, self.rows - first)) for first in starts]

    def block(self, number: int) -> tuple[Drawn, BlockFit | None]:
        """One stretch, the same wherever it is made, and how well it meets the counts."""
        blocks = self._blocks
        if blocks is None:
            first, size = self.places[number]
            return self._draw(None, size, self.first_row + first), None
        return blocks.make(number)

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

    @cached_property
    def _blocks(self) -> Blocks | None:
        """None where there are no counts to meet."""
        if self.fitting is None:
            return None
        # Rows that are drawn to choose from do not count; they are a chance to stop.
        return Blocks(
            partial(self._pool, None if self._made is None else self._made.again),
            self.model.schema,
            self.fitting.margins,
            self.rows,
            self.randomness,
            shrink=self.model.settings.calibration.shrink,
            first_row=self.first_row,
            allowed=self.model.allowed,
            threads=self.threads,
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
