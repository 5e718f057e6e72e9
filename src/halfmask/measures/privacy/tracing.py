"""Tracing: does the release tell whether a person was in the original?

The attack: somebody knows every value of a person, has the release, and has reference rows: other
people of the same population, of whom she knows that they were not in the original. She looks where
the release is denser than the reference, scores persons by it and calls those with high scores
members. Two tests are tried: the best linear one over the cells of one, two and three columns
(`density_ratio`), and random trees down to whole rows (`random_trees`). With a model at hand she
reads its counts instead of counting the release (`tracing_model`).

Judged on members and on held-out persons who are not among the reference rows. Luck alone has an
AUC of ½, and finds 1 % of the members at 1 % false alarms.

Reference rows are given, or come from the hold-out: its persons are dealt at random (seeded) to
five folds, each is scored with the rows of the other folds as reference, and members with each of
the five; only scores of one fold are compared. Of baskets the most frequent items are columns. A
test is given the release, the reference rows and
the persons in one heap; who of them is a member it never sees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Schema, Table
from halfmask.errors import BadInput, NotMeasurable
from halfmask.measures.basket_tables import tabled
from halfmask.measures.cells import CellsOfRows, sets_of_columns
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.privacy.density_ratio import Observed, ratio_weights
from halfmask.measures.privacy.random_trees import TREES, tree_scores
from halfmask.measures.side import Side
from halfmask.measures.telling_apart import told_apart

FOLDS = 5
FEWEST_PERSONS = 20
"""Fewer of either kind say nothing."""
MOST_PERSONS = 5_000
"""Of more members or strangers a seeded choice is attacked."""
MOST_SETS = 1_000
"""Sets of one to three columns; of more a seeded choice is read."""
MOST_CELLS = 20_000
"""Sets of columns with more cells are left out."""
ROWS_FOR_MOMENTS = 2_000
"""Rows of each side that show what cells have in common."""
ROWS_FOR_TREES = 50_000
"""Rows of the release, and of the reference, that the trees read."""


@dataclass(frozen=True, eq=False)
class Known:
    """What the attacker has beside the release: reference rows, in folds that are left out."""

    side: Side
    fold: NDArray[np.intp]
    """The fold in which each reference row is among the persons scored; −1 is in none."""
    folds: int


Test = Callable[[Comparison, Known, Table], NDArray[np.float64]]
"""Scores of the persons asked for by each fold: folds × persons."""


def _attack(comparison: Comparison, test: Test) -> Estimate:
    """What an attack finds; once, also where a target asks before all is measured."""
    return comparison.once(f"tracing by {test.__name__}", partial(_attacked, test=test))


def _attacked(comparison: Comparison, test: Test) -> Estimate:
    comparison = tabled(comparison)
    rng = comparison.randomness.child("tracing persons")
    sides = [side.table for side in comparison.people]
    members, strangers = (_chosen(len(side), rng) for side in sides)
    known, fold = _known(comparison, strangers)
    heap = np.vstack([sides[0].codes[members], sides[1].codes[strangers]])
    scores = test(comparison, known, Table(comparison.schema, heap))
    of_strangers = scores[:, len(members) :][fold, np.arange(len(strangers))]
    told = told_apart(scores[:, : len(members)], of_strangers, fold, rng)
    details = {
        "found_at_1_percent": told.found.value,
        "found_at_1_percent_low": told.found.low,
        "found_at_1_percent_high": told.found.high,
        "members_attacked": len(members),
        "strangers_attacked": len(strangers),
        "reference": "hold-out" if comparison.reference is None else "given",
        "reference_rows": int(np.mean([(known.fold != f).sum() for f in range(known.folds)])),
    }
    return Estimate(told.auc.value, told.auc.low, told.auc.high, details)


def _chosen(rows: int, rng: np.random.Generator) -> NDArray[np.intp]:
    if rows < FEWEST_PERSONS:
        raise NotMeasurable(
            f"Only {rows} people of one kind can be attacked; {FEWEST_PERSONS} are needed."
        )
    return np.sort(rng.choice(rows, min(rows, MOST_PERSONS), replace=False))


def _known(comparison: Comparison, strangers: NDArray[np.intp]) -> tuple[Known, NDArray[np.intp]]:
    """What the attacker has, and the fold in which each stranger is scored."""
    if comparison.reference is not None:
        given = comparison.reference_side
        apart = np.full(len(given.table), -1)
        return Known(given, apart, 1), np.zeros(len(strangers), np.intp)
    rng = comparison.randomness.child("tracing folds")
    side = comparison.holdout_side
    folds = FOLDS if len(strangers) * FOLDS > len(side.table) else 1
    fold = rng.permutation(np.arange(len(strangers)) % folds)
    of_all = np.full(len(side.table), -1)
    of_all[strangers] = fold
    return Known(side, of_all, folds), fold


def _linear(comparison: Comparison, known: Known, asked: Table) -> NDArray[np.float64]:
    """The best linear test over the cells of one to three columns of the release."""
    sets = sets_of_columns(
        comparison.schema,
        ways=3,
        most=MOST_SETS,
        most_cells=MOST_CELLS,
        rng=comparison.randomness.child("tracing columns"),
    )
    cells, side = CellsOfRows(comparison.schema, sets), comparison.release_side
    counts = [side.marginal(columns, comparison.names) for columns in sets]
    return _by_ratio(comparison, known, asked, cells, (np.concatenate(counts), side.size))


def _model(comparison: Comparison, known: Known, asked: Table) -> NDArray[np.float64]:
    """The same with the counts of a model in the place of the release's."""
    if not comparison.model_counts:
        raise NotMeasurable("The model has no tables of counts to attack, or none was given.")
    schema, rows = comparison.schema, comparison.original.size  # which a model file tells
    margins = _margins(comparison.model_counts, schema)
    cells = CellsOfRows(schema, tuple(margins))
    counts = [np.append(cell, rows - cell.sum()) for cell in margins.values()]
    return _by_ratio(comparison, known, asked, cells, (np.concatenate(counts), rows))


