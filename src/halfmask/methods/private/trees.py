"""The lever for a target: a tree whose leaves partition the rows, and one table of leaf × target.

Tables of up to three columns say little about a class that many columns decide together. The leaves
of a tree do, and a row is in one of them only: leaf × target costs what one column costs. Which
column a node asks for is chosen by the exponential mechanism, where the model is most wrong about
the target; the nodes of a level hold different rows and so cost together what one of them does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from halfmask.data.rows import Rows
from halfmask.methods.loglinear import count_cells
from halfmask.methods.private import accounting
from halfmask.methods.private.accounting import BudgetLedger
from halfmask.methods.private.counts import NodePlaces, counts_of
from halfmask.methods.private.log import LeafNode, LeafTable, leaf_numbers, nodes_of
from halfmask.methods.private.mechanisms import (
    RandomBits,
    choose,
    discrete_gaussian,
    usable_variance,
)

UNIT = 1024
GROWING, LEAVES = "growing a tree for the target", "measuring its leaves"


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """How much of the budget a tree takes, and where it ends."""

    share: float = 0.4
    """Of the whole budget, when there is a target."""
    unclear_share: float = 0.2
    """The same where there is so much noise that more would make the other tables useless."""
    clear: float = 1000.0
    """From this clarity on (rows in units of the noise of a single table) the share is in full."""
    levels: int = 6
    growing: float = 0.2
    """The share of the tree's budget that is for choosing its columns."""
    least: float = 4.0
    """A leaf is divided while each part expects this many times the noise of a cell in all."""
    most_leaves: int = 4_000

    def share_of(self, clarity: float) -> float:
        """The share of the budget that the tree takes.

        >>> TreeSettings().share_of(200.0), TreeSettings().share_of(2000.0)
        (0.2, 0.4)
        """
        return self.share if clarity >= self.clear else min(self.share, self.unclear_share)


@dataclass(frozen=True, slots=True, eq=False)
class Grower:
    """What a tree is grown from: the rows, which only choices and noise may leave, and the pool."""

    rows: Rows
    pool: NDArray[np.int32]
    sizes: tuple[int, ...]
    target: int
    total: float
    bits: RandomBits

    @property
    def scale(self) -> float:
        """Rows of the original for each of the pool."""
        return self.total / len(self.pool)

    def off(
        self, nodes: Sequence[LeafNode], asked: Mapping[int, Sequence[int]]
    ) -> dict[int, NDArray[np.int64]]:
        """Of each column that a node may ask for: how far the model is off value × class there.

        All nodes of a level are asked in one question; a number for each, in their order.
        """
        number = np.full(len(nodes), len(asked), np.int32)
        number[list(asked)] = np.arange(len(asked))
        places = NodePlaces(tuple(nodes), number)
        columns = sorted({column for some in asked.values() for column in some})
        tables = places.tables(self.sizes, [(column, self.target) for column in columns])
        drawn = tables.split(count_cells(places.beside(self.pool), tables))
        truth = tables.split(counts_of(self.rows, tables, places))
        found: dict[int, NDArray[np.int64]] = {}
        for column, own, pool in zip(columns, truth, drawn, strict=True):
            expected = np.rint(pool * self.scale * UNIT).astype(np.int64)
            distances = np.abs(own * UNIT - expected)
            found[column] = distances.reshape(-1, self.sizes[column] * self.classes).sum(axis=1)
        return found

    @property
    def classes(self) -> int:
        """How many the target has."""
        return self.sizes[self.target]

    def choice(self, off: Mapping[int, int], epsilon: Fraction, sigma: float) -> int:
        """The column about which the model is most off; one row changes a score by one."""
        noise = UNIT * sqrt(2 / pi) * sigma
        scores = [n - round(noise * (self.sizes[c] * self.classes)) for c, n in off.items()]
        picked = choose(scores, sensitivity=UNIT, epsilon=epsilon, bits=self.bits)
        return [*off][picked.index]


def grow(
    grower: Grower, ledger: BudgetLedger, rho: float, settings: TreeSettings
) -> tuple[LeafTable, BudgetLedger]:
    """A tree and its noisy table for ρ."""
    sigma = accounting.gaussian_sigma((1 - settings.growing) * rho)
    price = settings.growing * rho / settings.levels
    nodes = [LeafNode()]
    for _ in range(settings.levels):
        ledger = ledger.spend(GROWING, price)
        epsilon = Fraction(floor(accounting.exponential_epsilon(price) * 10**9), 10**9)
        if not _divide(nodes, grower, epsilon, sigma, settings):
            break
    variance = usable_variance(sigma)
    ledger = ledger.spend(LEAVES, accounting.gaussian_rho(float(variance) ** 0.5))
    places = NodePlaces(tuple(nodes), leaf_numbers(nodes))
    tables = places.tables(grower.sizes, [(grower.target,)])
    truth = counts_of(grower.rows, tables, places)
    counts = truth + discrete_gaussian(variance, len(truth), grower.bits)
    told = counts.reshape(-1, grower.classes)
    return LeafTable(tuple(nodes), grower.target, told, variance), ledger


def _divide(
    nodes: list[LeafNode], grower: Grower, epsilon: Fraction, sigma: float, settings: TreeSettings
) -> bool:
    """Ask a column in every leaf that is large enough, as the pool says; whether there was one."""
    expected = np.bincount(nodes_of(tuple(nodes), grower.pool), minlength=len(nodes)) * grower.scale
    before = _asked(nodes)
    open_: dict[int, list[int]] = {}
    for number, node in enumerate(nodes):
        room = expected[number] / (settings.least * sigma)  # values that a column may have
        columns = [
            c
            for c, size in enumerate(grower.sizes)
            if c != grower.target and c not in before[number] and 1 < size <= room
        ]
        if node.column is None and columns:
            open_[number] = columns
    if not open_ or len(nodes) > settings.most_leaves:
        return False
    off = grower.off(nodes, open_)
    for place, (number, columns) in enumerate(open_.items()):
        if len(nodes) > settings.most_leaves:
            break
        column = grower.choice({c: int(off[c][place]) for c in columns}, epsilon, sigma)
        first = len(nodes)
        nodes[number] = LeafNode(column, tuple(range(first, first + grower.sizes[column])))
        nodes.extend(LeafNode() for _ in range(grower.sizes[column]))
    return True


def _asked(nodes: Sequence[LeafNode]) -> list[set[int]]:
    """The columns asked on the way to each node."""
    asked: list[set[int]] = [set() for _ in nodes]
    for number, node in enumerate(nodes):
        for child in node.children:
            asked[child] = asked[number] | ({node.column} if node.column is not None else set())
    return asked
