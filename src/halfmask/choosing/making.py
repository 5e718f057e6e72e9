"""Making: a candidate and a database become a release, its rows, and what answers for counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from halfmask.choosing.candidates import Candidate, Setting
from halfmask.choosing.secrets import Secrets, as_baskets
from halfmask.data import Baskets, Countable, Release, SeparatedTable, Table
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput
from halfmask.methods.anatomy import anatomise
from halfmask.methods.anatomy.table import anatomise_table
from halfmask.methods.baskets.learn import learn_baskets
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.distortion import Mask, distort
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.methods.hiding import ALGORITHMS, Algorithm, BlockedBaskets, hide
from halfmask.methods.suppression import Coherence, suppress_moles
from halfmask.randomness import Randomness

Database = Table | Baskets

CALIBRATED = 2
"""Drawn rows meet counts of pairs in the original, unless told: as publishing does."""
COLUMNS_OF_ITEMS = 10
"""Into so many columns anatomy splits the items of baskets, as its authors did."""


@dataclass(frozen=True, eq=False)
class Made:
    """What a candidate made of a database."""

    release: Release
    rows: Database
    """The rows that a reader gets; an unknown cell is absent."""
    counted: Countable
    """What answers for supports: expectations and estimates instead of noisy rows."""
    blocked: BlockedBaskets | None = None
    """The unknown cells, if the candidate made any."""


def make(
    candidate: Candidate, database: Database, secrets: Secrets, *, randomness: Randomness
) -> Made:
    """The release that a candidate makes; what it refuses is an error with its reason.

    >>> rows = Baskets.of([["beer", "crisps"], ["tea"], ["beer"], ["crisps", "tea"]] * 50)
    >>> made = make(Candidate("distortion", {"keep": 0.9}), rows, Secrets(),
    ...     randomness=Randomness(1))
    >>> len(made.rows), made.release.kind
    (200, 'distorted')
    """
    if candidate.method in ALGORITHMS:
        return _hide(candidate, database, secrets, randomness)
    makers = _OF_TABLES if isinstance(database, Table) else _OF_BASKETS
    return makers[candidate.method](database, candidate.settings, secrets, randomness)


Settings = Mapping[str, Setting]
Maker = Callable[..., Made]


def _generator(table: Table, settings: Settings, _: Secrets, randomness: Randomness) -> Made:
    told = dict(settings)
    order = int(told.pop("calibrate", CALIBRATED))
    calibration = CalibrationSettings(order=order)
    model = learn(table, GeneratorSettings(**told, calibration=calibration))  # type: ignore[arg-type]
    release = model.sample(len(table), randomness=randomness)
    assert isinstance(release.data, Table)  # noqa: S101 - a generator draws tables
    return Made(release, release.data, release.data)


def _table_anatomy(
    table: Table, settings: Settings, secrets: Secrets, randomness: Randomness
) -> Made:
    assert secrets.column is not None  # noqa: S101 - a method that needs a column has one
    release = anatomise_table(
        table,
        sensitive=secrets.column,
        l=int(settings["l"]),
        randomness=randomness,
        ineligible="suppress",
    )
    assert isinstance(release.data, SeparatedTable)  # noqa: S101 - what table anatomy publishes
    return Made(release, _rejoined(release.data, randomness), release.data)


def _rejoined(data: SeparatedTable, randomness: Randomness) -> Table:
    """One table that agrees with the two published ones: values dealt out within each group."""
    values = np.repeat(
        np.tile(np.arange(data.counts.shape[1], dtype=np.int32), len(data.counts)),
        data.counts.ravel(),
    )
    group_of = np.repeat(np.arange(len(data.counts)), data.counts.sum(axis=1))
    chance = randomness.child("values dealt out in groups").random(len(values))
    dealt = values[np.lexsort((chance, group_of))]
    rows = np.argsort(data.groups, kind="stable")
    column = np.empty(len(values), np.int32)
    column[rows] = dealt
    return Table(data.schema, np.insert(data.known.codes, data.position, column, axis=1))


def _anatomy(baskets: Baskets, settings: Settings, _: Secrets, randomness: Randomness) -> Made:
    release = anatomise(
        baskets,
        l=int(settings["l"]),
        columns=min(COLUMNS_OF_ITEMS, baskets.schema.n_items),
        randomness=randomness,
        on_ineligible="merge_columns",
    )
    joined = release.as_baskets(randomness=randomness).data
    assert isinstance(joined, Baskets)  # noqa: S101 - joined rows are baskets
    return Made(release, joined, release.data)


def _distortion(baskets: Baskets, settings: Settings, _: Secrets, randomness: Randomness) -> Made:
    release = distort(baskets, Mask(float(settings["keep"])), randomness=randomness)
    return Made(release, release.baskets, release.data)


def _synthetic_baskets(
    baskets: Baskets, settings: Settings, _: Secrets, randomness: Randomness
) -> Made:
    order = int(settings.get("calibrate", CALIBRATED))
    model = learn_baskets(baskets, min_support=int(settings["min_support"]), calibrate=order)
    release = model.sample(len(baskets), randomness=randomness)
    assert isinstance(release.data, Baskets)  # noqa: S101 - it draws baskets
    return Made(release, release.data, release.data)


def _coherence(database: Database, settings: Settings, _: Secrets, __: Randomness) -> Made:
    model = Coherence(k=int(settings["k"]), p=int(settings.get("p", 2)))
    rows = as_baskets(database) if isinstance(database, Table) else database
    release = suppress_moles(rows, model)
    assert isinstance(release.data, Baskets)  # noqa: S101 - it publishes baskets
    published = _like(database, release.data, None)
    return Made(release, published, published)


_OF_TABLES: Mapping[str, Maker] = {
    "generator": _generator,
    "anatomy": _table_anatomy,
    "coherence": _coherence,
}
_OF_BASKETS: Mapping[str, Maker] = {
    "baskets": _synthetic_baskets,
    "anatomy": _anatomy,
    "distortion": _distortion,
    "coherence": _coherence,
}


def _hide(
    candidate: Candidate, database: Database, secrets: Secrets, randomness: Randomness
) -> Made:
    rows = as_baskets(database) if isinstance(database, Table) else database
    algorithm = _algorithm(candidate, rows, secrets)
    hidden = hide(rows, secrets.sensitive, algorithm, randomness=randomness)
    data = hidden.release.data
    if isinstance(data, BlockedBaskets):
        certain = Baskets(data.schema, data.certain)
        return Made(hidden.release, _like(database, certain, data), data, blocked=data)
    assert isinstance(data, Baskets)  # noqa: S101 - sanitised baskets
    published = _like(database, data, None)
    return Made(hidden.release, published, published)


def _algorithm(candidate: Candidate, rows: Baskets, secrets: Secrets) -> Algorithm:
    """The algorithm, told by its setting or by the thresholds how far to go."""
    new, settings = ALGORITHMS[candidate.method], candidate.settings
    if candidate.about.family == "sanitising":
        if "psi" in settings:
            return new(psi=float(settings["psi"]))
        # Just below the threshold: a share of the rows that hold each pattern may keep it.
        supports = rows.support(secrets.sensitive.all_itemsets)
        most = max(np.ceil((secrets.min_support or 0.0) * rows.size - 1e-9) - 1, 0)
        return new(psi=tuple(np.minimum(most / np.maximum(supports, 1), 1.0).tolist()))
    margin = {"margin": float(settings["margin"])} if "margin" in settings else {}
    return new(
        min_support=float(secrets.min_support or 0.0),
        min_confidence=secrets.min_confidence,
        **margin,
    )


def _like(database: Database, published: Baskets, blocked: BlockedBaskets | None) -> Database:
    """Published items as the rows of the database: of a table one value for each column.

    Where an item was added beside the value of a row, it takes its place; an unknown item makes
    the whole cell unknown, since the value beside it would give it away.
    """
    if isinstance(database, Baskets):
        return published
    schema, rows = database.schema, published.transactions
    if len(rows) != len(database):
        raise BadInput("The rows of this release are not those of the table, row by row.")
    codes = np.full((len(rows), len(schema)), ABSENT, np.int32)
    row_of = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))
    columns = schema.domains[rows.items]
    values = rows.items - schema.offsets[columns]
    old = database.codes[row_of, columns] == values
    for chosen in (old, ~old):  # what is new is written last, and stays
        codes[row_of[chosen], columns[chosen]] = values[chosen]
    if blocked is not None:
        unknown = blocked.unknown
        row_of = np.repeat(np.arange(len(unknown)), np.diff(unknown.offsets))
        codes[row_of, schema.domains[unknown.items]] = ABSENT
    return Table(schema, codes)
