"""Blocking: cells become `?` until no reader can be sure of a pattern (Saygin et al. 2001, 2002).

GIH makes the itemset that generates a rule uncertain, CR the rule's right side, CR2 the absence
of its left side. Bertino and Nai Fovino call replacing values by unknowns fuzzification; that
their three fuzzification algorithms are these three is our reading, not a fact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from halfmask.data import Itemset, Transactions
from halfmask.errors import BadInput
from halfmask.methods.hiding.edits import Cell, EditDraft, Edits
from halfmask.methods.hiding.index import Index
from halfmask.methods.hiding.outcome import Target
from halfmask.methods.hiding.sensitive import (
    SLACK,
    Sensitive,
    check_share,
    min_count,
)

Strategy = Literal["gih", "cr", "cr2"]


@dataclass(frozen=True, slots=True)
class Block:
    """Replace cells by `?` until the sure support or confidence lies a margin below the threshold.

    A reader knows intervals only: the sure support counts rows where all items are in, the sure
    confidence divides it by the rows where the left side may be in. `margin` is a share, taken
    from both thresholds. Where only present items are blocked, a reader may take every `?` for an
    item that was there; `decoys` blocks that many absent cells for each present one.

    >>> Block("cr", min_support=0.2, min_confidence=0.7, margin=0.05).decoys
    0.0
    """

    strategy: Strategy = "cr"
    min_support: float = 1
    min_confidence: float | None = None
    margin: float = 0.0
    decoys: float = 0.0

    def __post_init__(self) -> None:
        if self.strategy not in get_args(Strategy):
            raise BadInput(
                f"There is no blocking strategy {self.strategy!r}; "
                f"there is {', '.join(get_args(Strategy))}."
            )
        min_count(self.min_support, 1)
        check_share("safety margin", self.margin)
        if self.min_confidence is not None:
            check_share("minimum confidence", self.min_confidence)
        elif self.strategy != "gih":
            raise BadInput(f"Strategy {self.strategy} needs a minimum confidence.")
        if self.decoys < 0:
            raise BadInput(f"The number of decoys for each blocked cell is not {self.decoys:g}.")

    def targets(self, index: Index, sensitive: Sensitive) -> tuple[Target, ...]:
        """Sure support or sure confidence a margin below the threshold."""
        if self.strategy != "gih" and sensitive.itemsets:
            raise BadInput(
                f"Strategy {self.strategy} hides rules ('a -> b'), and there is an itemset among "
                "the sensitive patterns; gih hides both."
            )
        floor = self._support_below(index.n_rows)
        below = None if self.min_confidence is None else self.min_confidence - self.margin
        rules = tuple(Target(rule, floor, below) for rule in sensitive.rules)
        return rules + tuple(Target(itemset, floor) for itemset in sensitive.itemsets)

    def _support_below(self, size: int) -> int:
        """The threshold less the margin as a number of rows; less than no row is impossible."""
        share = min_count(self.min_support, size)
        return max(int(np.ceil(share - self.margin * size - SLACK)), 1)

    def edits(
        self, rows: Transactions, index: Index, sensitive: Sensitive, rng: np.random.Generator
    ) -> Edits:
        """The cells to make unknown."""
        bench = _BlockBench(rows, index)
        targets = self.targets(index, sensitive)
        if self.strategy == "gih":
            for itemset in sensitive.all_itemsets:
                _block_itemset(bench, itemset, targets[0].support_below)
        else:
            block = _block_right if self.strategy == "cr" else _block_left
            for target in targets:
                block(bench, target)
        bench.place_decoys(self.decoys, rng)
        return Edits.of(bench.log)


class _BlockBench:
    """Two drafts: what is in for certain, and what may be in."""

    def __init__(self, rows: Transactions, index: Index) -> None:
        self.certain = EditDraft(rows, index)
        self.possible = EditDraft(rows, index)
        self.n_rows = len(rows)
        self.log: list[tuple[int, int, Cell, Cell]] = []

    def block(self, row: int, item: int) -> None:
        if item in self.certain.row(row):
            self.certain.remove(row, item)
            self.log.append((row, item, Cell.IN, Cell.UNKNOWN))
        else:
            self.possible.add(row, item)
            self.log.append((row, item, Cell.OUT, Cell.UNKNOWN))

    def visible(self, target: Target) -> bool:
        support = self.certain.support(target.itemset)
        left = self.possible.support(target.rule.lhs)
        return not target.met(support, support / left if left else None)

    def place_decoys(self, share: float, rng: np.random.Generator) -> None:
        """Unknowns where the blocked items are absent; they only ever widen an interval."""
        blocked = [item for _, item, before, _ in self.log if before == Cell.IN]
        wanted = round(share * len(blocked))
        tries = 20 * wanted  # an item that is nearly everywhere leaves no room
        while wanted and tries:
            tries -= 1
            row, item = int(rng.integers(self.n_rows)), blocked[int(rng.integers(len(blocked)))]
            if item not in self.possible.row(row):
                self.block(row, item)
                wanted -= 1


def _block_itemset(bench: _BlockBench, itemset: Itemset, support_below: int) -> None:
    """GIH: the best supported item of the itemset, in the rows with the fewest items."""
    for row in bench.certain.shortest_first(itemset):
        if bench.certain.support(itemset) < support_below:
            return
        bench.block(row, bench.certain.best_supported(itemset))


def _block_right(bench: _BlockBench, target: Target) -> None:
    """CR: an item of the right side in rows that hold the rule, shortest first."""
    rule = target.rule
    for row in bench.certain.shortest_first(rule.itemset):
        if not bench.visible(target):
            return
        bench.block(row, bench.certain.best_supported(rule.rhs))


def _block_left(bench: _BlockBench, target: Target) -> None:
    """CR2: the missing items of the left side where part of it is; first without the right side."""
    rule = target.rule
    partial = {row for item in rule.lhs for row in bench.possible.watch((item,)).rows}
    partial -= bench.possible.watch(rule.lhs).rows
    with_right = bench.possible.watch(rule.rhs).rows

    def order(row: int) -> tuple[bool, int, int]:
        return row in with_right, -len(bench.possible.row(row).intersection(rule.lhs)), row

    for row in sorted(partial, key=order):
        if not bench.visible(target):
            return
        for item in rule.lhs:
            if item not in bench.possible.row(row):
                bench.block(row, item)
