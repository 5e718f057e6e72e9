"""`halfmask quest`: synthetic shopping baskets with known patterns in them."""

from __future__ import annotations

from functools import partial
from typing import Any

import rich_click as click

from halfmask.cli.options import RUNNING, output, output_format, quiet, writing
from halfmask.cli.printing import console

_mean = partial(click.option, type=float, show_default=True, metavar="X")
_count = partial(click.option, type=int, show_default=True, metavar="N")


@click.command()
@_mean("-T", "basket_size", default=10.0, help="The mean size of a basket.")
@_mean("-I", "pattern_size", default=4.0, help="The mean size of a pattern.")
@_count(
    "-D",
    "baskets",
    type=click.IntRange(min=1),
    default=100_000,
    help="How many baskets are drawn.",
)
@_count("-L", "patterns", default=2000, help="How many patterns there are.")
@_count("-N", "items", default=1000, help="How many items there are.")
@_mean(
    "--correlation",
    help="How much of a pattern comes from the one before; that of the mode by default.",
)
@click.option(
    "--mode",
    type=click.Choice(["paper", "ibm"]),
    default="paper",
    show_default=True,
    help="As the article describes it, or as IBM's program does it.",
)
@click.option(
    "--binary",
    is_flag=True,
    help="Write a table with a column 0 or 1 for each item, as the generator's papers used Quest "
    "data; at most 256 items.",
)
@output("Where the baskets go; '-' prints them.", required=True)
@output_format
@writing
@click.option("--seed", type=int, metavar="N", help="Repeat a run.", panel=RUNNING)
@quiet
def quest(**typed: Any) -> None:
    """Draw baskets as IBM's Quest generator does (Agrawal & Srikant 1994)."""
    from halfmask.data.binary_domains import binary_table
    from halfmask.io import files
    from halfmask.io.forms import form_for
    from halfmask.io.writing import check_free
    from halfmask.methods.quest import Quest
    from halfmask.methods.quest import quest as draw
    from halfmask.randomness import Randomness

    check_free(typed["output"], force=typed["force"])
    form = form_for(typed["output"], given=typed["format_"])
    settings = Quest(
        **{
            name: typed[name]
            for name in ("basket_size", "pattern_size", "patterns", "items", "correlation", "mode")
        }
    )
    drawn = draw(typed["baskets"], settings, randomness=Randomness(typed["seed"]))
    whole = binary_table(drawn, prefix="item ") if typed["binary"] else drawn
    files.save(whole, typed["output"], form=form, force=typed["force"])
    if not typed["quiet"]:
        mean = len(drawn.transactions.items) / len(drawn)
        console(stderr=True).print(f"{len(drawn):,} baskets drawn, {mean:.1f} items on average")
