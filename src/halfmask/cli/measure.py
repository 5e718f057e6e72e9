"""`halfmask measure`: compare a release with its original."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from halfmask.cli.options import file_options, min_rows, reading, running
from halfmask.cli.printing import console, show_json
from halfmask.errors import BadInput


@click.command()
@click.argument("original")
@click.argument("release")
@click.option("--holdout", metavar="FILE", help="Original rows that the release never saw.")
@click.option("--sensitive", metavar="COLUMN", help="What an attacker would like to learn.")
@click.option("--keys", metavar="COLUMNS", help="What an attacker knows, with commas between.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="Leave a column out.")
@click.option("--beside", metavar="FILE", help="baskets: the table published with the release.")
@click.option("--hierarchy", metavar="FILE", help="baskets: of generalised items.")
@click.option("--hide", multiple=True, metavar="PATTERN|FILE", help="baskets: what was hidden.")
@min_rows("Rows that make a pattern frequent.")
@click.option("--schema", metavar="FILE", help="What the columns of the original are.")
@click.option(
    "--memory", metavar="SIZE", help="To use at most, such as 8GB  [default: what is free]"
)
@click.option("--only", metavar="NAMES", help="Measures to take, with commas between.")
@reading
@running
def measure(**typed: Any) -> None:
    """Say what RELEASE kept of ORIGINAL and what it gave away."""
    from halfmask.cli.summary import show_readings
    from halfmask.front import holds_baskets
    from halfmask.front import measure as run

    options = file_options(typed)
    baskets = holds_baskets(typed["original"], options)
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
    from halfmask.basket_publishing.beside import text_of

    for name in ("sensitive", "keys", "drop", "schema"):
        if typed[name]:
            raise BadInput(f"--{name} speaks of columns, and the original is baskets.")
    if typed["memory"] is not None:
        raise BadInput("--memory is for tables; what baskets need is not reckoned before.")
    patterns = [text_of(p) if Path(p).is_file() else p for p in typed["hide"]]
    return {
        "beside": typed["beside"],
        "hierarchy": None if typed["hierarchy"] is None else text_of(typed["hierarchy"]),
        "hide": "\n".join(patterns) if patterns else None,
    }


def _names(typed: str | None) -> tuple[str, ...] | None:
    return None if typed is None else tuple(name.strip() for name in typed.split(","))
