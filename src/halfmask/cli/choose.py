"""`halfmask choose`: which method for this file and what matters in it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from halfmask.cli.options import (
    FILES,
    PLACE,
    SUPPORT,
    file_options,
    output,
    printing,
    reading,
    seed,
    writing,
)
from halfmask.cli.printing import console, say, show_json, table
from halfmask.shown import number

if TYPE_CHECKING:
    from halfmask.choosing.pool import TrialProgress
    from halfmask.choosing.selection import Choice


_threshold = partial(click.option, type=float, metavar="X", panel="What a candidate must reach")
_trials = partial(click.option, panel="Trials", show_default=True)


@click.command()
@click.argument("file", type=PLACE)
@click.option(
    "--asset",
    type=PLACE,
    metavar="FILE",
    required=True,
    help="The asset file, in YAML or JSON: what matters in the data.",
)
@click.option(
    "--methods",
    metavar="A,B,…",
    help="Methods, families of them, or candidates such as generator:20, separated by commas; all "
    "that suit the data by default.",
)
@click.option(
    "--sensitive",
    type=PLACE,
    metavar="FILE",
    help="A file that lists the patterns to hide, one on each line.",
)
@click.option(
    "--column",
    metavar="NAME",
    help="The sensitive column: anatomy needs it, k-anonymity takes it for one that nobody knows.",
)
@click.option(
    "--hierarchy",
    type=PLACE,
    metavar="FILE",
    help="How items, or values of a table, may be generalised, with lines such as 'apple, pear -> "
    "fruit' or 'town=Rome, town=Bari -> south'; km needs it.",
)
@click.option(
    "--hide-support",
    type=float,
    metavar="SHARE",
    help="A pattern counts as hidden below this support.",
)
@click.option(
    "--hide-confidence",
    type=float,
    metavar="SHARE",
    help="A rule also counts as hidden below this confidence.",
)
@click.option(
    "--drop", multiple=True, metavar="COLUMN", help="Leave this column out; repeat for more."
)
@click.option(
    "--weights",
    type=(float, float, float),
    default=(1.0, 1.0, 1.0),
    metavar="A C S",
    help="How much accuracy, completeness and consistency count in the ranking; 1 1 1 by default.",
)
@_threshold("--seconds-at-most", help="The most CPU seconds on the generic database.")
@_threshold("--exponent-at-most", help="The fastest that CPU time may grow with the rows.")
@_threshold("--failure-at-most", help="The largest share of hidden patterns still found.")
@_threshold("--dissimilarity-at-most", help="The largest share of items that may move.")
@_threshold("--privacy-at-least", help="The lowest level of privacy, from 0 to 1.")
@_trials(
    "--min-support",
    type=SUPPORT,
    metavar="ROWS|SHARE",
    default=10,
    help="Minimum support of the model that draws the test data.",
)
@_trials(
    "--generic",
    type=click.Choice(["quest", "stand-in"]),
    help="The generic database of the first step: Quest's baskets, or a stand-in for FILE.",
)
@_trials(
    "--generic-rows", type=int, metavar="N", default=4_000, help="Rows of the generic database."
)
@_trials(
    "--test-rows",
    type=int,
    metavar="N",
    help="Rows of a test database; by default as many as FILE has, 10,000 at most.",
)
@_trials("--draws", type=int, metavar="N", default=3, help="How many test databases are drawn.")
@_trials("--jobs", type=int, metavar="N", default=2, help="How many trials run at a time.")
@_trials(
    "--timeout", type=float, metavar="SECONDS", default=120, help="The most time for one trial."
)
@_trials("--memory", type=float, metavar="GIB", default=4, help="The most memory for one trial.")
@_trials(
    "--trials", metavar="FOLDER", help="Where finished trials are kept; FILE.trials by default."
)
@output("Write the result as JSON to this file.")
@click.option(
    "--page", type=PLACE, metavar="FILE", help="Write the comparison as an HTML page.", panel=FILES
)
@reading
@writing
@seed
@printing
def choose(**typed: Any) -> None:
    """Try methods on made-up data like FILE, and say which one keeps what matters.

    Finished trials are kept: a run that was interrupted goes on where it stopped.
    """
    from halfmask.io.addresses import address_of, is_address
    from halfmask.io.writing import check_free

    for path in (typed["output"], typed["page"]):
        if path is not None:
            check_free(path, force=typed["force"], read=[typed["file"], typed["asset"]])
    named = address_of(typed["file"]).stem if is_address(typed["file"]) else typed["file"]
    trials = typed["trials"] or f"{named}.trials"
    try:
        choice = _choice(typed, trials)
    except KeyboardInterrupt:
        say(f"halfmask: stopped; finished trials are kept in {trials}.", err=True)
        sys.exit(130)
    for path in (typed["output"], typed["page"]):
        if path is not None:
            choice.save(path, force=typed["force"])
    if typed["as_json"]:
        show_json(choice.to_dict())
    elif not typed["quiet"]:
        _show(console(), choice, typed)


def _choice(typed: dict[str, Any], trials: str) -> Choice:
    """What was typed as one call."""
    from halfmask.choosing.choice import TrialScale, choose_method
    from halfmask.choosing.pool import Limits
    from halfmask.choosing.preselection import Thresholds
    from halfmask.choosing.ranking import LackWeights

    with _progress(quiet=typed["quiet"]) as progress:
        return choose_method(
            typed["file"],
            asset=typed["asset"],
            methods=_methods(typed["methods"]),
            sensitive=Path(typed["sensitive"]) if typed["sensitive"] else "",
            column=typed["column"],
            hierarchy=Path(typed["hierarchy"]) if typed["hierarchy"] else "",
            hide_support=typed["hide_support"],
            hide_confidence=typed["hide_confidence"],
            min_support=typed["min_support"],
            generic=typed["generic"],
            scale=TrialScale(typed["generic_rows"], typed["test_rows"], typed["draws"]),
            thresholds=Thresholds(**{one.name: typed[one.name] for one in fields(Thresholds)}),
            weights=LackWeights(*typed["weights"]),
            limits=Limits(typed["jobs"], typed["timeout"], round(typed["memory"] * 2**30)),
            trials=trials,
            drop=typed["drop"],
            seed=typed["seed"],
            reading=file_options(typed),
            progress=progress,
        )


def _methods(typed: str | None) -> list[str] | None:
    if typed is None:
        return None
    return [word.strip() for word in typed.split(",") if word.strip()]


@contextlib.contextmanager
def _progress(*, quiet: bool) -> Iterator[TrialProgress]:
    """A bar for each step when a person watches; nothing otherwise."""
    if quiet or not sys.stderr.isatty():
        yield lambda _what, _done, _total: True
        return
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as bars:
        known: dict[str, Any] = {}

        def advance(what: str, done: int, total: int) -> bool:
            if what not in known:
                known[what] = bars.add_task(what, total=total)
            bars.update(known[what], completed=done)
            return True

        yield advance


def _show(out: Any, choice: Choice, typed: dict[str, Any]) -> None:
    """The candidates, the rankings, the choice, its reasons and the next step."""
    from rich.text import Text

    from halfmask.choosing.ranking import FORMS

    out.print(table("Step 1: generic database", _GENERAL, [_general(t) for t in choice.tried]))
    for ranking in choice.rankings:
        lines = [
            (p.name, *map(number, p.lacks), f"{p.score:.3f}", "yes" if p.pareto else "")
            for p in ranking.places
        ]
        out.print(table(f"Step 3: ranked {FORMS[ranking.form]}", _LACKS, lines))
    out.print(Text(f"Recommended: {choice.best}", style="bold green"))
    for sentence in choice.reasons:
        out.print(Text(f"  {sentence}"))
    out.print(Text(f"  Next: {choice.command(typed)}"))
    out.print(Text("  This compares methods and is not a verdict; publishing gives one."))
    for path in (typed["output"], typed["page"]):
        if path is not None:
            out.print(Text(f"  wrote {path}", style="dim"))


_GENERAL = ("candidate", "CPU s", "exponent", "failure", "moved", "privacy", "")
_LACKS = ("candidate", "accuracy lack", "completeness lack", "consistency lack", "score", "Pareto")


def _general(tried: Any) -> tuple[str, ...]:
    general = tried.general
    if general is None:
        return (tried.candidate.name, "–", "–", "–", "–", "–", "failed")
    release = general.release
    shares = (release.hiding_failure, release.dissimilarity, release.privacy)
    return (
        tried.candidate.name,
        number(general.seconds),
        "–" if general.growth is None else f"{general.growth.exponent:.2f}",
        *("–" if value is None else f"{value:.1%}" for value in shares),
        "kept" if tried.kept else "fell",
    )
