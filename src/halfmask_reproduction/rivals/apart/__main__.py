"""`python -m apart WHO ORIGINAL.csv RELEASE.csv --sizes 3,5,2 --seed 1`: one release by another."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from . import data_synthesizer, mst, python_synthpop

PROGRAMS = {
    "python-synthpop": python_synthpop.release,
    "DataSynthesizer": data_synthesizer.release,
    "MST": mst.release,
}


def main() -> None:
    """Read the rows, let the program draw as many, and write them."""
    parser = argparse.ArgumentParser(prog="apart")
    parser.add_argument("who", choices=PROGRAMS)
    parser.add_argument("original", type=Path)
    parser.add_argument("release", type=Path)
    parser.add_argument("--sizes", required=True, help="how many values each column can have")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--epsilon", type=float, default=0.0, help="0: without noise")
    parser.add_argument("--sampler", choices=mst.SAMPLERS, default=mst.SAMPLERS[0])
    typed = parser.parse_args()
    header = typed.original.read_text(encoding="utf-8").partition("\n")[0]
    codes = np.loadtxt(typed.original, np.int64, delimiter=",", skiprows=1, ndmin=2)
    sizes = [int(size) for size in typed.sizes.split(",")]
    drawn = PROGRAMS[typed.who](codes, sizes, typed)
    np.savetxt(typed.release, drawn, "%d", delimiter=",", header=header, comments="")


if __name__ == "__main__":
    main()
