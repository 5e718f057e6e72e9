"""The lever for a target: a tree whose leaves partition the rows, and one table of leaf × target.

Tables of up to three columns say little about a class that many columns decide together. The leaves
of a tree do, and a row is in one of them only: leaf × target costs what one column costs. Which
column a node asks for is chosen by the exponential mechanism, where the model is most wrong about
the target; the nodes of a level hold different rows and so cost together what one of them does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from halfmask.methods.private import accounting
from halfmask.methods.private.accounting import BudgetLedger
from halfmask.methods.private.log import LeafNode, LeafTable, leaves_of, nodes_of
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

    codes: NDArray[np.int32]
    pool: NDArray[np.int32]
    sizes: tuple[int, ...]
    target: int
    total: float
    bits: RandomBits

    def counts(self, rows: NDArray[np.int32], column: int) -> NDArray[np.int64]:
        """Value × class of some rows."""
        classes = self.sizes[self.target]
        cells = rows[:, column].astype(np.int64) * classes + rows[:, self.target]
        return np.bincount(cells, minlength=self.sizes[column] * classes)

    def choice(
        self,
        rows: NDArray[np.int32],
        pool: NDArray[np.int32],
        columns: Sequence[int],
        epsilon: Fraction,
        sigma: float,
    ) -> int:
        """The column about which the model is most wrong here; one row changes a score by one."""
        scale = self.total / len(self.pool)
        scores = []
        for column in columns:
            expected = np.rint(self.counts(pool, column) * scale * UNIT).astype(np.int64)
            off = int(np.abs(self.counts(rows, column) * UNIT - expected).sum())
            scores.append(off - round(UNIT * sqrt(2 / pi) * sigma * len(expected)))
        picked = choose(scores, sensitivity=UNIT, epsilon=epsilon, bits=self.bits)
        return columns[picked.index]


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
    leaves = leaves_of(tuple(nodes), grower.codes).astype(np.int64)
    classes = grower.sizes[grower.target]
    cells = leaves * classes + grower.codes[:, grower.target]
    lines = sum(node.column is None for node in nodes)
    truth = np.bincount(cells, minlength=lines * classes)
    counts = truth + discrete_gaussian(variance, len(truth), grower.bits)
    return LeafTable(tuple(nodes), grower.target, counts.reshape(lines, -1), variance), ledger


def _divide(
    nodes: list[LeafNode], grower: Grower, epsilon: Fraction, sigma: float, settings: TreeSettings
) -> bool:
    """Ask a column in every leaf that is large enough, as the pool says; whether there was one."""
    at, pool_at = (nodes_of(tuple(nodes), rows) for rows in (grower.codes, grower.pool))
    asked = _asked(nodes)
    scale = grower.total / len(grower.pool)
    divided = False
    for number in [n for n, node in enumerate(nodes) if node.column is None]:
        here = grower.pool[pool_at == number]
        room = len(here) * scale / (settings.least * sigma)  # values that a column may have
        columns = [
            c
            for c, size in enumerate(grower.sizes)
            if c != grower.target and c not in asked[number] and 1 < size <= room
        ]
        if not columns or len(nodes) > settings.most_leaves:
            continue
        column = grower.choice(grower.codes[at == number], here, columns, epsilon, sigma)
        first = len(nodes)
        nodes[number] = LeafNode(column, tuple(range(first, first + grower.sizes[column])))
        nodes.extend(LeafNode() for _ in range(grower.sizes[column]))
        divided = True
    return divided


def _asked(nodes: Sequence[LeafNode]) -> list[set[int]]:
    """The columns asked on the way to each node."""
    asked: list[set[int]] = [set() for _ in nodes]
    for number, node in enumerate(nodes):
        for child in node.children:
            asked[child] = asked[number] | ({node.column} if node.column is not None else set())
    return asked
