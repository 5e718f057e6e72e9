"""Reordering: drawn rows put into the order that rank correlations tell.

Rows drawn from patterns have the right values in each column, and relations as far as counts tell
them. Where the ranks of columns should go together more than they do, values change rows: as few as
will do (the optimal transport of one normal distribution to another), so that what patterns say
remains. Within a bin, the place of a value is drawn given the places of the row's other values.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.ordering import code_scores, places_of
from halfmask.data.coding.ranks import mid_ranks, normal_score, normal_share
from halfmask.data.schema import Schema
from halfmask.data.table import Table

LONG = 20_000
"""Of more rows, counts tell how bins go together."""
_PASSES = 2
_EXCHANGES = 6
"""How often rows of a bin exchange values to bring ranks nearer to what is told."""
_LEAST = 1e-6


def reordered(
    codes: NDArray[np.int32], schema: Schema, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Coded rows with values moved between them until ranks go together as the schema tells."""
    ranks = schema.ranks
    if ranks is None or ranks.rows > LONG or len(codes) < 2 * len(ranks.variables):
        return codes
    found = np.array(codes, order="F")
    movable = [schema.position(name) for name in ranks.columns]
    has = np.stack(
        [(codes[:, p] >= 0) & (codes[:, p] < places_of(schema.attributes[p])) for p in movable],
        axis=1,
    )
    latent = np.asfortranarray(np.where(has, codes[:, movable] + rng.random(has.shape), -1.0))
    has = np.asfortranarray(has)  # columns are sorted one by one
    fixed = np.stack(
        [codes[:, schema.position(n)] == v for n, v in ranks.variables if v is not None]
        or [np.zeros(len(codes))],
        axis=1,
    ).astype(np.float64)
    fixed = _standard(fixed)
    for _ in range(_PASSES):
        moved = _transported(_scores(latent, has), fixed, ranks.matrix)
        for column in range(len(movable)):
            rows = np.flatnonzero(has[:, column])
            order = rows[np.argsort(moved[rows, column], kind="stable")]
            latent[order, column] = np.sort(latent[rows, column])
    for column, position in enumerate(movable):
        filled = has[:, column]
        found[filled, position] = latent[filled, column].astype(np.int32)
    return found


