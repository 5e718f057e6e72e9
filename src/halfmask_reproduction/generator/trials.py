"""The runs behind all tables: learn once, draw again and again, compare each time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Schema, Table, Transactions
from halfmask.data.binary_domains import binary_table
from halfmask.measures import Comparison, CrossSizes, compare, cross_sizes
from halfmask.measures.frequent import matched
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.process import Order
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.methods.quest import Quest, quest
from halfmask.patterns.code_table import CodeTable
from halfmask.patterns.krimp import krimp
from halfmask.patterns.mining import mine
from halfmask_reproduction.generator.paper import LAPLACE, DataSet
from halfmask_reproduction.lab import Lab

ORDERS = ("random order", "column order")
"""The two readings of which column is filled next."""
BACKWARDS = "columns backwards"

MOST_CANDIDATES = 45_000_000
"""Quest B has up to 3^16 itemsets; they take some two gigabytes."""


@dataclass(frozen=True, eq=False)
class Original:
    """A data set with its code table: what every comparison starts from."""

    data: DataSet
    table: Table
    rows: Transactions
    """The distinct rows."""
    ranks: NDArray[np.int32]
    """Which of two equally frequent items comes first, as in the authors' program."""
    code_table: CodeTable
    stages: dict[int, CodeTable]
    """Tables of larger minimum supports, from the same search."""
    threads: int

    def search(self, rows: Transactions) -> CodeTable:
        """The code table of other rows, with the settings and the ties of this data set."""
        found = krimp(
            rows,
            self.table.schema,
            min_support=min(self.data.min_support, rows.size),
            candidates=self.data.candidates,
            ranks=self.ranks,
            limit=MOST_CANDIDATES,
            threads=self.threads,
        )
        return found.code_table

    def model(self, order: str = "random order", table: CodeTable | None = None) -> GeneratorModel:
        """The generator of the papers: plain usages and their Laplace correction."""
        orders: dict[str, Order] = {
            "random order": "random",
            "column order": "columns",
            BACKWARDS: self.table.schema.names[::-1],
        }
        settings = GeneratorSettings(
            min_support=self.data.min_support,
            laplace=LAPLACE,
            candidates=self.data.candidates,
            order=orders[order],
        )
        # A table without patterns is empty, and still the one asked for.
        return GeneratorModel(self.code_table if table is None else table, settings)

    def sizes(self, other: Table) -> CrossSizes:
        """Both databases in each other's codes."""
        rows = other.transactions.distinct()
        return cross_sizes((self.code_table, self.search(rows)), (self.rows, rows))


def narrowed(lab: Lab, start: Original, columns: Sequence[int]) -> Original:
    """The same rows in some of the columns, searched anew."""
    schema = Schema(tuple(start.table.schema.attributes[c] for c in columns))
    table = Table(schema, start.table.codes[:, columns])
    return _searched(lab, start.data, table, ())


def original(lab: Lab, data: DataSet, stages: Collection[int] = ()) -> Original:
    """Read a data set and search its code table, once for all experiments."""
    return lab.once(("original", data.name, tuple(stages)), lambda: _read(lab, data, stages))


def _read(lab: Lab, data: DataSet, stages: Collection[int]) -> Original:
    lab.tell(f"{data.name}: code table")
    table = _quest_table(lab, data) if data.file is None else lab.shelf.table(data.file)
    return _searched(lab, data, table, stages)


def _searched(lab: Lab, data: DataSet, table: Table, stages: Collection[int]) -> Original:
    rows = table.transactions.distinct()
    ranks = _ranks(table)
    found = krimp(
        rows,
        table.schema,
        min_support=data.min_support,
        candidates=data.candidates,
        ranks=ranks,
        limit=MOST_CANDIDATES,
        snapshots=stages,
        threads=lab.threads,
    )
    return Original(data, table, rows, ranks, found.code_table, found.tables, lab.threads)


def _quest_table(lab: Lab, data: DataSet) -> Table:
    """Quest baskets with the defaults of IBM's program, but for the number of items."""
    rows, columns = (100, 5) if lab.small else (data.rows, data.columns)
    settings = Quest(patterns=10_000, items=columns, mode="ibm")
    return binary_table(quest(rows, settings, randomness=lab.randomness("quest", data.name)))


def _ranks(table: Table) -> NDArray[np.int32]:
    """More frequent items first, of equals the one with the larger original number.

    The numbers are those of the file: in Mushroom the class stands last but is numbered first.
    """
    counts = table.transactions.item_counts
    numbers = np.array([int(value or 0) for a in table.schema for value in a.values])
    if len(np.unique(numbers)) != len(numbers):  # Quest's columns all hold 0 and 1
        numbers = np.arange(len(numbers))
    ranks = np.empty(len(counts), np.int32)
    ranks[np.lexsort((-numbers, -counts))] = np.arange(len(counts), dtype=np.int32)
    return ranks


def readings(data: DataSet) -> tuple[str, ...]:
    """The orders in which this data set is drawn."""
    return (*ORDERS, BACKWARDS) if data.backwards else ORDERS


