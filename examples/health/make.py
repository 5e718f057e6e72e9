"""Make the table of therapies that the asset beside this file is about."""

from __future__ import annotations

import sys
from pathlib import Path

from halfmask.data import Encoding
from halfmask.io.files import save
from halfmask.randomness import Randomness
from halfmask_reproduction.therapies import therapies


def main() -> None:
    """Write therapies.csv beside this file, or where the first argument says."""
    named = sys.argv[1:] or [Path(__file__).with_name("therapies.csv")]
    columns = therapies(5_000, rng=Randomness(20_05).child("therapies"))
    save(Encoding.fit(columns).encode(columns), named[0], release="made up", force=True)
    print(f"wrote {named[0]}: {len(columns[0]):,} made-up therapies")


if __name__ == "__main__":
    main()
