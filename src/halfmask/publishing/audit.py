"""Audit: how much a method tells about one person, from many fits with that person and without.

A release is one draw, and an attack on it says nothing about the method. Here the method is fitted
anew every time, with fresh randomness, from the columns of the table to the rows of the release:
whatever one row changes, codes and bins included, may give it away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Baskets, Column, Encoding, Table
from halfmask.data.coding.filling import Filling
from halfmask.errors import BadInput
from halfmask.measures.audit import Audit, agreement, audit_worlds
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.method import Made
from halfmask.publishing.job import Job
from halfmask.publishing.original import read_original
from halfmask.randomness import Randomness
from halfmask.run import Run


@dataclass(frozen=True, slots=True)
class MethodAudit:
    """What many fits of a method told about one person."""

    method: str
    row: int
    """The person's row in the table, counted from 1."""
    found: Audit
    claimed: float | None = None
    """The ε that is promised, by the method or by who asked."""

    @property
    def refuted(self) -> bool:
        """Whether the promise cannot be true."""
        return self.claimed is not None and self.found.refutes(self.claimed)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The outcome in words."""
        found, tested = self.found, self.found.runs // 4
        right, wrong = (round(share.value * tested) for share in (found.called, found.alarms))
        delta = f" (with δ = {found.delta:g})" if found.delta else ""
        fitted = (
            f"{found.runs:,} fits of the method {self.method}, half with row {self.row:,} and half "
            "without it; from one half an attacker learnt to tell them apart, on the other she was "
            "tested."
        )
        told = (
            f"She called {right:,} of {tested:,} releases with the row rightly, and {wrong:,} of "
            f"{tested:,} without it wrongly."
        )
        bound = (
            f"ε is at least {found.epsilon:.2f}{delta}, with 95 % confidence; the most that so "
            f"many fits could show is {found.most:.2f}."
        )
        return (fitted, told, bound, *self._about_claim)

    @property
    def _about_claim(self) -> tuple[str, ...]:
        if self.claimed is None:
            return ()
        if self.refuted:
            return (f"The claim that ε is {self.claimed:g} is refuted.",)
        return (f"The claim that ε is {self.claimed:g} is not refuted; that does not prove it.",)

    def to_dict(self) -> dict[str, Any]:
        """The outcome in plain types, ready for JSON."""
        found = self.found.to_dict() | {"most": self.found.most}
        claim = {"claimed": self.claimed, "refuted": self.refuted}
        return {"method": self.method, "row": self.row, **found, **claim}


def audit_method(
    source: Any,
    *,
    method: Any = "generator",
    fits: int = 100,
    row: int | None = None,
    claimed: float | None = None,
    **options: Any,
) -> MethodAudit:
    """Fit a method many times with a person and without, and bound its ε from below.

    `source`, `method` and its options are those of `publish`. `row` is the person, counted from 1;
    by default the one who stands out most. `claimed` is an ε to be tested; a method that promises
    one is tested against its own promise.
    """
    job = Job.of(source, method, options)
    if not job.attackable or job.is_family:
        raise BadInput(
            f"Only methods that draw new rows of one table are audited, and {job.method.name} "
            f"{'was given several' if job.is_family else 'keeps rows as they are'}."
        )
    original = read_original(replace(job, request=replace(job.request, holdout=0.0)))
    if isinstance(original.data, Baskets):
        raise BadInput("An audit plants a row in a table, and these are baskets.")
    columns = tuple(job.method.kept(original.data))
    ruler = _CommonCodes.of(job, columns)
    place = ruler.unusual if row is None else _checked(row, len(columns[0]))
    others = np.delete(np.arange(len(columns[0])), place)
    worlds = (tuple(column.take(others) for column in original.data), tuple(original.data))
    delta = getattr(job.method, "delta", 0.0)
    found = audit_worlds(
        worlds,
        _fitting(job, len(columns[0])),
        ruler.features(place, job.run.randomness),
        randomness=job.run.randomness,
        runs=fits,
        delta=delta if isinstance(delta, float) else 0.0,
        progress=job.request.progress,
    )
    promised = getattr(job.method, "epsilon", None)
    return MethodAudit(job.method.name, place + 1, found, promised or claimed)


def _checked(row: int, rows: int) -> int:
    if not 1 <= row <= rows:
        raise BadInput(f"There is no row {row:,}; the rows are counted from 1 to {rows:,}.")
    return row - 1


def _fitting(job: Job, rows: int) -> Callable[[Sequence[Column], int], Made]:
    """One fit, with fresh randomness; both worlds release as many rows."""

    def make(columns: Sequence[Column], seed: int) -> Made:
        run = Run(Randomness(seed), job.run.threads, rows=job.request.rows or rows)
        made: Made = job.method.make(columns, run)
        return made

    return make


@dataclass(frozen=True, eq=False)
class _CommonCodes:
    """Codes that do not depend on the fit, in which releases are compared with the person."""

    encoding: Encoding
    table: Table

    @classmethod
    def of(cls, job: Job, columns: Sequence[Column]) -> _CommonCodes:
        """The codes of all rows, with rare values in a group, as the generator would have them."""
        plain = GeneratorMethod(
            min_support=job.method.min_support,
            categorical=job.method.categorical,
            schema=job.method.schema,
        )
        table, encoding = plain.encode(columns)
        return cls(encoding, table)

    @property
    def unusual(self) -> int:
        """The row whose values are rarest taken together; among equals the first."""
        told = np.zeros(len(self.table))
        for codes in self.table.codes.T:
            held = np.bincount(codes + 1)
            told -= np.log(held[codes + 1])
        return int(told.argmax())

    def features(self, place: int, randomness: Randomness) -> Callable[[Made], NDArray[np.float64]]:
        """How often released rows agree with the person, in sets of columns and as a whole."""
        agree = agreement(self.table.codes[place], self.table, randomness)

        def read(made: Made) -> NDArray[np.float64]:
            rows = made.rows.whole if isinstance(made.rows, Filling) else made.rows
            assert isinstance(rows, Table)  # noqa: S101 - drawn from a table
            written = Encoding.of_schema(rows.schema).decode(rows)
            return agree(self.encoding.encode(written, unknown="leave out"))

        return read
