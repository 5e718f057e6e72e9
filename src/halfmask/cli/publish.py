"""`halfmask publish`: the main job."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from halfmask.cli.basket_methods import check_options, publish_baskets
from halfmask.cli.options import (
    ASSIGNMENT,
    PAIR,
    SUPPORT,
    basket_methods,
    families,
    file_options,
    reading,
    running,
    writing,
)
from halfmask.cli.printing import console, progress_bar, show_json
from halfmask.cli.summary import show_family, show_publication
from halfmask.errors import BadInput

if TYPE_CHECKING:
    from halfmask.methods.generator.process import Order


@click.command()
@click.argument("file")
@click.option(
    "--method",
    type=click.Choice(
        [
            "generator",
            "anatomy",
            "distortion",
            "hiding",
            "baskets",
            "coherence",
            "km",
            "table-anatomy",
        ]
    ),
    default="generator",
    show_default=True,
    help="generator and table-anatomy are for tables, the others for baskets.",
)
@click.option("-o", "--output", metavar="FILE", help="Where the release goes; '-' prints it.")
@click.option("--rows", type=click.IntRange(min=1), help="Rows to draw  [default: as the original]")
@click.option(
    "--min-support",
    type=SUPPORT,
    default=10,
    show_default=True,
    help="Nothing held by fewer rows enters the model; with a decimal point a share of the rows.",
)
@click.option("--nas-at-most", type=float, metavar="X", help="Find the support that meets this.")
@click.option("--ds-at-most", type=float, metavar="X", help="Refuse a greater dissimilarity.")
@click.option("--risk-at-most", type=float, metavar="X", help="Refuse if an attack gains more.")
@click.option("--laplace", type=float, default=0.001, show_default=True, help="Adds diversity.")
@click.option(
    "--laplace-for",
    type=ASSIGNMENT,
    multiple=True,
    help="More diversity for one column or value, such as diagnosis=0.5.",
)
@click.option(
    "--calibrate",
    type=click.IntRange(0, 3),
    default=2,
    show_default=True,
    help="Meet counts of so many columns, or items of baskets, together; 0 for none.",
)
@click.option(
    "--calibrate-for",
    type=ASSIGNMENT,
    multiple=True,
    help="Fewer for one column, such as diagnosis=1.",
)
@click.option(
    "--round-margins",
    type=click.Choice(["1", "3", "5", "10"]),
    default="1",
    show_default=True,
    help="Round the counts that are met to this.",
)
@click.option("--target", metavar="COLUMN", help="To be predicted: keep what it follows from.")
@click.option("--hide-together", type=PAIR, multiple=True, help="Never in one pattern.")
@click.option(
    "--pattern-support",
    type=click.IntRange(min=1),
    metavar="ROWS",
    help="Rows that a pattern needs, if more than the minimum support.",
)
@click.option(
    "--max-pattern-length", type=click.IntRange(min=1), help="Shorter patterns hide more."
)
@click.option(
    "--candidates",
    type=click.Choice(["all", "closed"]),
    default="all",
    show_default=True,
    help="Itemsets that Krimp tries as patterns.",
)
@click.option(
    "--search",
    type=click.Choice(["krimp", "slim", "auto"]),
    default="auto",
    show_default=True,
    help="How patterns are found; auto is Krimp where there are few enough itemsets.",
)
@click.option(
    "--max-candidates",
    type=click.IntRange(min=1),
    default=20_000_000,
    show_default=True,
    help="Itemsets that Krimp may look at, 30 to 45 bytes each.",
)
@click.option(
    "--effort",
    type=float,
    default=1.0,
    show_default=True,
    metavar="X",
    help="How long Slim looks for patterns; 1 is about half a minute.",
)
@click.option(
    "--search-rows",
    type=click.IntRange(min=1),
    help="Rows in which patterns are searched; they are counted in all  [default: 100,000 to 1M]",
)
@click.option(
    "--memory", metavar="SIZE", help="To use at most, such as 8GB  [default: what is free]"
)
@click.option("--prune", is_flag=True, help="Drop patterns that later ones made superfluous.")
@click.option("--order", default="random", show_default=True, help="random, columns, or names.")
@click.option(
    "--rare-values",
    type=click.Choice(["group", "suppress", "keep"]),
    default="group",
    show_default=True,
    help="What becomes of values held by fewer rows than the minimum support.",
)
@click.option("--drop", multiple=True, metavar="COLUMN", help="Leave a column out.")
@click.option("--categorical", multiple=True, metavar="COLUMN", help="Take it as it is.")
@click.option("--schema", metavar="FILE", help="What its columns are; see halfmask schema init.")
@click.option("--holdout", type=float, metavar="SHARE", help="Keep rows back for honest measures.")
@click.option(
    "--sensitive",
    metavar="COLUMN|FILE",
    help="What an attacker would like to learn; for hiding, a file with a pattern on each line.",
)
@click.option("--asset", metavar="FILE", help="Draw only rows that keep its constraints.")
@click.option("--external-report", metavar="FILE", help="Also write a report that may go out.")
@click.option("--max-time", type=float, metavar="SECONDS", help="Take the best patterns by then.")
@families
@basket_methods
@reading
@writing
@running
@click.pass_context
def publish(context: click.Context, /, **typed: Any) -> None:
    """Turn FILE into a release, its model and its report.

    Written beside the input: NAME.release.*, NAME.report.html, and for tables and synthetic baskets
    NAME.model.json.
    With --child several tables go out together, with one report; -o then names a folder.
    """
    check_options(context, typed["method"])
    if typed["method"] != "generator":
        source = context.get_parameter_source("rare_values")
        typed_rare = None if source is ParameterSource.DEFAULT else typed["rare_values"]
        publish_baskets(typed, rare_values=typed_rare)
        return
    from halfmask.api.generator import Generator
    from halfmask.publishing.request import Request

    generator = Generator(
        **{name: typed[name] for name in _OF_GENERATOR},
        laplace_for=dict(typed["laplace_for"]),
        calibrate_for=dict(typed["calibrate_for"]),
        round_margins=int(typed["round_margins"]),
        constraints=typed["asset"],
        order=_order(typed["order"]),
    )
    run, show = _family(typed) if typed["child"] else _table(typed)
    with progress_bar("patterns", quiet=typed["quiet"], max_time=typed["max_time"]) as progress:
        request = Request(
            nas_at_most=typed["nas_at_most"],
            ds_at_most=typed["ds_at_most"],
            risk_at_most=typed["risk_at_most"],
            output=typed["output"],
            external_report=typed["external_report"],
            rows=typed["rows"],
            holdout=typed["holdout"] or 0.0,
            sensitive=typed["sensitive"],
            seed=typed["seed"],
            force=typed["force"],
            reading=file_options(typed),
            memory=typed["memory"],
            progress=progress,
        )
        published = run(request, method=generator)
    if typed["as_json"]:
        show_json(published.to_dict())
    elif not typed["quiet"]:
        show(console(stderr=typed["output"] == "-"), published)


def _table(typed: dict[str, Any]) -> tuple[Callable[..., Any], Callable[..., None]]:
    """How one table is published, and how what came of it is shown."""
    from halfmask.publishing import publish as run

    if typed["key"] or typed["orphans"] != "refuse":
        raise BadInput("--key and --orphans speak of child tables; name one (--child).")
    return partial(run, typed["file"]), show_publication


def _family(typed: dict[str, Any]) -> tuple[Callable[..., Any], Callable[..., None]]:
    """The same for a parent table with child tables."""
    from halfmask.family_publishing import publish_family
    from halfmask.family_publishing.originals import tables_named

    tables = tables_named([typed["file"], *typed["child"]])
    run = partial(publish_family, tables, key=typed["key"], orphans=typed["orphans"])
    return run, show_family


_OF_GENERATOR = (
    "min_support",
    "laplace",
    "prune",
    "candidates",
    "search",
    "max_candidates",
    "effort",
    "search_rows",
    "pattern_support",
    "max_pattern_length",
    "hide_together",
    "rare_values",
    "calibrate",
    "target",
    "drop",
    "categorical",
    "schema",
    "threads",
)


def _order(typed: str) -> Order:
    if typed == "random":
        return "random"
    if typed == "columns":
        return "columns"
    return tuple(name.strip() for name in typed.split(","))
