"""What a person sees: small tables on standard output, progress on standard error."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Progress = Callable[[int, int], bool]
"""Called with (done, total); the answer False asks the work to stop with what it has."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What moves the cursor, changes the terminal or turns the direction of writing; no line ends."""


def printable(text: str) -> str:
    r"""The text with its control characters spelled out: names and values are not to be trusted.

    >>> printable("a\x1b[31mb\u202e")
    'a\\x1b[31mb\\u202e'
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(text: object, *, err: bool = False) -> None:
    """A line for a person, without control characters."""
    import click

    click.echo(printable(str(text)), err=err)


def console(*, stderr: bool = False) -> Any:
    """A rich console that shows control characters spelled out.

    It honours NO_COLOR and leaves colour out when nobody is watching.
    """
    from rich.console import Console
    from rich.text import Text

    class Careful(Console):
        def print(self, *objects: Any, **settings: Any) -> None:
            super().print(*(_careful(each) for each in objects), **settings)

    def _careful(shown: Any) -> Any:
        if isinstance(shown, Text):
            return Text(printable(shown.plain), style=shown.style)
        return printable(shown) if isinstance(shown, str) else shown

    return Careful(stderr=stderr, highlight=False, soft_wrap=not sys.stdout.isatty())


def table(title: str | None, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Any:
    """A plain table; numbers should come as text, see `number`."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = None if title is None else Text(printable(title), style="table.title")
    result = Table(title=shown, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        result.add_column(name, overflow="fold")
    for row in rows:
        result.add_row(*(Text(printable(cell)) for cell in row))
    return result


def number(value: float) -> str:
    """A number as a person writes it: whole ones with thousands, others with three digits.

    >>> number(12960), number(0.12345), number(0.00004)
    ('12,960', '0.123', '4e-05')
    """
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:.3f}" if abs(value) >= 0.001 else f"{value:.1g}"


def show_json(document: Any) -> None:
    """One JSON document on standard output."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(document)).decode()
    sys.stdout.write(_CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


@contextlib.contextmanager
def progress_bar(label: str, *, quiet: bool) -> Iterator[Progress]:
    """A progress callback: a bar when a person watches, nothing otherwise."""
    if quiet or not sys.stderr.isatty():
        yield lambda _done, _total: True
        return
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Bar(*columns, console=console(stderr=True), transient=True) as bar:
        yield _Shown(bar, bar.add_task(label, total=None, left=""))


class _Shown:
    """A bar that shows one count, or the stages of a longer work and the time they still take."""

    def __init__(self, bar: Any, task: Any) -> None:
        self._bar, self._task = bar, task
        self._staged = False

    def __call__(self, done: int, total: int) -> bool:
        if not self._staged:
            self._bar.update(self._task, completed=done, total=total or None)
        return True

    def stage(self, stage: Any) -> None:
        """See `halfmask.run.Stages`."""
        self._staged = True
        words = f"{stage.number}/{stage.of} {stage.name}"
        left = "" if stage.seconds_left is None else f"about {duration(stage.seconds_left)} left"
        self._bar.update(self._task, description=words, completed=stage.share, total=1.0, left=left)


def duration(seconds: float) -> str:
    """A length of time as a person says it.

    >>> duration(8), duration(95), duration(7_500)
    ('10 s', '2 min', '2 h 5 min')
    """
    if seconds < 55:
        return f"{max(10, 10 * round(seconds / 10))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
