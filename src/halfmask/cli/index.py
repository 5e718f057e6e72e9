"""`halfmask index`: the retrieval engine over the items of baskets."""

from __future__ import annotations

from typing import Any

import rich_click as click

from halfmask.cli.options import as_json, file_options, reading
from halfmask.cli.printing import say, show_json
from halfmask.errors import BadInput


@click.group()
def index() -> None:
    """Ask which baskets hold these items and not those."""


@index.command()
@click.argument("file")
@click.argument("question")
@click.option("--rows", is_flag=True, help="List the numbers of the baskets; the first is 1.")
@reading
@as_json
def query(**typed: Any) -> None:
    """Count the baskets of FILE that answer QUESTION, such as "beer and not (tea or milk)"."""
    from halfmask.data import Baskets
    from halfmask.io.given import Given
    from halfmask.methods.hiding.index import Index

    baskets = Given(typed["file"]).read(file_options(typed)).content
    if not isinstance(baskets, Baskets):
        raise BadInput(f"{typed['file']!r} holds a table; the index is one of baskets.")
    numbers = (Index.of(baskets).find(typed["question"]) + 1).tolist()
    if typed["as_json"]:
        listed = {"rows": numbers} if typed["rows"] else {}
        show_json({"baskets": len(numbers), "of": len(baskets), **listed})
        return
    say(f"{len(numbers):,} of {len(baskets):,} baskets")
    for number in numbers if typed["rows"] else ():
        say(number)
