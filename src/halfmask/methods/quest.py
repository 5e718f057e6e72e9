"""The IBM Quest basket generator: synthetic shopping baskets with known patterns in them.

Agrawal & Srikant (VLDB 1994) describe it, and the data sets T10I4D100K and T40I10D100K come from
IBM's program. The two differ in details, so both are here: `mode="paper"` follows the article,
`mode="ibm"` the program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask import _native
from halfmask.data import Assortment, Attribute, Baskets, Schema, Table, Transactions
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput
from halfmask.randomness import Randomness

_Draw = Callable[[int, NDArray[np.int32]], NDArray[np.int32]]
"""So many items more for a pattern that already keeps these."""

EMPTY_RETRIES = 1000
"""An empty basket is filled anew; this bounds it for patterns that keep no item at all."""


@dataclass(frozen=True, slots=True)
class Quest:
    """What the baskets should look like; the defaults are the article's T10.I4 data.

    >>> Quest(basket_size=20, pattern_size=6).correlation_used
    0.5
    """

    basket_size: float = 10.0
    """|T|: mean number of items in a basket."""
    pattern_size: float = 4.0
    """|I|: mean number of items in a pattern."""
    patterns: int = 2000
    """|L|: number of patterns."""
    items: int = 1000
    """N: number of items."""
    correlation: float | None = None
    """Share of a pattern taken from the one before; 0.5 in the article, 0.25 in the program."""
    mode: Literal["paper", "ibm"] = "paper"

    def __post_init__(self) -> None:
        if self.mode not in ("paper", "ibm"):
            raise BadInput(f"Quest has the modes 'paper' and 'ibm', not {self.mode!r}.")
        if self.basket_size < 1 or self.pattern_size < 1:
            raise BadInput(
                f"Mean sizes are at least 1; asked for baskets of {self.basket_size:g} and "
                f"patterns of {self.pattern_size:g}."
            )
        if self.patterns < 1 or self.items < 1:
            raise BadInput("Quest needs at least one pattern and one item.")
        if self.correlation is not None and self.correlation < 0:
            raise BadInput(f"A correlation is at least 0, not {self.correlation:g}.")

    @property
    def correlation_used(self) -> float:
        """The correlation asked for, or the one of the mode."""
        if self.correlation is not None:
            return self.correlation
        return 0.5 if self.mode == "paper" else 0.25


@dataclass(frozen=True, eq=False)
class PatternPool:
    """The patterns hidden in the baskets; `cumulative` sums their weights up to 1."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    cumulative: NDArray[np.float64]
    corruption: NDArray[np.float64]
    n_items: int


def quest(baskets: int, settings: Quest | None = None, *, randomness: Randomness) -> Baskets:
    """Draw baskets; every item up to N is in their list of items, whether it occurs or not.

    A basket that comes out empty is filled anew, as IBM's program does; the article is silent.

    >>> drawn = quest(1000, Quest(basket_size=5, pattern_size=2), randomness=Randomness(1))
    >>> len(drawn), 4 < drawn.transactions.items.size / 1000 < 6
    (1000, True)
    """
    settings = settings or Quest()
    if baskets < 0:
        raise BadInput(f"The number of baskets is at least 0, not {baskets}.")
    pool = draw_pool(settings, randomness.child("quest patterns"))
    sizes = _sizes(settings.basket_size, baskets, settings.mode, randomness.child("quest sizes"))
    offsets, items = _native.fill_baskets(
        pool.offsets,
        pool.items,
        pool.cumulative,
        pool.corruption,
        pool.n_items,
        sizes,
        EMPTY_RETRIES,
        randomness.key("quest baskets"),
    )
    schema = Assortment(tuple(str(item) for item in range(settings.items)))
    rows = Transactions(offsets, items, np.ones(len(offsets) - 1, np.int64), settings.items)
    return Baskets(schema, rows)


