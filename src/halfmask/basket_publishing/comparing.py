"""Measures of baskets and their release, from files or from memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from halfmask.api.measuring import Measured
from halfmask.basket_publishing.beside import answering, generalised
from halfmask.basket_publishing.measuring import (
    OF_BASKETS,
    OF_HIDING,
    OF_ONE_METHOD,
    Sides,
    read_measures,
)
from halfmask.data import Assortment, Baskets, Countable
from halfmask.errors import BadInput
from halfmask.io import files
from halfmask.io.databases.addresses import shown
from halfmask.io.forms import FileOptions, PathLike
from halfmask.io.frames import ARROW
from halfmask.measures import Readings, Unmeasured
from halfmask.methods.hiding import parse_sensitive
from halfmask.randomness import Randomness


def measure_baskets(  # noqa: PLR0913 - what is compared, and under which questions
    original: Baskets | PathLike,
    release: Baskets | PathLike,
    *,
    holdout: Baskets | PathLike | None = None,
    beside: PathLike | None = None,
    hierarchy: str | None = None,
    hide: str | None = None,
    min_support: int = 10,
    only: Sequence[str] | None = None,
    seed: int | None = None,
    threads: int = 1,
    reading: FileOptions | None = None,
) -> Measured:
    """Say what a release of baskets kept of its original and what it gave away.

    `beside` is the table published with the release (its channel, its anatomy or its unknown
    cells), `hierarchy` the text of the hierarchy of generalised items: with them the release
    answers for the original's supports. `hide` is the text of the patterns that were to be hidden.

    >>> rows = Baskets.of([["beer", "crisps"], ["tea"], ["beer"], ["crisps", "tea"]] * 50)
    >>> measure_baskets(rows, rows, only=["nas", "pair_frequencies"], seed=1)["nas"].value
    1.0
    """
    first, second = _read(original, reading), _read(release, reading)
    third = None if holdout is None else _read(holdout, reading)
    if hierarchy is not None:
        counted: Countable = generalised(first.schema, second, hierarchy)
    else:
        parts = [part for part in (first, second, third) if part is not None]
        schema = Assortment(tuple(dict.fromkeys(n for part in parts for n in part.schema.names)))
        first, second = _over(first, schema), _over(second, schema)
        third = None if third is None else _over(third, schema)
        counted = second if beside is None else answering(second, beside)
    secrets = () if hide is None else parse_sensitive(hide, first.schema).all_itemsets
    named = only is not None
    names = only if only is not None else (*OF_BASKETS, *OF_HIDING, *OF_ONE_METHOD)
    readings = read_measures(
        Sides(first, second, counted, secrets, third),
        names,
        min_support=min_support,
        randomness=Randomness(seed),
        threads=threads,
    )
    return Measured(_told(readings, all_of_them=named), ARROW)


def _told(readings: Readings, *, all_of_them: bool) -> tuple[Any, ...]:
    """The readings; a measure of another method is worth a word only when it was asked for."""
    others = (*OF_HIDING, *OF_ONE_METHOD)
    return tuple(
        item
        for item in readings
        if all_of_them or not (isinstance(item, Unmeasured) and item.name in others)
    )


def _read(source: Baskets | PathLike, reading: FileOptions | None) -> Baskets:
    if isinstance(source, Baskets):
        return source
    found = files.read(source, reading or FileOptions())
    if not isinstance(found, files.BasketFile):
        raise BadInput(f"{shown(source)} holds a table; the other side holds baskets.")
    return found.baskets


def _over(baskets: Baskets, schema: Assortment) -> Baskets:
    """The same baskets over a longer list of items."""
    numbers = np.array([schema.item(name) for name in baskets.schema.names], np.int32)
    return Baskets(schema, baskets.transactions.relabelled(numbers, schema.n_items))
