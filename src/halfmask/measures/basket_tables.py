"""Baskets as tables: what attacks that look at columns read of them.

A column for each of the items that the release has most of, whether it is in the basket, and one
for the number of items in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Attribute, Baskets, Countable, Schema, Table
from halfmask.data.secrets import SecretPatterns
from halfmask.measures.comparison import Comparison

Counts = Mapping[tuple[str, ...], NDArray[np.float64]]

MOST_ITEMS = 60
"""All pairs of so many items, and many triples, are among the cells that are looked at."""
MOST_ROWS = 100_000
"""Rows of each side that are read; of more a seeded choice."""
LONGEST = 20
"""Longer baskets count as baskets of this length."""


def tabled(comparison: Comparison) -> Comparison:
    """The same question about tables; a comparison of tables is its own."""
    if comparison.is_table:
        return comparison
    return comparison.once("tabled", _tabled)


def _tabled(comparison: Comparison) -> Comparison:
    release = comparison.release_side.rows
    assert isinstance(release, Baskets)  # noqa: S101 - tables stayed as they are
    counts = release.transactions.item_counts
    chosen = np.sort(np.argsort(-counts, kind="stable")[:MOST_ITEMS])
    named = [Attribute(f"item {i}", ("no", "yes")) for i in chosen.tolist()]
    lengths = Attribute("items", tuple(str(n) for n in range(LONGEST + 1)))
    schema = Schema((*named, lengths))

    def table(side: Countable | None, what: str) -> Table | None:
        if not isinstance(side, Baskets):
            return None
        rows = _some(side, comparison.randomness.child(f"baskets of {what} that are read"))
        return Table(schema, _codes(rows, chosen))

    original, drawn = table(comparison.original, "the original"), table(release, "the release")
    assert original is not None  # noqa: S101 - an original has rows
    assert drawn is not None  # noqa: S101 - idem
    return replace(
        comparison,
        original=original,
        release=drawn,
        holdout=table(comparison.holdout, "the hold-out"),
        reference=table(comparison.reference, "the reference"),
        model_counts=_among(comparison.model_counts, schema),
        secrets=SecretPatterns(),
        sides={},
    )


def _among(counts: Counts | None, schema: Schema) -> Counts | None:
    """The counts of items that are columns."""
    if counts is None:
        return None
    return {names: told for names, told in counts.items() if set(names) <= set(schema.names)}


def _some(baskets: Baskets, rng: np.random.Generator) -> Baskets:
    if len(baskets) <= MOST_ROWS:
        return baskets
    rows = np.sort(rng.choice(len(baskets), MOST_ROWS, replace=False))
    return Baskets(baskets.schema, baskets.transactions.take(rows))


def _codes(baskets: Baskets, chosen: NDArray[np.intp]) -> NDArray[np.int32]:
    """In or out for each item chosen, and the length."""
    rows = baskets.transactions.expanded()
    lengths = np.diff(rows.offsets)
    place = np.full(rows.n_items, -1)
    place[chosen] = np.arange(len(chosen))
    column, row = place[rows.items], np.repeat(np.arange(len(rows)), lengths)
    codes = np.zeros((len(rows), len(chosen) + 1), np.int32, order="F")
    codes[row[column >= 0], column[column >= 0]] = 1
    codes[:, -1] = np.minimum(lengths, LONGEST)
    return codes
