"""The pool of the kernel follows the fit that listing every row gives, whatever the threads."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfmask.errors import BadInput
from halfmask.methods.loglinear import (
    FitSettings,
    Observation,
    Observations,
    TableSet,
    combined,
    consistent,
    count_cells,
    drawn_from_tree,
    fit,
    released,
    tied_pairs,
)
from halfmask.methods.loglinear.start import shares
from reference import loglinear as reference

ROWS = 40_000
STEPS = tuple(1 / (1 + k / 4) for k in range(40))


def problem_of(observed):
    """The same observations for the reference."""
    tables = observed.tables
    return reference.Problem(
        tables.sizes,
        list(tables.columns),
        tables.split(observed.counts),
        tables.split(observed.variances),
        observed.priors.tolist(),
        observed.total,
        observed.sampling,
    )


@st.composite
def observations(draw):
    """Counts of drawn rows over tables of one to three columns, with noise or of a sample."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=2, max_size=4))
    columns = range(len(sizes))
    every = [c for k in (1, 2, 3) for c in combinations(columns, k)]
    chosen = draw(st.lists(st.sampled_from(every), min_size=1, max_size=6, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    total, sigma = draw(st.sampled_from([300, 5000])), draw(st.sampled_from([3.0, 40.0]))
    shared = rng.integers(max(sizes), size=total)
    rows = np.stack(
        [np.where(rng.random(total) < 0.6, shared, rng.integers(s, size=total)) % s for s in sizes],
        axis=1,
    ).astype(np.int32)
    tables = TableSet(tuple(sizes), chosen)
    counts = tables.split(count_cells(rows, tables))
    sampling = draw(st.sampled_from([0.0, 1.0]))
    sigma = 0.0 if sampling else sigma
    parts = [
        Observation.noisy(c, y + rng.normal(0, sigma or 1e-9, len(y)), sigma)
        for c, y in zip(chosen, counts, strict=True)
    ]
    return Observations.of(sizes, parts, total=total, sampling=sampling)


def uniform_pool(sizes, rows=ROWS, seed=1):
    rng = np.random.default_rng(seed)
    return np.stack([rng.integers(s, size=rows) for s in sizes], axis=1).astype(np.int32)


def kernel_shares(observed, fitted):
    """The share of every row there can be, by the potentials of the kernel."""
    problem = problem_of(observed)
    return reference.exact_shares(problem, observed.tables.split(fitted.potentials))


@settings(max_examples=25, deadline=None)
@given(observations(), st.integers(0, 2**64 - 1))
def test_potentials_and_pool_are_near_the_fit_over_all_rows(observed, key):
    _, exact = reference.exact_fit(problem_of(observed))
    sizes = observed.tables.sizes
    fitted = fit(uniform_pool(sizes), observed, key=key, settings=FitSettings(steps=STEPS))
    rows = reference.all_rows(sizes)
    per_row = np.sqrt(exact / ROWS).sum()  # what a pool of so many rows is off by chance
    pool = np.zeros(len(rows))
    np.add.at(pool, np.ravel_multi_index(tuple(fitted.codes.T), sizes), 1 / ROWS)
    assert np.abs(pool - exact).sum() < 2 * per_row + 0.02
    assert np.abs(kernel_shares(observed, fitted) - exact).sum() < 2 * per_row + 0.02


@settings(max_examples=40, deadline=None)
@given(observations(), st.lists(st.floats(0, 1), min_size=1, max_size=3), st.integers(1, 200))
def test_a_raking_pass_is_that_of_the_plain_reference(observed, steps, rows):
    problem = problem_of(observed)
    pool = uniform_pool(problem.sizes, rows)
    plain, weights = problem.zeros(), np.ones(rows)
    for step in steps:
        weights = reference.plain_pass(problem, pool, weights, plain, step)
    fitted = fit(pool, observed, key=0, settings=FitSettings(steps=(), last_steps=tuple(steps)))
    assert np.array_equal(fitted.codes, pool)
    np.testing.assert_allclose(fitted.potentials, np.concatenate(plain), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(fitted.weights, weights, rtol=1e-5)
    exact = np.concatenate(reference.expected(problem, pool, weights))
    np.testing.assert_allclose(fitted.expected, exact, rtol=1e-5, atol=1e-6 * observed.total)


@settings(max_examples=15, deadline=None)
@given(observations(), st.booleans())
def test_a_sweep_draws_from_the_conditional_shares(observed, in_pairs):
    """From the exact distribution a sweep must lead to the exact distribution."""
    problem = problem_of(observed)
    sizes = problem.sizes
    rng = np.random.default_rng(3)
    theta = rng.normal(0, 1.5, observed.tables.cells)
    exact = reference.exact_shares(problem, observed.tables.split(theta))
    rows = reference.all_rows(sizes)
    pool = rows[rng.choice(len(rows), ROWS, p=exact)]
    pairs = tuple(combinations(range(len(sizes)), 2)) if in_pairs else ()
    plan = FitSettings(steps=(0.0, 0.0), pairs=pairs)
    drawn = fit(pool, observed, key=11, settings=plan, potentials=theta)
    found = np.bincount(np.ravel_multi_index(tuple(drawn.codes.T), sizes), minlength=len(rows))
    likely = exact * ROWS > 5
    chi = ((found - exact * ROWS) ** 2 / (exact * ROWS))[likely].sum()
    assert chi < likely.sum() + 6 * np.sqrt(2 * likely.sum()) + 10


def test_a_sweep_follows_each_value_of_the_others():
    """Given the others, a column is drawn by the shares that the reference computes."""
    sizes = (3, 6, 5)
    tables = [(0,), (1, 0), (2, 1, 0)]
    rng = np.random.default_rng(5)
    parts = [Observation.noisy(c, np.zeros(TableSet(sizes, [c]).cells), 1.0) for c in tables]
    observed = Observations.of(sizes, parts, total=10)
    theta = rng.normal(0, 2, observed.tables.cells)
    row = np.tile(np.array([[2, 3, 1]], np.int32), (ROWS, 1))
    plan = FitSettings(steps=(0.0,), fixed=(0, 2))
    drawn = fit(row, observed, key=1, settings=plan, potentials=theta).codes
    assert (drawn[:, [0, 2]] == [2, 1]).all()
    problem = problem_of(observed)
    wanted = reference.conditional(problem, row[:1], observed.tables.split(theta), 1)[0]
    found = np.bincount(drawn[:, 1], minlength=6) / ROWS
    assert np.abs(found - wanted).max() < 5 * np.sqrt(0.25 / ROWS)


def chain_observed(n=20_000, columns=6, size=4, slip=0.01, sigma=5.0):
    """Each column is the one before, up to a slip: one cell at a time can hardly move."""
    rng = np.random.default_rng(2)
    rows = [rng.choice(size, n, p=[0.55, 0.3, 0.1, 0.05])]
    for _ in range(columns - 1):
        slips = rng.random(n) < slip
        rows.append(np.where(slips, rng.integers(size, size=n), rows[-1]))
    codes = np.stack(rows, axis=1).astype(np.int32)
    chosen = [(c,) for c in range(columns)] + list(combinations(range(columns), 2))
    tables = TableSet((size,) * columns, chosen)
    counts = tables.split(count_cells(codes, tables))
    parts = [
        Observation.noisy(c, y + rng.normal(0, sigma, len(y)), sigma)
        for c, y in zip(chosen, counts, strict=True)
    ]
    return codes, Observations.of((size,) * columns, parts, total=n)


@pytest.mark.parametrize("start", ["independent", "tree"])
@pytest.mark.parametrize("pairs", [(), tuple((c, c + 1) for c in range(5))])
def test_nearly_deterministic_columns_are_followed(start, pairs):
    codes, observed = chain_observed()
    counts = observed.tables.split(observed.counts)
    singles = [shares(y, len(codes)) for y in counts[:6]]
    joint = {
        c: shares(np.maximum(y - 10, 0), len(codes)).reshape(4, 4)
        for c, y in zip(observed.tables.columns[6:], counts[6:], strict=True)
    }
    rng = np.random.default_rng(4)
    pool = drawn_from_tree(singles, joint if start == "tree" else {}, ROWS, rng)
    steps = (1.0,) * 5 + STEPS[:20]
    fitted = fit(pool, observed, key=9, settings=FitSettings(steps=steps, pairs=pairs))
    truth = count_cells(codes, observed.tables) / len(codes)
    found = count_cells(fitted.codes, observed.tables) / ROWS
    distances = [np.abs(each).sum() / 2 for each in observed.tables.split(found - truth)]
    assert max(distances) < 0.02


def test_contradictions_are_weighed_by_precision():
    """One table says half, another says two fifths; the surer one is believed."""
    sizes = (2, 2)
    one, other = np.array([500.0, 500.0]), np.array([200.0, 200.0, 300.0, 300.0])
    for sigmas, wanted in (((5.0, 100.0), 0.5), ((200.0, 5.0), 0.4)):
        parts = [
            Observation.noisy((0,), one, sigmas[0]),
            Observation.noisy((0, 1), other, sigmas[1]),
        ]
        observed = Observations.of(sizes, consistent(sizes, parts), total=1000)
        fitted = fit(uniform_pool(sizes), observed, key=1, settings=FitSettings(steps=STEPS))
        assert abs((fitted.codes[:, 0] == 0).mean() - wanted) < 0.02


@settings(max_examples=40, deadline=None)
@given(observations(), st.integers(0, 100))
def test_consistent_tables_are_the_best_linear_estimate(observed, seed):
    """Generalised least squares over the counts of all rows there can be gives the same."""
    rng = np.random.default_rng(seed)
    sizes = observed.tables.sizes
    cells = reference.Problem(sizes, observed.tables.columns, (), (), (), 1.0).cells(
        reference.all_rows(sizes)
    )
    parts, lines = [], []
    for columns, of in zip([*observed.tables.columns] * 2, cells * 2, strict=True):
        sigma = float(rng.uniform(0.5, 20))
        counts = rng.normal(50, 30, observed.tables.size_of(columns))
        parts.append(Observation.noisy(columns, counts, sigma))
        lines.append((np.eye(len(counts))[of].T / sigma, counts / sigma))
    design, wanted = (np.concatenate(each) for each in zip(*lines, strict=True))
    best = np.linalg.lstsq(design, wanted, rcond=1e-12)[0]
    spread = np.linalg.pinv(design.T @ design, rcond=1e-12)
    for found in consistent(sizes, parts):
        of = cells[list(observed.tables.columns).index(found.columns)]
        margin = np.eye(len(found.counts))[of].T
        np.testing.assert_allclose(found.counts, margin @ best, rtol=1e-6, atol=1e-6)
        variances = np.diag(margin @ spread @ margin.T)
        np.testing.assert_allclose(found.variances, variances, rtol=1e-6)


def test_tables_without_rows_leave_a_usable_pool():
    sizes = (3, 2)
    empty = Observation.noisy((0, 1), np.zeros(6), 10.0)
    below = Observation.noisy((0,), np.array([-20.0, -5.0, 3.0]), 10.0)
    observed = Observations.of(sizes, [empty, below], total=1.0)
    fitted = fit(uniform_pool(sizes, 500), observed, key=1, settings=FitSettings(steps=STEPS))
    assert np.isfinite(fitted.potentials).all()
    assert np.isclose(fitted.weights.mean(), 1)


def test_without_tables_every_value_is_as_likely():
    observed = Observations.of((3,), [], total=5.0)
    fitted = fit(np.zeros((ROWS, 1), np.int32), observed, key=1, settings=FitSettings(steps=(1.0,)))
    assert np.abs(np.bincount(fitted.codes[:, 0]) / ROWS - 1 / 3).max() < 0.02


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_change_nothing(threads):
    _, observed = chain_observed()
    pool = uniform_pool(observed.tables.sizes)

    def fitted(count):
        plan = FitSettings(steps=(1.0, 1.0, 0.5), last_steps=(0.3,), pairs=((0, 1),), threads=count)
        return fit(pool, observed, key=5, settings=plan)

    one, many = fitted(1), fitted(threads)
    for name in ("codes", "weights", "potentials", "expected"):
        assert np.array_equal(getattr(one, name), getattr(many, name))


def test_another_key_draws_other_rows():
    _, observed = chain_observed()
    pool = uniform_pool(observed.tables.sizes, 2000)
    plan = FitSettings(steps=(1.0,))
    one, other = (fit(pool, observed, key=key, settings=plan).codes for key in (1, 2))
    assert not np.array_equal(one, other)


def test_the_plain_pool_reaches_the_fit_over_all_rows():
    sizes, rng = (2, 3), np.random.default_rng(1)
    rows = np.stack([rng.integers(2, size=400), rng.integers(3, size=400)], axis=1)
    rows[:200, 1] = rows[:200, 0]
    tables = TableSet(sizes, [(0,), (0, 1)])
    counts = tables.split(count_cells(rows.astype(np.int32), tables))
    parts = [Observation.noisy(c, y, 0.0) for c, y in zip(tables.columns, counts, strict=True)]
    problem = problem_of(Observations.of(sizes, parts, total=400, sampling=1.0))
    pool, _ = reference.plain_fit(problem, uniform_pool(sizes, 8000), STEPS[:15], rng)
    _, exact = reference.exact_fit(problem)
    found = np.bincount(np.ravel_multi_index(tuple(pool.T), sizes), minlength=6) / 8000
    assert np.abs(found - exact).sum() < 0.05


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 50), st.integers(1, 3))
def test_cells_are_counted(sizes, rows, threads):
    rng = np.random.default_rng(rows)
    codes = np.stack([rng.integers(s, size=rows) for s in sizes], axis=1).astype(np.int32)
    every = [c for k in range(1, len(sizes) + 1) for c in combinations(range(len(sizes)), k)]
    tables = TableSet(tuple(sizes), [c[::-1] for c in every])
    parts = tables.split(count_cells(codes, tables, threads=threads))
    for columns, counts in zip(tables.columns, parts, strict=True):
        wanted = np.zeros([sizes[c] for c in columns], int)
        for row in codes:
            wanted[tuple(row[list(columns)])] += 1
        assert np.array_equal(counts, wanted.ravel())


def test_a_release_takes_rows_by_weight():
    _, observed = chain_observed()
    fitted = fit(
        uniform_pool(observed.tables.sizes),
        observed,
        key=5,
        settings=FitSettings(steps=(1.0,) * 4, last_steps=(0.5, 0.2)),
    )
    rows = released(fitted, 10_000, 0.5, 1)
    assert rows.shape == (10_000, 6)
    for column in range(6):  # balanced: not only the columns that rows are sorted by
        found = count_cells(rows, TableSet(observed.tables.sizes, [(column,)])) / 10_000
        wanted = np.bincount(fitted.codes[:, column], fitted.weights) / fitted.weights.sum()
        assert np.abs(found - wanted).max() <= 2e-4


def test_tied_columns_are_found_strongest_first():
    same, loose = np.eye(2) / 2, np.full((2, 2), 0.25)
    near = np.array([[0.45, 0.05], [0.05, 0.45]])
    singles = [np.array([0.5, 0.5])] * 3
    pairs = {(0, 1): near, (0, 2): loose, (1, 2): same}
    assert tied_pairs(singles, pairs, least=0.3, most=5) == [(1, 2), (0, 1)]


def test_repeated_observations_count_by_precision():
    parts = [Observation.noisy((0,), np.array([v]), s) for v, s in ((10.0, 1.0), (40.0, 3.0))]
    (one,) = combined(parts)
    assert one.counts[0] == pytest.approx(13.0)
    assert one.variances[0] == pytest.approx(0.9)


def test_bad_tables_are_refused():
    with pytest.raises(BadInput, match="each once"):
        TableSet((2, 2), [(0, 0)])
    with pytest.raises(BadInput, match="no column 2"):
        TableSet((2, 2), [(2,)])
    observed = Observations.of((2,), [Observation.noisy((0,), np.ones(2), 1.0)], total=2)
    with pytest.raises(ValueError, match="outside its column"):
        fit(np.full((4, 1), 2, np.int32), observed, key=1, settings=FitSettings())
    with pytest.raises(BadInput, match="above 0"):
        Observations.of((2,), [], total=0)