def repeats(lab: Lab, data: DataSet) -> int:
    """Ten runs as published; three in a quick run, two where a search is slow."""
    return lab.repeats(10, quick=2 if data.slow else 3, slow=data.slow)


@dataclass(frozen=True, slots=True)
class Run:
    """What one generated database shows."""

    sizes: CrossSizes
    nas: float
    patterns_per_row: float


def runs(lab: Lab, data: DataSet, order: str) -> list[Run]:
    """Draw, search and compare, as often as published."""
    return lab.once(("runs", data.name, order), lambda: _runs(lab, data, order))


def _runs(lab: Lab, data: DataSet, order: str) -> list[Run]:
    start = original(lab, data)
    found = []
    for drawn, per_row in _databases(lab, start, order, "run"):
        nas = compare(comparison_with(lab, start, drawn), ["nas"])["nas"]
        found.append(Run(start.sizes(drawn), nas.value, per_row))
    return found


def _databases(lab: Lab, start: Original, order: str, doing: str) -> Iterator[tuple[Table, float]]:
    """The generated databases, the same ones whoever asks, with their patterns per row."""
    model = start.model(order)
    for number in range(repeats(lab, start.data)):
        lab.tell(f"{start.data.name}: {order}, {doing} {number + 1}")
        yield draw(lab, start, model, order, number)


def draw(
    lab: Lab, start: Original, model: GeneratorModel, *use: object, rows: int | None = None
) -> tuple[Table, float]:
    """A generated database, as large as the original unless told, and the patterns per row."""
    randomness = lab.randomness(start.data.name, *use)
    drawn = model.process.draw(
        rows or len(start.table), key=randomness.key("rows"), threads=lab.threads
    )
    return Table(start.table.schema, drawn.codes), float(drawn.patterns_used.mean())


def comparison_with(lab: Lab, start: Original, drawn: Table) -> Comparison:
    """A generated database beside the original, whose counts are kept."""
    first = lab.once(
        ("comparison", start.data.name),
        lambda: Comparison(
            start.table,
            start.table,
            randomness=lab.randomness("comparison"),
            min_support=start.data.min_support,
            evaluation_support=start.data.min_support,
            threads=lab.threads,
        ),
    )
    return first.with_release(drawn, keep=False)


@dataclass(frozen=True, eq=False)
class PatternRun:
    """The frequent itemsets of one generated database against those of the original."""

    equal: float
    """Share of the original's itemsets that are frequent in it."""
    differences: NDArray[np.float64]
    """By how much the supports of these moved, as shares of rows."""
    new: float
    """Mean support of the itemsets that are frequent in it only."""
    new_as_coded: float
    """The same with the longest itemsets counted but not added, as the authors' program does."""
    original_too: float
    """Share of its itemsets that are frequent in the original."""


def pattern_runs(lab: Lab, data: DataSet, order: str) -> list[PatternRun]:
    """Mine the databases of `runs` and compare their itemsets."""

    def make() -> list[PatternRun]:
        start = original(lab, data)
        drawn = _databases(lab, start, order, "itemsets of run")
        return [_patterns(lab, start, database) for database, _ in drawn]

    return lab.once(("pattern runs", data.name, order), make)


def _patterns(lab: Lab, start: Original, drawn: Table) -> PatternRun:
    support, rows = start.data.min_support, len(start.table)
    ours = lab.once(("mined", start.data.name), lambda: mine(start.rows, min_support=support))
    theirs = mine(drawn.transactions.distinct(), min_support=support)
    found = matched(ours, theirs)
    common, new = found >= 0, matched(theirs, ours) < 0
    shares, lengths = theirs.supports[new] / rows, theirs.lengths[new]
    counted = shares[lengths < theirs.lengths.max(initial=0)]
    return PatternRun(
        equal=float(common.mean()),
        differences=(found - ours.supports)[common] / rows,
        new=float(shares.mean()) if len(shares) else 0.0,
        new_as_coded=float(counted.sum()) / max(len(shares), 1),
        original_too=1 - float(new.mean()),
    )


def internal_runs(lab: Lab, data: DataSet, *, replace: bool) -> list[CrossSizes]:
    """The original against random halves of itself."""

    def make() -> list[CrossSizes]:
        start = original(lab, data)
        size, half = len(start.table), -(-len(start.table) // 2)
        found = []
        for number in range(repeats(lab, data)):
            lab.tell(f"{data.name}: half {number + 1}")
            rng = lab.randomness("internal", data.name, number).child("half")
            rows = rng.choice(size, half, replace=replace)
            found.append(start.sizes(start.table.take(rows)))
        return found

    return lab.once(("internal", data.name, replace), make)


def single_values(start: Original) -> CodeTable:
    """The table without patterns: single values by their counts, so that columns are drawn apart.

    The report calls what it draws "uncorrelated".
    """
    counts = start.table.transactions.item_counts
    return CodeTable(start.table.schema, [], [], [], counts, counts, len(start.table))
