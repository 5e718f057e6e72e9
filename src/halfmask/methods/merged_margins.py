"""What a release of several sites is to meet, estimated from rows that their models draw.

A site tells only the tables that its own patterns miss, and of these only cells that enough of its
rows hold, so that few tables are told by all; trees about a target ask other questions at each
site. Of what a file does not tell, its model is the best that is known. So rows are drawn from each
model as its own release would be, as many as the site weighs, and tables and trees of the union are
chosen and counted in them. No row of any site is needed: who has the files can do the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Margins, Schema, Table
from halfmask.data.branches import Branch, Branches, Tree
from halfmask.data.margins import Margin
from halfmask.data.rounding import to_base
from halfmask.data.table import ABSENT
from halfmask.data.united import codes_in
from halfmask.methods.generator_model import GeneratorModel
from halfmask.methods.margin_choice import choose_margins
from halfmask.randomness import Randomness

__all__ = ["estimated_margins"]

ROWS, MOST_TIMES = 100_000, 20
"""Rows drawn for the estimate, and at most so many for each row of the sites: the more, the less
chance is in the counts."""


def estimated_margins(union: GeneratorModel, sites: Sequence[GeneratorModel]) -> Margins:
    """The margins that the settings of a union ask for, from its sites' models alone.

    The rows for it are drawn with fixed keys, for they are no secret. Tables are told that are off
    by more than the chance of all rows drawn: more of them than a site would tell of its own.
    """
    settings, rows = union.settings, union.code_table.rows
    times = min(ROWS / rows, MOST_TIMES)
    found = choose_margins(
        _drawn(union.schema, sites, times),
        union.process,
        replace(settings.calibration, base=1),
        min_support=ceil(union.min_support * times),
        hide_together=settings.hide_together,
        longest=settings.max_pattern_length,
    )
    return _Scaled(times, settings.calibration.base).margins(found, union.min_support)


def _drawn(schema: Schema, sites: Sequence[GeneratorModel], times: float) -> Table:
    """Rows of all sites in the codes of the union."""
    parts = []
    for place, site in enumerate(sites):
        count = max(round(times * site.code_table.rows), 1)
        release = site.sample(count, randomness=Randomness(place)).data
        assert isinstance(release, Table)  # noqa: S101 - a generator draws tables
        parts.append(_renamed(release, schema))
    return Table(schema, np.concatenate(parts))


def _renamed(table: Table, schema: Schema) -> NDArray[np.int32]:
    """The codes of a table as another schema has them, which knows its values."""
    columns = []
    for attribute in schema:
        column = table.codes[:, table.schema.position(attribute.name)]
        codes = codes_in(table.schema[attribute.name], attribute)
        columns.append(np.where(column == ABSENT, ABSENT, codes[column]))
    return np.stack(columns, axis=1).astype(np.int32)


class _Scaled:
    """Counts of many drawn rows as counts of the rows there are, rounded where that is asked."""

    def __init__(self, times: float, base: int) -> None:
        self.times = times
        self.base = base

    def count(self, drawn: int) -> int:
        return int(self.counts(np.array([drawn]))[0])

    def counts(self, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        return to_base(np.round(drawn / self.times).astype(np.int64), self.base)

    def margins(self, found: Margins, min_support: int) -> Margins:
        tables = tuple(
            Margin(m.attributes, m.cells, self.counts(m.counts), self.count(m.remainder))
            for m in found
        )
        branches = None if found.branches is None else self.branches(found.branches)
        return Margins(tables, min_support, self.base, branches, estimated=True)

    def branches(self, found: Branches) -> Branches:
        trees = (
            Tree(tuple(self.branch(branch) for branch in tree.branches), self.count(tree.few))
            for tree in found.trees
        )
        return Branches(found.target, tuple(trees))

    def branch(self, found: Branch) -> Branch:
        counts = ((code, self.count(drawn)) for code, drawn in found.counts)
        rest = None if found.rest is None else self.count(found.rest)
        return Branch(found.way, tuple(counts), rest)
