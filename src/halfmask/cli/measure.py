"""`halfmask measure`: compare a release with its original."""

from __future__ import annotations

from typing import Any

import click

from halfmask.cli.options import file_options, reading, running
from halfmask.cli.printing import console, show_json

__all__ = ["measure"]


@click.command()
@click.argument("original")
@click.argument("release")
@click.option("--holdout", metavar="FILE", help="Original rows that the release never saw.")
@click.option("--sensitive", metavar="COLUMN", help="What an attacker would like to learn.")
@click.option("--keys", metavar="COLUMNS", help="What an attacker knows, with commas between.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="Leave a column out.")
@click.option("--min-support", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--schema", metavar="FILE", help="What the columns of the original are.")
@click.option("--only", metavar="NAMES", help="Measures to take, with commas between.")
@reading
@running
def measure(**typed: Any) -> None:
    """Say what RELEASE kept of ORIGINAL and what it gave away."""
    from halfmask.api import measure as run
    from halfmask.cli.summary import show_readings

    readings = run(
        typed["original"],
        typed["release"],
        holdout=typed["holdout"],
        sensitive=typed["sensitive"],
        keys=_names(typed["keys"]) or (),
        drop=typed["drop"],
        min_support=typed["min_support"],
        only=_names(typed["only"]),
        seed=typed["seed"],
        threads=typed["threads"],
        reading=file_options(typed),
        schema=typed["schema"],
    )
    if typed["as_json"]:
        show_json(readings.to_dict())
    elif not typed["quiet"]:
        show_readings(console(), readings)


def _names(typed: str | None) -> tuple[str, ...] | None:
    return None if typed is None else tuple(name.strip() for name in typed.split(","))
