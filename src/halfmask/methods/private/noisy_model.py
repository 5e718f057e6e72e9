"""The model of a private release: noisy tables to draw from, and patterns to read.

All of it is computed from the noisy log, so all of it has the log's guarantee, however often rows
are drawn from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Release, Schema, Table
from halfmask.data.release import Fact
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.methods.loglinear import FittedPool, released
from halfmask.methods.private.domains import OTHER
from halfmask.methods.private.log import NoisyLog
from halfmask.methods.private.model import PrivateModel, replay
from halfmask.methods.private.promise import claim_of, spent_epsilon
from halfmask.patterns.code_table import CodeTable
from halfmask.randomness import Randomness

DOUBTFUL = 3.0
"""Missing cells, and those of the group "other", are drawn when they show so many times the noise."""
PATTERN_EFFORT = 0.3
"""How much work the search for readable patterns may be."""


@dataclass(frozen=True, eq=False)
class NoisyModel:
    """A noisy log over the columns of a table, and the code table of rows drawn from it."""

    schema: Schema
    log: NoisyLog
    code_table: CodeTable
    min_support: int
    """Patterns are held by so many drawn rows."""
    rows_per_person: int = 1
    guessed: tuple[str, ...] = ()
    """Columns whose kind was read off the data."""
    target: str | None = None
    margins: None = None
    """No count of the original is met: none is known."""
    _pools: dict[int, FittedPool] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        sizes = tuple(attribute.size for attribute in self.schema)
        assert sizes == self.log.sizes  # noqa: S101 - made together, or checked when read

    @property
    def value_support(self) -> int:
        """Single values are shown from as many rows on as patterns."""
        return self.min_support

    @property
    def rows(self) -> int:
        """The number of rows of the original, as noisy counts say it."""
        return self.log.rows

    @cached_property
    def epsilon_spent(self) -> float:
        """The ε of what was asked, which is no more than what was promised."""
        return spent_epsilon(self.log, self.rows_per_person)

    @property
    def shares(self) -> Mapping[str, float]:
        """Which share of the budget each part took."""
        return {part: rho / self.log.ledger.rho for part, rho in self.log.ledger.by_part().items()}

    def pool(self, key: int) -> FittedPool:
        """The rows that stand for the model; the same key gives the same."""
        if key not in self._pools:
            log = replace(self.log, key=key)
            self._pools[key] = replay(log).finished(log.leaves)
        return self._pools[key]

    def sample(self, rows: int | None, *, randomness: Randomness) -> Release:
        """Draw rows, as many as the original seems to have unless told."""
        key = randomness.key("private rows")
        codes = drawn_rows(self.log, self.schema, self.pool(key), rows, key)
        return self.released(codes, seeded=randomness.seeded)

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
            claim=claim_of(self.log, self.rows_per_person, self.guessed),
            record=record,
        )

    @property
    def noise(self) -> float:
        """The standard deviation of the noise of a count, of the first tables."""
        return float(self.log.steps[0][0].variance) ** 0.5


def modelled(  # noqa: PLR0913 - what was learnt, and of what
    schema: Schema,
    log: NoisyLog,
    model: PrivateModel,
    *,
    min_support: int,
    rows_per_person: int,
    guessed: tuple[str, ...],
    target: str | None,
    threads: int,
) -> tuple[NoisyModel, NDArray[np.int32]]:
    """The model of what was just learnt, with patterns of rows drawn from it, and those rows."""
    pool = model.finished(log.leaves)
    codes = drawn_rows(log, schema, pool, None, log.key)
    floor = max(1, min(min_support, len(codes)))
    found = learn(
        Table(schema, np.asfortranarray(codes)),
        GeneratorSettings(min_support=floor, search="auto", effort=PATTERN_EFFORT),
        threads=threads,
    )
    noisy = NoisyModel(
        schema,
        log,
        found.code_table,
        floor,
        rows_per_person=rows_per_person,
        guessed=guessed,
        target=target,
    )
    noisy._pools[log.key] = pool  # noqa: SLF001 - its own, not fitted twice
    return noisy, codes


def drawn_rows(
    log: NoisyLog, schema: Schema, pool: FittedPool, rows: int | None, key: int
) -> NDArray[np.int32]:
    """Rows of a pool: a function of the log, the key and the number of rows."""
    rng = np.random.default_rng(key)
    codes = released(pool, log.rows if rows is None else rows, float(rng.random()))
    shuffled = np.asfortranarray(codes[rng.permutation(len(codes))])
    for column, attribute in enumerate(schema):
        single = log.steps[0][column]
        least = DOUBTFUL * float(single.variance) ** 0.5
        special = [c for c, value in enumerate(attribute.values) if value in (None, OTHER)]
        doubtful = [c for c in special if single.counts[c] < least]
        weights = np.maximum(single.counts, 0).astype(float)
        weights[doubtful] = 0
        cells = np.flatnonzero(np.isin(shuffled[:, column], doubtful))
        if len(cells) and weights.sum() > 0:
            drawn = rng.choice(len(weights), len(cells), p=weights / weights.sum())
            shuffled[cells, column] = drawn
    return shuffled
