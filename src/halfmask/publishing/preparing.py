"""Preparing: what is said twice is refused, and rows are held back before anything is learnt."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfmask.api.generator import Generator
from halfmask.data.coding.spec import TableSpec
from halfmask.errors import BadInput
from halfmask.io.forms import PathLike
from halfmask.randomness import Randomness


def told(generator: Generator, schema: PathLike | TableSpec | None) -> Generator:
    """The generator with what the schema says; two schemas would be one too many."""
    if schema is None:
        return generator
    if generator.schema is not None:
        raise BadInput("The method and the publication each have a schema; give one of them.")
    return changed(generator, schema=schema)


def changed(generator: Generator, **params: Any) -> Generator:
    """The generator with other parameters."""
    return Generator(**{**generator.get_params(), **params})


def split_rows(
    rows: int, holdout: float, randomness: Randomness
) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """The rows that the method sees, and those held back; nothing where none are.

    >>> seen, back = split_rows(10, 0.2, Randomness(1))
    >>> len(seen), len(back)
    (8, 2)
    """
    if not 0 <= holdout < 1:
        raise BadInput(f"The hold-out is a share of the rows from 0 to below 1, not {holdout:g}.")
    count = round(rows * holdout)
    if not holdout:
        return None
    if not 2 <= count <= rows - 2:
        raise BadInput(
            f"A hold-out of {holdout:g} keeps {count:,} of {rows:,} rows back; "
            "at least 2 must be held back and at least 2 left to learn from."
        )
    shuffled: NDArray[np.intp] = randomness.child("hold-out").permutation(rows)
    return np.sort(shuffled[count:]), np.sort(shuffled[:count])
