"""Patients and their visits, made by the package itself: a parent table with child rows.

Nobody in it exists. The dependencies are those written below (`a → b` reads: b is drawn given a):

    age, sex, region
    age                     → chronic
    age, chronic            → number of visits (none for many, many for few)
    chronic, age, sex       → diagnosis of a visit
    diagnosis               → date (infections come in winter), cost, outcome

Two things tie the visits of one patient to each other beyond what the patient's own row tells:
some patients come more often than their age and illness explain, and one visit in five is a
follow-up, with the diagnosis of the visit before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data.column import Column
from halfmask.demo import Weights, draw_each

SEXES: Weights = {"female": 52, "male": 48}
REGIONS: Weights = {"north": 31, "east": 26, "south": 24, "west": 19}
YOUNG: Weights = {"none": 86, "asthma": 11, "diabetes": 3}
MIDDLE: Weights = {"none": 68, "asthma": 9, "diabetes": 14, "heart failure": 9}
OLD: Weights = {"none": 42, "asthma": 7, "diabetes": 24, "heart failure": 27}
USUAL_VISITS = {"none": 1.1, "asthma": 3.0, "diabetes": 4.5, "heart failure": 6.0}

CHILD: Weights = {"infection": 55, "fracture": 22, "check-up": 23}
ADULT: Weights = {"infection": 30, "fracture": 14, "back pain": 31, "check-up": 25}
MOTHER: Weights = {"infection": 22, "back pain": 16, "pregnancy": 37, "check-up": 25}
SENIOR: Weights = {"infection": 21, "fracture": 18, "back pain": 24, "stroke": 6, "check-up": 31}
OF_ITS_OWN = 0.6
"""The share of visits that a chronic illness brings about."""
FOLLOW_UP = 0.2

COSTS = {
    "infection": 80, "fracture": 900, "back pain": 120, "pregnancy": 260, "stroke": 5_200,
    "check-up": 60, "asthma": 150, "diabetes": 190, "heart failure": 1_400,
}  # fmt: skip
SEVERE = {"fracture", "stroke", "heart failure"}
FIRST_DAY = np.datetime64("2022-01-01")
DAYS = 730


@dataclass(frozen=True, eq=False)
class Hospital:
    """A parent table and its child rows, both as raw columns; `patient_id` joins them."""

    patients: list[Column]
    visits: list[Column]


def patients_and_visits(patients: int = 2_000, *, rng: np.random.Generator) -> Hospital:
    """Draw both tables.

    >>> hospital = patients_and_visits(500, rng=np.random.default_rng(1))
    >>> [column.name for column in hospital.visits]
    ['visit_id', 'patient_id', 'date', 'diagnosis', 'cost', 'outcome']
    """
    age = rng.integers(1, 95, patients)
    sex = draw_each([SEXES] * patients, rng)
    chronic = draw_each([_chronic(int(a)) for a in age], rng)
    usual = np.array([USUAL_VISITS[illness] for illness in chronic]) * (0.6 + age / 80)
    visits = rng.poisson(usual * rng.gamma(2.0, 0.5, patients))
    keys = [f"p{n:06d}" for n in rng.permutation(patients) + 1]
    return Hospital(
        [
            Column.of("patient_id", keys),
            Column.of("age", [str(a) for a in age], "int64"),
            Column.of("sex", sex),
            Column.of("region", draw_each([REGIONS] * patients, rng)),
            Column.of("chronic", chronic),
        ],
        _visits(np.repeat(np.arange(patients), visits), keys, (age, sex, chronic), rng),
    )


def _visits(
    of: NDArray[np.intp],
    keys: list[str],
    people: tuple[NDArray[np.int64], list[str], list[str]],
    rng: np.random.Generator,
) -> list[Column]:
    age, sex, chronic = people
    diagnosis = draw_each([_diagnosis(int(age[p]), sex[p], chronic[p]) for p in of], rng)
    again = (rng.random(len(of)) < FOLLOW_UP) & (np.diff(of, prepend=-1) == 0)
    for row in np.flatnonzero(again).tolist():
        diagnosis[row] = diagnosis[row - 1]
    day = np.array([_day(d, u) for d, u in zip(diagnosis, rng.random(len(of)), strict=True)])
    usual = np.array([COSTS[d] for d in diagnosis])
    cost = np.round(usual * rng.lognormal(0, 0.35, len(of)), 2)
    outcome = draw_each([_outcome(d) for d in diagnosis], rng)
    order = np.lexsort((day, of))
    dates = np.datetime_as_string(FIRST_DAY + day[order])
    return [
        Column.of("visit_id", [str(n) for n in range(1, len(of) + 1)], "int64"),
        Column.of("patient_id", [keys[p] for p in of[order]]),
        Column.of("date", [str(date) for date in dates], "date32[day]"),
        Column.of("diagnosis", [diagnosis[row] for row in order]),
        Column.of("cost", [f"{amount:.2f}" for amount in cost[order]], "double"),
        Column.of("outcome", [outcome[row] for row in order]),
    ]


def _chronic(age: int) -> Weights:
    return YOUNG if age < 35 else MIDDLE if age < 65 else OLD


def _diagnosis(age: int, sex: str, chronic: str) -> Weights:
    if age < 16:
        usual = CHILD
    elif age >= 65:
        usual = SENIOR
    else:
        usual = MOTHER if sex == "female" and age < 45 else ADULT
    if chronic == "none":
        return usual
    total = sum(usual.values())
    rest = {name: weight * (1 - OF_ITS_OWN) / total for name, weight in usual.items()}
    return {chronic: OF_ITS_OWN, **rest}


def _day(diagnosis: str, point: float) -> int:
    """Infections come in the winter half of a year, everything else at any time."""
    if diagnosis != "infection":
        return int(point * DAYS)
    year, within = divmod(point * 2, 1)
    day = within * 181 - 90
    return int((year * 365 + day) % DAYS)


def _outcome(diagnosis: str) -> Weights:
    if diagnosis in SEVERE:
        return {"sent home": 55, "admitted": 45}
    return {"sent home": 95, "admitted": 5}