def _scores(latent: NDArray[np.float64], has: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The normal scores of each column; a cell without a place has 0.

    Their correlations are within 0.02 of those of ranks.
    """
    scores = np.zeros(latent.shape)
    even: dict[int, NDArray[np.float64]] = {}  # most columns have as many places
    for column in range(latent.shape[1]):
        rows = np.flatnonzero(has[:, column])
        order = rows[np.argsort(latent[rows, column])]
        if len(rows) not in even:
            even[len(rows)] = normal_score((np.arange(len(rows)) + 0.5) / max(len(rows), 1))
        scores[order, column] = even[len(rows)]
    return _standard(scores)


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = values - values.mean(axis=0)
    return np.asarray(centred / np.maximum(centred.std(axis=0), _LEAST))


def _transported(
    scores: NDArray[np.float64], fixed: NDArray[np.float64], wanted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Scores moved as little as will do for their correlations to be those wanted."""
    rows, own = scores.shape
    beside = fixed[:, : len(wanted) - own]
    among = beside.T @ beside / rows
    solve = np.linalg.pinv(among, rcond=1e-6)
    now, then = beside.T @ scores / rows, wanted[own:, :own]
    before = scores.T @ scores / rows - now.T @ solve @ now
    after = wanted[:own, :own] - then.T @ solve @ then
    rest = scores - beside @ (solve @ now)
    return np.asarray(beside @ (solve @ then) + rest @ _transport(before, after))


def _transport(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    """The linear map between two normal distributions that moves least."""
    root, inverse = _root(before, 0.5), _root(before, -0.5)
    return np.asarray(inverse @ _root(root @ after @ root, 0.5) @ inverse)


def _root(matrix: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((vectors * np.maximum(values, 1e-4) ** power) @ vectors.T)


def placed(
    table: Table, uniforms: dict[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    """Places within bins (0 to 1) given the row's other values; each row by itself.

    `uniforms` are a random number for each cell that has a bin; the places have their distribution.
    """
    ranks = table.schema.ranks
    if ranks is None:
        return uniforms
    own = [n for n, name in enumerate(ranks.columns) if table.schema[name].bins is not None]
    if not own:
        return uniforms
    names = [ranks.columns[n] for n in own]
    within = np.linalg.inv(ranks.matrix[np.ix_(own, own)] + 1e-3 * np.eye(len(own)))
    bounds = [_bounds(table, name) for name in names]
    scores = np.stack([normal_score((low + high) / 2) * has for low, high, has in bounds], axis=1)
    found = dict(uniforms)
    for n, name in enumerate(names):
        low, high, has = bounds[n]
        spread = 1 / np.sqrt(within[n, n])
        others = -(scores @ within[n] - scores[:, n] * within[n, n]) / within[n, n]
        ends = [normal_share((normal_score(end) - others) / spread) for end in (low, high)]
        drawn = ends[0] + uniforms[name] * (ends[1] - ends[0])
        share = normal_share(others + spread * normal_score(drawn))
        share = np.clip((share - low) / np.maximum(high - low, _LEAST), 0, 1 - 2.0**-53)
        known = has & (ends[1] - ends[0] > _LEAST)
        found[name] = np.where(known, share, uniforms[name])
        scores[:, n] = normal_score(low + found[name] * (high - low)) * has
    return found


def exchanged(
    table: Table, places: dict[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    """The same places, spread evenly over each bin, exchanged between rows of the same bin.

    What was drawn row by row has the chance of as many draws: spreads, and how ranks go together,
    are off by it although both are told. Which bin a row is in stays.
    """
    names = [attribute.name for attribute in table.schema if attribute.name in places]
    codes = {name: table.codes[:, table.schema.position(name)] for name in names}
    found = {name: _even(codes[name], places[name]) for name in names}
    ranks = table.schema.ranks
    if ranks is None or ranks.rows > LONG or len(table) < 2 * len(ranks.variables):
        return found
    own = [n for n, (name, _) in enumerate(ranks.variables) if name in found]
    rest = [n for n in range(len(ranks.variables)) if n not in own]
    order = [*own, *rest]
    wanted = ranks.matrix[np.ix_(order, order)]
    others = [_fixed(table, *ranks.variables[n]) for n in rest] or [np.zeros(len(table))]
    fixed = _standard(np.stack(others, axis=1))
    for _ in range(_EXCHANGES if own else 0):
        scores = np.stack([_shown(table, ranks.columns[n], found) for n in own], axis=1)
        moved = _transported(_standard(scores), fixed, wanted)
        for column, n in enumerate(own):
            name = ranks.columns[n]
            found[name] = _sorted_by(moved[:, column], codes[name], found[name])
    return found


def _even(codes: NDArray[np.int32], places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places in the same order, one in each of as many equal parts of the bin as it has rows."""
    order = np.lexsort((places, codes))
    bins = codes[order]
    first = np.searchsorted(bins, bins)
    held = np.searchsorted(bins, bins, side="right") - first
    within = np.modf(places[order] * (1 << 20))[0]  # digits that do not say where in the bin
    found = np.empty(len(codes))
    found[order] = np.minimum((np.arange(len(codes)) - first + within) / held, 1 - 2.0**-53)
    return found


def _sorted_by(
    wanted: NDArray[np.float64], codes: NDArray[np.int32], places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The places of each bin in the order of what is wanted of its rows."""
    found = np.empty(len(codes))
    found[np.lexsort((wanted, codes))] = places[np.lexsort((places, codes))]
    return found


def _shown(
    table: Table, name: str, places: Mapping[str, NDArray[np.float64]]
) -> NDArray[np.float64]:
    """The ranks of the values that these places stand for; a cell without a place has 0."""
    bins, codes = table.schema[name].bins, table.codes[:, table.schema.position(name)]
    assert bins is not None  # noqa: S101 - only columns of bins have places
    has = (codes >= 0) & (codes < len(bins.bins))
    ticks, place = np.unique(bins.draw(codes[has], places[name][has]), return_inverse=True)
    found = np.zeros(len(codes))
    found[has] = mid_ranks(np.bincount(place, minlength=len(ticks)))[place]
    return found


def _fixed(table: Table, name: str, value: int | None) -> NDArray[np.float64]:
    """The scores of a column whose values stay where they are, or of having a value."""
    codes, attribute = table.codes[:, table.schema.position(name)], table.schema[name]
    held = np.bincount(codes[codes >= 0], minlength=attribute.size).astype(np.float64)
    return np.where(codes >= 0, code_scores(attribute, held, value)[codes], 0.0)


def _bounds(
    table: Table, name: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """The shares of rows below and up to each row's bin, and which rows have one."""
    bins, codes = table.schema[name].bins, table.codes[:, table.schema.position(name)]
    assert bins is not None  # noqa: S101 - the caller looked
    count = len(bins.bins)
    rows = np.array([sum(part.rows for part in bin_) for bin_ in bins.bins], np.float64)
    ends = np.cumsum(rows) / max(rows.sum(), 1)
    has = (codes >= 0) & (codes < count)
    at = np.where(has, codes, 0)
    return (ends - rows / max(rows.sum(), 1))[at], ends[at], has
