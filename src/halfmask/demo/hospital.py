"""A hospital-admissions table made by the package itself, so that a demo needs no file.

Nobody in it exists. Its dependencies are known, because they are written below as the tables they
are drawn from, in this order (`a → b` reads: b is drawn given a):

    age, sex
    age, sex        → department
    department, age → diagnosis
    diagnosis       → admission
    diagnosis, age  → stay
    stay, age       → outcome
    age             → insurance
    region, smoker  independent of everything (smoker is missing for about one row in twelve)

A release that is worth anything finds the arrows and invents none.
"""

from __future__ import annotations

import numpy as np

from halfmask.data.column import Column
from halfmask.demo import Weights, draw_each

AGES: Weights = {"0-17": 14, "18-34": 18, "35-49": 19, "50-64": 22, "65-79": 18, "80+": 9}
SEXES: Weights = {"female": 52, "male": 48}
REGIONS: Weights = {"north": 31, "east": 26, "south": 24, "west": 19}
SMOKERS: Weights = {"no": 66, "yes": 26, "": 8}

CHILD: Weights = {"paediatrics": 80, "surgery": 14, "trauma": 6}
WOMAN: Weights = {"obstetrics": 46, "internal medicine": 22, "surgery": 20, "trauma": 12}
ADULT: Weights = {"internal medicine": 38, "surgery": 32, "trauma": 22, "oncology": 8}
SENIOR: Weights = {"internal medicine": 44, "geriatrics": 22, "surgery": 18, "oncology": 16}

DIAGNOSES: dict[str, Weights] = {
    "paediatrics": {"asthma": 38, "infection": 47, "fracture": 13, "cystic fibrosis": 2},
    "surgery": {"appendicitis": 33, "hernia": 41, "gallstones": 26},
    "trauma": {"fracture": 71, "concussion": 27, "burn": 2},
    "obstetrics": {"childbirth": 84, "pre-eclampsia": 16},
    "oncology": {"breast cancer": 38, "lung cancer": 36, "colon cancer": 26},
    "geriatrics": {"hip fracture": 45, "dementia": 34, "pneumonia": 21},
}
INTERNAL_YOUNG: Weights = {"infection": 46, "asthma": 30, "diabetes": 24}
INTERNAL_OLD: Weights = {"heart failure": 39, "diabetes": 28, "pneumonia": 26, "stroke": 7}

EMERGENCIES = {
    "appendicitis", "asthma", "burn", "concussion", "fracture", "hip fracture", "infection",
    "pneumonia", "stroke",
}  # fmt: skip
LONG_STAYS = {"hip fracture", "heart failure", "lung cancer", "dementia", "stroke", "burn"}
OLD = {"65-79", "80+"}


def hospital_admissions(rows: int = 5_000, *, rng: np.random.Generator) -> list[Column]:
    """Draw the table as raw columns.

    >>> columns = hospital_admissions(1_000, rng=np.random.default_rng(1))
    >>> [column.name for column in columns][:5]
    ['age', 'sex', 'region', 'department', 'diagnosis']
    """
    age = _draw(AGES, rows, rng)
    sex = _draw(SEXES, rows, rng)
    department = draw_each([_department(a, s) for a, s in zip(age, sex, strict=True)], rng)
    diagnosis = draw_each([_diagnosis(d, a) for d, a in zip(department, age, strict=True)], rng)
    stay = draw_each([_stay(g, a) for g, a in zip(diagnosis, age, strict=True)], rng)
    cells: dict[str, list[str]] = {
        "age": age,
        "sex": sex,
        "region": _draw(REGIONS, rows, rng),
        "department": department,
        "diagnosis": diagnosis,
        "admission": draw_each([_admission(g) for g in diagnosis], rng),
        "stay": stay,
        "outcome": draw_each([_outcome(s, a) for s, a in zip(stay, age, strict=True)], rng),
        "insurance": draw_each([_insurance(a) for a in age], rng),
        "smoker": _draw(SMOKERS, rows, rng),
    }
    return [Column.of(name, [cell or None for cell in cells[name]]) for name in cells]


def _department(age: str, sex: str) -> Weights:
    if age == "0-17":
        return CHILD
    if age in OLD:
        return SENIOR
    return WOMAN if sex == "female" and age in {"18-34", "35-49"} else ADULT


def _diagnosis(department: str, age: str) -> Weights:
    if department == "internal medicine":
        return INTERNAL_YOUNG if age in {"18-34", "35-49"} else INTERNAL_OLD
    return DIAGNOSES[department]


def _admission(diagnosis: str) -> Weights:
    if diagnosis in EMERGENCIES:
        return {"emergency": 86, "planned": 8, "transfer": 6}
    return {"emergency": 21, "planned": 70, "transfer": 9}


def _stay(diagnosis: str, age: str) -> Weights:
    if diagnosis in LONG_STAYS or age == "80+":
        return {"1 day": 6, "2-4 days": 22, "5-9 days": 41, "10+ days": 31}
    return {"1 day": 37, "2-4 days": 45, "5-9 days": 15, "10+ days": 3}


def _outcome(stay: str, age: str) -> Weights:
    if stay == "10+ days" and age in OLD:
        return {"home": 48, "care home": 38, "died": 14}
    return {"home": 94, "care home": 5, "died": 1}


def _insurance(age: str) -> Weights:
    if age in OLD:
        return {"public": 93, "private": 7}
    return {"public": 71, "private": 24, "none": 5}


def _draw(weights: Weights, rows: int, rng: np.random.Generator) -> list[str]:
    return draw_each([weights] * rows, rng)
