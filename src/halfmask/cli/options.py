"""Options that several commands share, and how typed text becomes a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from halfmask.io.forms import FileOptions


Command = TypeVar("Command", bound=Callable[..., Any])


class Support(click.ParamType[int | float]):
    """A minimum support: a whole number of rows, or a fraction of them with a decimal point."""

    name = "rows or fraction"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | float:
        """Text with a decimal point is a fraction, anything else a number of rows."""
        if isinstance(value, int | float):
            return value
        try:
            return float(value) if "." in value else int(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number of rows nor a fraction.", param, ctx)


class Pair(click.ParamType[tuple[str, str]]):
    """Two names with a comma between: `diagnosis,postcode` or `sex=female,ward=7`."""

    name = "a,b"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Split at the comma."""
        if isinstance(value, tuple):
            return value
        names = [part.strip() for part in value.split(",")]
        if len(names) != 2 or not all(names):
            self.fail(f"{value!r} does not name two things with a comma between.", param, ctx)
        return names[0], names[1]


class Assignment(click.ParamType[tuple[str, float]]):
    """A name and a number: `diagnosis=0.5`, or for one value `diagnosis=burn=2`."""

    name = "name=number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float]:
        """Split at the last equals sign."""
        if isinstance(value, tuple):
            return value
        name, _, number = value.rpartition("=")
        try:
            return name.strip(), float(number)
        except ValueError:
            self.fail(f"{value!r} does not end in '=' and a number.", param, ctx)


SUPPORT = Support()
PAIR = Pair()
ASSIGNMENT = Assignment()


def min_rows(meaning: str) -> Callable[[Command], Command]:
    """The option --min-support where it is a number of rows, with what it means there."""
    return click.option(
        "--min-support", type=click.IntRange(min=1), default=10, show_default=True, help=meaning
    )


def _all(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, listed in the help in the order written."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


reading = _all(
    click.option("--format", "format_", metavar="NAME", help="csv, tsv, parquet, arrow, dat…"),
    click.option("--delimiter", metavar="CHARACTER", help="What stands between two cells."),
    click.option("--encoding", metavar="NAME", help="Of a text file, such as utf-8 or latin-1."),
    click.option("--header/--no-header", default=None, help="Whether line one names the columns."),
)

writing = _all(
    click.option("--force", is_flag=True, help="Overwrite files that exist."),
)

families = _all(
    click.option(
        "--child", multiple=True, metavar="FILE", help="A table whose rows belong to those of FILE."
    ),
    click.option(
        "--key",
        multiple=True,
        metavar="COLUMN",
        help="What joins them, parent=child if named differently  [default: guessed]",
    ),
    click.option(
        "--orphans",
        type=click.Choice(["refuse", "drop"]),
        default="refuse",
        show_default=True,
        help="What becomes of child rows without a parent.",
    ),
)

threads = click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="To work with; the result is the same.",
)

running = _all(
    click.option("--seed", type=int, help="Repeat a run; keep it as secret as the original."),
    threads,
    click.option("--json", "as_json", is_flag=True, help="Print the result for machines."),
    click.option("--quiet", is_flag=True, help="Print nothing but errors."),
)

basket_methods = _all(
    click.option("-l", "level", type=float, metavar="L", help="anatomy: guess at most 1 in L."),
    click.option(
        "--columns",
        metavar="N|FILE",
        help="anatomy: columns of items, or a file with one column's items a line  [default: 10]",
    ),
    click.option("--empty", type=click.Choice(["count", "exempt"]), help="anatomy: empty values."),
    click.option(
        "--on-ineligible",
        type=click.Choice(["error", "suppress", "merge_columns", "relative", "effective_l"]),
        help="anatomy: what gives way when L is impossible.",
    ),
    click.option("--keep", type=float, metavar="P", help="distortion: keep a bit so often."),
    click.option("--keep-rare", type=float, metavar="P", help="… where support is below minimum."),
    click.option("--keep-absent", type=float, metavar="P", help="… where an item is not there."),
    click.option("--hide", multiple=True, metavar="PATTERN", help='hiding: "a, b" or "a -> b".'),
    click.option("--algorithm", metavar="NAME", help="hiding: iga, swa, 1.b, cr…  [default: iga]"),
    click.option("--disclosure", type=float, metavar="SHARE", help="hiding: rows that may keep."),
    click.option("--min-confidence", type=float, metavar="SHARE", help="hiding: of a rule."),
    click.option("--margin", type=float, metavar="SHARE", help="hiding: safety when blocking."),
    click.option("--decoys", type=float, metavar="N", help="hiding: false unknowns per true one."),
    click.option("--window", type=int, metavar="ROWS", help="hiding: rows that swa sees at once."),
    click.option("--edit-log", metavar="FILE", help="hiding: the edits, to undo them; secret."),
    click.option("-k", type=int, metavar="K", help="coherence, km: baskets that must agree."),
    click.option("--known", type=int, metavar="N", help="… on N items known  [default: 2]"),
    click.option("--private", metavar="NAMES", help="coherence: items an attacker wants to learn."),
    click.option("--certainty", type=float, metavar="SHARE", help="… at most so surely."),
    click.option("--hierarchy", metavar="FILE", help="km: 'apple, pear -> fruit' on each line."),
)


def file_options(typed: dict[str, Any]) -> FileOptions:
    """What the options of `reading` say about a file."""
    from halfmask.io.forms import FileOptions

    return FileOptions(typed["format_"], typed["delimiter"], typed["encoding"], typed["header"])
