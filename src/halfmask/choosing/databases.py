"""Databases to try methods on: a generic one, and test databases like the target.

No trial sees the target. The generic database is Quest's, or a stand-in that the generator draws;
the test databases are drawn from what the generator learnt of the target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from halfmask.choosing.making import Database
from halfmask.data import Baskets, Table
from halfmask.data.schema import Attribute, Schema
from halfmask.errors import BadInput
from halfmask.methods.baskets.learn import learn_baskets
from halfmask.methods.baskets.model import BasketModel
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.generator.constraints import Fence, RowRule
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.methods.quest import Quest, blocks_as_table, quest
from halfmask.randomness import Randomness

Generic = Literal["quest", "stand-in"]
CALIBRATED = 2
"""Drawn rows meet counts of pairs in the target, as those of `publish` do by default."""


Draw: TypeAlias = Callable[[int, str], Database]
"""(rows, name) → a database like the target; another name gives other rows."""


def stand_in(
    target: Database,
    *,
    min_support: int,
    randomness: Randomness,
    rules: Sequence[RowRule] = (),
) -> Draw:
    """Learn the target, so that databases with its characteristics can be drawn.

    Nothing that fewer rows hold than the minimum support is learnt. A rule that every row of the
    target keeps is kept by every row that is drawn; what a method breaks can then be told from
    what was broken before.

    >>> target = Baskets.of([["beer", "crisps"]] * 30 + [["tea"]] * 20)
    >>> len(stand_in(target, min_support=5, randomness=Randomness(1))(100, "test"))
    100
    """
    model: GeneratorModel | BasketModel
    if isinstance(target, Table):
        calibration = CalibrationSettings(order=CALIBRATED)
        settings = GeneratorSettings(
            min_support=min_support, search="auto", calibration=calibration
        )
        kept = [rule for rule in rules if not rule.broken(target).any()]
        fence = Fence.of(target.schema, kept) if kept else None
        model = replace(learn(target, settings), fence=fence)
    else:
        model = learn_baskets(target, min_support=min_support, calibrate=CALIBRATED)

    def draw(rows: int, name: str) -> Database:
        apart = Randomness(randomness.key(f"database {name}"))
        drawn = model.sample(rows, randomness=apart).data
        assert isinstance(drawn, Table | Baskets)  # noqa: S101 - what these models draw
        return drawn

    return draw


def generic_database(
    target: Database, kind: Generic, rows: int, source: Draw, *, randomness: Randomness
) -> Database:
    """The database of the first step: Quest's with the width of the target, or a stand-in.

    >>> target = Baskets.of([["beer", "crisps"]] * 30 + [["tea"]] * 20)
    >>> source = stand_in(target, min_support=5, randomness=Randomness(1))
    >>> made = generic_database(target, "quest", 200, source, randomness=Randomness(2))
    >>> len(made), made.schema.n_items
    (200, 20)
    """
    if kind == "stand-in":
        return source(rows, "generic")
    if kind != "quest":
        raise BadInput(f"The generic database is 'quest' or 'stand-in', not {kind!r}.")
    if isinstance(target, Table):
        return _quest_table(target, rows, randomness)
    lengths = target.transactions.lengths
    settings = Quest(
        basket_size=max(float(lengths.mean()), 2.0),
        pattern_size=min(4.0, max(float(lengths.mean()) / 2, 2.0)),
        patterns=max(2 * target.schema.n_items, 20),
        items=max(target.schema.n_items, 20),
    )
    return quest(rows, settings, randomness=randomness)


def _quest_table(target: Table, rows: int, randomness: Randomness) -> Table:
    """A categorical table from Quest's baskets, as the paper made its health database.

    Each block of items is a column; a basket with no item of a block gets its last value, since
    the columns of most tables are filled.
    """
    block = max(round(target.schema.n_items / len(target.schema)), 2)
    width = len(target.schema)
    settings = Quest(
        basket_size=max(width, 2), pattern_size=4, patterns=20 * width, items=block * width
    )
    table = blocks_as_table(quest(rows, settings, randomness=randomness), block=block)
    values = tuple(Attribute(a.name, (*a.values, "none")) for a in table.schema)
    return Table(Schema(values), np.where(table.codes < 0, block, table.codes))


def plain_table(table: Table) -> Table:
    """A table of categories: bins become values like any other, and no column numbers the rows."""
    plain = tuple(
        Attribute(a.name, a.values, "string" if a.bins is not None else a.storage)
        for a in table.schema
    )
    return Table(Schema(plain), table.codes)
