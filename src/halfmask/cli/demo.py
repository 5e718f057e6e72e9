"""`halfmask demo`: the main job on a table that needs no file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from halfmask.cli.options import running, writing
from halfmask.cli.printing import console, progress_bar, show_json

if TYPE_CHECKING:
    from halfmask.data import Column


@click.command()
@click.option(
    "--output",
    metavar="FOLDER",
    default="halfmask-demo",
    show_default=True,
    help="The folder for the table and its release.",
)
@click.option(
    "--rows",
    type=click.IntRange(min=100),
    metavar="N",
    default=5_000,
    show_default=True,
    help="How many rows the made-up table has.",
)
@click.option("--visits", is_flag=True, help="Make two tables: patients, and their visits.")
@writing
@running
def demo(**typed: Any) -> None:
    """Make a hospital-admissions table and publish it."""
    from halfmask.cli.summary import show_publication
    from halfmask.io.writing import check_folder
    from halfmask.publishing.publish import publish

    folder = Path(typed["output"])
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tables = _made(typed["rows"], visits=typed["visits"])
    originals = {name: folder / f"{name}.csv" for name in tables}
    _save(tables, originals, force=typed["force"])
    with progress_bar("patterns", quiet=typed["quiet"]) as progress:
        published = publish(
            originals if typed["visits"] else originals["admissions"],
            holdout=0.2,
            seed=typed["seed"],
            threads=typed["threads"],
            force=typed["force"],
            progress=progress,
        )
    if typed["as_json"]:
        show_json(published.to_dict())
    elif not typed["quiet"]:
        out = console()
        for name, columns in tables.items():
            out.print(f"{originals[name]}: a made-up hospital, {len(columns[0]):,} {name}")
        show_publication(out, published)


def _made(rows: int, *, visits: bool) -> dict[str, list[Column]]:
    """The tables of a hospital that never was."""
    from halfmask.demo.hospital import hospital_admissions
    from halfmask.demo.visits import patients_and_visits
    from halfmask.randomness import Randomness

    rng = Randomness(20_07).child("hospital")
    if not visits:
        return {"admissions": hospital_admissions(rows, rng=rng)}
    hospital = patients_and_visits(rows, rng=rng)
    return {"patients": hospital.patients, "visits": hospital.visits}


def _save(tables: Mapping[str, list[Column]], places: Mapping[str, Path], *, force: bool) -> None:
    from halfmask.data import Encoding
    from halfmask.io import files

    for name, columns in tables.items():
        rows = Encoding.fit(columns).encode(columns)
        files.save(rows, places[name], release="made up", force=force)
