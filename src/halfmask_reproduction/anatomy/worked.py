"""The worked example (Table I and Example 5) and the data (Table II)."""

from __future__ import annotations

from operator import eq

import numpy as np

from halfmask.data import Baskets
from halfmask.data.published.anatomised import AnatomisedTables
from halfmask.measures.privacy.column_attack import ColumnAttack
from halfmask.methods.anatomy.columns import Clusterer, ItemColumns
from halfmask.methods.anatomy.partition import Cells, Partition
from halfmask.methods.anatomy.release import tabulate
from halfmask.methods.suppression.coherence import Coherence, suppress_moles
from halfmask.methods.suppression.hierarchy import parse_hierarchy
from halfmask.methods.suppression.km_anonymity import generalise
from halfmask_reproduction.description import DataFile, Experiment, Paper, Printed, printed_table
from halfmask_reproduction.files import FILES
from halfmask_reproduction.lab import Lab
from halfmask_reproduction.result import Found, Grid, Measured, rounded

PAPER = Paper(
    name="anatomy",
    title="Anatomy",
    citation="The article “Privacy Preservation in Transaction Databases based on Anatomy "
    "Technique”, International Conference on Computer Science & Education, Hefei, 2010.",
    preface="Items are put into p columns of correlated items, rows into buckets in which the "
    "most frequent value of every column has a share of at most 1/l. The article does not say "
    "what a row that holds nothing of a column counts for, and everything hangs on it: the "
    "empty value is the most frequent one of nearly every column. Two readings are shown: it "
    "**counts** as any value, which is Definition 5 as written, or it is **exempt**, and then "
    "the release tells who holds nothing of a column. The figures are printed without numbers, "
    "minimum supports and confidences, so only what the text says of them can be compared.",
)

ROWS = ("abcdefgh", "abdeh", "abcfh", "abfh", "abcd", "abce", "aefg", "bfh", "fh", "dg")
COLUMNS = {"Table I(D)": ("abcg", "defh"), "Table I(E)": ("ac", "beg", "dfh")}
SHARE, CHANCE = "largest share of a value in a bucket", "probability to determine t2"
SIZES = ("transactions", "items", "mean length")
BYTES = "data size, K bytes"
HIERARCHY = ("a, b, c, d, e -> abcde", "f, g, h -> fgh", "abcde, fgh -> all")
"""Figure 1: how items are generalised for Table I(B)."""
AS_PRINTED, BUCKETS = "rows as printed", "matching buckets of t2"
OF_ALL, OF_FEW = "abcde", "fgh"
TABLE_B = ("12", "12", "12", "12", "1", "1", "12", "12", "2", "12")
"""Table I(B): which of the two groups each row holds."""
TABLE_C = ("ab", "ab", "ab", "ab", "ab", "ab", "a", "b", "", "")
"""Table I(C), with the two rows that it leaves out as empty ones."""


def _tables(baskets: Baskets, columns: tuple[str, ...]) -> AnatomisedTables:
    """The article's buckets: the first five rows and the last five."""
    cells = Cells.of(baskets.transactions, ItemColumns.given(columns, baskets.schema), "count")
    return tabulate(baskets.schema, cells, Partition(np.repeat(np.array([0, 1], np.int32), 5)))


def _table_1(lab: Lab) -> Found:
    baskets = Baskets.of(ROWS, names="abcdefgh")
    measured: dict[tuple[str, str], tuple[Measured, ...]] = {}
    rows = []
    for name, columns in COLUMNS.items():
        tables = _tables(baskets, columns)
        share = float((tables.largest_counts() / tables.bucket_sizes[:, None]).max())
        measured[name, SHARE] = (Measured("of the original rows", rounded(share)),)
        found = Clusterer().columns(baskets, len(columns), randomness=lab.randomness("table I"))
        groups = sorted(
            "".join(baskets.schema.label(int(i)) for i in np.flatnonzero(found.of_item == c))
            for c in range(found.n)
        )
        rows.append((name, " ".join(columns), " ".join(groups)))
    three = _tables(baskets, COLUMNS["Table I(E)"])
    held = {
        (column, line.bucket, line.items): line.count / 5
        for column in range(3)
        for line in three.lines(column)
    }
    chance = held[1, 0, ("b", "e")] * held[0, 0, ("a",)]
    generalised = generalise(baskets, parse_hierarchy(HIERARCHY, baskets.schema), k=5, m=2)
    names = generalised.data.schema.names
    numbers = {OF_ALL: "1", OF_FEW: "2"}
    ours = ["".join(sorted(numbers.get(names[i], "?") for i in row))
            for row in generalised.data.transactions]  # fmt: skip
    measured["Table I(B)", AS_PRINTED] = (
        Measured("k^m-anonymity, k = 5, m = 2", float(sum(map(eq, ours, TABLE_B)))),
    )
    coherent = suppress_moles(baskets, Coherence(k=5, p=2)).data
    assert isinstance(coherent, Baskets)  # noqa: S101 - that is what it publishes
    ours = ["".join(coherent.schema.names[i] for i in row) for row in coherent.transactions]
    measured["Table I(C)", AS_PRINTED] = (
        Measured("coherence, k = 5, p = 2", float(sum(map(eq, ours, TABLE_C)))),
    )
    t2 = tuple(baskets.transactions)[1]
    matching = ColumnAttack(three).matching(t2)
    measured["Example 5", BUCKETS] = (Measured("by Definition 7", float(matching)),)
    measured["Example 5", CHANCE] = (Measured("by Lemma 1", rounded(chance)),)
    header = ("", "columns printed", "columns of k-medoids over 1 − φ²")
    return Found(measured, grids=(Grid("Which items belong together", header, tuple(rows)),))


