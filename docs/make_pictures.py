"""Draw the picture of the README anew: what `halfmask demo` prints, as an SVG.

Run it after a change of the output: `.venv/bin/python docs/make_pictures.py`.
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console

from halfmask import publish
from halfmask.cli.summary import show_publication
from halfmask.data import Encoding
from halfmask.demo.hospital import hospital_admissions
from halfmask.io.files import save

PICTURES = Path(__file__).resolve().parent / "pictures"


def main() -> None:
    """Publish the hospital table and record the summary."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        original = Path("admissions.csv")
        columns = hospital_admissions(rng=np.random.default_rng(2007))
        save(Encoding.fit(columns).encode(columns), original)
        published = publish(original, seed=2007)
    console = Console(record=True, width=92, highlight=False)
    console.print("[bold]$ halfmask publish admissions.csv[/bold]")
    show_publication(console, published)
    picture = console.export_svg(title="halfmask", unique_id="halfmask")
    (PICTURES / "publish.svg").write_text(picture)


if __name__ == "__main__":
    main()
