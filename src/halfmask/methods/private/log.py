"""The noisy log: everything that a release depends on, and nothing else of the table.

Whoever has the log draws the release again (`replay`), without the table: this is what makes the
guarantee of the log the guarantee of the release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from halfmask.methods.loglinear import Observation
from halfmask.methods.loglinear.tables import Columns
from halfmask.methods.private.accounting import BudgetLedger


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """The counts of one table with discrete Gaussian noise of the variance said."""

    columns: Columns
    counts: NDArray[np.int64]
    variance: Fraction

    def observation(self) -> Observation:
        """The same for the model."""
        return Observation.noisy(self.columns, self.counts, float(self.variance) ** 0.5)


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """How the pool that carries the model is kept; chosen beforehand, not from the data."""

    rows: int = 40_000
    """While tables are still chosen."""
    last_rows: int = 100_000
    """In the end, before the release is drawn."""
    rounds: int = 2
    """Of raking and redrawing after each choice."""
    last_rounds: int = 20
    priors: tuple[float, ...] = (10.0, 0.7, 0.5)
    doubt: float = 1.0
    """A table that says no more than this many times its noise is hardly believed."""
    tied: float = 0.6
    """Columns are drawn as a pair from this share of shared information on."""
    most_tied: int = 4
    threads: int = 1


@dataclass(frozen=True, slots=True)
class LeafNode:
    """A node of a tree that asks for the value of a column, or a leaf, which has none."""

    column: int | None = None
    children: tuple[int, ...] = ()
    """The next node for each value of the column."""


@dataclass(frozen=True, slots=True, eq=False)
class LeafTable:
    """A tree whose leaves partition the rows, and the noisy counts of leaf × target.

    A row is in one leaf only, so that the table costs what a table of one column costs, however
    many columns lead to a leaf.
    """

    nodes: tuple[LeafNode, ...]
    """Node 0 is the root."""
    target: int
    counts: NDArray[np.int64]
    """Of the leaves in the order of the nodes: a line for each, a count for each class."""
    variance: Fraction

    def leaves(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The leaf of each row, numbered in the order of the nodes."""
        return leaves_of(self.nodes, codes)


def nodes_of(nodes: tuple[LeafNode, ...], codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """The node in which each row comes to rest."""
    at = np.zeros(len(codes), np.int32)
    for number, node in enumerate(nodes):  # children stand behind their parents
        if node.column is not None:
            here = np.flatnonzero(at == number)
            at[here] = np.array(node.children, np.int32)[codes[here, node.column]]
    return at


def leaves_of(nodes: tuple[LeafNode, ...], codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """The leaf of each row, numbered in the order of the nodes."""
    return leaf_numbers(nodes)[nodes_of(nodes, codes)]


def leaf_numbers(nodes: Sequence[LeafNode]) -> NDArray[np.int32]:
    """Of each leaf which it is; of the other nodes, in which no row rests, it means nothing.

    A tree that is a single leaf has one.
    """
    return (np.cumsum([node.column is None for node in nodes]) - 1).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class NoisyLog:
    """Noisy counts in the order in which they were asked for, and what they cost."""

    sizes: tuple[int, ...]
    epsilon: float
    delta: float
    ledger: BudgetLedger
    pool: PoolSettings
    key: int
    """Of the draws of the pool: these need no secret."""
    steps: tuple[tuple[Measurement, ...], ...]
    """The tables measured at once; the first step is all single columns."""
    leaves: LeafTable | None = None
    """What was asked of a target along a tree."""
    seeded: bool = False
    """Whether the noise came from a seed: then nothing is promised."""

    @property
    def rows(self) -> int:
        """The number of rows as the noisy single columns say it, by precision."""
        return noisy_rows(self.steps[0])


def noisy_rows(singles: tuple[Measurement, ...]) -> int:
    """The number of rows from tables that each count all of them."""
    precision = [1 / (float(each.variance) * len(each.counts)) for each in singles]
    sums = [float(each.counts.sum()) for each in singles]
    estimate = np.average(sums, weights=precision)
    return max(1, round(float(estimate)))
