"""Hiding association rules (Verykios, Elmagarmid, Bertino, Saygin & Dasseni, TKDE 2004).

1.a raises the support of the left side; 1.b and 2.a lower the support of the rule; 2.b and 2.c
lower the support of the itemset that generates it. Every loop looks at the true counts after
each edit: predicted numbers of steps are wrong once an edit touches two sensitive rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations, cycle
from typing import Literal, get_args

import numpy as np

from halfmask.data import Itemset, Transactions
from halfmask.errors import BadInput
from halfmask.methods.hiding.edits import EditDraft, Edits
from halfmask.methods.hiding.index import Index
from halfmask.methods.hiding.outcome import Target
from halfmask.methods.hiding.sensitive import Sensitive, check_share, min_count

Strategy = Literal["1.a", "1.b", "2.a", "2.b", "2.c"]


@dataclass(frozen=True, slots=True)
class HideRules:
    """Push sensitive rules or itemsets below the thresholds of a miner.

    A rule is hidden when its support lies below `min_support` or its confidence below
    `min_confidence`, an itemset when its support does.

    >>> HideRules("2.c", min_support=0.01).strategy
    '2.c'
    """

    strategy: Strategy = "1.b"
    min_support: float = 1
    """A whole number of rows, or a share."""
    min_confidence: float | None = None

    def __post_init__(self) -> None:
        if self.strategy not in get_args(Strategy):
            raise BadInput(
                f"There is no rule hiding strategy {self.strategy!r}; "
                f"there is {', '.join(get_args(Strategy))}."
            )
        min_count(self.min_support, 1)
        if self.min_confidence is not None:
            check_share("minimum confidence", self.min_confidence)
        elif self.by_confidence:
            raise BadInput(f"Strategy {self.strategy} needs a minimum confidence.")

    @property
    def by_confidence(self) -> bool:
        """Whether the strategy works on rules and not on itemsets."""
        return self.strategy in ("1.a", "1.b", "2.a")

    def targets(self, index: Index, sensitive: Sensitive) -> tuple[Target, ...]:
        """Each rule and itemset below the thresholds."""
        floor = min_count(self.min_support, index.n_rows)
        if self.by_confidence and sensitive.itemsets:
            raise BadInput(
                f"Strategy {self.strategy} hides rules ('a -> b'), and there is an itemset among "
                "the sensitive patterns; 2.b and 2.c hide both."
            )
        rules = tuple(Target(rule, floor, self.min_confidence) for rule in sensitive.rules)
        return rules + tuple(Target(itemset, floor) for itemset in sensitive.itemsets)

    def edits(
        self, rows: Transactions, index: Index, sensitive: Sensitive, _rng: np.random.Generator
    ) -> Edits:
        """The items to add or take out."""
        draft, floor = EditDraft(rows, index), min_count(self.min_support, index.n_rows)
        if self.by_confidence:
            hide: Callable[[EditDraft, Target], None] = {
                "1.a": _add_to_left,
                "1.b": _remove_from_right,
                "2.a": _remove_from_rule,
            }[self.strategy]
            done = -1
            while done < len(draft.log):  # hiding one rule can bring back another: look again
                done = len(draft.log)
                for target in self.targets(index, sensitive):
                    hide(draft, target)
        elif self.strategy == "2.b":
            _remove_shortest_first(draft, floor, sensitive.all_itemsets)
        else:
            _remove_in_turns(draft, floor, sensitive.all_itemsets)
        return Edits.of(draft.log)


def _visible(draft: EditDraft, target: Target) -> bool:
    support, left = draft.support(target.itemset), draft.support(target.rule.lhs)
    return not target.met(support, support / left if left else None)


def _add_to_left(draft: EditDraft, target: Target) -> None:
    """1.a: complete the left side in rows that cannot complete the rule, fullest first."""
    rule = target.rule
    partial = {row for item in rule.lhs for row in draft.watch((item,)).rows}
    partial -= draft.watch(rule.lhs).rows | draft.watch(rule.rhs).rows
    order = sorted(partial, key=lambda row: (-len(draft.row(row).intersection(rule.lhs)), row))
    for row in order:
        if not _visible(draft, target):
            return
        for item in rule.lhs:
            if item not in draft.row(row):
                draft.add(row, item)


def _remove_from_right(draft: EditDraft, target: Target) -> None:
    """1.b: an item of the right side, shortest rows first."""
    _remove_while_visible(draft, target, target.rule.rhs)


def _remove_from_rule(draft: EditDraft, target: Target) -> None:
    """2.a: an item of either side, shortest rows first."""
    _remove_while_visible(draft, target, target.itemset)


def _remove_while_visible(draft: EditDraft, target: Target, candidates: Itemset) -> None:
    for row in draft.shortest_first(target.itemset):
        if not _visible(draft, target):
            return
        draft.remove(row, _least_impact(draft, target, candidates))


def _least_impact(draft: EditDraft, target: Target, candidates: Itemset) -> int:
    """The item whose loss makes the fewest itemsets one smaller infrequent.

    Such an itemset is lost by one removal exactly when it stands at the threshold. Ties: the item
    of larger support, then of smaller number.
    """
    itemset = target.itemset
    smaller = list(combinations(itemset, len(itemset) - 1)) if len(itemset) > 1 else []

    def impact(item: int) -> tuple[int, int, int]:
        lost = sum(item in z and draft.support(z) == target.support_below for z in smaller)
        return lost, -draft.support((item,)), item

    return min(candidates, key=impact)


def _remove_shortest_first(draft: EditDraft, floor: int, itemsets: Iterable[Itemset]) -> None:
    """2.b: large and well supported itemsets first; the best supported item of each goes."""
    for itemset in sorted(itemsets, key=lambda z: (-len(z), -draft.support(z))):
        for row in draft.shortest_first(itemset):
            if draft.support(itemset) < floor:
                break
            draft.remove(row, draft.best_supported(itemset))


def _remove_in_turns(draft: EditDraft, floor: int, itemsets: Iterable[Itemset]) -> None:
    """2.c: rows in file order, the items of the itemset in turns."""
    for itemset in itemsets:
        turns = cycle(itemset)
        for row in sorted(draft.watch(itemset).rows):
            if draft.support(itemset) < floor:
                break
            draft.remove(row, next(turns))
