"""Hold-out: people whom the method never sees, so that attacks have strangers to compare with.

What works on them as well as on people of the original is knowledge about the population; only the
rest is memory. They cost a little precision, and nothing of them is in the release.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Column
from halfmask.data.keyed import in_key_order, numbers_of_columns
from halfmask.errors import BadInput
from halfmask.randomness import Randomness

SHARE = 0.2
"""Of a table of up to 25,000 rows."""
MOST = 5_000
"""Attacks try no more people than this; more would cost precision and buy nothing."""
FEWEST = 20
"""Fewer people tell no attack from chance."""


def rows_held_back(rows: int) -> int:
    """How many rows are held back by default: a fifth, at most 5,000.

    Where a fifth would be fewer than 20 none are, and nothing can be attacked.

    >>> [rows_held_back(n) for n in (99, 100, 1_000, 25_000, 1_000_000)]
    [0, 20, 200, 5000, 5000]
    """
    return 0 if SHARE * rows < FEWEST else min(MOST, round(SHARE * rows))


def count_held_back(rows: int, holdout: float | None) -> int:
    """How many of so many rows are held back; 0 where none are.

    `holdout` is a share of the rows; None holds back as many as is usual for so many rows.

    >>> count_held_back(10, 0.2), count_held_back(10, None)
    (2, 0)
    """
    if holdout is not None and not 0 <= holdout < 1:
        raise BadInput(f"The hold-out is a share of the rows from 0 to below 1, not {holdout:g}.")
    count = rows_held_back(rows) if holdout is None else round(rows * holdout)
    if holdout == 0 or (holdout is None and count == 0):
        return 0
    if not 2 <= count <= rows - 2:
        raise BadInput(
            f"A hold-out of {holdout:g} holds out {count:,} of {rows:,} rows; at least 2 must "
            "be held out and at least 2 left to learn from."
        )
    return count


Rows = NDArray[np.intp]


def split_rows(rows: int, holdout: float | None, randomness: Randomness) -> tuple[Rows, Rows]:
    """The rows that the method sees, and those held back; none of these where all are seen.

    >>> seen, back = split_rows(10, 0.2, Randomness(1))
    >>> len(seen), len(back)
    (8, 2)
    """
    count = count_held_back(rows, holdout)
    shuffled: Rows = randomness.child("hold-out").permutation(rows)
    return np.sort(shuffled[count:]), np.sort(shuffled[:count])


def split_table(
    columns: Sequence[Column], holdout: float | None, randomness: Randomness
) -> tuple[Rows, Rows]:
    """The same for a table, by what stands in its rows: their order in it does not matter.

    Where some are held back, both parts come in an order of their own.

    >>> ages = [Column.of("age", [str(n) for n in range(10)])]
    >>> seen, back = split_table(ages, 0.2, Randomness(1))
    >>> len(seen), len(back)
    (8, 2)
    """
    count = count_held_back(len(columns[0]), holdout)
    if not count:
        return np.arange(len(columns[0])), np.arange(0)
    order = in_key_order(numbers_of_columns(columns, hold_out_key(randomness)))
    return order[count:], order[:count]


def hold_out_key(randomness: Randomness) -> bytes:
    """The key by which rows of a table are held back."""
    return randomness.long_key("hold-out").tobytes()


def cost_of(held_back: int, rows: int, what: str = "rows") -> str:
    """What the hold-out costs, as a sentence; `rows` are all of the original.

    >>> cost_of(200, 1000)
    '200 of 1,000 rows were held back, so that attacks have people to compare with: nothing was
    learnt from them and none of them is in the release. What was learnt from the other 800 has
    chance errors about 12 % larger than from all (--holdout 0 holds nobody back, and leaves the
    release unattacked).'
    """
    larger = sqrt(rows / (rows - held_back)) - 1
    return (
        f"{held_back:,} of {rows:,} {what} were held back, so that attacks have people to compare "
        "with: nothing was learnt from them and none of them is in the release. What was learnt "
        f"from the other {rows - held_back:,} has chance errors about {larger:.0%} larger than "
        "from all (--holdout 0 holds nobody back, and leaves the release unattacked)."
    ).replace("%", " %")
