"""What the articles on distortion print, and which of it cannot be right."""

from __future__ import annotations

from dataclasses import dataclass

from halfmask_reproduction.description import DataFile, Paper, Printed, printed_table
from halfmask_reproduction.files import FILES

PAPER = Paper(
    name="distortion",
    title="Distortion",
    citation="The article on improved distortion of transaction databases with a selective "
    "probability for frequent items, after S. Rizvi, J. Haritsa: Maintaining Data Privacy in "
    "Association Rule Mining (MASK), VLDB 2002.",
    preface="A bit (this item is in this basket) is kept with probability p and flipped "
    "otherwise; the improved procedure keeps the bits of frequent items with probability fp and "
    "those of the others with nfp. The text exchanges keeping and flipping; that p keeps is "
    "settled by its own privacy columns, which come out to the last digit.\n\n**The printed "
    "privacy and the printed accuracy belong to two different mechanisms.** Privacy is that of "
    "symmetric flips, as described. The accuracies are matched by a program that only drops "
    "items, then loses the baskets that this empties, and applies the relative minimum support "
    "to the shortened file. Both are shown, each with the privacy that it really has: an item "
    "seen in baskets from which items are only dropped was there for certain.",
)


@dataclass(frozen=True, slots=True)
class Source:
    """A data set of the article and its minimum support."""

    name: str
    file: DataFile
    support: float


BMS_1 = Source("BMS-WebView-1", FILES["bms-webview-1"], 0.002)
RETAIL = Source("retail", FILES["retail"], 0.003)
BMS_2 = Source("BMS-WebView-2", FILES["bms-webview-2"], 0.003)

KEEPS = (0.95, 0.90, 0.85, 0.80, 0.75, 0.70)
NORMAL_P, NORMAL_A = "normal distortion, privacy, %", "normal distortion, accuracy, %"
BETTER_P, BETTER_A = "improved distortion, privacy, %", "improved distortion, accuracy, %"


def _rows(text: str) -> dict[str, tuple[tuple[float, ...], ...]]:
    """Tables as they are printed: a line with the name of the data, then a line for each row."""
    found: dict[str, list[tuple[float, ...]]] = {}
    for line in text.strip().splitlines():
        if line[0].isalpha():
            rows = found.setdefault(line.strip(), [])
        else:
            rows.append(tuple(map(float, line.split())))
    return {name: tuple(rows) for name, rows in found.items()}


NORMAL_TABLES = _rows(
    """
BMS-WebView-1
0.95 79.14 85.51 79.14 86.80
0.90 88.52 83.51 79.21 85.18
0.85 92.53 67.57 79.23 82.67
0.80 94.74 62.64 79.74 80.94
0.75 96.10 54.70 80.12 81.31
0.70 96.99 50.90 81.76 81.80
retail
0.95 81.09 85.04 81.09 86.43
0.90 85.63 71.61 81.68 85.66
0.85 88.07 60.11 81.88 84.88
0.80 89.72 50.60 81.97 84.74
0.75 90.93 43.07 82.03 85.23
0.70 91.83 36.33 82.07 84.74
BMS-WebView-2
0.95 90.44 73.37 90.44 75.47
0.90 95.12 56.58 91.07 68.71
0.85 96.93 45.48 91.28 69.82
0.80 97.88 38.53 91.30 70.85
0.75 98.45 32.10 91.45 70.56
0.70 98.82 27.58 91.48 69.52
"""
)
"""Tables 1 to 3: keep probability; privacy and accuracy, normal; the same, improved."""

OTHER_KEEPS = _rows(
    """
BMS-WebView-2
0.95 83.69 84.71 79.78 86.71
0.90 88.52 85.18 83.93 88.32
0.85 89.97 82.67 86.42 90.42
0.80 91.16 80.94 90.02 91.07
0.75 92.53 81.31 91.77 92.64
0.70 93.44 81.80 92.85 93.82
retail
0.95 82.75 85.07 80.03 87.43
0.90 82.90 84.33 81.17 88.76
0.85 83.46 82.95 81.88 90.88
0.80 84.91 80.72 81.97 92.01
0.75 85.13 79.82 82.03 95.23
0.70 87.28 78.86 82.05 97.74
"""
)
"""Tables 4 and 5: keep probability; privacy and accuracy for fp = 0.98; the same for 0.90."""

DOUBTS = {
    ("BMS-WebView-1", "0.90", NORMAL_A): "out of line with its neighbours; 73.51 would fit.",
    ("BMS-WebView-1", "0.80", BETTER_P): "the article's own formula gives 79.25.",
    ("BMS-WebView-1", "0.75", BETTER_P): "the article's own formula gives 79.26.",
    ("BMS-WebView-1", "0.70", BETTER_P): "the article's own formula gives 79.26.",
    ("BMS-WebView-2", "0.80", BETTER_P): "a misprint for 91.39.",
}


def keeps_column(fp: float, what: str) -> str:
    """How a column of Tables 4 and 5 is called here."""
    return f"fp = {fp:.2f}, {what}, %"


def normal_printed(source: Source) -> tuple[Printed, ...]:
    """One of the Tables 1 to 3; their further decimals are cut off, not rounded."""
    columns = [(name, 2) for name in (NORMAL_P, NORMAL_A, BETTER_P, BETTER_A)]
    return _doubted(source, NORMAL_TABLES[source.name], columns)


def other_keeps_printed(source: Source) -> tuple[Printed, ...]:
    """One of the Tables 4 and 5."""
    columns = [
        (keeps_column(fp, what), 2) for fp in (0.98, 0.90) for what in ("privacy", "accuracy")
    ]
    return _doubted(source, OTHER_KEEPS[source.name], columns)


def _doubted(
    source: Source, rows: tuple[tuple[float, ...], ...], columns: list[tuple[str, int]]
) -> tuple[Printed, ...]:
    named = [(f"{keep:.2f}", *cells) for keep, *cells in rows]
    return tuple(
        Printed(
            one.row,
            one.column,
            one.value,
            one.digits,
            cut=True,
            doubt=DOUBTS.get((source.name, one.row, one.column), ""),
        )
        for one in printed_table(named, columns)
    )


TIMES = printed_table(
    [("retail", 300, 43), ("BMS-WebView-1", 134, 20), ("BMS-WebView-2", 184, 37)],
    [("bitmap, seconds", 0), ("item list, seconds", 0)],
)

FREQUENT, RHO = "frequent itemsets", "ρ, error of the supports, %"
MISSED, FALSE = "σ⁻, frequent but not found, %", "σ⁺, found but not frequent, %"

MASK_PRINTED = printed_table(
    [
        ("level 1, relaxation 0%", 249, 5.89, 4.02, 2.81),
        ("level 2, relaxation 0%", 239, 3.87, 6.69, 7.11),
        ("level 3, relaxation 0%", 73, 2.60, 10.96, 9.59),
        ("level 4, relaxation 0%", 4, 1.41, 0.0, 25.0),
        ("level 1, relaxation 10%", None, 6.12, 1.2, 0.40),
        ("level 2, relaxation 10%", None, 4.04, 1.26, 23.43),
        ("level 3, relaxation 10%", None, 2.93, 0.0, 45.21),
        ("level 4, relaxation 10%", None, 1.41, 0.0, 75.0),
    ],
    [(FREQUENT, 0), (RHO, 2), (MISSED, 2), (FALSE, 2)],
)
