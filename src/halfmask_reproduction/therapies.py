"""A table of therapies made by the package itself: the health database of the asset's examples.

Nobody in it exists. Its dependencies are the tables below, in this order (`a → b` reads: b is
drawn given a):

    age, sex
    age, sex        → pregnant
    age, pregnant   → diagnosis
    diagnosis       → drug
    drug            → dose_mg (missing for one row in twenty)
    diagnosis       → days

One row in four hundred carries a slip of the pen that no therapy could: a pregnant man. A rule of
the steward can find it, and a release need not repeat it.
[after the health database of Bertino & Nai Fovino 2005, which was not published]
"""

from __future__ import annotations

import numpy as np

from halfmask.data.column import Column
from halfmask.demo import Weights, draw_each

AGES: Weights = {
    "4": 5, "9": 6, "14": 6, "19": 8, "24": 9, "29": 10, "34": 10, "39": 9, "44": 9, "49": 8,
    "54": 8, "59": 7, "64": 6, "69": 6, "74": 5, "79": 4, "84": 3,
}  # fmt: skip
SEXES: Weights = {"F": 52, "M": 48}
NEVER: Weights = {"N": 1}
MOTHERS: Weights = {"N": 84, "Y": 16}
SLIP: Weights = {"N": 399, "Y": 1}

CHILD: Weights = {"malaria": 55, "tb": 20, "asthma": 25}
ADULT: Weights = {"malaria": 28, "tb": 22, "diabetes": 24, "asthma": 16, "cancer": 10}
OLD: Weights = {"malaria": 12, "tb": 13, "diabetes": 42, "asthma": 8, "cancer": 25}
EXPECTING: Weights = {"malaria": 34, "tb": 12, "diabetes": 44, "asthma": 10}

DRUGS: dict[str, Weights] = {
    "malaria": {"quinine": 70, "artesunate": 30},
    "tb": {"rifampicin": 60, "isoniazid": 40},
    "diabetes": {"metformin": 62, "insulin": 38},
    "asthma": {"salbutamol": 100},
    "cancer": {"cisplatin": 100},
}
DOSES: dict[str, Weights] = {
    "quinine": {"300": 30, "600": 70},
    "artesunate": {"120": 100},
    "rifampicin": {"450": 55, "600": 45},
    "isoniazid": {"300": 100},
    "metformin": {"500": 25, "850": 40, "1000": 35},
    "insulin": {"20": 35, "40": 45, "60": 20},
    "salbutamol": {"2.5": 60, "5": 40},
    "cisplatin": {"75": 50, "100": 50},
}
DAYS: dict[str, Weights] = {
    "malaria": {"3": 40, "7": 60},
    "tb": {"90": 20, "180": 70, "270": 10},
    "diabetes": {"30": 80, "90": 20},
    "asthma": {"7": 35, "30": 65},
    "cancer": {"21": 60, "28": 40},
}
DOSE_IS_MISSING = 0.05


def therapies(rows: int = 5_000, *, rng: np.random.Generator) -> list[Column]:
    """Draw the table as raw columns; `pid` identifies a row.

    >>> columns = therapies(1_000, rng=np.random.default_rng(1))
    >>> [column.name for column in columns]
    ['pid', 'age', 'sex', 'pregnant', 'diagnosis', 'drug', 'dose_mg', 'days']
    """
    age = draw_each([AGES] * rows, rng)
    sex = draw_each([SEXES] * rows, rng)
    pregnant = draw_each([_pregnant(int(a), s) for a, s in zip(age, sex, strict=True)], rng)
    diagnosis = draw_each([_diagnosis(int(a), p) for a, p in zip(age, pregnant, strict=True)], rng)
    drug = draw_each([DRUGS[d] for d in diagnosis], rng)
    dose: list[str | None] = list(draw_each([DOSES[d] for d in drug], rng))
    for row in np.flatnonzero(rng.random(rows) < DOSE_IS_MISSING).tolist():
        dose[row] = None
    return [
        Column.of("pid", [f"p{n:06d}" for n in range(1, rows + 1)]),
        Column.of("age", age, "int64"),
        Column.of("sex", sex),
        Column.of("pregnant", pregnant),
        Column.of("diagnosis", diagnosis),
        Column.of("drug", drug),
        Column.of("dose_mg", dose, "double"),
        Column.of("days", draw_each([DAYS[d] for d in diagnosis], rng), "int64"),
    ]


def _pregnant(age: int, sex: str) -> Weights:
    if sex == "M":
        return SLIP
    return MOTHERS if 16 <= age <= 46 else NEVER


def _diagnosis(age: int, pregnant: str) -> Weights:
    if pregnant == "Y":
        return EXPECTING
    if age < 16:
        return CHILD
    return ADULT if age < 60 else OLD
