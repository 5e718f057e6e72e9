"""Tracing sees releases that remember, is blind where nothing is remembered, and says how sure."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measures.tables import dependent, noisy, schema_of

from halfmask.data import Attribute, Schema, Table
from halfmask.errors import BadInput
from halfmask.measures import Comparison, compare, measure_named
from halfmask.measures.cells import CellsOfRows, sets_of_columns
from halfmask.measures.privacy import tracing
from halfmask.measures.privacy.density_ratio import RIDGE, Observed, ratio_weights
from halfmask.measures.privacy.random_trees import TREES, tree_scores
from halfmask.measures.side import Side
from halfmask.measures.telling_apart import told_apart
from halfmask.randomness import Randomness
from reference.tracing import linear_scores, tree_score

TESTS = ("tracing", "tracing_tree")


def read(name, original, release, holdout, seed=1, **options):
    comparison = Comparison(original, release, holdout, randomness=Randomness(seed), **options)
    return measure_named(name).read(comparison, yardsticks=False)


def people(*sizes, seed=1, columns=8):
    """Samples of one population."""
    table = dependent(sum(sizes), np.random.default_rng(seed), columns=columns)
    ends = np.cumsum([0, *sizes])
    return [table.take(np.arange(a, b)) for a, b in pairwise(ends)]


def wide(*rows, seed=1):
    """Samples of persons who are almost all one of a kind."""
    rng = np.random.default_rng(seed)
    schema = schema_of(*[6] * 12)
    return [Table(schema, rng.integers(6, size=(n, 12))) for n in rows]


@st.composite
def samples(draw):
    sizes = draw(st.lists(st.integers(2, 4), min_size=2, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = [draw(st.integers(3, 25)) for _ in range(3)]
    return [
        Table(
            schema_of(*sizes),
            np.stack([rng.integers(-1, s, size=n) for s in sizes], axis=1).astype(np.int32),
        )
        for n in rows
    ]


@given(samples())
@settings(max_examples=60, deadline=None)
def test_the_linear_test_is_the_one_of_the_plain_definition(tables):
    release, reference, asked = tables
    # A row that lacks a value falls into one cell with all rows that do; the reference has no such
    # rule, so rows are complete here.
    release, reference, asked = (
        Table(t.schema, np.maximum(t.codes, 0)) for t in (release, reference, asked)
    )
    width = len(release.schema)
    sets = tuple(s for k in (1, 2, 3) for s in combinations(range(width), min(k, width)))
    sets = tuple(dict.fromkeys(sets))
    cells = CellsOfRows(release.schema, sets)
    sides = [Observed(cells.count(cells.of(t)), len(t), cells.of(t)) for t in (release, reference)]
    ours = ratio_weights(cells, *sides)[cells.of(asked)].sum(axis=0)
    plain = linear_scores(
        release.codes.tolist(), reference.codes.tolist(), asked.codes.tolist(), sets, RIDGE
    )
    assert ours == pytest.approx(plain, abs=2e-3 * max(1.0, np.abs(plain).max()))


@given(samples(), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_the_trees_are_those_of_the_plain_definition(tables, seed):
    release, reference, asked = tables
    cut = len(reference) // 2
    folds = [reference.take(np.arange(cut)), reference.take(np.arange(cut, len(reference)))]
    nobody = reference.take(np.empty(0, np.intp))
    if not cut:
        folds = [nobody, reference]
    ours = tree_scores(release, reference, folds, asked, np.random.default_rng(seed))
    rng, expected = np.random.default_rng(seed), np.zeros_like(ours)
    for _ in range(TREES):
        columns = rng.permutation(len(asked.schema)).tolist()
        for fold, other in enumerate(folds[::-1]):
            known = [*reference.codes.tolist(), *other.codes.tolist()]
            for place, person in enumerate(asked.codes.tolist()):
                expected[fold, place] += tree_score(release.codes.tolist(), known, person, columns)
    assert ours == pytest.approx(expected)


@given(samples())
def test_cells_are_numbered_as_a_side_counts_them(tables):
    table = tables[0]
    sets = sets_of_columns(
        table.schema, ways=3, most=50, most_cells=1000, rng=np.random.default_rng(1)
    )
    cells, side = CellsOfRows(table.schema, sets), Side(table, "the release")
    counted = np.concatenate([side.marginal(s, table.schema.names) for s in sets])
    assert cells.count(cells.of(table)).tolist() == counted.tolist()


@pytest.mark.parametrize("name", TESTS)
def test_a_bootstrap_of_the_rows_is_traced(name):
    original, holdout, reference = people(600, 600, 3000)
    rows = np.random.default_rng(2).integers(600, size=600)
    reading = read(name, original, original.take(rows), holdout, reference=reference)
    assert reading.low > 0.55
    assert reading.details["found_at_1_percent_low"] > 0.01


@pytest.mark.parametrize("name", TESTS)
def test_noise_hides_and_a_copy_tells_more(name):
    original, holdout, reference = people(600, 600, 3000)
    rng = np.random.default_rng(3)
    values = [
        read(name, original, noisy(original, share, rng), holdout, reference=reference).value
        for share in (0.0, 0.2, 0.8)
    ]
    assert values[0] > values[1] + 0.02
    assert values[1] > values[2] + 0.02
    assert abs(values[2] - 0.5) < 0.05


def test_the_originals_themselves_are_all_found():
    original, holdout = wide(400, 200)
    reading = read("tracing_tree", original, original, holdout)
    assert reading.value > 0.99
    assert reading.low > 0.97
    assert reading.details["found_at_1_percent"] > 0.95


def test_one_planted_row_repeated_is_the_first_that_is_called():
    fresh, holdout, reference = people(800, 400, 3000, columns=9)
    planted = np.array([[a.size - 1 for a in fresh.schema]], np.int32)
    release = Table(fresh.schema, np.vstack([fresh.codes, np.repeat(planted, 12, axis=0)]))
    persons = Table(fresh.schema, np.vstack([planted, holdout.codes]))
    comparison = Comparison(fresh, release, holdout, reference=reference, randomness=Randomness(5))
    everywhere = tracing.Known(comparison.reference_side, np.full(len(reference), -1), 1)
    for test in (tracing._linear, tracing._trees):
        scores = test(comparison, everywhere, persons)[0]
        assert scores[0] > scores[1:].max()


@pytest.mark.parametrize("given_rows", [False, True], ids=["folds", "given reference"])
@pytest.mark.parametrize("name", TESTS)
def test_a_fresh_sample_of_the_population_tells_nothing(name, given_rows):
    readings = []
    for seed in range(80):
        original, holdout, fresh, reference = people(300, 150, 300, 400, seed=seed, columns=6)
        more = {"reference": reference} if given_rows else {}
        readings.append(read(name, original, fresh, holdout, seed, **more))
    held = sum(r.low <= 0.5 <= r.high for r in readings)
    assert held >= 70  # of 80 at 95 %: fewer happens once in 400 times
    values = np.array([r.value for r in readings])
    assert abs(values.mean() - 0.5) < 3.5 * values.std(ddof=1) / 80**0.5
    known = [
        (r.details["found_at_1_percent_low"], r.details["found_at_1_percent_high"])
        for r in readings
    ]
    assert sum(low <= 0.01 <= high for low, high in known) >= 70


def test_the_interval_covers_a_known_leak():
    """Scores of two normals one apart: AUC = Φ(1/√2), found at 1 % = Φ(1 − 2.326)."""
    rng, auc, found = np.random.default_rng(6), 0.76025, 0.09236
    held = np.zeros(2, int)
    for _ in range(300):
        members, strangers = rng.normal(1, 1, size=(1, 400)), rng.normal(0, 1, size=500)
        told = told_apart(members, strangers, np.zeros(500, np.intp), rng)
        held += (told.auc.low <= auc <= told.auc.high, told.found.low <= found <= told.found.high)
    assert 275 <= held[0] <= 296  # of 300 at 95 %
    assert held[1] >= 285  # never less sure than it says


def test_the_scorer_cannot_know_who_is_a_member():
    """Persons in another order get the same scores."""
    original, holdout = people(300, 150)
    comparison = Comparison(original, original, holdout, randomness=Randomness(7))
    known, _ = tracing._known(comparison, np.arange(150))
    heap = Table(original.schema, np.vstack([original.codes, holdout.codes]))
    order = np.random.default_rng(8).permutation(450)
    for test in (tracing._linear, tracing._trees):
        straight, mixed = (test(comparison, known, t) for t in (heap, heap.take(order)))
        assert mixed == pytest.approx(straight[:, order])


def test_no_stranger_is_scored_with_his_own_row_as_reference():
    original, holdout = people(300, 103)
    comparison = Comparison(original, original, holdout, randomness=Randomness(7))
    strangers = np.arange(103)
    known, fold = tracing._known(comparison, strangers)
    assert known.folds == 5
    assert (known.fold[strangers] == fold).all()
    assert np.bincount(fold).tolist() == [21, 21, 21, 20, 20]


def test_the_counts_of_a_model_tell_more_than_a_release_drawn_from_them():
    original, holdout, reference = people(400, 400, 3000)
    counts = {
        names: original.marginal(list(names)) for names in combinations(original.schema.names, 2)
    }
    independent = Table(
        original.schema,
        np.stack([np.random.default_rng(c).permutation(original.codes[:, c]) for c in range(8)], 1),
    )
    options = {"reference": reference, "model_counts": counts}
    box = read("tracing_model", original, independent, holdout, **options)
    release = read("tracing", original, independent, holdout, **options)
    assert box.low > 0.55 > release.high - 0.02
    assert box.value > release.value


def test_counts_of_another_sample_tell_nothing_and_noise_hides():
    original, holdout, reference, other = people(400, 400, 3000, 400)
    rng = np.random.default_rng(9)
    pairs = list(combinations(original.schema.names, 2))
    theirs = {names: other.marginal(list(names)) for names in pairs}
    reading = read(
        "tracing_model", original, other, holdout, reference=reference, model_counts=theirs
    )
    assert reading.low <= 0.5 <= reading.high
    blurred = {}
    for names in pairs:
        exact = original.marginal(list(names))
        blurred[names] = exact + rng.normal(0, 40, exact.shape)
    hidden = read(
        "tracing_model", original, other, holdout, reference=reference, model_counts=blurred
    )
    assert hidden.value < 0.56


def test_counts_rounded_beyond_all_rows_leave_finite_weights():
    cells = CellsOfRows(Schema((Attribute("a", ("x", "y")),)), ((0,),))
    nobody = np.empty((1, 0), np.int32)
    rounded = Observed(np.array([3.0, 2.0, -1.0]), 4, nobody)  # the last is what is left over
    weights = ratio_weights(cells, rounded, Observed(np.array([1.0, 1.0, 0.0]), 2, nobody))
    assert np.isfinite(weights).all()
    assert weights[0] > weights[1]


def test_what_cannot_be_attacked_says_why():
    original, holdout = people(300, 10)
    comparison = Comparison(original, original, holdout, randomness=Randomness(1))
    reasons = {item.name: item.reason for item in compare(comparison, [*TESTS]).unmeasured}
    assert all("Only 10 people" in reason for reason in reasons.values())
    assert len(reasons) == 2
    alone = Comparison(original, original, randomness=Randomness(1))
    assert "held-out rows" in compare(alone, ["tracing"]).unmeasured[0].reason
    blank = compare(comparison, ["tracing_model"]).unmeasured[0].reason
    assert blank.startswith(("Only 10", "No counts"))


def test_counts_of_the_wrong_shape_are_refused():
    original, holdout = people(300, 100)
    with pytest.raises(BadInput, match="shape"):
        read("tracing_model", original, original, holdout, model_counts={("A0", "A1"): np.ones(3)})
