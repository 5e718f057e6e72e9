"""`halfmask measure`: compare a release with its original."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import rich_click as click

from halfmask.cli.options import PLACE, RUNNING, SUPPORT, file_options, reading, running
from halfmask.cli.printing import console, progress_bar, show_json, table
from halfmask.errors import BadInput
from halfmask.shown import number

_tables = partial(click.option, panel="Tables only")
_baskets = partial(click.option, panel="Baskets only")


@click.command()
@click.argument("original", type=PLACE)
@click.argument("release", type=PLACE, required=False)
@click.option(
    "--only", metavar="NAMES", help="Take these measures only, their names separated by commas."
)
@click.option(
    "--holdout",
    type=PLACE,
    metavar="FILE",
    help="Original rows that the release never saw; attacks are measured against them.",
)
@click.option(
    "--min-support",
    type=click.IntRange(min=1),
    metavar="ROWS",
    help="How many rows make a pattern frequent; nothing rarer is named. By default 10, or the "
    "smallest above it at which patterns are mined in seconds; one that is given is used.",
)
@_tables(
    "--between",
    metavar="COLUMN",
    help="Without RELEASE: the dissimilarity (DS) between every two classes that this column "
    "makes of ORIGINAL, a scale for that of a release.",
)
@_tables(
    "--moved-by",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    default=0.01,
    show_default=True,
    help="How far the support of a pattern may move, for the measure supports_moved (the papers' "
    "δ).",
)
@_tables(
    "--candidates",
    type=click.Choice(["all", "closed"]),
    default="all",
    show_default=True,
    help="Which frequent itemsets the code tables of ds are searched among.",
)
@_tables(
    "--runs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Draw N releases where RELEASE is a model file, and show mean and standard deviation.",
)
@_tables(
    "--sensitive",
    metavar="COLUMN",
    help="The column that an attacker would like to learn; attacks on it are measured.",
)
@_tables(
    "--keys", metavar="COLUMNS", help="The columns that an attacker knows, separated by commas."
)
@_tables("--drop", multiple=True, metavar="COLUMN", help="Leave this column out; repeat for more.")
@_tables(
    "--schema",
    type=PLACE,
    metavar="FILE",
    help="Use this description of the original's columns where the guesses are wrong.",
)
@_baskets(
    "--beside",
    type=PLACE,
    metavar="FILE",
    help="The table published with the release, so that the release answers for the original's "
    "supports.",
)
@_baskets(
    "--hierarchy", type=PLACE, metavar="FILE", help="The hierarchy by which items were generalised."
)
@click.option(
    "--hide",
    multiple=True,
    metavar="PATTERN|FILE",
    help="A pattern that was hidden, or a file that lists such patterns (items of a table are "
    "column=value); repeat for more.",
)
@click.option(
    "--hide-support",
    type=SUPPORT,
    metavar="ROWS|SHARE",
    help="A pattern counts as hidden below this support; by default below --min-support.",
)
@click.option(
    "--hide-confidence",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    help="A rule also counts as hidden below this confidence.",
)
@click.option(
    "--rule-confidence",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    default=0.7,
    show_default=True,
    help="The least confidence of the rules that rules_kept (the accuracy ratio) compares.",
)
@click.option(
    "--rule-items",
    type=click.IntRange(min=2),
    metavar="N",
    default=4,
    show_default=True,
    help="The most items of these rules.",
)
@reading
@click.option(
    "--memory",
    metavar="SIZE",
    help="The most memory to use for tables, such as 8GB (by default most of what is free).",
    panel=RUNNING,
)
@click.option(
    "--max-time",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop searching patterns after SECONDS; what needs them is then not measured.",
    panel=RUNNING,
)
@running
def measure(**typed: Any) -> None:
    """Say what RELEASE kept of ORIGINAL and what it gave away.

    RELEASE may also be the model file of a table (NAME.model.json): rows are then drawn from it.
    """
    if typed["release"] is None or typed["between"] is not None:
        _between(typed)
        return
    from halfmask.cli.summary import show_readings
    from halfmask.io.given import Given
    from halfmask.publishing.measure_files import measure_files as run

    options = file_options(typed)
    baskets = Given(typed["original"]).holds_baskets(options)
    with progress_bar("patterns", quiet=typed["quiet"]) as progress:
        readings = run(
            typed["original"],
            typed["release"],
            holdout=typed["holdout"],
            min_support=typed["min_support"],
            only=_names(typed["only"]),
            seed=typed["seed"],
            threads=typed["threads"],
            max_time=typed["max_time"],
            progress=progress,
            reading=options,
            **_patterns(typed),
            **(_of_baskets(typed) if baskets else _of_tables(typed)),
        )
    if typed["as_json"]:
        show_json(readings.to_dict())
    elif not typed["quiet"]:
        show_readings(console(), readings)


def _between(typed: dict[str, Any]) -> None:
    """The classes of one table beside each other."""
    from halfmask.publishing.between import class_dissimilarities

    if typed["release"] is not None or typed["between"] is None:
        raise BadInput(
            "Name a RELEASE to compare with the original, or with --between a column that makes "
            "classes of it; one of the two."
        )
    with progress_bar("patterns", quiet=typed["quiet"]) as progress:
        pairs = class_dissimilarities(
            typed["original"],
            typed["between"],
            min_support=typed["min_support"],
            candidates=typed["candidates"],
            threads=typed["threads"],
            max_time=typed["max_time"],
            progress=progress,
            reading=file_options(typed),
        )
    if typed["as_json"]:
        show_json({"column": typed["between"], "pairs": pairs})
        return
    lines = [
        (pair.first, pair.second, *(f"{n:,}" for n in pair.rows),
         "–" if pair.ds is None else number(pair.ds), f"{pair.min_support or '–'}", pair.reason)
        for pair in pairs
    ]  # fmt: skip
    header = ("class", "class", "rows", "rows", "DS", "minimum support", "")
    if not typed["quiet"]:
        console().print(table(f"DS between classes of {typed['between']}", header, lines))


def _of_tables(typed: dict[str, Any]) -> dict[str, Any]:
    """What is asked of tables only."""
    for name in ("beside", "hierarchy"):
        if typed[name]:
            raise BadInput(f"--{name} is an option for baskets, and the original is a table.")
    return {
        "sensitive": typed["sensitive"],
        "keys": _names(typed["keys"]) or (),
        "drop": typed["drop"],
        "candidates": typed["candidates"],
        "runs": typed["runs"],
        "moved_by": typed["moved_by"],
        "schema": typed["schema"],
        "memory": typed["memory"],
    }


def _of_baskets(typed: dict[str, Any]) -> dict[str, Any]:
    """What is asked of baskets only."""
    from halfmask.io.sources import text_of

    for name in ("sensitive", "keys", "drop", "schema"):
        if typed[name]:
            raise BadInput(f"--{name} speaks of columns, and the original is baskets.")
    if typed["runs"] is not None or typed["candidates"] != "all":
        raise BadInput("--runs and --candidates are for tables, and the original is baskets.")
    if typed["memory"] is not None:
        raise BadInput(
            "--memory is for tables; the memory use of baskets cannot be estimated in advance."
        )
    return {
        "beside": typed["beside"],
        "hierarchy": None if typed["hierarchy"] is None else text_of(typed["hierarchy"]),
    }


def _patterns(typed: dict[str, Any]) -> dict[str, Any]:
    """What was to be hidden, when it counts as found, and which rules are compared."""
    from halfmask.io.sources import text_of

    patterns = [text_of(p) if Path(p).is_file() else p for p in typed["hide"]]
    return {
        "hide": "\n".join(patterns) if patterns else None,
        "hide_support": typed["hide_support"],
        "hide_confidence": typed["hide_confidence"],
        "rule_confidence": typed["rule_confidence"],
        "rule_items": typed["rule_items"],
    }


def _names(typed: str | None) -> tuple[str, ...] | None:
    return None if typed is None else tuple(name.strip() for name in typed.split(","))
