"""`halfmask asset`: what matters in a database, written down, checked, drawn and measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from halfmask.cli.options import FILES, as_json, file_options, min_rows, reading, writing
from halfmask.cli.printing import console, say, show_json
from halfmask.errors import BadInput

if TYPE_CHECKING:
    from halfmask.assets.rows import Source


@click.group()
def asset() -> None:
    """Write down what matters in a table, and hold a release against it."""


@asset.command()
@click.argument("file")
@min_rows("Values held by fewer rows than this are not named.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where the draft goes (NAME.asset.yaml by default); '-' prints it.",
    panel=FILES,
)
@reading
@writing
def init(**typed: Any) -> None:
    """Draft an asset from the data in FILE, for you to edit.

    Attributes, weights, and constraints that hold in every row. No value held by fewer rows than
    the minimum support is named.
    """
    from halfmask.assets.drafting import draft_asset
    from halfmask.documents.asset import parse_asset
    from halfmask.documents.asset_draft import draft_text
    from halfmask.io.databases.addresses import plain
    from halfmask.io.given import columns_of
    from halfmask.io.places import beside
    from halfmask.io.writing import check_free, write_bytes

    source = typed["file"]
    output = typed["output"] or beside(source, ".asset.yaml")
    check_free(output, force=typed["force"], read=[source])
    draft = draft_asset(columns_of(source, file_options(typed)), min_support=typed["min_support"])
    text = draft_text(draft, Path(plain(source)).name, min_support=typed["min_support"])
    parse_asset(text, str(output))
    if str(output) == "-":
        click.echo(text, nl=False)
        return
    write_bytes(output, text.encode(), force=typed["force"])
    say(f"wrote {output}")


@asset.command()
@click.argument("file")
@click.option(
    "-o", "--output", metavar="FILE", help="Draw the data-model graph as SVG.", panel=FILES
)
@writing
@as_json
def show(**typed: Any) -> None:
    """Show what stands in an asset FILE, or draw it as a graph."""
    from halfmask.documents.asset import load_asset
    from halfmask.io.writing import write_bytes

    found = load_asset(typed["file"])
    if typed["output"] is not None:
        from halfmask.report.asset_graph import asset_graph

        write_bytes(typed["output"], asset_graph(found).encode(), force=typed["force"])
        say(f"wrote {typed['output']}")
    elif typed["as_json"]:
        import msgspec

        show_json(msgspec.to_builtins(found.document))
    else:
        from halfmask.cli.asset_printing import show_asset

        show_asset(console(), found)


@asset.command()
@click.argument("file")
@click.argument("data", required=False)
@min_rows("Values held by fewer rows than this are not named.")
@reading
def check(**typed: Any) -> None:
    """Check an asset FILE, and that DATA is what it says.

    A constraint that the data break is named; a mistake in the file ends with exit code 2.
    """
    from halfmask.assets.aligned import by_key
    from halfmask.assets.enforcing import broken_by_original
    from halfmask.assets.evaluation import check_original
    from halfmask.documents.asset import load_asset
    from halfmask.io.databases.addresses import plain
    from halfmask.io.given import columns_of

    found = load_asset(typed["file"])
    say(f"{typed['file']}: {found.counted}")
    if typed["data"] is None:
        return
    columns = columns_of(typed["data"], file_options(typed))
    rows = check_original(found, columns)
    if found.relation.key:
        by_key(rows, rows, found.relation)
    broken = list(
        broken_by_original(found, found.constraints, columns, min_support=typed["min_support"])
    )
    say(f"{plain(typed['data'])}: {len(columns[0]):,} rows with all attributes")
    for sentence in broken or ["Every constraint holds in every row"]:
        say(f"  {sentence}.")


@asset.command()
@click.argument("original")
@click.argument("release")
@click.option(
    "--asset", "file", metavar="FILE", required=True, help="The asset file: what matters."
)
@click.option(
    "--alignment",
    type=click.Choice(["auto", "key", "position", "none"]),
    default="auto",
    show_default=True,
    help="How rows of the two correspond; none compares distributions instead.",
)
@click.option(
    "--ghosts",
    type=click.Choice(["strict", "paper"]),
    default="strict",
    show_default=True,
    help="How rows that the original does not have count: as inaccurate, or, as in the paper, "
    "not at all.",
)
@reading
@as_json
def evaluate(**typed: Any) -> None:
    """Say how much of what matters in ORIGINAL the RELEASE took away.

    Lacks: 0 is nothing. Rows correspond by the asset's key where the release still has it;
    otherwise distributions are compared. The numbers of the two forms are not comparable.
    """
    from halfmask.assets.evaluation import evaluate as run
    from halfmask.documents.asset import load_asset, load_hierarchies

    found = load_asset(typed["file"])
    original, release = (_data(typed[side], typed) for side in ("original", "release"))
    _check_alike(original, release)
    columns = original if isinstance(original, tuple) else ()
    hierarchies = load_hierarchies(found, Path(typed["file"]).parent, columns)
    evaluation = run(
        found,
        original,
        release,
        alignment=typed["alignment"],
        ghosts=typed["ghosts"],
        hierarchies=hierarchies,
    )
    if typed["as_json"]:
        show_json(evaluation.to_dict())
    else:
        from halfmask.cli.asset_printing import show_evaluation

        show_evaluation(console(), evaluation)


@asset.command()
@click.option("-o", "--output", metavar="FILE", help="Write the schema to this file.", panel=FILES)
@writing
def schema(**typed: Any) -> None:
    """Print the JSON Schema of asset files, for editors that complete and check."""
    import msgspec

    from halfmask.assets.document import asset_schema
    from halfmask.io.writing import write_bytes

    if typed["output"] is None:
        show_json(asset_schema())
        return
    text = msgspec.json.format(msgspec.json.encode(asset_schema())) + b"\n"
    write_bytes(typed["output"], text, force=typed["force"])


def _check_alike(original: Source, release: Source) -> None:
    """Refuse a release that has nothing of the original; all of it would count as taken away."""
    tables = [side for side in (original, release) if isinstance(side, tuple)]
    if len(tables) == 1:
        raise BadInput("One side is a table, and the other holds baskets; both must be the same.")
    names = [{column.name for column in table} for table in tables]
    if names and not set.intersection(*names):
        raise BadInput("The two tables have no column in common; name a release of the original.")


def _data(path: str, typed: dict[str, Any]) -> Source:
    """The columns of a table file, or the baskets of a basket file."""
    from halfmask.io.files import TableFile, read

    found = read(path, file_options(typed))
    return found.columns if isinstance(found, TableFile) else found.baskets
