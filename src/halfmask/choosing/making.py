"""Making: a candidate and a database become a release, exactly as `publish` would make it.

Read off it are three general parameters: hiding failure, coarse data quality, level of privacy.
Efficiency and scalability are the clock's business. Where patterns are to be hidden, failure and
privacy are about them; otherwise about rows that come back.
[Bertino, Nai Fovino & Parasiliti Provenza 2005; Bertino & Nai Fovino 2005]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfmask.assets.asset import Asset
from halfmask.assets.enforcing import AssetConstraints
from halfmask.choosing.candidates import Candidate
from halfmask.choosing.secrets import Secrets
from halfmask.data import Baskets, Countable, Encoding, Itemset, Table
from halfmask.data.coding.filling import Filling
from halfmask.data.secrets import Supports
from halfmask.errors import BadInput, HalfmaskError, NotMeasurable
from halfmask.measures import Comparison, compare
from halfmask.measures.hiding import interest, unknown_share
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


@dataclass(frozen=True, slots=True)
class OfRelease:
    """What is read off one release; a share each, None where it cannot be measured."""

    hiding_failure: float | None
    """With sensitive patterns: the share still found. Without: release rows of few persons."""
    dissimilarity: float | None
    """Coarse data quality, equation (7): how far the items' frequencies moved."""
    privacy: float | None
    """With sensitive patterns: the share of their information that is gone. Without: 1 - NAS."""
    rows_back: float | None
    """NAS: the weight of the original's rows that stand in the release again."""
    rare_rows: float | None
    """The share of the release's rows that fewer than k persons of the original hold."""
    interval: float | None = None
    """Of unknown cells: the mean width of what a reader knows of a rule's confidence."""


def of_release(
    original: Database,
    attempt: Attempt,
    secrets: Secrets,
    *,
    min_support: int,
    randomness: Randomness,
) -> OfRelease:
    """Read the parameters off a release of this original."""
    back, rare = _rows(attempt, min_support, randomness)
    failure, privacy = rare, None if back is None else 1 - back
    if len(secrets):
        failure = _still_found(original, attempt, secrets)
        privacy = _information_gone(original, attempt, secrets)
    return OfRelease(
        hiding_failure=failure,
        dissimilarity=_dissimilarity(attempt),
        privacy=privacy,
        rows_back=back,
        rare_rows=rare,
        interval=None if attempt.blocked is None else _interval(attempt.blocked, attempt.secrets),
    )


def _rows(
    attempt: Attempt, min_support: int, randomness: Randomness
) -> tuple[float | None, float | None]:
    try:
        comparison = Comparison(
            attempt.made.original, attempt.rows, randomness=randomness, min_support=min_support
        )
    except BadInput:  # a release of no rows brings none back
        return None, None
    found = compare(comparison, ("nas", "copied_rows"), yardsticks=False)
    values = [found.get(name) for name in ("nas", "copied_rows")]
    back, rare = (None if reading is None else reading.value for reading in values)
    return back, rare


def _still_found(original: Database, attempt: Attempt, secrets: Secrets) -> float | None:
    """Of the sensitive patterns that can be found in the original, those that still can."""
    before = secrets.found(original.support, original.size)
    if not before:
        return None
    return min(attempt.secrets.found(_sure(attempt), attempt.made.counted.size) / before, 1.0)


def _sure(attempt: Attempt) -> Supports:
    """The supports that a reader can be sure of."""
    blocked = attempt.blocked
    if blocked is None:
        return attempt.made.counted.support
    certain = blocked.certain
    return lambda itemsets: certain.support(itemsets).astype(np.float64)


def _dissimilarity(attempt: Attempt) -> float | None:
    """Formula (7), and where values are aggregated the loss of detail of formula (8)."""
    original = attempt.made.original
    quality = attempt.made.release.record.get("coarse_quality")
    if isinstance(quality, float):
        return 1 - quality
    try:
        if attempt.blocked is not None:
            return unknown_share(original, attempt.blocked.unknown)
        return coarse_dissimilarity(original, attempt.made.counted)
    except HalfmaskError:
        return None


def _information_gone(original: Countable, attempt: Attempt, secrets: Secrets) -> float | None:
    before = information_left(original, secrets)
    if not before.sum() > 0:
        return None
    after = information_left(attempt.made.counted, attempt.secrets)
    return float(np.clip(1 - after.sum() / before.sum(), 0.0, 1.0))


def information_left(data: Countable, secrets: Secrets) -> NDArray[np.float64]:
    """The J-measure of each sensitive rule in bits; a rule that nobody can form says nothing.

    It does not ask in which direction: where hiding made the right side rarer beside the left than
    it is elsewhere, the release still tells that the two have to do with each other.

    >>> from halfmask.data import Baskets
    >>> from halfmask.methods.hiding.sensitive import Sensitive, SensitiveRule
    >>> rows = Baskets.of(["abc", "abc", "abc", "ab", "a", "ac"])
    >>> hidden = Secrets(Sensitive(rules=(SensitiveRule((0, 2), (1,)),)))
    >>> information_left(rows, hidden).round(7).tolist()
    [0.0157896]
    """
    rules = secrets.as_rules
    sides: Sequence[Sequence[Itemset]] = (
        [rule.itemset for rule in rules],
        [rule.lhs for rule in rules],
        [rule.rhs for rule in rules],
    )
    size = max(data.size, 1.0)
    shares = [np.clip(data.support(list(side)) / size, 0.0, 1.0) for side in sides]
    return np.array([_interest(*row) for row in zip(*shares, strict=True)], np.float64)


def _interest(both: float, left: float, right: float) -> float:
    """What a rule says; nothing where a side never or always occurs.

    Estimates can contradict each other a little; no rule holds more often than its parts.
    """
    if left <= 0 or not 0 < right < 1:
        return 0.0
    return interest(min(both, left, right), left, right)


def _interval(blocked: BlockedBaskets, secrets: Secrets) -> float | None:
    widths = [blocked.confidence_bounds(rule.lhs, rule.rhs) for rule in secrets.as_rules]
    return float(np.mean([bounds.high - bounds.low for bounds in widths])) if widths else None


def coarse_dissimilarity(original: Countable, release: Countable) -> float:
    """Coarse data quality, formula (7): Σ |f(i) − f'(i)| / Σ f(i) over the items of both sides.

    An item that only the release has counts too.

    Blind to items that change rows; `measures.hiding.cell_dissimilarity` sees those.

    >>> from halfmask.data import Baskets
    >>> coarse_dissimilarity(Baskets.of(["ab", "ab"]), Baskets.of(["ab", "bc"]))
    0.5
    """
    before, after = _supports(original), _supports(release)
    total = sum(before.values())
    if not total:
        raise NotMeasurable("The original holds no item, so no share of them changed.")
    names = before.keys() | after.keys()
    return sum(abs(before.get(n, 0.0) - after.get(n, 0.0)) for n in sorted(names)) / total


def _supports(side: Countable) -> dict[str, float]:
    items = range(side.schema.n_items)
    supports = side.support([(item,) for item in items]).tolist()
    return {side.schema.label(item): supports[item] for item in items}