def _sizes(mean: float, count: int, mode: str, rng: np.random.Generator) -> NDArray[np.int64]:
    """Poisson sizes of at least 1: cut off below in the article, shifted in the program."""
    if mode == "paper":
        return np.maximum(rng.poisson(mean, count), 1).astype(np.int64)
    return 1 + rng.poisson(mean - 1, count).astype(np.int64)


def draw_pool(settings: Quest, rng: np.random.Generator) -> PatternPool:
    """The patterns with their weights and corruption levels."""
    paper = settings.mode == "paper"
    sizes = _sizes(settings.pattern_size, settings.patterns, settings.mode, rng)
    if paper:
        sizes = np.minimum(sizes, settings.items)  # no item twice in a pattern
    shares = rng.exponential(settings.correlation_used, settings.patterns)
    draw = (_distinct_items if paper else _weighted_items)(settings.items, rng)
    patterns: list[NDArray[np.int32]] = []
    before = np.empty(0, np.int32)
    for size, share in zip(sizes.tolist(), shares.tolist(), strict=True):
        same = min(int(size * share + 0.5), size, len(before))
        kept = rng.choice(before, same, replace=False) if same else before[:0]
        before = np.concatenate([kept, draw(size - same, kept)])
        patterns.append(before.astype(np.int32))
    weights = rng.exponential(1.0, settings.patterns)
    mean, deviation = (0.5, np.sqrt(0.1)) if paper else (0.25, 0.1)
    return PatternPool(
        np.concatenate([[0], np.cumsum([len(p) for p in patterns])]).astype(np.int64),
        np.concatenate(patterns),
        np.cumsum(weights / weights.sum()),
        np.clip(rng.normal(mean, deviation, settings.patterns), 0.0, 1.0),
        settings.items,
    )


def _distinct_items(n_items: int, rng: np.random.Generator) -> _Draw:
    """Items drawn uniformly, none of them twice and none of those kept."""

    def draw(count: int, kept: NDArray[np.int32]) -> NDArray[np.int32]:
        found = dict.fromkeys(kept.tolist())
        wanted = min(len(found) + count, n_items)
        while len(found) < wanted:
            found.update(dict.fromkeys(rng.integers(n_items, size=wanted - len(found)).tolist()))
        return np.array(list(found)[len(kept) :], np.int32)

    return draw


def _weighted_items(n_items: int, rng: np.random.Generator) -> _Draw:
    """Items drawn with exponential weights, repeats allowed, as IBM's program does."""
    weights = rng.exponential(1.0, n_items)
    cumulative = np.cumsum(weights / weights.sum())

    def draw(count: int, _kept: NDArray[np.int32]) -> NDArray[np.int32]:
        drawn = np.searchsorted(cumulative, rng.random(count), side="right")
        return np.minimum(drawn, n_items - 1).astype(np.int32)

    return draw


def blocks_as_table(baskets: Baskets, *, block: int) -> Table:
    """Read baskets as a categorical table: each block of items is an attribute.

    The first item of the block that is in the basket is the value; a basket with none has the
    cell left out. This is how a table with known patterns is made from Quest baskets.

    >>> table = blocks_as_table(Baskets.of([["a", "d"], ["b"]], names="abcd"), block=2)
    >>> table.schema.names, table.codes.tolist()
    (('block 1', 'block 2'), [[0, 1], [1, -1]])
    """
    if block < 1:
        raise BadInput(f"A block holds at least one item, not {block}.")
    names = baskets.schema.names
    attributes = tuple(
        Attribute(f"block {i // block + 1}", tuple(names[i : i + block]))
        for i in range(0, len(names), block)
    )
    rows = baskets.transactions
    codes = np.full((len(rows), len(attributes)), ABSENT, np.int32)
    last_first = slice(None, None, -1)  # the first item of a block is written last, and stays
    codes[rows.row_of[last_first], rows.items[last_first] // block] = rows.items[last_first] % block
    return Table(Schema(attributes), codes)
