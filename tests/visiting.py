"""A made-up hospital as two dataframes, and the questions that its tests ask of families."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

from halfmask.data import Encoding
from halfmask.demo.visits import patients_and_visits
from halfmask.io.columns import table_to_arrow


@cache
def hospital(patients: int = 600, seed: int = 1) -> dict[str, pl.DataFrame]:
    """Patients and their visits; `patient_id` joins them."""
    made = patients_and_visits(patients, rng=np.random.default_rng(seed))
    return {"patients": _frame(made.patients), "visits": _frame(made.visits)}


def _frame(columns) -> pl.DataFrame:
    frame = pl.from_arrow(table_to_arrow(Encoding.fit(columns).encode(columns)))
    assert isinstance(frame, pl.DataFrame)
    return frame


def counts(tables: dict[str, pl.DataFrame]) -> np.ndarray:
    """How many visits each patient has."""
    visits = tables["visits"].group_by("patient_id").len()
    joined = tables["patients"].join(visits, on="patient_id", how="left")
    return joined["len"].fill_null(0).to_numpy()


def shares(tables: dict[str, pl.DataFrame], parent: str, child: str) -> dict:
    """The share of visits with each pair of values of a patient's and a visit's column."""
    joined = tables["visits"].join(tables["patients"], on="patient_id")
    found = joined.group_by(parent, child).len()
    return {(row[0], row[1]): row[2] / len(joined) for row in found.rows()}


def distance(one: dict, other: dict) -> float:
    """Total variation of two shares."""
    return sum(abs(one.get(k, 0) - other.get(k, 0)) for k in {*one, *other}) / 2


def frequencies(numbers: np.ndarray) -> dict:
    """How frequent each number is."""
    values, times = np.unique(numbers, return_counts=True)
    return dict(zip(values.tolist(), (times / len(numbers)).tolist(), strict=True))
