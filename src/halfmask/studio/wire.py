"""Wire: what the page and the processes that work for it say to one another, line by line."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from halfmask.io.forms import FileOptions


class Asked(Struct, frozen=True):
    """What was opened, and what is said about it."""

    place: str
    """A file, or the address of a database; that may hold a password and is never stored."""
    reading: FileOptions
    schema: str = ""
    """The text of a schema file."""
    min_support: int | float = 10
    rare: str = "group"


class Question(Struct, frozen=True):
    """What the page asks about a source."""

    ask: Literal["look", "column", "costs", "asset"]
    source: Asked
    column: int = 0


class Bar(Struct, frozen=True):
    """A value that enough rows hold, and how many do."""

    label: str
    rows: int


class ColumnLook(Struct, frozen=True):
    """One column: what it is taken for, why, and how its values lie."""

    name: str
    kind: str
    fate: str
    reason: str
    values: int
    missing: int
    bars: list[Bar] = []
    more: int = 0
    """Values that are common enough and not among the bars."""
    note: str = ""
    """What becomes of rare values, or a doubt."""
    starts: list[str] = []
    """Where bins begin, all but the first."""


class Look(Struct, frozen=True):
    """What a source holds."""

    kind: Literal["table", "baskets"]
    rows: int
    form: dict[str, Any]
    """How the file is written, as it was found."""
    names: list[str]
    preview: list[list[str | None]]
    columns: list[ColumnLook]
    floor: int


class Cost(Struct, frozen=True):
    """What a minimum support costs a table before anything is learnt."""

    support: int
    rare: int
    """Values of categories that fewer rows hold."""
    cells: float
    """The share of the cells of categories that hold such a value."""


class Answer(Struct, frozen=True, omit_defaults=True):
    """What comes back: one of these, or why not, as a sentence."""

    look: Look | None = None
    costs: list[Cost] | None = None
    text: str | None = None
    error: str | None = None


class Task(Struct, frozen=True):
    """One run: what is to be done, and where its files go."""

    do: Literal["publish", "choose"]
    place: str
    reading: FileOptions
    folder: str
    output: str
    method: str = "generator"
    options: dict[str, Any] = {}


class Happening(Struct, frozen=True, omit_defaults=True):
    """What a run tells while it works, and how it ended."""

    stage: str = ""
    number: int = 0
    of: int = 0
    share: float = 0.0
    left: float | None = None
    end: Literal["", "finished", "refused", "failed"] = ""
    sentence: str = ""
