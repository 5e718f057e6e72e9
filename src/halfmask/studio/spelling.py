"""Spelling: the command line and the Python code that do what a run did."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from halfmask.io.forms import FileOptions
from halfmask.methods import METHODS
from halfmask.methods.settings import Setting
from halfmask.publishing.job import options_of

Options = Mapping[str, Any]


def command_line(
    place: str, method: str, options: Options, reading: FileOptions, files: Mapping[str, str]
) -> str:
    """What to type; `files` names those that hold texts of several lines.

    >>> command_line("a.csv", "generator", {"min_support": 20}, FileOptions(), {})
    'halfmask publish a.csv --min-support 20'
    """
    declared = options_of(METHODS[method])
    words = ["halfmask", "publish", place]
    words += [] if method in ("generator", "private") else ["--method", method]
    for name, value in options.items():
        for word in _typed(declared[name], files.get(name, value)):
            words += word
    return shlex.join([*words, *reading_words(reading)])


def reading_words(reading: FileOptions) -> list[str]:
    """How the options of a file are typed.

    >>> reading_words(FileOptions(delimiter=";", header=False, skip_lines=2, totals=True))
    ['--delimiter', ';', '--skip-lines', '2', '--no-header', '--totals']
    """
    words = []
    for name in ("format", "delimiter", "encoding", "sheet", "skip_lines"):
        if (said := getattr(reading, name)) is not None:
            words += [f"--{name.replace('_', '-')}", str(said)]
    if reading.header is not None:
        words.append("--header" if reading.header else "--no-header")
    words += ["--totals"] if reading.totals else []
    return [*words, "--skip-ragged"] if reading.skip_ragged else words


def _typed(one: Setting, value: Any) -> Iterator[list[str]]:
    flag = one.flag.split("/")[-1]
    if one.form == "flag":
        yield [flag]
    elif isinstance(value, Mapping):
        yield from ([flag, f"{name}={number:g}"] for name, number in value.items())
    elif one.form == "pairs":
        yield from ([flag, ",".join(pair)] for pair in value)
    elif one.form == "names":
        yield from ([flag, name] for name in value)
    elif isinstance(value, list | tuple):
        yield [flag, ",".join(map(str, value))]
    elif isinstance(value, float):  # a support with a point is a share, whatever follows it
        yield [flag, repr(value) if one.form == "support" else repr(value).removesuffix(".0")]
    else:
        yield [flag, str(value)]


def python_code(
    place: str, method: str, options: Options, reading: FileOptions, files: Mapping[str, str]
) -> str:
    """What to run; the release goes beside the file, as with the command."""
    lines = ["import halfmask as hm"]
    given = [] if method in ("generator", "private") else [f"method={method!r}"]
    if files:
        lines.insert(0, "from pathlib import Path\n")
    for name, value in options.items():
        given.append(f"{name}=Path({files[name]!r})" if name in files else f"{name}={value!r}")
    if reading != FileOptions():
        lines.append("from halfmask.io.forms import FileOptions")
        said = {f.name: v for f in fields(reading) if (v := getattr(reading, f.name)) != f.default}
        given.append(f"reading=FileOptions({', '.join(f'{n}={v!r}' for n, v in said.items())})")
    body = "".join(f"    {one},\n" for one in given)
    call = f"hm.publish(\n    {place!r},\n{body})" if given else f"hm.publish({place!r})"
    return "\n".join([*lines, "", f"published = {call}", "print(published.verdict)", ""])
