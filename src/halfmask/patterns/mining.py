"""Frequent itemsets: all of them, or the closed ones, in the order in which a search takes them.

The number an item has inside a search: its rank by support.

Candidates of equal support and length are ordered by these ranks, so they decide ties: the most
frequent item has rank 0, and of equally frequent items the one with the larger item number comes
first (the numbering of the authors' program).

What a minimum support means: a number of rows, given as such or as a share of all rows.

Association rules: who holds X often also holds y.
support(X → y) = supp(X ∪ {y}),   confidence(X → y) = supp(X ∪ {y}) / supp(X)
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Itemset, Transactions
from halfmask.errors import BadInput, HalfmaskError, UnknownName
from halfmask.run import Progress, heeding


def item_ranks(rows: Transactions) -> NDArray[np.int32]:
    """The rank of every item.

    >>> item_ranks(Transactions.of([(0, 2), (2,), (1, 2)], n_items=3)).tolist()
    [2, 1, 0]
    """
    counts = rows.item_counts
    by_rank = np.lexsort((-np.arange(rows.n_items), -counts))
    ranks = np.empty(rows.n_items, np.int32)
    ranks[by_rank] = np.arange(rows.n_items, dtype=np.int32)
    return ranks


_ROUNDING = 1e-9
"""0.003 · 1000 is 3 rows although its floating-point product may lie a little above."""


def absolute_support(min_support: float, rows: int) -> int:
    """The minimum support as a number of rows; a fraction is rounded up.

    >>> absolute_support(20, rows=1000), absolute_support(0.0015, rows=1000)
    (20, 2)
    >>> absolute_support(1, rows=1000), absolute_support(1.0, rows=1000)
    (1, 1000)
    """
    whole = isinstance(min_support, Integral) and not isinstance(min_support, bool)
    if whole and 1 <= min_support <= rows:
        return int(min_support)
    # A comparison with nan is false, so nan is refused here too.
    fraction = isinstance(min_support, Real) and not isinstance(min_support, Integral)
    if fraction and rows >= 1 and 0 < min_support <= 1:
        return max(1, math.ceil(float(min_support) * rows - _ROUNDING))
    raise BadInput(
        f"A minimum support of {min_support!r} is not possible for {rows:,} rows; it is a whole "
        f"number from 1 to {rows:,}, or a fraction above 0 and up to 1.0."
    )


Kind = Literal["all", "closed"]

DEFAULT_LIMIT = 20_000_000
"""So many itemsets take about one gigabyte."""

DEFAULT_BYTES = 4 * 2**30
"""What the itemsets may take while they are mined and ordered."""

_UNBOUNDED = 2**63 - 1


class TooManyItemsets(BadInput):
    """More itemsets than fit, and the smallest support whose itemsets do."""

    def __init__(self, *, min_support: int, kind: Kind, found: int, limit: int, fits: int) -> None:
        self.found = found
        self.limit = limit
        self.fits = fits
        other = "" if kind == "closed" else ", mine only the closed ones"
        super().__init__(
            f"At least {found:,} itemsets have a support of {min_support:,} or more, which "
            f"exceeds the limit of {limit:,} or the memory for them; raise min_support to "
            f"{fits:,}{other}, or search with Slim, which needs no list of itemsets."
        )


class MiningStopped(HalfmaskError):
    """Somebody asked to stop before every itemset was found."""


@dataclass(frozen=True, eq=False)
class Itemsets:
    """Itemsets in candidate order; itemset i is `items[offsets[i]:offsets[i + 1]]`, increasing.

    Candidate order: support descending, then length descending, then lexicographic on the ranks.
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    supports: NDArray[np.int64]

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.supports) + 1 or self.offsets[-1] != len(self.items):
            raise BadInput("The offsets of these itemsets do not fit their items and supports.")

    def __len__(self) -> int:
        return len(self.supports)

    def __iter__(self) -> Iterator[tuple[Itemset, int]]:
        stops = zip(self.offsets[:-1], self.offsets[1:], self.supports.tolist(), strict=True)
        for start, stop, support in stops:
            yield tuple(self.items[start:stop].tolist()), support

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of items of each itemset."""
        return np.diff(self.offsets)

    def rows(self, numbers: NDArray[np.intp], n_items: int) -> Transactions:
        """The itemsets of these numbers as rows, each with its items in increasing order.

        >>> found = Itemsets(np.array([0, 2, 3]), np.array([4, 1, 2], np.int32), np.array([5, 5]))
        >>> list(found.rows(np.array([1, 0]), n_items=5))
        [(2,), (1, 4)]
        """
        every = Transactions(self.offsets, self.items, np.ones(len(self), np.int64), n_items)
        taken = every.take(numbers)
        items = taken.items[np.lexsort((taken.items, taken.row_of))]
        return replace(taken, items=items)


def mine(  # noqa: PLR0913 - each option narrows the answer in its own way
    rows: Transactions,
    *,
    min_support: int,
    kind: Kind = "all",
    max_length: int | None = None,
    forbidden: Collection[tuple[int, int]] = (),
    limit: int = DEFAULT_LIMIT,
    max_bytes: int = DEFAULT_BYTES,
    ranks: NDArray[np.int32] | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Itemsets:
    """Every itemset that at least `min_support` rows hold, or every closed one.

    Closed means that no larger itemset has the same support in these rows; `max_length` and the
    `forbidden` pairs then take itemsets away, they do not make others closed.

    >>> rows = Transactions.of([(0, 1), (0, 1), (0, 2)], n_items=3)
    >>> list(mine(rows, min_support=2))
    [((0,), 3), ((0, 1), 2), ((1,), 2)]
    >>> list(mine(rows, min_support=2, kind="closed"))
    [((0,), 3), ((0, 1), 2)]
    """
    _check(rows, min_support=min_support, kind=kind, max_length=max_length, forbidden=forbidden)
    order = item_ranks(rows) if ranks is None else ranks
    item_of_rank = np.argsort(order).astype(np.int32)
    ranked = rows.relabelled(order)
    try:
        offsets, items, supports, stopped = _native.mine(
            ranked.offsets,
            ranked.items,
            ranked.weights,
            item_of_rank,
            min_support,
            kind == "closed",
            _UNBOUNDED if max_length is None else max_length,
            [(int(order[a]), int(order[b])) for a, b in forbidden],
            limit,
            max_bytes,
            threads,
            heeding(progress),
        )
    except _native.TooManyItemsets as excess:
        found, fits = excess.args
        raise TooManyItemsets(
            min_support=min_support, kind=kind, found=found, limit=limit, fits=fits
        ) from None
    if stopped:
        raise MiningStopped("Mining was stopped before every itemset was found.")
    return Itemsets(offsets.view(np.int64), items, supports.astype(np.int64))


def _check(
    rows: Transactions,
    *,
    min_support: int,
    kind: str,
    max_length: int | None,
    forbidden: Collection[tuple[int, int]],
) -> None:
    if min_support < 1:
        raise BadInput(f"The minimum support is at least 1 row, not {min_support}.")
    if kind not in get_args(Kind):
        raise UnknownName("kind of itemsets", str(kind), get_args(Kind))
    if max_length is not None and max_length < 1:
        raise BadInput(f"The longest itemset holds at least 1 item, not {max_length}.")
    for pair in forbidden:
        if len(set(pair)) != 2 or not all(0 <= item < rows.n_items for item in pair):
            raise BadInput(
                f"A forbidden pair names two different items below {rows.n_items}, not {pair}."
            )


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
