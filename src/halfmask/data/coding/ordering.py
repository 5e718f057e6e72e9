"""Ordering: which columns are in an order, and the rank correlations of a table that are told.

The score of a value, a code or a bin is the middle of its rows among all: see `mid_ranks`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data.coding.encoding import Encoding
from halfmask.data.coding.ranks import RankPair, Ranks, Variable, chosen, mid_ranks
from halfmask.data.column import Column, Labelled, kind_of
from halfmask.data.schema import Attribute, Schema
from halfmask.data.table import ABSENT, PIECE

MOST_VALUES = 12
"""A category of more values without order is left to the counts."""
MOST_VARIABLES = 150
FREE_CELLS = 9
"""Where fewer cells of a table of counts are free, a correlation would tell one of them."""
MOST_STEPS = 64
"""Into so many a part of a bin is divided where its values are taken for continuous."""
_LEAST = 1e-6
_ONE = 1 << 12
"""Scores are summed in such parts of 1, exactly: sums then do not depend on the order of rows."""


def is_ordered(attribute: Attribute) -> bool:
    """Whether the codes of a column are in an order that means something."""
    if attribute.bins is not None:
        return True
    values = [value for value in attribute.values if value is not None]
    return len(values) == 2 or (len(values) > 2 and kind_of(attribute.storage) == "number")


def places_of(attribute: Attribute) -> int:
    """How many codes have a place in the order; the others say that there is no value."""
    if attribute.bins is not None:
        return len(attribute.bins.bins)
    return sum(value is not None for value in attribute.values)


def _is_continuous(attribute: Attribute) -> bool:
    """Whether most rows of a column lie on stretches, not on values that many share."""
    if attribute.bins is None:
        return False
    parts = [part for bin_ in attribute.bins.bins for part in bin_]
    wide = sum(part.rows for part in parts if part.places > 1)
    return 2 * wide >= sum(part.rows for part in parts)


def fit_ranks(
    columns: Sequence[Column], encoding: Encoding, *, apart: Collection[tuple[str, str]] = ()
) -> Ranks | None:
    """The rank correlations of columns and the codes they have, as far as they are told.

    Nothing is told of columns that are to be kept `apart`, nor of two of so few values that a count
    would follow.
    """
    asked = RankQuestion.of(columns, encoding, apart)
    return None if asked is None else asked.answer(*asked.sums(columns), len(columns[0]))


@dataclass(frozen=True, eq=False)
class RankQuestion:
    """What is asked of rows to know their rank correlations: sums of scores, and of products.

    Scores are whole multiples of a small unit: sums do not depend on the order of rows.
    """

    variables: Sequence[Variable]
    allowed: NDArray[np.bool_]
    scores: Sequence[Mapping[str | None, float]]
    """Of each variable, the score of each label of its column."""

    @classmethod
    def of(
        cls, columns: Sequence[Labelled], encoding: Encoding, apart: Collection[tuple[str, str]]
    ) -> RankQuestion | None:
        """The question about these columns; None where nothing could be told."""
        variables = _variables(encoding.schema)
        allowed = _allowed(encoding.schema, variables, apart)
        if not allowed.any() or not len(columns[0]):
            return None
        by_name = {column.name: column for column in columns}
        scores = []
        for name, value in variables:
            column = by_name[name]
            codes = encoding.codes_of(column)
            found = _scores_of_labels(column, codes, encoding.schema[name], value)
            scores.append(dict(zip(column.labels, np.rint(found * _ONE).tolist(), strict=True)))
        return cls(variables, allowed, scores)

    def sums(self, columns: Sequence[Column]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sums of the scores of these rows, and of all products of two."""
        by_name = {column.name: column for column in columns}
        looked_up = [
            (
                by_name[name].index,
                np.array([scores.get(label, 0.0) for label in by_name[name].labels]),
            )
            for (name, _), scores in zip(self.variables, self.scores, strict=True)
        ]
        sums = np.zeros(len(looked_up), np.int64)
        products = np.zeros((len(looked_up), len(looked_up)), np.int64)
        for first in range(0, len(columns[0]), PIECE):
            rows = slice(first, first + PIECE)
            piece = np.stack([scores[index[rows]] for index, scores in looked_up], axis=1)
            sums += piece.sum(axis=0).astype(np.int64)
            products += (piece.T @ piece).astype(np.int64)  # of whole numbers, and so exact
        return sums, products

    def answer(
        self, sums: NDArray[np.int64], products: NDArray[np.int64], rows: int
    ) -> Ranks | None:
        """The correlations that are told, given the sums over all rows."""
        about_mean = products - np.outer(sums, sums.astype(np.float64)) / rows
        spread = np.sqrt(np.maximum(np.diag(about_mean), _LEAST * _ONE**2))
        observed = np.asarray(about_mean / np.outer(spread, spread))
        pairs = []
        for i, j, correlation in chosen(observed, self.allowed, rows):
            first = self.variables[i][1] is None
            one, other = (self.variables[n] for n in ((i, j) if first else (j, i)))
            if correlation:
                pairs.append(RankPair(one[0], other[0], other[1], correlation))
        return Ranks(tuple(pairs), rows) if pairs else None


