"""`halfmask asset`: what matters in a database, written down, checked, drawn and measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from halfmask.cli.options import (
    PLACE,
    Commands,
    as_json,
    file_options,
    min_rows,
    output,
    reading,
    writing,
)
from halfmask.cli.printing import console, say, show_json, table
from halfmask.errors import BadInput
from halfmask.shown import number

if TYPE_CHECKING:
    from halfmask.assets.asset import Asset
    from halfmask.assets.lacks import Evaluation, Lack, Violations
    from halfmask.assets.rows import Source


@click.group(cls=Commands)
def asset() -> None:
    """Write down what matters in a table, and hold a release against it."""


@asset.command()
@click.argument("file", type=PLACE)
@min_rows("Values held by fewer rows than this are not named.")
@output("Where the draft goes (NAME.asset.yaml by default); '-' prints it.")
@reading
@writing
def init(**typed: Any) -> None:
    """Draft an asset from the data in FILE, for you to edit.

    Attributes, weights, and constraints that hold in every row; of baskets the most frequent items
    are attributes, in the basket or not. No value held by fewer rows than
    the minimum support is named.
    """
    from halfmask.assets.drafting import draft_asset, item_columns
    from halfmask.data import Baskets
    from halfmask.documents.asset import parse_asset
    from halfmask.documents.asset_draft import draft_text
    from halfmask.io.addresses import plain
    from halfmask.io.given import Given
    from halfmask.io.places import beside
    from halfmask.io.writing import check_free, write_bytes

    source = typed["file"]
    place = typed["output"] or beside(source, ".asset.yaml")
    check_free(place, force=typed["force"], read=[source])
    held = Given(source).read(file_options(typed)).content
    columns = (
        item_columns(held, min_support=typed["min_support"]) if isinstance(held, Baskets) else held
    )
    draft = draft_asset(columns, min_support=typed["min_support"])
    text = draft_text(draft, Path(plain(source)).name, min_support=typed["min_support"])
    parse_asset(text, str(place))
    if str(place) == "-":
        click.echo(text, nl=False)
        return
    write_bytes(place, text.encode(), force=typed["force"])
    say(f"wrote {place}")


@asset.command()
@click.argument("file", type=PLACE)
@output("Draw the data-model graph as SVG.")
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
        _show_asset(console(), found)


@asset.command()
@click.argument("file", type=PLACE)
@click.argument("data", type=PLACE, required=False)
@min_rows("Values held by fewer rows than this are not named.")
@reading
def check(**typed: Any) -> None:
    """Check an asset FILE, and that DATA is what it says.

    A constraint that the data break is named; a mistake in the file ends with exit code 2.
    """
    from halfmask.assets.aligned import by_key
    from halfmask.assets.enforcing import broken_by_original
    from halfmask.assets.evaluation import check_original
    from halfmask.assets.rows import RawRows
    from halfmask.documents.asset import load_asset
    from halfmask.io.addresses import plain
    from halfmask.io.given import columns_of

    found = load_asset(typed["file"])
    say(f"{typed['file']}: {found.counted}")
    if typed["data"] is None:
        return
    columns = columns_of(typed["data"], file_options(typed))
    rows = check_original(found, columns)
    if found.relation.key and isinstance(rows, RawRows):
        by_key(rows, rows, found.relation)
    least = typed["min_support"]
    broken = list(broken_by_original(found, found.constraints, rows, min_support=least))
    say(f"{plain(typed['data'])}: {len(columns[0]):,} rows with all attributes")
    for sentence in broken or ["Every constraint holds in every row"]:
        say(f"  {sentence}.")


@asset.command()
@click.argument("original", type=PLACE)
@click.argument("release", type=PLACE)
@click.option(
    "--asset",
    "file",
    type=PLACE,
    metavar="FILE",
    required=True,
    help="The asset file: what matters.",
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
@click.option(
    "--beside",
    type=PLACE,
    metavar="FILE",
    help="The table published with the release (its unknown cells, its anatomy, or its sensitive "
    "column): what is unknown is then incomplete, and buckets are counted in expectation.",
)
@click.option(
    "--evalset",
    is_flag=True,
    help="List the keys of the rows that were changed (the paper's Evalset); they name people.",
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
    from halfmask.io.given import Given
    from halfmask.publishing.beside import released_with

    found = load_asset(typed["file"])
    original, release = (
        Given(typed[side]).read(file_options(typed)).content for side in ("original", "release")
    )
    if typed["beside"] is not None:
        release = released_with(release, typed["beside"])
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
        evalset=typed["evalset"],
    )
    if typed["as_json"]:
        show_json(evaluation.to_dict())
    else:
        _show_evaluation(console(), evaluation)


@asset.command()
@output("Write the schema to this file.")
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


def _show_asset(out: Any, found: Asset) -> None:
    """Every information with its weights and what must hold in it."""
    for information in found.informations:
        out.print(f"{information.name} (weight {information.weight:g})", markup=False)
        attributes = [
            (w.attribute, number(w.accuracy), number(w.completeness))
            for w in information.attributes
        ]
        out.print(table(None, ("attribute", "accuracy", "completeness"), attributes))
        tested = [(c.name, number(c.weight), str(c.expression)) for c in information.tested]
        if tested:
            out.print(table(None, ("constraint", "weight", "must hold"), tested))


def _show_evaluation(out: Any, evaluation: Evaluation) -> None:
    """The rows, then the lacks of the asset, each information, attribute and constraint."""
    rows = evaluation.rows
    if evaluation.form == "aligned":
        out.print(
            f"{rows.compared:,} keys: {rows.changed:,} rows changed, {rows.missing:,} missing, "
            f"{rows.ghosts:,} that the original does not have"
        )
    else:
        out.print(
            f"{rows.original:,} rows against {rows.release:,}: no row corresponds to any, so "
            "distributions are compared"
        )
    lacks = [("asset", "", evaluation), *((i.information, number(i.weight), i)
                                          for i in evaluation.informations)]  # fmt: skip
    listed = [
        (name, weight, *(_lack(getattr(one, lack)) for lack in
         ("accuracy", "completeness", "consistency")))
        for name, weight, one in lacks
    ]  # fmt: skip
    columns = ("information", "weight", "accuracy lack", "completeness lack", "consistency lack")
    out.print(table("Lacks (of 1 in brackets)", columns, listed))
    for information in evaluation.informations:
        attributes = [
            (a.attribute, number(a.accuracy), number(a.completeness), number(a.consistency))
            for a in information.attributes
        ]
        names = ("attribute", "accuracy", "completeness", "consistency")
        out.print(table(information.information, names, attributes))
        if information.constraints:
            out.print(table(None, _VIOLATIONS, [_line(v) for v in information.constraints]))
    for note in evaluation.notes:
        out.print(f"  {note}", markup=False)
    for key in evaluation.evalset or ():
        out.print(f"  changed: {', '.join(key)}", markup=False)


_VIOLATIONS = ("constraint", "before", "after", "broken rows", "induced", "repaired")


def _lack(lack: Lack) -> str:
    return f"{number(lack.raw)} ({number(lack.normalised)})"


def _line(violations: Violations) -> tuple[str, ...]:
    induced, repaired = (
        "–" if count is None else number(count)
        for count in (violations.induced, violations.repaired)
    )
    return (
        violations.constraint,
        f"{violations.before:.2%}",
        f"{violations.after:.2%}",
        number(violations.absolute),
        induced,
        repaired,
    )
