"""The model document: what a model file says, line by line, and what a reader may rely on.

A model file is JSON that a person can read: the columns with their values, one pattern a line, one
checked margin a line, the settings it was learnt with. It holds counts and no rows, and never the
seed. A file from a stranger is read with bounds on everything and believed only where its numbers
agree with one another.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from halfmask.errors import BadInput
from halfmask.io.columns import MAX_COLUMNS

__all__ = [
    "MAX_BYTES",
    "VERSION",
    "BinsDocument",
    "CalibrationDocument",
    "ColumnDocument",
    "DerivedDocument",
    "KeyDocument",
    "MarginDocument",
    "ModelDocument",
    "PatternDocument",
    "SettingsDocument",
    "from_json",
    "to_json",
]

_T = TypeVar("_T")

FORMAT = "halfmask model"
VERSION = 2
"""Version 2 added bins, keys and margins; a file of version 1 has none and is read as before."""
MAX_BYTES = 64 * 1024 * 1024
"""A larger file is no model: this is room for about half a million patterns."""
_ABOUT = "Patterns and counts of a table, to draw new rows from; it holds no row of the original."

Count = Annotated[int, Meta(ge=0, le=2**53)]
Name = Annotated[str, Meta(max_length=10_000)]
Value = Annotated[str, Meta(max_length=65_536)] | None
Weight = Annotated[float, Meta(ge=0, le=1e15)]


class CalibrationDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """Which tables of the original were counted, and what counts were rounded to."""

    order: Annotated[int, Meta(ge=0, le=10)] = 0
    order_for: Annotated[dict[Name, int], Meta(max_length=MAX_COLUMNS)] = {}
    base: Annotated[int, Meta(ge=1, le=1000)] = 1
    target: Name | None = None


class SettingsDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """How the model was learnt and how rows are drawn from it."""

    min_support: Annotated[int, Meta(ge=1, le=2**53)]
    laplace: Weight
    rare_values: Literal["group", "suppress", "keep"]
    prune: bool
    candidates: Literal["all", "closed"]
    search: Annotated[str, Meta(max_length=40)]
    max_pattern_length: Annotated[int, Meta(ge=1, le=MAX_COLUMNS)] | None
    hide_together: Annotated[list[tuple[Name, Name]], Meta(max_length=100_000)]
    laplace_for: Annotated[dict[Name, Weight], Meta(max_length=100_000)]
    order: Name | Annotated[list[Name], Meta(max_length=MAX_COLUMNS)]
    value_support: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    calibration: CalibrationDocument | UnsetType = UNSET
    max_candidates: Annotated[int, Meta(ge=1, le=2**53)] | UnsetType = UNSET
    effort: Annotated[float, Meta(gt=0, le=1e12)] | UnsetType = UNSET


class BinsDocument(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the values of a column with bins are written, and how they lie in each bin.

    A part is [low, high, rows, step] in ticks: of 10 to the power of minus `decimals`, or of the
    `unit` since 1970 or midnight.
    """

    parts: Annotated[list[list[tuple[int, int, Count, int]]], Meta(min_length=1, max_length=10_000)]
    codes: Annotated[list[Name], Meta(max_length=1_000)] = []
    decimals: Annotated[int, Meta(ge=-400, le=400)] = 0
    fixed: bool = False
    layout: tuple[str, str, str, bool] | None = None
    """Of dates and times: order of the day's parts, what follows the day, the end, zeros."""
    clock: Annotated[list[tuple[int, int, Count, int]], Meta(max_length=10_000)] = []
    """Of moments the parts of the day; `parts` are then in days."""
    unit: Literal["D", "m", "s", "ms", "us", "ns"] = "D"
    comma: bool = False
    """Whether a comma stands before the decimals."""


