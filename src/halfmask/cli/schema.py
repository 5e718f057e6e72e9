"""`halfmask schema`: what the columns of a table are, as a file to correct."""

from __future__ import annotations

from typing import Any

import rich_click as click

from halfmask.cli.options import PLACE, Commands, file_options, min_rows, output, reading, writing
from halfmask.cli.printing import say
from halfmask.errors import BadInput

TYPED = ("parquet", "arrow")
"""Formats that say what kind of column each is."""


@click.group(cls=Commands)
def schema() -> None:
    """Write what the columns of a table seem to be, to be corrected."""


@schema.command()
@click.argument("file", type=PLACE)
@min_rows("Values held by fewer rows than this are not named.")
@output("Where the schema goes (NAME.schema.toml by default); '-' prints it.")
@click.option(
    "--public",
    is_flag=True,
    help="Write what must be declared for a private release, without a look at the values.",
)
@reading
@writing
def init(**typed: Any) -> None:
    """Write the schema of FILE with the reason for every guess.

    Correct the file and give it to publish or measure with --schema.
    """
    from halfmask.data import Baskets
    from halfmask.data.coding.kinds import plan_each
    from halfmask.data.coding.spec import TableSpec
    from halfmask.documents.schema import schema_text
    from halfmask.documents.schema_public import public_schema_text
    from halfmask.io.given import Given
    from halfmask.io.places import beside
    from halfmask.io.writing import check_free, write_bytes

    source = typed["file"]
    place = typed["output"] or ("-" if source == "-" else str(beside(source, ".schema.toml")))
    check_free(place, force=typed["force"], read=[source])
    held = Given(source).read(file_options(typed))
    columns = held.content
    if isinstance(columns, Baskets):
        raise BadInput(f"{typed['file']!r} holds baskets; only tables have a schema.")
    if typed["public"]:
        text = public_schema_text(
            columns, typed=held.file is not None and held.file.format in TYPED
        )
    else:
        floor = typed["min_support"]
        plans = plan_each(columns, TableSpec(), floor=floor)
        text = schema_text(columns, plans, floor=floor)
    write_bytes(place, text.encode(), force=typed["force"])
    if place != "-":
        say(f"wrote {place}", err=True)
