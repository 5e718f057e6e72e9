"""The worked health example: an asset, eight patients, and what a release did to them."""

from __future__ import annotations

from pathlib import Path

from halfmask.data import Column
from halfmask.documents.asset import parse_asset

TEXT = (Path(__file__).parent / "data" / "health.yaml").read_text()
ASSET = parse_asset(TEXT, "health.yaml")

NAMES = ("pid", "age", "sex", "pregnant", "diagnosis", "drug", "dose_mg", "days")

ORIGINAL = """\
p1 34 F Y malaria quinine 600 7
p2 51 M N diabetes metformin 1000 30
p3 29 F N tb rifampicin 450 180
p4 67 M N cancer cisplatin 100 21
p5 45 F N diabetes insulin 40 30
p6 38 M N malaria quinine 600 7
p7 22 F Y tb isoniazid 300 180
p8 59 M N diabetes metformin 850 30"""

EDITS = {
    ("p1", "diagnosis"): "?",
    ("p2", "drug"): "insulin",
    ("p4", "sex"): "F",
    ("p5", "dose_mg"): "?",
    ("p6", "pregnant"): "Y",
    ("p7", "age"): "12",
    ("p8", "drug"): "?",
    ("p8", "days"): "400",
}


def original() -> list[list[str]]:
    return [line.split() for line in ORIGINAL.splitlines()]


def release() -> list[list[str]]:
    return [
        [EDITS.get((row[0], name), cell) for name, cell in zip(NAMES, row, strict=True)]
        for row in original()
    ]


def columns(rows: list[list[str]], names: tuple[str, ...] = NAMES) -> list[Column]:
    places = [NAMES.index(name) for name in names]
    return [Column.of(NAMES[p], [row[p] for row in rows]) for p in places]
