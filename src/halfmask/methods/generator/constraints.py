"""Constrained drawing: rows that break no rule.

A table is categorical, so a rule over a few columns is a finite list of combinations that may not
stand in a row. The rule is asked once about every combination of its columns' values; what it
forbids is reduced to the smallest parts that can only end in a violation, and the process never
draws a pattern that completes one of them. A rule over so many combinations that they cannot be
listed is checked after drawing, and rows that break it are rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Column, Itemset, Schema, Table, Transactions
from halfmask.data.counted import CountedRows
from halfmask.data.table import PIECE
from halfmask.errors import BadInput
from halfmask.methods.generator.process import Drawn, Process
from halfmask.run import Progress

MOST_CELLS = 1 << 20
"""Combinations of values that a rule is asked about one by one."""
MOST_FORBIDDEN = 100_000
"""Combinations that the process can watch without becoming slow."""
MOST_COLUMNS = 6
"""Columns of a rule whose parts are searched: 2^6 parts."""
LOWEST_ACCEPTANCE = 1e-3
"""Below this share of accepted rows the constraints and the patterns contradict each other."""
APART = 1 << 32
"""Numbers of rows between the beginnings of two stretches: so many may be drawn for one."""
ENOUGH_TO_TELL = 20_000
"""Rows drawn before acceptance is called hopeless."""


@dataclass(frozen=True, slots=True)
class RowRule:
    """What must hold in every row: its columns, and which rows of a table over them break it."""

    name: str
    attributes: tuple[str, ...]
    broken: Callable[[Table], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Fence:
    """Rules over the rows of one schema, made ready for drawing.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("pregnant", ("no", "yes"))))
    >>> rule = RowRule("no pregnant men", ("sex", "pregnant"), lambda t: t.codes.sum(axis=1) == 2)
    >>> fence = Fence.of(schema, [rule])
    >>> [[schema.label(i) for i in items] for items in fence.forbidden]
    [['sex=m', 'pregnant=yes']]
    """

    rules: tuple[RowRule, ...]
    forbidden: Transactions
    """Combinations that the process does not complete."""
    checked: tuple[RowRule, ...] = ()
    """Rules that could not be listed; rows are held against them after drawing."""
    accounts: tuple[str, ...] = ()
    """What the steward should know about the rules."""

    @classmethod
    def of(cls, schema: Schema, rules: Sequence[RowRule], accounts: Sequence[str] = ()) -> Fence:
        """Analyse every rule that is small enough; the rest is checked after drawing."""
        listed: list[Itemset] = []
        checked = []
        for rule in rules:
            found = _forbidden(schema, rule)
            if found is None or len(listed) + len(found) > MOST_FORBIDDEN:
                checked.append(rule)
            else:
                listed += found
        forbidden = Transactions.of(listed, schema.n_items)
        return cls(tuple(rules), forbidden, tuple(checked), tuple(accounts))

    def allows(self, schema: Schema, name: str, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which values of one column may stand in each row beside its other values."""
        column, size = schema.position(name), schema[name].size
        good = np.ones((len(codes), size), bool)
        rows = np.array(codes, np.int32)
        for rule in self.rules:
            if name not in rule.attributes:
                continue
            for code in range(size):
                rows[:, column] = code
                good[:, code] &= ~rule.broken(Table(schema, rows))
        return good

    def around(self, process: Process) -> FencedProcess:
        """The process with the rules in its way."""
        return FencedProcess(replace(process, forbidden=self.forbidden), self.checked)


