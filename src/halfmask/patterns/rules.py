"""Association rules: who holds X often also holds y.

support(X → y) = supp(X ∪ {y}),   confidence(X → y) = supp(X ∪ {y}) / supp(X)
"""

from __future__ import annotations

from dataclasses import dataclass

from halfmask.data import Itemset
from halfmask.errors import BadInput
from halfmask.patterns.mining import Itemsets


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with a single item as its head."""

    body: Itemset
    head: int
    support: int
    """How many rows hold body and head."""
    confidence: float
    """The share of the rows with the body that also hold the head."""

    @property
    def what(self) -> tuple[Itemset, int]:
        """The rule without its numbers: what makes it the same rule elsewhere."""
        return self.body, self.head


def rules(itemsets: Itemsets, *, min_confidence: float, max_items: int | None = None) -> list[Rule]:
    """All rules of these itemsets with one item as head, in the order of the itemsets.

    The itemsets must be all frequent ones, so that the body of every rule is among them.

    >>> from halfmask.data import Transactions
    >>> from halfmask.patterns.mining import mine
    >>> rows = Transactions.of([(0, 1), (0, 1), (0,)], n_items=2)
    >>> [(r.body, r.head, r.support, round(r.confidence, 3))
    ...  for r in rules(mine(rows, min_support=1), min_confidence=0.6)]
    [((1,), 0, 2, 1.0), ((0,), 1, 2, 0.667)]
    """
    if not 0 < min_confidence <= 1:
        raise BadInput(
            f"The minimum confidence lies above 0 and is at most 1, not {min_confidence}."
        )
    listed = [(tuple(sorted(items)), support) for items, support in itemsets]
    support_of = dict(listed)
    found = []
    for items, support in listed:
        if len(items) < 2 or (max_items is not None and len(items) > max_items):
            continue
        for head in items:
            body = tuple(item for item in items if item != head)
            if body not in support_of:
                raise BadInput("Rules need all frequent itemsets; a part of one is missing here.")
            if support >= min_confidence * support_of[body]:
                found.append(Rule(body, head, support, support / support_of[body]))
    return found
