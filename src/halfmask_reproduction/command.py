"""`halfmask reproduce`: the tables and figures of the papers, printed and measured."""

from __future__ import annotations

from typing import Any

import rich_click as click

from halfmask.cli.options import FILES, RUNNING, printing, threads, writing
from halfmask.cli.printing import console, show_json, table
from halfmask.run import thread_count
from halfmask_reproduction import Experiment, Lab, Result, Shelf
from halfmask_reproduction import reproduce as run
from halfmask_reproduction.catalogue import chosen
from halfmask_reproduction.drawing import check_library


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "listing", is_flag=True, help="List the experiments and stop.")
@click.option(
    "--data", metavar="DIR", help="The folder of the public data; HALFMASK_DATA says it by default."
)
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    metavar="N",
    help="How often each experiment is run, at most as often as in its paper.",
)
@click.option("--quick", is_flag=True, help="Run everything a few times only, in a few minutes.")
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    default="reproduction",
    show_default=True,
    help="The folder for the pages.",
    panel=FILES,
)
@writing
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=1,
    show_default=True,
    help="Draw otherwise by another number.",
    panel=RUNNING,
)
@threads
@printing
def reproduce(**typed: Any) -> None:
    """Rerun experiments of the papers, all of them or those named.

    Published and measured numbers are printed side by side and written as pages to DIR.
    """
    experiments = chosen(typed["names"])
    if typed["listing"]:
        rows = [(one.name, one.title, str(len(one.printed) or "–")) for one in experiments]
        console().print(table(None, ("name", "what", "printed numbers"), rows))
        return
    check_library()
    lab = Lab(
        Shelf.at(typed["data"]),
        seed=typed["seed"],
        most_runs=typed["runs"],
        quick=typed["quick"],
        threads=thread_count(typed["threads"]),
        tell=(lambda _: None) if typed["quiet"] else _tell,
    )
    results = run(experiments, lab, typed["output"], force=typed["force"])
    if typed["as_json"]:
        show_json(results)
    elif not typed["quiet"]:
        for one in experiments:
            _show(one, results[one.name])
        console().print(f"pages: {typed['output']}/README.md")


def _tell(what: str) -> None:
    click.echo(what, err=True)


def _show(experiment: Experiment, result: Result) -> None:
    """One experiment as a small table."""
    out = console()
    if not result.numbers:
        out.print(f"{experiment.name}: {experiment.title}; it prints no numbers, see its page")
        return
    rows = [
        (
            one.row,
            one.column,
            f"{one.printed:.{one.digits}f}",
            "; ".join(f"{m.text(one.digits + 1)} ({m.variant})" for m in one.measured),
            one.verdict(experiment.averaged),
        )
        for one in result.numbers
    ]
    header = ("about", "measure", "published", "measured", "")
    out.print(table(f"{experiment.name}: {experiment.title}", header, rows))