def _table_2(lab: Lab) -> Found:
    measured: dict[tuple[str, str], tuple[Measured, ...]] = {}
    for name, file in DATA.items():
        rows = lab.shelf.baskets(file).transactions
        occurring = int((rows.item_counts > 0).sum())
        for column, value in zip(
            SIZES, (float(len(rows)), float(occurring), len(rows.items) / len(rows)), strict=True
        ):
            measured[name, column] = (Measured("our file", rounded(value)),)
        size = len(lab.shelf.content(file))
        measured[name, BYTES] = (
            Measured("our file", rounded(size / 1000)),
            Measured("with two bytes at each line's end", rounded((size + len(rows)) / 1000)),
        )
    return Found(measured)


DATA: dict[str, DataFile] = {"Connect": FILES["connect"], "T40I10D100K": FILES["t40i10d100k"]}

_TWICE = (
    "9,255 with the line ends of Windows, by which T40I10D100K comes out to the kilobyte: a digit "
    "is misprinted."
)

WORKED = (
    Experiment(
        name="anatomy-table1",
        paper=PAPER,
        title="Table I: the worked example",
        about="Ten rows over eight items: generalised by the hierarchy of Figure 1 (B), "
        "suppressed (C), "
        "and in two buckets (D, E). The article says that both Table I(D) "
        "and Table I(E) are 2-diverse: no value of a column has a share above 1/2 in its bucket.",
        run=_table_1,
        printed=(
            Printed("Table I(B)", AS_PRINTED, 10, 0),
            Printed("Table I(C)", AS_PRINTED, 10, 0),
            Printed("Example 5", BUCKETS, 1, 0),
            Printed("Table I(D)", SHARE, 0.5, 2, "<"),
            Printed("Table I(E)", SHARE, 0.5, 2, "<"),
            Printed(
                "Example 5",
                CHANCE,
                0.17,
                doubt="1/3 · 1/2 counts distinct values, against the article's own Lemma 1.",
            ),
        ),
        notes=(
            (
                "**Table I(E) is not 2-diverse**, in three places: {b} has 3 of 5 in the first "
                "bucket (the text itself compares 3/5 with 1/2), {a, c} has 3 of 5 there, and the "
                "empty value 3 of 5 in the second bucket. The printed table hides the last one by "
                "giving rows t9 and t10 items that they do not hold."
            ),
            (
                "The columns of both tables are those of the best clustering into two and three, "
                "with the correlation φ² reduced to the cell where both items are present, as the "
                "article's equation (4) has it."
            ),
        ),
        averaged=1,
        minutes=0.1,
    ),
    Experiment(
        name="anatomy-table2",
        paper=PAPER,
        title="Table II: the data",
        about="What the article says of its two data sets, and what our files hold.",
        run=_table_2,
        files=tuple(DATA.values()),
        printed=(
            *printed_table(
                [("Connect", 67557, 129, 43.0), ("T40I10D100K", 100000, 942, 39.6)],
                [("transactions", 0), ("items", 0), ("mean length", 1)],
            ),
            Printed(
                "Connect",
                BYTES,
                9225,
                0,
                doubt=_TWICE,
            ),
            Printed("T40I10D100K", BYTES, 15478, 0),
        ),
        averaged=1,
        minutes=0.2,
    ),
)
