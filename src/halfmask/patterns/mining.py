"""Frequent itemsets: all of them, or the closed ones, in the order in which a search takes them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Itemset, Transactions
from halfmask.errors import BadInput, HalfmaskError, UnknownName
from halfmask.patterns.order import item_ranks

__all__ = [
    "DEFAULT_BYTES",
    "DEFAULT_LIMIT",
    "Itemsets",
    "Kind",
    "Progress",
    "TooManyItemsets",
    "mine",
]

Kind = Literal["all", "closed"]
Progress = Callable[[int, int], bool]

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
            f"At least {found:,} itemsets have a support of {min_support:,} or more, and {limit:,} "
            f"or the memory for them is the limit; raise min_support to {fits:,}{other}, or search "
            f"with Slim, which needs no list of itemsets."
        )


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
            progress,
        )
    except _native.TooManyItemsets as excess:
        found, fits = excess.args
        raise TooManyItemsets(
            min_support=min_support, kind=kind, found=found, limit=limit, fits=fits
        ) from None
    if stopped:
        raise HalfmaskError("Mining was stopped before every itemset was found.")
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
