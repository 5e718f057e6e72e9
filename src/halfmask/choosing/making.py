"""Making: a candidate and a database become a release, exactly as `publish` would make it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from halfmask.assets.asset import Asset
from halfmask.assets.enforcing import AssetConstraints
from halfmask.choosing.candidates import Candidate
from halfmask.choosing.secrets import Secrets
from halfmask.data import Baskets, Encoding, Table
from halfmask.data.coding.filling import Filling
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.hiding.blocked import BlockedBaskets
from halfmask.methods.method import Made
from halfmask.randomness import Randomness
from halfmask.run import Run

Database: TypeAlias = Table | Baskets


@dataclass(frozen=True, eq=False)
class Attempt:
    """What a candidate made of a database."""

    made: Made
    secrets: Secrets
    """The sensitive patterns in the items of what was made, as far as it still has them."""

    @property
    def rows(self) -> Database:
        """The rows that a reader gets, in codes; an unknown cell is absent."""
        found = self.made.evaluated
        return found if isinstance(found, Table | Baskets) else self.made.coded

    @property
    def standing(self) -> Any:
        """The rows as an asset is held against them."""
        made = self.made
        if made.evaluated is not None:
            return made.evaluated
        return made.rows.whole if isinstance(made.rows, Filling) else made.rows

    @property
    def blocked(self) -> BlockedBaskets | None:
        """The unknown cells, if the candidate made any."""
        counted = self.made.counted
        return counted if isinstance(counted, BlockedBaskets) else None


def make(
    candidate: Candidate,
    database: Database,
    secrets: Secrets,
    *,
    randomness: Randomness,
    asset: Asset | None = None,
) -> Attempt:
    """The release that a candidate makes; what it refuses is an error with its reason.

    >>> rows = Baskets.of([["beer", "crisps"], ["tea"], ["beer"], ["crisps", "tea"]] * 50)
    >>> attempt = make(Candidate("distortion", {"keep": 0.9}), rows, Secrets(),
    ...     randomness=Randomness(1))
    >>> len(attempt.rows), attempt.made.release.kind
    (200, 'distorted')
    """
    method = candidate.set_up(secrets, database)
    if asset is not None and isinstance(method, GeneratorMethod):
        method = replace(method, asset=AssetConstraints(asset))
    made = method.make(columns_or_baskets(database), Run(randomness))
    return Attempt(made, secrets.over(database, made.original))


def columns_or_baskets(database: Database) -> Any:
    """The database as `publish` reads it from a file."""
    if isinstance(database, Baskets):
        return database
    return tuple(Encoding.of_schema(database.schema).decode(database))
