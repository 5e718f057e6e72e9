"""Options that several commands share, and how typed text becomes a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click
from click.shell_completion import CompletionItem

from halfmask.errors import UnknownName

if TYPE_CHECKING:
    from halfmask.io.forms import FileOptions


Command = TypeVar("Command", bound=Callable[..., Any])


class Commands(click.RichGroup):
    """A group of commands that answers a misspelt one with the nearest."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called, or which one may have been meant."""
        known = self.list_commands(ctx)
        if args[0] not in known and args[0][:1] != "-" and not ctx.resilient_parsing:
            raise UnknownName("command", args[0], known)
        return super().resolve_command(ctx, args)


FILES, RUNNING = "Files", "Running"
"""Headings under which help lists options of every command."""


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


class FilePlace(click.ParamType[str]):
    """A file, a table of a database, or '-'; a shell completes it as a file."""

    name = "file"

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        param: click.Parameter,  # noqa: ARG002 - idem
        incomplete: str,
    ) -> list[CompletionItem]:
        """The shell's own file names."""
        return [CompletionItem(incomplete, type="file")]


PLACE = FilePlace()
SUPPORT = Support()
PAIR = Pair()
ASSIGNMENT = Assignment()


def min_rows(meaning: str) -> Callable[[Command], Command]:
    """The option --min-support where it is a number of rows, with what it means there."""
    return click.option(
        "--min-support",
        type=click.IntRange(min=1),
        metavar="ROWS",
        default=10,
        show_default=True,
        help=meaning,
    )


def output(meaning: str, *, required: bool = False) -> Callable[[Command], Command]:
    """The option -o, with what goes there."""
    return click.option(
        "-o", "--output", type=PLACE, metavar="FILE", required=required, help=meaning, panel=FILES
    )


output_format = click.option(
    "--format",
    "format_",
    metavar="NAME",
    help="The format of the output, where its name does not say it.",
    panel=FILES,
)


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, listed in the help in the order written."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


reading = together(
    click.option(
        "--format",
        "format_",
        metavar="NAME",
        help="The format of the file, where its name does not say it, such as csv or parquet.",
        panel=FILES,
    ),
    click.option(
        "--delimiter",
        metavar="CHARACTER",
        help="The character between two cells of a text file, where it is not found by itself.",
        panel=FILES,
    ),
    click.option(
        "--encoding",
        metavar="NAME",
        help="The encoding of a text file, such as utf-8 or latin-1.",
        panel=FILES,
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line of a text file names the columns.",
        panel=FILES,
    ),
    click.option("--sheet", metavar="NAME", help="The sheet of a workbook to read.", panel=FILES),
    click.option(
        "--skip-lines",
        type=click.IntRange(min=0),
        metavar="N",
        help="Lines above the header that are no part of the table.",
        panel=FILES,
    ),
    click.option(
        "--totals",
        is_flag=True,
        help="Keep a last row that begins with a word such as total.",
        panel=FILES,
    ),
    click.option(
        "--skip-ragged",
        is_flag=True,
        help="Leave out lines of a text file that have too many or too few cells.",
        panel=FILES,
    ),
)

force = click.option("--force", is_flag=True, help="Overwrite files that exist.", panel=FILES)
writing = together(force)

threads = click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Threads to work with (all cores by default); the result is the same.",
    panel=RUNNING,
)

seed = click.option(
    "--seed",
    type=int,
    metavar="N",
    help="Repeat a run; a seed can undo a release, so keep it as secret as the original.",
    panel=RUNNING,
)

as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print the result for machines, as JSON.", panel=RUNNING
)

quiet = click.option("--quiet", is_flag=True, help="Print nothing but errors.", panel=RUNNING)

printing = together(as_json, quiet)
running = together(seed, threads, printing)


def file_options(typed: dict[str, Any]) -> FileOptions:
    """What the options of `reading` say about a file."""
    from halfmask.io.forms import FileOptions

    return FileOptions(
        typed["format_"],
        typed["delimiter"],
        typed["encoding"],
        typed["header"],
        typed["sheet"],
        typed["skip_lines"],
        typed["totals"],
        typed["skip_ragged"],
    )
