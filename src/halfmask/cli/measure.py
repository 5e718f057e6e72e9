"""`halfmask measure`: compare a release with its original."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import rich_click as click

from halfmask.cli.options import RUNNING, file_options, min_rows, reading, running
from halfmask.cli.printing import console, show_json
from halfmask.errors import BadInput

_tables = partial(click.option, panel="Tables only")
_baskets = partial(click.option, panel="Baskets only")


@click.command()
@click.argument("original")
@click.argument("release")
@click.option(
    "--only", metavar="NAMES", help="Take these measures only, their names separated by commas."
)
@click.option(
    "--holdout",
    metavar="FILE",
    help="Original rows that the release never saw; attacks are measured against them.",
)
@min_rows("How many rows make a pattern frequent; nothing rarer is named.")
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
    metavar="FILE",
    help="Use this description of the original's columns where the guesses are wrong.",
)
@_baskets(
    "--beside",
    metavar="FILE",
    help="The table published with the release, so that the release answers for the original's "
    "supports.",
)
@_baskets("--hierarchy", metavar="FILE", help="The hierarchy by which items were generalised.")
@_baskets(
    "--hide",
    multiple=True,
    metavar="PATTERN|FILE",
    help="A pattern that was hidden, or a file that lists such patterns; repeat for more.",
)
@reading
@click.option(
    "--memory",
    metavar="SIZE",
    help="The most memory to use for tables, such as 8GB (by default most of what is free).",
    panel=RUNNING,
)
@running
def measure(**typed: Any) -> None:
    """Say what RELEASE kept of ORIGINAL and what it gave away."""
    from halfmask.cli.summary import show_readings
    from halfmask.io.given import Given
    from halfmask.publishing.measure import measure_files as run

    options = file_options(typed)
    baskets = Given(typed["original"]).holds_baskets(options)
    readings = run(
        typed["original"],
        typed["release"],
        holdout=typed["holdout"],
        min_support=typed["min_support"],
        only=_names(typed["only"]),
        seed=typed["seed"],
        threads=typed["threads"],
        reading=options,
        **(_of_baskets(typed) if baskets else _of_tables(typed)),
    )
    if typed["as_json"]:
        show_json(readings.to_dict())
    elif not typed["quiet"]:
        show_readings(console(), readings)


def _of_tables(typed: dict[str, Any]) -> dict[str, Any]:
    """What is asked of tables only."""
    for name in ("beside", "hierarchy", "hide"):
        if typed[name]:
            raise BadInput(f"--{name} is an option for baskets, and the original is a table.")
    return {
        "sensitive": typed["sensitive"],
        "keys": _names(typed["keys"]) or (),
        "drop": typed["drop"],
        "schema": typed["schema"],
        "memory": typed["memory"],
    }


def _of_baskets(typed: dict[str, Any]) -> dict[str, Any]:
    """What is asked of baskets only."""
    from halfmask.io.sources import text_of

    for name in ("sensitive", "keys", "drop", "schema"):
        if typed[name]:
            raise BadInput(f"--{name} speaks of columns, and the original is baskets.")
    if typed["memory"] is not None:
        raise BadInput(
            "--memory is for tables; the memory use of baskets cannot be estimated in advance."
        )
    patterns = [text_of(p) if Path(p).is_file() else p for p in typed["hide"]]
    return {
        "beside": typed["beside"],
        "hierarchy": None if typed["hierarchy"] is None else text_of(typed["hierarchy"]),
        "hide": "\n".join(patterns) if patterns else None,
    }


def _names(typed: str | None) -> tuple[str, ...] | None:
    return None if typed is None else tuple(name.strip() for name in typed.split(","))
