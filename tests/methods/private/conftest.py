"""A table of people with every kind of column, and a quick private method for it."""

from __future__ import annotations

import numpy as np
import pytest

from halfmask.data import Column
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.methods.private.log import PoolSettings
from halfmask.methods.private.method import Private
from halfmask.randomness import Randomness
from halfmask.run import Run

QUICK = PoolSettings(rows=4_000, last_rows=8_000, last_rounds=5)

DECLARED = TableSpec(
    {
        "age": ColumnSpec(kind="number", range=("0", "120")),
        "pay": ColumnSpec(kind="number", range=("0", "500000"), step="0.01"),
        "sex": ColumnSpec(values=("f", "m")),
        "town": ColumnSpec(values=("Bra", "Lodi", "Rome", "other")),
        "seen": ColumnSpec(kind="date", format="%Y-%m-%d", range=("2015-01-01", "2024-12-31")),
        "ill": ColumnSpec(values=("no", "yes")),
    }
)


def people(rows=8_000, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.normal(45, 15, rows).clip(17, 95).astype(int)
    ill = rng.random(rows) < age / 120
    pay = np.where(rng.random(rows) < 0.3, 0, np.exp(rng.normal(9, 1, rows)))
    town = rng.choice(["Rome", "Lodi", "Bra", "Fano"], rows, p=[0.6, 0.3, 0.0995, 0.0005])
    days = np.datetime64("2019-01-01") + rng.integers(0, 1500, rows)
    lacking = rng.random(rows) < 0.1
    cells = {
        "age": ([str(a) for a in age], "int64"),
        "pay": ([f"{p:.2f}" for p in pay], "double"),
        "sex": (["fm"[s] for s in rng.integers(2, size=rows)], "string"),
        "town": ([None if no else str(t) for t, no in zip(town, lacking, strict=True)], "string"),
        "seen": ([str(day) for day in days], "string"),
        "ill": (["yes" if i else "no" for i in ill], "string"),
    }
    return [Column.of(name, labels, storage) for name, (labels, storage) in cells.items()]


@pytest.fixture(scope="session")
def table():
    return people()


@pytest.fixture(scope="session")
def quick():
    """A private method that takes a second."""

    def method(**settings):
        return Private(**{"epsilon": 3.0, "pool": QUICK, **settings})

    return method


@pytest.fixture(scope="session")
def declared():
    return DECLARED


def a_run(seed=None, **more):
    return Run(Randomness(seed), **more)