def _margins(
    tables: Mapping[tuple[str, ...], NDArray[np.float64]], schema: Schema
) -> dict[tuple[int, ...], NDArray[np.float64]]:
    """Each table and its margins of up to three columns; the mean where several tables tell one."""
    told: dict[tuple[int, ...], list[NDArray[np.float64]]] = {}
    for names, counts in tables.items():
        places = [schema.position(name) for name in names]
        columns = tuple(sorted(places))
        sizes = tuple(schema.attributes[c].size for c in places)
        if np.shape(counts) != sizes or len(set(places)) < len(places):
            raise BadInput(
                f"The counts of {', '.join(names)} have the shape {np.shape(counts)}, not {sizes}."
            )
        table = np.transpose(np.asarray(counts, np.float64), np.argsort(places))
        kept = [s for k in range(1, min(3, len(columns) - 1) + 1) for s in combinations(columns, k)]
        for margin in [*kept, columns]:
            others = tuple(i for i, c in enumerate(columns) if c not in margin)
            told.setdefault(margin, []).append(table.sum(axis=others).ravel())
    means = {margin: _mean(np.stack(found)) for margin, found in sorted(told.items())}
    return {margin: counts for margin, counts in means.items() if not np.isnan(counts).all()}


def _mean(told: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of what is told of each cell; no number where nothing is."""
    times = (~np.isnan(told)).sum(axis=0)
    return np.where(times > 0, np.nansum(told, axis=0) / np.maximum(times, 1), np.nan)


def _by_ratio(
    comparison: Comparison,
    known: Known,
    asked: Table,
    cells: CellsOfRows,
    released: tuple[NDArray[np.float64], float],
) -> NDArray[np.float64]:
    """Scores by the weights that each fold's reference rows give to the cells."""
    rng = comparison.randomness.child("tracing moments")
    data, reference = comparison.release, known.side.table
    rows = data if isinstance(data, Table) else reference.take(np.empty(0, np.intp))
    seen = cells.of(rows.take(_some(np.arange(len(rows)), rng)))
    in_all = [known.side.marginal(columns, comparison.names) for columns in cells.sets]
    numbers, scores = cells.of(asked), []
    for fold in range(known.folds):
        apart, there = known.fold == fold, np.flatnonzero(known.fold != fold)
        counts = np.concatenate(in_all) - cells.count(
            cells.of(reference.take(np.flatnonzero(apart)))
        )
        some = cells.of(reference.take(_some(there, rng)))
        # Of a cell that is not told there is nothing to compare.
        told = np.where(np.isnan(released[0]), counts * released[1] / len(there), released[0])
        release = Observed(told, released[1], seen)
        weights = ratio_weights(cells, release, Observed(counts, len(there), some))
        scores.append(sum((weights[cell] for cell in numbers), np.zeros(len(asked))))
    return np.stack(scores)


def _some(
    rows: NDArray[np.intp], rng: np.random.Generator, most: int = ROWS_FOR_MOMENTS
) -> NDArray[np.intp]:
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def _trees(comparison: Comparison, known: Known, asked: Table) -> NDArray[np.float64]:
    """Random trees over the rows of the release."""
    rng = comparison.randomness.child("tracing trees")
    release, reference = comparison.release_side.table, known.side.table
    always = _some(np.flatnonzero(known.fold < 0), rng, ROWS_FOR_TREES)
    by_fold = [reference.take(np.flatnonzero(known.fold == f)) for f in range(known.folds)]
    mine = _some(np.arange(len(release)), rng, ROWS_FOR_TREES)
    return tree_scores(release.take(mine), reference.take(always), by_fold, asked, rng)


def _measure(name: str, test: Test, reads: str, how: str, cost: str) -> Measure:
    return Measure(
        name=name,
        room="privacy",
        better="lower",
        unit="AUC",
        meaning="The probability that a person of the original scores higher than a held-out "
        f"person with an attacker who compares {reads} with other people; ½ is chance, "
        "1 is certainty.",
        how=f"{how} Up to {MOST_PERSONS:,} people of each kind; reference rows are given or "
        "are other folds of the hold-out; DeLong interval; the share of members found at "
        "1 % false alarms is in the details.",
        cost=cost,
        compute=partial(_attack, test=test),
        default=test is not _model,
        control=True,
        yardsticked=False,
    )


TRACING = _measure(
    "tracing",
    _linear,
    "the release",
    "Least-squares ratio of densities, linear in the cells of one to three columns.",
    "1.2 s",
)
TRACING_TREE = _measure(
    "tracing_tree",
    _trees,
    "the release",
    f"Ratio of densities in {TREES} random trees down to whole rows, of up to {ROWS_FOR_TREES:,} "
    "rows of the release.",
    "2.8 s",
)
TRACING_MODEL = _measure(
    "tracing_model",
    _model,
    "the counts in a model file",
    "Least-squares ratio of densities, linear in the cells that the model counts.",
    "0.2 s",
)
