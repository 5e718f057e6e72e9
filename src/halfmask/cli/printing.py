"""What a person sees: small tables on standard output, progress on standard error."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from halfmask.shown import CONTROL, printable

Progress = Callable[[int, int], bool]
"""Called with (done, total); the answer False asks the work to stop with what it has."""


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


def show_json(document: Any) -> None:
    """One JSON document on standard output."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(document)).decode()
    sys.stdout.write(CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


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
