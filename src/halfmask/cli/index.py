"""`halfmask index`: the retrieval engine over the items of baskets, or of the rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from halfmask.cli.options import PLACE, Commands, as_json, file_options, output, reading, writing
from halfmask.cli.printing import say, show_json

if TYPE_CHECKING:
    from halfmask.methods.hiding.index import Index


@click.group(cls=Commands)
def index() -> None:
    """Ask which rows hold these items and not those."""


@index.command()
@click.argument("file", type=PLACE)
@output("Where the index goes (NAME.index by default).")
@reading
@writing
def build(**typed: Any) -> None:
    """Build the index of FILE once, so that it can be asked again and again.

    It tells as much as FILE does: keep it as safe.
    """
    from halfmask.documents.index_file import SUFFIX, save_index
    from halfmask.io.places import beside
    from halfmask.io.writing import check_free

    place = typed["output"] or beside(typed["file"], SUFFIX)
    check_free(place, force=typed["force"], read=[typed["file"]])
    built = _built(typed)
    save_index(built, place, force=typed["force"])
    say(f"wrote {place}: {built.schema.n_items:,} items of {built.n_rows:,} rows")


@index.command()
@click.argument("file", type=PLACE)
@click.argument("question")
@click.option("--rows", is_flag=True, help="List the numbers of the rows; the first is 1.")
@reading
@as_json
def query(**typed: Any) -> None:
    """Count the rows of FILE that answer QUESTION, such as "beer and not (tea or milk)".

    FILE holds baskets, a table (items are column=value), or an index that was built (*.index).
    """
    from halfmask.documents.index_file import SUFFIX, load_index

    asked = load_index(typed["file"]) if str(typed["file"]).endswith(SUFFIX) else _built(typed)
    numbers = (asked.find(typed["question"]) + 1).tolist()
    if typed["as_json"]:
        listed = {"rows": numbers} if typed["rows"] else {}
        show_json({"found": len(numbers), "of": asked.n_rows, **listed})
        return
    say(f"{len(numbers):,} of {asked.n_rows:,} rows")
    for number in numbers if typed["rows"] else ():
        say(number)


def _built(typed: dict[str, Any]) -> Index:
    from halfmask.data import Baskets
    from halfmask.io.given import Given
    from halfmask.methods.hiding.index import Index
    from halfmask.methods.names import plain_table

    found = Given(typed["file"]).read(file_options(typed)).content
    return Index.of(found if isinstance(found, Baskets) else plain_table(found)[0])
