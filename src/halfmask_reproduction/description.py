"""How an experiment is described: its data, what the paper prints, and the function that runs it.

A description is a value. It holds no results; a result holds no description.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from halfmask_reproduction.lab import Lab
    from halfmask_reproduction.result import Found


Relation = Literal["=", ">", "<"]
"""How a number is claimed: to be so much, more than that, or less."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A public file of data: its name in the data folder, its digest, and where it comes from."""

    name: str
    sha256: str
    source: str


@dataclass(frozen=True, slots=True)
class Printed:
    """One number as a paper prints it."""

    row: str
    """What it is about, most often a data set."""
    column: str
    """What was measured."""
    value: float
    digits: int = 2
    """Decimals that are printed."""
    relation: Relation = "="
    cut: bool = False
    """Whether further decimals were cut off and not rounded."""
    doubt: str = ""
    """Why this number cannot be what it says, where the paper contradicts itself."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A publication, which has a page of its own."""

    name: str
    title: str
    citation: str
    preface: str = ""


@dataclass(frozen=True, slots=True)
class Experiment:
    """A table, a figure or a statement of a paper, and how it is rerun."""

    name: str
    paper: Paper
    title: str
    about: str
    run: Callable[[Lab], Found]
    files: tuple[DataFile, ...] = ()
    printed: tuple[Printed, ...] = ()
    notes: tuple[str, ...] = ()
    """What does not come out as printed, and why."""
    averaged: int = 10
    """The runs behind a printed number."""
    minutes: float = 1.0
    """Processor time that it adds to a full run of everything; some share their runs."""


def printed_table(
    rows: Iterable[Sequence[object]], columns: Sequence[tuple[str, int]]
) -> tuple[Printed, ...]:
    """The numbers of a table as a paper prints it: a name, then a cell for each column.

    None is a cell that the paper leaves out.

    >>> [(p.row, p.column, p.value) for p in printed_table([("Iris", 0.7, None)],
    ...                                                    [("NAS", 2), ("DS", 3)])]
    [('Iris', 'NAS', 0.7)]
    """
    return tuple(
        Printed(str(name), column, float(str(cell)), digits)
        for name, *cells in rows
        for (column, digits), cell in zip(columns, cells, strict=True)
        if cell is not None
    )
