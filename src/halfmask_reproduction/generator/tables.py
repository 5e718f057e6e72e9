"""Tables 1 to 3: dissimilarity, pattern sets and anonymity scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfmask.measures import Comparison, CrossSizes, compare
from halfmask_reproduction.description import Experiment, printed_table
from halfmask_reproduction.generator.paper import DATA, PAPER, SOURCES, data_named
from halfmask_reproduction.generator.trials import (
    ORDERS,
    comparison_with,
    draw,
    internal_runs,
    narrowed,
    original,
    pattern_runs,
    readings,
    repeats,
    runs,
)
from halfmask_reproduction.lab import Lab
from halfmask_reproduction.result import Found, Measured, mean_of, rounded

GENERATED, INTERNAL, NAS = "DS, generated against original", "DS, original internal", "NAS"
EQUAL, MOVED, NEW = "equal itemsets, %", "mean support difference, %", "mean support of new, %"


def dissimilarity(variant: str, sizes: Sequence[CrossSizes]) -> Measured:
    """DS of the averaged sizes, as the authors' program averages; the spread is that of the runs.

    >>> runs = [CrossSizes(1.0, 1.0, 2.0, 4.0), CrossSizes(3.0, 3.0, 2.0, 2.0)]
    >>> dissimilarity("random order", runs).mean
    0.5
    """
    each = [one.dissimilarity for one in sizes]
    return mean_of(variant, each, mean=CrossSizes.average(sizes).dissimilarity)


def both_means(variant: str, sizes: Sequence[CrossSizes]) -> tuple[Measured, Measured]:
    """The mean of single DS with their spread, and one DS of averaged sizes with its own.

    The spread of the latter is by jackknife: how much it moves when a run is left out.

    >>> runs = [CrossSizes(1.0, 1.0, 2.0, 4.0), CrossSizes(3.0, 3.0, 2.0, 2.0)]
    >>> [one.mean for one in both_means("random order", runs)]
    [0.5, 0.5]
    """
    single = mean_of(variant, [one.dissimilarity for one in sizes])
    whole = rounded(CrossSizes.average(sizes).dissimilarity)
    name = f"{variant}, sizes averaged"
    if len(sizes) < 3:
        return single, Measured(name, whole, None, len(sizes))
    without = [
        CrossSizes.average([*sizes[:n], *sizes[n + 1 :]]).dissimilarity for n in range(len(sizes))
    ]
    spread = (len(sizes) - 1) * float(np.std(without))
    return single, Measured(name, whole, rounded(spread), len(sizes))


def _table_1(lab: Lab) -> Found:
    measured = {}
    for data in DATA:
        measured[data.name, GENERATED] = tuple(
            one
            for order in readings(data)
            for one in both_means(order, [run.sizes for run in runs(lab, data, order)])
        )
        halves = {"with replacement": True} | ({} if data.slow else {"without": False})
        measured[data.name, INTERNAL] = tuple(
            one
            for words, replace in halves.items()
            for one in both_means(words, internal_runs(lab, data, replace=replace))
        )
    return Found(measured)


def _table_2(lab: Lab) -> Found:
    measured = {}
    for name in dict.fromkeys(one.row for one in _PRINTED_2):
        data = data_named(name)
        found = {order: pattern_runs(lab, data, order) for order in ORDERS}
        for column, of_run in (
            (EQUAL, lambda run: 100 * run.equal),
            (MOVED, lambda run: 100 * float(np.abs(run.differences).mean())),
            (NEW, lambda run: 100 * run.new),
        ):
            measured[name, column] = tuple(
                mean_of(order, [of_run(run) for run in found[order]]) for order in ORDERS
            )
        as_coded = [100 * run.new_as_coded for run in found["column order"]]
        measured[name, NEW] += (mean_of("the program's count", as_coded),)
    return Found(measured)


def _table_3(lab: Lab) -> Found:
    measured = {
        (data.name, NAS): tuple(
            mean_of(order, [run.nas for run in runs(lab, data, order)]) for order in readings(data)
        )
        for data in DATA
    }
    measured["Mushroom", NAS] += _other_mushrooms(lab)
    return Found(measured)


def _other_mushrooms(lab: Lab) -> tuple[Measured, Measured]:
    """Without the column that has one value, and half as many rows as the original has."""
    data = data_named("Mushroom")
    start = original(lab, data)
    model, half = start.model(), len(start.table) // 2
    varied, fewer = [], []
    kept = [c for c, attribute in enumerate(start.table.schema) if attribute.size > 1]
    narrow = narrowed(lab, start, kept)
    for number in range(repeats(lab, data)):
        lab.tell(f"Mushroom, other readings: run {number + 1}")
        drawn = draw(lab, start, model, "half", number, rows=half)[0]
        fewer.append(compare(comparison_with(lab, start, drawn), ["nas"])["nas"].value)
        drawn = draw(lab, narrow, narrow.model(), "varied", number)[0]
        sides = Comparison(narrow.table, drawn, randomness=lab.randomness("varied"))
        varied.append(compare(sides, ["nas"], yardsticks=False)["nas"].value)
    return mean_of("without the constant column", varied), mean_of("half as many rows", fewer)


_PRINTED_1 = printed_table(
    [
        ("Chess (kr-k)", 0.037, 0.104),
        ("Iris", 0.047, 0.158),
        ("Led7", 0.028, 0.171),
        ("LetterRecog", 0.119, 0.129),
        ("Mushroom", 0.010, 0.139),
        ("Nursery", 0.011, 0.045),
        ("PageBlocks", 0.067, 0.164),
        ("PenDigits", 0.198, 0.124),
        ("Pima", 0.110, 0.177),
        ("Quest A", 0.016, 0.077),
        ("Quest B", 0.093, 0.223),
    ],
    [(GENERATED, 3), (INTERNAL, 3)],
)

_PRINTED_2 = printed_table(
    [
        ("Chess (kr-k)", 71, 0.01, 0.01),
        ("Iris", 83, 1.69, 0.80),
        ("Led7", 89, 0.14, 0.06),
        ("Nursery", 90, 0.04, 0.03),
        ("PageBlocks", 75, 0.06, 0.02),
        ("PenDigits", 25, 0.50, 0.59),
        ("Pima", 60, 0.30, 0.14),
    ],
    [(EQUAL, 0), (MOVED, 2), (NEW, 2)],
)

_PRINTED_3 = printed_table(
    [
        ("Chess (kr-k)", 0.30),
        ("Iris", 0.72),
        ("Led7", 0.66),
        ("LetterRecog", 0.31),
        ("Mushroom", 0.09),
        ("Nursery", 0.49),
        ("PageBlocks", 0.77),
        ("PenDigits", 0.22),
        ("Pima", 0.64),
        ("Quest A", 0.84),
        ("Quest B", 0.81),
    ],
    [(NAS, 2)],
)

_ORDER = (
    "**PenDigits and LetterRecog** are mined at a minimum support of 50, where the order in which "
    "columns are filled matters. PenDigits comes near only in column order: three of its numbers "
    "are met, DS is 0.010 too high. "
    "LetterRecog is met by neither in both numbers at once, but by the columns taken backwards. "
    "No single rule meets both: the authors probably had an order for each data set, which is "
    "lost."
)
_QUEST = (
    "**Quest A and B** cannot be met number by number: the report gives neither the seed nor the "
    "settings of the generator beyond “default”, and with 8 or 16 items its default baskets of "
    "ten items are nearly full. Ours are drawn with the defaults of IBM's program and their own "
    "seed; only the order of magnitude is a target."
)

TABLES = (
    Experiment(
        name="generator-table1",
        paper=PAPER,
        title="Table 1: dissimilarity",
        about="How far generated databases lie from the original in the codes of each other "
        "(DS), and how far random halves of the original do. “Averaged over 10 runs” is read as "
        "the "
        "mean of ten DS, with their standard deviation; *sizes averaged* is one DS of sizes "
        "averaged "
        "over the runs, as the authors' program does it, with its spread by jackknife. DS is that "
        "of "
        "the sizes of the databases alone, without the code tables, with 1 added to every usage so "
        "that everything has a code; Definition 3 says “total compressed size” and nothing of "
        "either.",
        run=_table_1,
        files=SOURCES,
        printed=_PRINTED_1,
        notes=(
            _ORDER,
            (
                "**Nursery** is not a stable number: the sizes of both sides vary by several per "
                "cent from run to run and single differences are often negative, because Krimp's "
                "greedy search jumps between solutions for almost equal data. The maximum of the "
                "two "
                "directions is never negative, so the mean of single DS (the report's words) lies "
                "above one DS of averaged sizes (the authors' program), and only the latter comes "
                "near the printed number; batches of ten runs of it gave 0.013 to 0.060."
            ),
            (
                "**Chess** differs between the two orders by less than what the breaking of ties "
                "among equally ranked candidates moves it (0.030 to 0.038)."
            ),
            (
                "**Original internal** is a half drawn with replacement: Chess without replacement "
                "lies far below the printed 0.104."
            ),
            (
                "**Pima** has 768 rows; the report prints 786. **Mushroom** has 23 columns in our "
                "file, with the class; the report prints 22."
            ),
            _QUEST,
        ),
        minutes=10,
    ),
    Experiment(
        name="generator-table2",
        paper=PAPER,
        title="Table 2: frequent pattern sets",
        about="Of the itemsets that are frequent in the original: how many are frequent in the "
        "generated database, how far their supports moved, and how frequent the new ones are, "
        "in per cent of the rows.",
        run=_table_2,
        files=tuple(
            f for one in dict.fromkeys(p.row for p in _PRINTED_2) for f in data_named(one).sources
        ),
        printed=_PRINTED_2,
        notes=(
            (
                "**New itemsets of Iris**: the authors' program counts the new itemsets of the "
                "largest length but does not add their supports; counted its way the printed "
                "number comes out, counted rightly it is larger."
            ),
            (
                "**New itemsets of Pima** come out a little more frequent in either order; "
                "databases drawn by the authors' own program do so too."
            ),
            _ORDER,
        ),
        minutes=2,
    ),
    Experiment(
        name="generator-table3",
        paper=PAPER,
        title="Table 3: normalised anonymity scores",
        about="The share of the original's rows that stand in the generated database, each level "
        "of support weighing by its inverse (NAS).",
        run=_table_3,
        files=SOURCES,
        printed=_PRINTED_3,
        notes=(
            (
                "**Mushroom is not reached as described.** Without the constant column (the report "
                "prints 22 columns) the score is a little higher; a draw of half as many rows as "
                "the "
                "original comes near the printed 0.09. Perhaps that was drawn, perhaps the report "
                "used another coding: our file has 119 values, the LUCS-KDD version has 90."
            ),
            (
                "**Iris** has 150 rows in 42 distinct ones; the expectation of its NAS is exactly "
                "0.695 in either order, so the"
                " printed 0.72 is a draw of ten from its upper end."
            ),
            _ORDER,
            _QUEST,
        ),
        minutes=0.1,
    ),
)
