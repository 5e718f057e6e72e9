"""Mining by definition: the map for readers and the oracle of the tests, not for real data."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from halfmask.data import Itemset, Transactions
from halfmask.patterns.mining import item_ranks

Supports = dict[Itemset, int]
WeightedRows = list[tuple[set[int], int]]


def frequent_itemsets(rows: Transactions, min_support: int) -> Supports:
    """Every itemset that is in at least `min_support` rows, with its support.

    >>> frequent_itemsets(Transactions.of([(0, 1), (0, 1), (0, 2)], n_items=3), 2)
    {(0,): 3, (0, 1): 2, (1,): 2}
    """

    def extend(itemset: Itemset, holders: WeightedRows) -> Iterator[tuple[Itemset, int]]:
        # A superset is in no more rows, so an infrequent itemset ends its branch.
        for item in range(itemset[-1] + 1 if itemset else 0, rows.n_items):
            left = [(row, w) for row, w in holders if item in row]
            support = sum(w for _, w in left)
            if support >= min_support:
                yield (*itemset, item), support
                yield from extend((*itemset, item), left)

    everything = [(set(row), int(w)) for row, w in zip(rows, rows.weights, strict=True)]
    return dict(extend((), everything))


def closed_itemsets(frequent: Supports) -> Supports:
    """The itemsets that have no proper superset of the same support.

    >>> closed_itemsets({(0,): 3, (0, 1): 2, (1,): 2})
    {(0,): 3, (0, 1): 2}
    """
    rivals: dict[int, list[set[int]]] = {}
    for itemset, support in frequent.items():
        rivals.setdefault(support, []).append(set(itemset))
    return {
        itemset: support
        for itemset, support in frequent.items()
        if not any(set(itemset) < larger for larger in rivals[support])
    }


def candidate_order(
    itemsets: Supports,
    rows: Transactions,
    *,
    max_length: int | None = None,
    forbidden: Collection[tuple[int, int]] = (),
) -> list[tuple[Itemset, int]]:
    """The admitted itemsets: support descending, length descending, then by the ranks of items.

    >>> rows = Transactions.of([(0, 1), (0, 1), (0, 2)], n_items=3)
    >>> candidate_order({(0, 1): 2, (1,): 2, (0,): 3}, rows, forbidden=[(0, 1)])
    [((0,), 3), ((1,), 2)]
    """
    ranks = item_ranks(rows).tolist()
    admitted = {
        itemset: support
        for itemset, support in itemsets.items()
        if (max_length is None or len(itemset) <= max_length)
        and not any({a, b} <= set(itemset) for a, b in forbidden)
    }
    return sorted(
        admitted.items(),
        key=lambda pair: (-pair[1], -len(pair[0]), sorted(ranks[item] for item in pair[0])),
    )