@dataclass(frozen=True, eq=False)
class FencedProcess:
    """A process whose rows break no rule; it draws as a `Process` does."""

    process: Process
    checked: tuple[RowRule, ...]

    def draw(
        self,
        rows: int,
        *,
        key: int,
        first_row: int = 0,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Drawn:
        """Rows that break no rule; `attempts` counts all that were begun.

        The same key gives the same rows whatever the number of threads. Which rows are rejected
        after drawing is not known before, so each stretch of `PIECE` rows is drawn for itself from
        its beginning.
        """
        draw = partial(self.process.draw, key=key, threads=threads, progress=progress)
        if not self.checked:
            return draw(rows, first_row=first_row)
        parts: list[Drawn] = []
        row, end = first_row, first_row + rows
        while row < end or not parts:
            stretch, within = divmod(row, PIECE)
            wanted = min(end - stretch * PIECE, PIECE)
            part = self._kept(draw, stretch * APART, wanted)
            parts.append(Drawn(part.codes[within:], part.patterns_used[within:], part.attempts))
            if len(part.codes) < wanted:
                break  # the caller said stop
            row = (stretch + 1) * PIECE
        return _joined(parts)

    def _kept(self, draw: Callable[..., Drawn], first: int, wanted: int) -> Drawn:
        """The first rows from this one on that break no rule."""
        parts: list[Drawn] = []
        accepted = drawn = 0
        while accepted < wanted or not parts:
            size = _next_block(wanted, accepted, drawn)
            part = draw(size, first_row=first + drawn)
            parts.append(self._accepted(part))
            drawn += len(part.codes)
            accepted += len(parts[-1].codes)
            if len(part.codes) < size:
                break  # the caller said stop
            self._refuse_hopeless(part, accepted, drawn)
        found = _joined(parts)
        return Drawn(found.codes[:wanted], found.patterns_used[:wanted], found.attempts)

    def _accepted(self, part: Drawn) -> Drawn:
        table = Table(self.process.schema, part.codes)
        good = np.ones(len(table), bool)
        for rule in self.checked:
            good &= ~rule.broken(table)
        return Drawn(part.codes[good], part.patterns_used[good], part.attempts)

    def _refuse_hopeless(self, last: Drawn, accepted: int, drawn: int) -> None:
        if drawn < ENOUGH_TO_TELL or accepted >= LOWEST_ACCEPTANCE * drawn:
            return
        table = Table(self.process.schema, last.codes)
        shares = {rule.name: float(rule.broken(table).mean()) for rule in self.checked}
        worst = max(shares, key=lambda name: shares[name])
        raise BadInput(
            f"The constraints reject nearly every row: of {drawn:,} rows drawn {accepted:,} "
            f"satisfy them, and {worst!r} alone is broken by {shares[worst]:.1%}; loosen it, "
            "or leave out a column that it reads."
        )


def _joined(parts: Sequence[Drawn]) -> Drawn:
    return Drawn(
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.patterns_used for part in parts]),
        sum(part.attempts for part in parts),
    )


def _next_block(wanted: int, accepted: int, drawn: int) -> int:
    """Rows to draw next: what is lacking, by the acceptance so far, with some to spare."""
    rate = max(accepted, 1) / drawn if drawn else 1.0
    return int(min(max((wanted - accepted) / rate * 1.1, 1024), 1 << 20))


def _forbidden(schema: Schema, rule: RowRule) -> list[Itemset] | None:
    """The smallest combinations of items that break a rule whatever else stands in the row."""
    sizes = [schema[name].size for name in rule.attributes]
    if np.prod([float(size) for size in sizes]) > MOST_CELLS or len(sizes) > MOST_COLUMNS:
        return None
    codes = np.indices(sizes, np.int32).reshape(len(sizes), -1).T
    part = Schema(tuple(schema[name] for name in rule.attributes))
    broken = rule.broken(Table(part, codes)).reshape(sizes)
    if broken.all():
        raise BadInput(
            f"The constraint {rule.name!r} is broken by every combination of values of "
            f"{', '.join(map(repr, rule.attributes))}; no row can satisfy it."
        )
    firsts = [int(schema.offsets[schema.position(name)]) for name in rule.attributes]
    return list(_smallest(broken, firsts))


def _smallest(broken: NDArray[np.bool_], firsts: Sequence[int]) -> Iterator[Itemset]:
    """Parts of a combination that can only be completed to broken ones, the smallest first."""
    axes = range(broken.ndim)
    covered = np.zeros_like(broken)
    for size in range(1, broken.ndim + 1):
        for kept in combinations(axes, size):
            others = tuple(axis for axis in axes if axis not in kept)
            fresh = (broken & ~covered).any(axis=others, keepdims=True)
            certain = broken.all(axis=others, keepdims=True) & fresh
            for place in np.argwhere(certain).tolist():  # the other axes have length 1
                yield tuple(sorted(firsts[axis] + place[axis] for axis in kept))
            covered |= certain


class RowConstraints(Protocol):
    """What must hold in every row that is drawn; an asset says it."""

    @property
    def key(self) -> tuple[str, ...]:
        """Columns that identify rows: a synthetic row is nobody's, so they are left out."""
        ...

    @property
    def attributes(self) -> tuple[str, ...]:
        """Columns that a constraint reads."""
        ...

    @property
    def sets(self) -> list[tuple[str, ...]]:
        """Columns that are read together."""
        ...

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns of which one is lacking that the asset speaks of."""
        ...

    def fence(
        self,
        original: Sequence[Column] | CountedRows,
        schema: Schema,
        *,
        min_support: int,
        dropped: Sequence[str],
    ) -> Fence:
        """The constraints as rules over rows of this schema."""
        ...
