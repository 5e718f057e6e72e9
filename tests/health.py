"""The worked health example: an asset, eight patients, and what a release did to them."""

from __future__ import annotations

import msgspec

from halfmask.choose.asset_document import AssetDocument
from halfmask.data import Column

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


def tested(attr: str, cmp: str, value: object) -> dict[str, object]:
    return {"attr": attr, "cmp": cmp, "value": value}


def document() -> dict[str, object]:
    """The asset of the example, as it would stand in a file."""
    numbers = {"age": "int", "dose_mg": "float", "days": "int"}
    return {
        "relation": {
            "key": ["pid"],
            "attributes": {name: {"type": numbers.get(name, "str")} for name in NAMES[1:]},
            "null_tokens": ["?"],
        },
        "asset": [
            {
                "name": "therapy",
                "weight": 0.7,
                "attributes": {
                    "diagnosis": {"aw": 1.0, "cw": 1.0},
                    "drug": {"aw": 0.9, "cw": 0.9, "slink": ["s_ins"]},
                    "dose_mg": {"aw": 0.8, "cw": 0.6, "slink": ["s_d100"]},
                    "days": {"aw": 0.4, "cw": 0.3, "slink": ["s_days"]},
                },
                "simple": {
                    "s_days": {"expr": {"attr": "days", "between": [1, 365]}, "weight": 0.3},
                    "s_ins": {"expr": tested("drug", "==", "insulin"), "clink": ["c_ins"]},
                    "s_d100": {"expr": tested("dose_mg", "<=", 100), "clink": ["c_ins"]},
                },
                "complex": {"c_ins": {"op": "implies", "args": ["s_ins", "s_d100"], "weight": 0.8}},
            },
            {
                "name": "pregnancy",
                "weight": 0.3,
                "attributes": {
                    "age": {"aw": 0.5, "cw": 0.5, "slink": ["s_age14"]},
                    "sex": {"aw": 1.0, "cw": 1.0, "slink": ["s_male"]},
                    "pregnant": {"aw": 1.0, "cw": 1.0, "slink": ["s_preg"]},
                    "drug": {"aw": 0.6, "cw": 0.6},
                },
                "simple": {
                    "s_male": {"expr": tested("sex", "==", "M"), "clink": ["c_mp"]},
                    "s_preg": {"expr": tested("pregnant", "==", "Y"), "clink": ["c_mp", "c_pa"]},
                    "s_age14": {"expr": tested("age", ">=", 14), "clink": ["c_pa"]},
                },
                "complex": {
                    "c_mp": {
                        "op": "not",
                        "args": [{"op": "and", "args": ["s_male", "s_preg"]}],
                        "weight": 1.0,
                    },
                    "c_pa": {"op": "implies", "args": ["s_preg", "s_age14"], "weight": 0.7},
                },
            },
        ],
    }


def parsed(given: dict[str, object] | None = None) -> AssetDocument:
    return msgspec.convert(given or document(), AssetDocument)
