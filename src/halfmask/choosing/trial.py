"""Trial: one candidate on one database, as plain data; what comes of it depends on nothing else.

A trial carries its own randomness, made from its description: whoever runs it, alone or beside
others, today or after an interruption, gets the same release.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from halfmask import __version__
from halfmask.assets.asset import Asset
from halfmask.assets.lacks import Form
from halfmask.choosing.candidates import Candidate
from halfmask.choosing.making import Attempt, Database, OfRelease, make, of_release
from halfmask.choosing.secrets import Secrets
from halfmask.data import Table
from halfmask.errors import HalfmaskError
from halfmask.randomness import Randomness

RUNS, LONG_ENOUGH = 5, 0.05
"""A run is timed up to so often, until it took so many seconds in all; the median counts."""


@dataclass(frozen=True, slots=True)
class Lacks:
    """What a release lacks in the eyes of an asset; 0 is perfect."""

    accuracy: float
    completeness: float
    consistency: float

    @property
    def values(self) -> tuple[float, float, float]:
        """The three numbers of the asset."""
        return self.accuracy, self.completeness, self.consistency


class Evaluate(Protocol):
    """What a release lacks in the eyes of an asset."""

    @property
    def asset(self) -> Asset:
        """What the release is held against."""
        ...

    def __call__(self, original: Database, release: Any, form: Form) -> Lacks:
        """(original, rows of the release, form) → what the release lacks."""
        ...


@dataclass(frozen=True, slots=True)
class Trial:
    """What is to be tried; `measured` and `asset` say what is asked of the release."""

    candidate: Candidate
    database: str
    """The digest of the database, by which it is found."""
    rows: int
    """So many of its first rows are used."""
    secrets: Secrets
    min_support: int = 10
    measured: bool = False
    asset: str | None = None
    """The digest of the asset that the release is held against."""

    @property
    def key(self) -> str:
        """The digest of all of this: the same key, the same outcome."""
        words = msgspec.json.encode([__version__, self], order="deterministic")
        return hashlib.blake2b(words, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """What came of a trial: times and readings, or the reason why there are none."""

    key: str
    seconds: float | None = None
    """CPU time of making the release."""
    readings: OfRelease | None = None
    lacks: Mapping[str, Lacks] = field(default_factory=dict)
    """By form; a method that keeps no rows has no aligned form."""
    failed: str | None = None
    limit: float | None = None
    """The limit in seconds that stopped it; a greater one is worth another trial."""


def digest_of(database: Database) -> str:
    """A digest of the names and cells of a database."""
    found = hashlib.blake2b(digest_size=16)
    for array in arrays_of(database).values():
        found.update(array.tobytes())
    return found.hexdigest()


def arrays_of(database: Database) -> dict[str, NDArray[Any]]:
    """All that a database is: its names as JSON, and its cells."""
    if isinstance(database, Table):
        schema = [(a.name, a.values, a.storage) for a in database.schema]
        return {"schema": _bytes(schema), "codes": database.codes}
    rows = database.transactions
    return {
        "names": _bytes(database.schema.names),
        "offsets": rows.offsets,
        "items": rows.items,
        "weights": rows.weights,
    }


def _bytes(value: Sequence[Any]) -> NDArray[np.uint8]:
    return np.frombuffer(msgspec.json.encode(value), np.uint8)


def run_trial(trial: Trial, database: Database, evaluate: Evaluate | None = None) -> TrialOutcome:
    """Make the release, time it, and read off what is asked; a refusal is an outcome too.

    >>> from halfmask.data import Baskets
    >>> rows = Baskets.of([["beer", "crisps"], ["tea"]] * 50)
    >>> trial = Trial(Candidate("baskets", {"min_support": 500}), digest_of(rows), 100, Secrets())
    >>> run_trial(trial, rows).failed
    'A minimum support of 500 is not possible for 100 rows; it is a whole number from 1 to 100,
    or a fraction above 0 and up to 1.0.'
    """
    part = database.take(np.arange(trial.rows))
    randomness = Randomness(int(trial.key, 16))
    asset = evaluate.asset if evaluate is not None and trial.asset is not None else None
    try:
        seconds, made = _timed(
            lambda: make(trial.candidate, part, trial.secrets, randomness=randomness, asset=asset)
        )
        readings = None
        if trial.measured:
            readings = of_release(
                part, made, trial.secrets, min_support=trial.min_support, randomness=randomness
            )
        lacks = _lacks(trial, part, made, evaluate) if trial.asset is not None else {}
    except HalfmaskError as trouble:
        return TrialOutcome(trial.key, failed=str(trouble))
    return TrialOutcome(trial.key, seconds, readings, lacks)


def _timed(work: Callable[[], Attempt]) -> tuple[float, Attempt]:
    """The median CPU time of a few runs; they all make the same."""
    taken: list[float] = []
    while True:
        start = time.process_time()
        made = work()
        taken.append(time.process_time() - start)
        if len(taken) == RUNS or sum(taken) >= LONG_ENOUGH:
            return max(median(taken), 1e-6), made


def _lacks(
    trial: Trial, part: Database, made: Attempt, evaluate: Evaluate | None
) -> dict[str, Lacks]:
    assert evaluate is not None  # noqa: S101 - a trial with an asset comes with its evaluation
    forms: tuple[Form, ...] = ("aligned", "free") if trial.candidate.method.aligned else ("free",)
    return {form: evaluate(part, made.standing, form) for form in forms}