class ColumnDocument(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A column: its values (null is missing), and in how many rows and covers each stands."""

    name: Name
    storage: Annotated[str, Meta(max_length=200)]
    values: Annotated[list[Value], Meta(min_length=1, max_length=1_000_000)]
    supports: Annotated[list[Count], Meta(max_length=1_000_000)]
    usages: Annotated[list[Count], Meta(max_length=1_000_000)]
    bins: BinsDocument | None = None
    keeps_rare: bool = False


class KeyDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A column that numbers the rows: a release makes its values anew."""

    name: Name
    position: Annotated[int, Meta(ge=0, le=MAX_COLUMNS)]
    storage: Annotated[str, Meta(max_length=200)]
    style: Literal["number", "text", "uuid"]


class DerivedDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A column that follows from another: its value for each value of that one."""

    name: Name
    position: Annotated[int, Meta(ge=0, le=MAX_COLUMNS)]
    source: Name
    values: Annotated[list[Value], Meta(max_length=1_000_000)]
    storage: Annotated[str, Meta(max_length=200)]


class PatternDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern: a value for each of its columns, and its counts."""

    usage: Count
    support: Count
    items: Annotated[dict[Name, Value], Meta(min_length=2, max_length=MAX_COLUMNS)]


class MarginDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A checked margin: the values and the count of each cell that is told, and of the rest."""

    attributes: Annotated[list[Name], Meta(min_length=1, max_length=10)]
    remainder: Count
    cells: Annotated[
        list[tuple[Annotated[list[Value], Meta(min_length=1, max_length=10)], Count]],
        Meta(max_length=1_000_000),
    ]


class ModelDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """All that a model file says.

    What a later version added is left out where there is none, so that the checksum of an older
    file still fits.
    """

    rows: Annotated[int, Meta(ge=1, le=2**53)]
    settings: SettingsDocument
    columns: Annotated[list[ColumnDocument], Meta(min_length=1, max_length=MAX_COLUMNS)]
    patterns: Annotated[list[PatternDocument], Meta(max_length=10_000_000)]
    complete: bool = True
    """False when the search was stopped before its end."""
    keys: Annotated[list[KeyDocument], Meta(max_length=MAX_COLUMNS)] | UnsetType = UNSET
    margins: Annotated[list[MarginDocument], Meta(max_length=10_000)] | UnsetType = UNSET
    """What a release is made to meet."""
    derived: Annotated[list[DerivedDocument], Meta(max_length=MAX_COLUMNS)] | UnsetType = UNSET


class _Envelope(Struct, frozen=True):
    format: Annotated[str, Meta(max_length=200)]
    version: Annotated[int, Meta(ge=1, le=2**31)]
    checksum: Annotated[str, Meta(max_length=200)]
    model: msgspec.Raw


def to_json(document: ModelDocument) -> bytes:
    """The file: a column or a pattern on each line."""
    # Through JSON and back once, so that 1 and 1.0 are the same number to the checksum.
    encode = msgspec.json.encode
    try:
        document = msgspec.json.decode(encode(document), type=ModelDocument)
    except msgspec.ValidationError as problem:
        raise BadInput(f"The model cannot be written{_place(problem)}.") from None
    return b"\n".join(
        [
            b"{",
            b'  "format": %s,' % encode(FORMAT),
            b'  "version": %d,' % VERSION,
            b'  "about": %s,' % encode(_ABOUT),
            b'  "checksum": %s,' % encode(_checksum(document)),
            b'  "model": {',
            b'    "rows": %d,' % document.rows,
            b'    "settings": %s,' % encode(document.settings),
            b'    "columns": [%s],' % _listed(document.columns),
            b'    "patterns": [%s],' % _listed(document.patterns),
            *(
                b'    "%s": [%s],' % (name, _listed(lines))
                for name, lines in (
                    (b"keys", document.keys),
                    (b"derived", document.derived),
                    (b"margins", document.margins),
                )
                if lines is not UNSET
            ),
            b'    "complete": %s' % encode(document.complete),
            b"  }",
            b"}",
            b"",
        ]
    )


def _listed(lines: Sequence[Struct]) -> bytes:
    if not lines:
        return b""
    return b"\n      " + b",\n      ".join(msgspec.json.encode(line) for line in lines) + b"\n    "


def from_json(content: bytes, name: str) -> ModelDocument:
    """The document in a file, or one sentence about what is wrong with it."""
    envelope = _decode(content, _Envelope, name)
    if envelope.format != FORMAT:
        raise BadInput(f"{name} is not a halfmask model.")
    if envelope.version > VERSION:
        raise BadInput(
            f"{name} is a model of version {envelope.version:,} and this halfmask reads version "
            f"{VERSION}; install a newer halfmask."
        )
    document = _decode(bytes(envelope.model), ModelDocument, name)
    if envelope.checksum != _checksum(document):
        raise BadInput(f"{name} was changed after it was written: its checksum does not fit.")
    return document


def _checksum(document: ModelDocument) -> str:
    return "sha256:" + hashlib.sha256(msgspec.json.encode(document)).hexdigest()


def _decode(content: bytes, type_: type[_T], name: str) -> _T:
    try:
        return msgspec.json.decode(content, type=type_)
    except msgspec.ValidationError as problem:
        raise BadInput(f"{name} is not a halfmask model{_place(problem)}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        if "truncated" in str(problem):
            raise BadInput(f"{name} is a truncated model file; copy it again.") from None
        raise BadInput(f"{name} is not a halfmask model: it is not JSON.") from None
    except RecursionError:
        raise BadInput(f"{name} is not a halfmask model: it is nested too deeply.") from None


def _place(problem: msgspec.ValidationError) -> str:
    """Where the problem is, without the library's own words, which may quote a value."""
    place = re.search(r"at `\$\.?([\w.\[\]]{1,100})`", str(problem))
    return f": there is something wrong at {place[1]}" if place else ""
