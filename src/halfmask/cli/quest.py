"""`halfmask quest`: synthetic shopping baskets with known patterns in them."""

from __future__ import annotations

from typing import Any

import rich_click as click

from halfmask.cli.options import FILES, RUNNING, quiet, writing
from halfmask.cli.printing import console


@click.command()
@click.option(
    "-T",
    "basket_size",
    type=float,
    default=10.0,
    show_default=True,
    metavar="X",
    help="The mean size of a basket.",
)
@click.option(
    "-I",
    "pattern_size",
    type=float,
    default=4.0,
    show_default=True,
    metavar="X",
    help="The mean size of a pattern.",
)
@click.option(
    "-D",
    "baskets",
    type=click.IntRange(min=1),
    default=100_000,
    show_default=True,
    metavar="N",
    help="How many baskets are drawn.",
)
@click.option(
    "-L",
    "patterns",
    type=int,
    default=2000,
    show_default=True,
    metavar="N",
    help="How many patterns there are.",
)
@click.option(
    "-N",
    "items",
    type=int,
    default=1000,
    show_default=True,
    metavar="N",
    help="How many items there are.",
)
@click.option(
    "--correlation",
    type=float,
    metavar="X",
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
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="Where the baskets go; '-' prints them.",
    panel=FILES,
)
@click.option(
    "--format",
    "format_",
    metavar="NAME",
    help="The format of the output, where its name does not say it.",
    panel=FILES,
)
@writing
@click.option("--seed", type=int, metavar="N", help="Repeat a run.", panel=RUNNING)
@quiet
def quest(**typed: Any) -> None:
    """Draw baskets as IBM's Quest generator does (Agrawal & Srikant 1994)."""
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
    files.save(drawn, typed["output"], form=form, force=typed["force"])
    if not typed["quiet"]:
        mean = len(drawn.transactions.items) / len(drawn)
        console(stderr=True).print(f"{len(drawn):,} baskets drawn, {mean:.1f} items on average")
