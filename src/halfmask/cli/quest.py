"""`halfmask quest`: synthetic shopping baskets with known patterns in them."""

from __future__ import annotations

from typing import Any

import click

from halfmask.cli.options import writing
from halfmask.cli.printing import console


@click.command()
@click.option("-T", "basket_size", type=float, default=10.0, show_default=True, help="Mean size.")
@click.option(
    "-I", "pattern_size", type=float, default=4.0, show_default=True, help="Mean pattern size."
)
@click.option(
    "-D", "baskets", type=click.IntRange(min=1), default=100_000, show_default=True, help="Baskets."
)
@click.option("-L", "patterns", type=int, default=2000, show_default=True, help="Patterns.")
@click.option("-N", "items", type=int, default=1000, show_default=True, help="Items.")
@click.option("--correlation", type=float, help="Between patterns  [default: that of the mode]")
@click.option(
    "--mode",
    type=click.Choice(["paper", "ibm"]),
    default="paper",
    show_default=True,
    help="As the article describes it, or as IBM's program does it.",
)
@click.option("-o", "--output", metavar="FILE", required=True, help="'-' prints the baskets.")
@click.option("--format", "format_", metavar="NAME", help="Of the output, when its name is '-'.")
@writing
@click.option("--seed", type=int, help="Repeat a run.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
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
