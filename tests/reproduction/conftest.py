"""Small data under the names of the public files, made by the package itself."""

from __future__ import annotations

import gzip
import hashlib

import numpy as np
import pytest

from halfmask.methods.quest import Quest, quest
from halfmask.randomness import Randomness
from halfmask_reproduction import Lab, Shelf
from halfmask_reproduction.catalogue import EXPERIMENTS
from halfmask_reproduction.environments import Environments


def small_table(seed: int, *, columns: int = 5, rows: int = 400) -> str:
    """Item numbers, each used in one column only; later columns follow the one before."""
    rng = np.random.default_rng(seed)
    codes = np.empty((rows, columns), int)
    codes[:, 0] = rng.integers(3, size=rows)
    for column in range(1, columns):
        same = rng.random(rows) < 0.8
        codes[:, column] = np.where(same, codes[:, column - 1], rng.integers(3, size=rows))
    numbers = codes + 3 * np.arange(columns) + 1
    header = [f"A{i}" for i in range(1, columns)] + ["class"]
    return "\n".join([",".join(header), *(",".join(map(str, row)) for row in numbers)]) + "\n"


def small_baskets(seed: int, *, size: float) -> str:
    drawn = quest(
        400,
        Quest(basket_size=size, pattern_size=2, patterns=60, items=30),
        randomness=Randomness(seed),
    )
    return "\n".join(" ".join(map(str, row)) for row in drawn.transactions) + "\n"


@pytest.fixture(scope="session")
def small_data(tmp_path_factory):
    """The folder, and the digests of what is in it."""
    folder = tmp_path_factory.mktemp("data")
    digests = {}
    names = sorted({file.name for one in EXPERIMENTS for file in one.files})
    for seed, name in enumerate(names):
        dense = name.startswith(("connect", "t40"))  # these must allow twelve-diverse buckets
        baskets = small_baskets(seed, size=9 if dense else 3)
        text = small_table(seed) if ".csv" in name else baskets
        content = gzip.compress(text.encode(), mtime=0)
        (folder / name).write_bytes(content)
        digests[name] = hashlib.sha256(content).hexdigest()
    return folder, digests


@pytest.fixture(scope="session")
def small_lab(small_data, tmp_path_factory):
    """A lab on the small data that finds no rival, whatever is installed beside the checkout."""
    folder, digests = small_data
    nobody = Environments(tmp_path_factory.mktemp("nobody"))

    def make(seed=1):
        shelf = Shelf(folder, digests)
        return Lab(shelf, seed, quick=True, small=True, most_runs=2, environments=nobody)

    return make


@pytest.fixture
def lab(small_lab):
    return small_lab()
