"""Enforcing: the constraints of an asset as rules that a generator keeps while it draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.assets.asset import Asset, Constraint, Relation
from halfmask.assets.constraints import FALSE, truth
from halfmask.assets.rows import (
    RawRows,
    Source,
    original_rows,
    sets_read,
    weighted,
)
from halfmask.assets.values import Values
from halfmask.data import Encoding, Schema, Table
from halfmask.data.counted import CountedRows
from halfmask.errors import BadInput, UnknownName
from halfmask.methods.generator.constraints import Fence, RowRule


@dataclass(frozen=True, slots=True)
class AssetConstraints:
    """An asset as what a generator asks of every row; see `RowConstraints`."""

    asset: Asset

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that identify rows."""
        return tuple(self.asset.relation.key)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns that a constraint reads."""
        return tuple(name for c in self.asset.constraints for name in c.attributes)

    @property
    def sets(self) -> list[tuple[str, ...]]:
        """The columns that are read together."""
        return sets_read(self.asset)

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns of which one is lacking that the asset speaks of."""
        relation = self.asset.relation
        for name in relation.attributes:
            if name not in names and name not in relation.key:
                raise BadInput(
                    f"The asset does not fit the data: {UnknownName('column', name, names)}"
                )

    def fence(
        self, original: Source, schema: Schema, *, min_support: int, dropped: Sequence[str]
    ) -> Fence:
        """The constraints as rules over rows of this schema."""
        return fence_of(self.asset, original, schema, min_support=min_support, dropped=dropped)


def fence_of(
    asset: Asset,
    original: Source,
    schema: Schema,
    *,
    min_support: int = 1,
    dropped: Sequence[str] = (),
) -> Fence:
    """The rules that rows over this schema must keep, with what there is to say about them.

    Every constraint that is tested and has a weight is a rule. One that reads a dropped column
    can be neither kept nor broken, and is named. Without an original (a model file has none)
    nothing can be said about what it breaks.
    """
    rows = original_rows(original, asset.relation)
    enforced: list[Constraint] = []
    accounts: list[str] = []
    for constraint in (c for c in asset.constraints if c.weight > 0):
        lacking = [name for name in constraint.attributes if name not in schema.names]
        unknown = [name for name in lacking if name not in dropped]
        if unknown:
            raise UnknownName("column", unknown[0], schema.names)
        binned = [name for name in constraint.attributes if _is_binned(schema, name)]
        if binned:
            raise BadInput(
                f"The constraint {constraint.name!r} reads {binned[0]!r}, which was cut into "
                "bins, and a constraint can only be checked on values. Learn with the asset "
                "from the start, and treat that column as a category."
            )
        if lacking:
            accounts.append(
                f"The constraint {constraint.name!r} reads {lacking[0]!r}, which is not published; "
                "it is not enforced."
            )
        else:
            enforced.append(constraint)
    broken = broken_by_original(asset, enforced, rows, min_support=min_support)
    accounts += [f"{sentence}; the release does not." for sentence in broken]
    rules = [row_rule(constraint, asset.relation) for constraint in enforced]
    return Fence.of(schema, rules, accounts=accounts)


def _is_binned(schema: Schema, name: str) -> bool:
    return name in schema.names and schema[name].bins is not None


def row_rule(constraint: Constraint, relation: Relation) -> RowRule:
    """A constraint as a rule over tables: only what is false breaks it."""

    def broken(table: Table) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = np.equal(truth(constraint.expression, read(table)), FALSE)
        return found

    def read(table: Table) -> dict[str, Values]:
        places = [table.schema.position(name) for name in constraint.attributes]
        schema = Schema(tuple(table.schema.attributes[place] for place in places))
        columns = Encoding.of_schema(schema).decode(Table(schema, table.codes[:, places]))
        rows = RawRows({column.name: column for column in columns}, len(table))
        return {name: rows.values(name, relation) for name in constraint.attributes}

    return RowRule(constraint.name, constraint.attributes, broken)


def broken_by_original(
    asset: Asset,
    constraints: Sequence[Constraint],
    rows: RawRows | CountedRows,
    *,
    min_support: int,
) -> Iterator[str]:
    """What to say of each constraint that the original itself breaks; no count below the support.

    A rule that the data do not keep may be a mistake in the rule or in the data: the steward
    should know before a release hides it.
    """
    for constraint in constraints if rows.size else ():
        held = weighted(rows, constraint.attributes, asset.relation)
        broken = int(held.weights[truth(constraint.expression, held.columns) == FALSE].sum())
        if broken:
            rare = f"fewer than {min_support:,}" if broken < min_support else None
            share = rare or f"{broken / rows.size:.1%}"
            name = repr(constraint.name)
            yield f"The original itself breaks the constraint {name} in {share} of its rows"