def _variables(schema: Schema) -> list[Variable]:
    ordered: list[Variable] = [(a.name, None) for a in schema if is_ordered(a) and a.size > 1]
    values: list[Variable] = [
        (a.name, code)
        for a in schema
        if not is_ordered(a) and 2 < a.size <= MOST_VALUES
        for code in range(a.size)
    ]
    return [*ordered, *values][:MOST_VARIABLES]


def _allowed(
    schema: Schema, variables: Sequence[Variable], apart: Collection[tuple[str, str]]
) -> NDArray[np.bool_]:
    free = np.array([1 if v is not None else places_of(schema[n]) - 1 for n, v in variables])
    smooth = np.array([v is None and _is_continuous(schema[n]) for n, v in variables], bool)
    ordered = np.array([v is None for _, v in variables], bool)
    names = np.array([name for name, _ in variables])
    allowed = (ordered[:, None] | ordered) & (names[:, None] != names)
    allowed &= smooth[:, None] | smooth | (np.outer(free, free) >= FREE_CELLS)
    for one, other in apart:
        allowed &= ~np.outer(names == one, names == other) & ~np.outer(names == other, names == one)
    return np.asarray(allowed, bool)


def _scores_of_labels(
    column: Labelled, codes: NDArray[np.int32], attribute: Attribute, value: int | None
) -> NDArray[np.float64]:
    """The score of each label; one without a place in the order has 0."""
    if value is not None:
        return np.asarray(codes == value, np.float64)
    held = column.counts * (codes != ABSENT)
    if attribute.bins is None:
        counts = np.bincount(np.maximum(codes, 0), held, attribute.size).astype(np.int64)
        counts[places_of(attribute) :] = 0
        return np.asarray(np.append(mid_ranks(counts) * (counts > 0), 0.0)[codes])
    inside = (codes >= 0) & (codes < len(attribute.bins.bins)) & (held > 0)
    texts = [str(label) for label, has in zip(column.labels, inside, strict=True) if has]
    different, place = np.unique(attribute.bins.scale.ticks(texts), return_inverse=True)
    rows = np.bincount(place, held[inside], len(different)).astype(np.int64)
    scores = np.zeros(len(codes))
    scores[inside] = mid_ranks(rows)[place]
    return scores


def code_scores(
    attribute: Attribute, rows: NDArray[np.float64], value: int | None = None
) -> NDArray[np.float64]:
    """The score of each code of a column, or that of having a value, standardised."""
    shares = rows / max(float(rows.sum()), _LEAST)
    if value is None:
        places = places_of(attribute)
        scores = np.zeros(attribute.size)
        scores[:places] = mid_ranks(rows[:places])
    else:
        scores = np.eye(attribute.size)[value]
    centred = scores - shares @ scores
    if value is None:
        centred[places_of(attribute) :] = 0.0
    spread = max(float(shares @ centred**2) ** 0.5, _LEAST)
    return np.asarray(centred / spread)


def kept_of_scores(attribute: Attribute, rows: NDArray[np.float64]) -> float:
    """How much of a correlation of values remains one of bins; the rest lies within bins.

    A correlation of two scores shrinks, for each of the two, by the standard deviation that bins
    leave of the scores.
    """
    if attribute.bins is None:
        return 1.0
    parts = [(code, part) for code, bin_ in enumerate(attribute.bins.bins) for part in bin_]
    bins = np.array([code for code, _ in parts])
    held = np.array([part.rows for _, part in parts], np.float64)
    steps = np.array([min(part.places, MOST_STEPS) for _, part in parts])
    of_part = rows[bins] * held / np.maximum(np.bincount(bins, held)[bins], 1) / steps
    fine = np.repeat(of_part, steps)
    coarse = np.asarray(rows[: len(attribute.bins.bins)], np.float64)
    spreads = [float(np.average(mid_ranks(n) ** 2, weights=n + _LEAST)) for n in (coarse, fine)]
    return float(np.sqrt(min(spreads[0] / max(spreads[1], _LEAST), 1.0)))
