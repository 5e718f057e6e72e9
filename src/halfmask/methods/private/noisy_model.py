"""The model of a private release: noisy tables to draw from, and patterns to read.

All of it is computed from the noisy log, so all of it has the log's guarantee, however often rows
are drawn from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Release, Schema, Table
from halfmask.data.release import Claim, Fact
from halfmask.data.rows import Rows
from halfmask.errors import BadInput
from halfmask.methods.generator.learn import learn_exactly
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.methods.private.drawing import PoolDrawing
from halfmask.methods.private.log import NoisyLog
from halfmask.methods.private.model import PrivateModel, replay
from halfmask.methods.private.promise import PromisedModel, claim_of
from halfmask.patterns.code_table import CodeTable
from halfmask.randomness import Randomness

PATTERN_EFFORT = 0.3
"""How much work the search for readable patterns may be."""


@dataclass(frozen=True, eq=False)
class NoisyModel(PromisedModel):
    """A noisy log over the columns of a table; rows and patterns are drawn from it when asked."""

    schema: Schema
    log: NoisyLog
    min_support: int
    """Patterns are held by so many drawn rows."""
    rows_per_person: int = 1
    guessed: tuple[str, ...] = ()
    """Columns whose kind was read off the data."""
    target: str | None = None
    told: CodeTable | None = None
    """The patterns, where a file tells them."""
    learnt: PrivateModel | None = field(default=None, repr=False)
    """The model that the log gives, where it was just learnt."""
    person: str = ""
    """What a person is in a family of tables, in words."""
    margins: None = None
    """No count of the original is met: none is known."""

    def __post_init__(self) -> None:
        sizes = tuple(attribute.size for attribute in self.schema)
        assert sizes == self.log.sizes  # noqa: S101 - made together, or checked when read

    @cached_property
    def drawn(self) -> NDArray[np.int32]:
        """As many rows as the original seems to have, drawn with the log's own key."""
        return self._own.codes(0, self.rows)

    @cached_property
    def code_table(self) -> CodeTable:
        """Patterns of the rows drawn."""
        if self.told is not None:
            return self.told
        return self.patterns_of(Table(self.schema, self.drawn))

    def patterns_of(self, drawn: Rows) -> CodeTable:
        """Those of as many rows as the original seems to have, wherever they were drawn."""
        floor = max(1, min(self.min_support, len(drawn)))
        settings = GeneratorSettings(min_support=floor, search="auto", effort=PATTERN_EFFORT)
        return learn_exactly(drawn, settings, threads=self.log.pool.threads).code_table

    @property
    def value_support(self) -> int:
        """Single values are shown from as many rows on as patterns."""
        return self.min_support

    @property
    def rows(self) -> int:
        """The number of rows of the original, as noisy counts say it."""
        return self.log.rows

    @property
    def account(self) -> NoisyLog:
        """What was asked, and what it cost."""
        return self.log

    @property
    def claim(self) -> Claim:
        """What is promised to every person, and on which assumption."""
        return claim_of(self.log, self.rows_per_person, self.guessed, person=self.person)

    @cached_property
    def _own(self) -> PoolDrawing:
        learnt = self.learnt or replay(self.log)
        return self._drawing(learnt, self.rows, self.log.key, seeded=self.log.seeded)

    def drawing(self, rows: int | None, key: int, *, seeded: bool) -> PoolDrawing:
        """Rows drawn with a key, which gives the same again; the log's own key is the quickest."""
        if self._is_own(rows, key):
            return replace(self._own, seeded=seeded)
        learnt = self.learnt if key == self.log.key else None
        learnt = learnt or replay(replace(self.log, key=key))
        return self._drawing(learnt, self.rows if rows is None else rows, key, seeded=seeded)

    def _is_own(self, rows: int | None, key: int) -> bool:
        return key == self.log.key and rows in {None, self.rows}

    def _drawing(self, learnt: PrivateModel, rows: int, key: int, *, seeded: bool) -> PoolDrawing:
        pool = learnt.finished(self.log.leaves, rows)
        return PoolDrawing.of(replace(self, learnt=None), pool, rows, key, seeded=seeded)

    def cells(self) -> list[dict[str, Any]]:
        """Every noisy count: its table, the values of the cell, and the noise."""
        found = []
        for each in (table for step in self.log.steps for table in step):
            attributes = [self.schema.attributes[c] for c in each.columns]
            name, sigma = " × ".join(a.name for a in attributes), float(each.variance) ** 0.5
            places = np.ndindex(*(a.size for a in attributes))
            for place, count in zip(places, each.counts.tolist(), strict=True):
                values = [a.values[v] for a, v in zip(attributes, place, strict=True)]
                cell = ", ".join("(missing)" if v is None else v for v in values)
                found.append({"table": name, "cell": cell, "count": count, "sigma": sigma})
        return found

    def sample(
        self,
        rows: int | None,
        *,
        randomness: Randomness,
        threads: int = 1,  # noqa: ARG002 - as the models of patterns are asked
        calibrate: bool = True,
    ) -> Release:
        """Draw rows, as many as the original seems to have unless told."""
        if not calibrate:
            raise BadInput("The model of a private release has nothing but its tables to follow.")
        return self.sampled(rows, randomness.key("private rows"), seeded=randomness.seeded)

    def sampled(self, rows: int | None, key: int, *, seeded: bool) -> Release:
        """A release of rows drawn with a key."""
        if self._is_own(rows, key):
            return self.released(self.drawn, seeded=seeded)
        drawing = self.drawing(rows, key, seeded=seeded)
        return self.released(drawing.codes(0, drawing.rows), seeded=seeded)

    def released(self, codes: NDArray[np.int32], *, seeded: bool) -> Release:
        """A release of these rows, with what it promises and how it was made."""
        record: dict[str, Fact] = {
            "rows": len(codes),
            "epsilon": self.log.epsilon,
            "delta": self.log.delta,
            "epsilon_spent": round(self.epsilon_spent, 6),
            "rows_per_person": self.rows_per_person,
            "tables_measured": sum(map(len, self.log.steps)),
            "noise_of_counts": round(self.noise, 2),
            "target": self.target,
            "seeded": seeded,
        }
        return Release(
            data=Table(self.schema, np.asfortranarray(codes)),
            kind="synthetic",
            method="private",
            iso_class="synthetic data",
            claim=self.claim,
            record=record,
        )

    @property
    def noise(self) -> float:
        """The standard deviation of the noise of a count, of the first tables."""
        return sqrt(self.log.steps[0][0].variance)
