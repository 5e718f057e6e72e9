"""Forms: which file formats there are, and how a file says which one it is in."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, Literal, get_args

from halfmask.errors import BadInput, UnknownName

PathLike = str | os.PathLike[str]
STANDARD = "-"
"""The path that means standard input or output."""

Format = Literal[
    "csv", "tsv", "parquet", "arrow", "jsonl", "xlsx", "ods", "sav", "dta", "sas7bdat", "xpt",
    "fimi", "basket",
]  # fmt: skip
Compression = Literal["gzip", "zstd", "zip"]
_FORMATS: tuple[Format, ...] = get_args(Format)

_SUFFIXES: dict[str, Format] = {
    ".basket.csv": "basket",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".ods": "ods",
    ".sav": "sav",
    ".zsav": "sav",
    ".dta": "dta",
    ".sas7bdat": "sas7bdat",
    ".xpt": "xpt",
    ".dat": "fimi",
    ".fimi": "fimi",
}
_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd", ".zip": "zip"}
WHOLE: frozenset[Format] = frozenset({"xlsx", "ods", "sav", "dta", "sas7bdat", "xpt"})
"""Formats that a library reads and writes as a whole file, never packed."""


@dataclass(frozen=True)
class Described:
    """Labels and missing codes of columns, as statistics packages keep them in a file."""

    labels: Mapping[str, str] = field(default_factory=dict)
    """What a column is about."""
    value_labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    missing: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Values, or ranges of them, that mean: there is none."""
    formats: Mapping[str, str] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    title: str = ""


@dataclass(frozen=True, slots=True)
class FileForm:
    """How a file is written: its format, and for text its delimiter, encoding and line ends.

    Reading finds the form of the original; a release written with it looks like the original.
    """

    format: Format
    delimiter: str = ","
    encoding: str = "utf-8"
    header: bool = True
    newline: str = "\n"
    compression: Compression | None = None
    described: Described | None = None
    """What a file of a statistics package says of its columns."""
    keep_formulas: bool = True
    """Whether texts that a spreadsheet would compute are written as they are."""

    @property
    def holds_baskets(self) -> bool:
        """Whether the format can only hold baskets."""
        return self.format in ("fimi", "basket")


@dataclass(frozen=True, slots=True)
class FileOptions:
    """What the steward says about a file; `None` means: find out, or ask."""

    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    sheet: str | None = None
    """The sheet of a workbook, where several have rows."""
    skip_lines: int | None = None
    """Lines above the header that belong to no table."""
    totals: bool = False
    """Whether a last row of totals is a row."""
    skip_ragged: bool = False
    """Whether lines with too many or too few cells are left out instead of refused."""


def named_form(path: PathLike, given: str | None = None) -> FileForm:
    """The form that a file name promises; a `given` format overrules the name.

    >>> named_form("baskets.dat.gz")
    FileForm(format='fimi', delimiter=' ', ..., compression='gzip', ...)
    """
    name = PurePath(path).name.lower()
    compression = next((c for end, c in _COMPRESSIONS.items() if name.endswith(end)), None)
    if compression is not None:
        name = name.rsplit(".", 1)[0]
    found = next((f for end, f in _SUFFIXES.items() if name.endswith(end)), None)
    chosen = _known(given) if given is not None else found
    if chosen is None:
        raise BadInput(_which_format(path))
    delimiter = {"tsv": "\t", "fimi": " "}.get(chosen, ",")
    return FileForm(chosen, delimiter=delimiter, compression=compression)


def file_name(path: PathLike) -> str:
    """What a report calls the file.

    >>> file_name("out/patients.csv"), file_name("-")
    ('patients.csv', 'standard output')
    """
    return "standard output" if str(path) == STANDARD else PurePath(path).name


def split_name(name: str) -> tuple[str, str]:
    """A file name without the endings that say its form, and those endings.

    >>> split_name("patients.v2.csv.gz"), split_name("patients")
    (('patients.v2', '.csv.gz'), ('patients', ''))
    """
    packing = next((end for end in _COMPRESSIONS if name.lower().endswith(end)), "")
    stem = name[: len(name) - len(packing)]
    suffix = next((end for end in _SUFFIXES if stem.lower().endswith(end)), "")
    kept = len(stem) - len(suffix)
    return name[:kept], name[kept:]


def form_for(path: PathLike, *, like: FileForm | None = None, given: str | None = None) -> FileForm:
    """The form of a file to be written: of its name, with the text habits of `like`.

    >>> form_for("out.csv", like=FileForm("csv", delimiter=";", encoding="latin-1")).delimiter
    ';'
    """
    named_like_a_release = PurePath(path).suffix == ".release"  # of a source without an ending
    if like is not None and given is None and (str(path) == STANDARD or named_like_a_release):
        return replace(like, compression=None)
    zipped = str(path).lower().endswith(".zip")
    if like is not None and given is None and zipped and not split_name(PurePath(path).stem)[1]:
        return replace(like, compression="zip")
    form = named_form(path, given)
    if like is None or like.format != form.format:
        return form
    return replace(like, compression=form.compression)


def _known(given: str) -> Format:
    for known in _FORMATS:
        if given == known:
            return known
    raise UnknownName("format", given, _FORMATS)


def _which_format(path: PathLike) -> str:
    formats = ", ".join(_FORMATS)
    if str(path) == STANDARD:
        return f"Standard input and output have no file name; give --format, one of {formats}."
    return (
        f"The name {PurePath(path).name!r} does not show the format; end it in .csv, .parquet "
        f"or .dat, or give --format, one of {formats}."
    )
