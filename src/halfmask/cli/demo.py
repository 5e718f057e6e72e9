"""`halfmask demo`: the main job on a table that needs no file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from halfmask.cli.options import running, writing
from halfmask.cli.printing import console, progress_bar, show_json

__all__ = ["demo"]


@click.command()
@click.option(
    "--output",
    metavar="FOLDER",
    default="halfmask-demo",
    show_default=True,
    help="Where the table and its release go.",
)
@click.option("--rows", type=click.IntRange(min=100), default=5_000, show_default=True)
@writing
@running
def demo(**typed: Any) -> None:
    """Make a hospital-admissions table and publish it."""
    from halfmask.cli.summary import show_publication
    from halfmask.data import Encoding
    from halfmask.data.hospital import hospital_admissions
    from halfmask.io import files
    from halfmask.publishing import publish
    from halfmask.randomness import Randomness

    folder = Path(typed["output"])
    folder.mkdir(parents=True, exist_ok=True)
    columns = hospital_admissions(typed["rows"], rng=Randomness(20_07).child("hospital"))
    original = folder / "admissions.csv"
    files.save(
        Encoding.fit(columns).encode(columns), original, release="made up", force=typed["force"]
    )
    with progress_bar("patterns", quiet=typed["quiet"]) as progress:
        published = publish(
            original,
            holdout=0.2,
            seed=typed["seed"],
            force=typed["force"],
            progress=progress,
        )
    if typed["as_json"]:
        show_json(published.to_dict())
    elif not typed["quiet"]:
        out = console()
        out.print(f"{original}: a made-up hospital, {typed['rows']:,} admissions")
        show_publication(out, published)
