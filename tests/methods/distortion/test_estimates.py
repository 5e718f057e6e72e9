"""Counting through the noise: reconstruction, its standard errors, and mining."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Baskets, Transactions
from halfmask.data.published.anatomised import AnatomisedTables
from halfmask.data.published.distorted import Channel, DistortedBaskets
from halfmask.errors import BadInput, NotCountable, NotMeasurable
from halfmask.io.given import Given
from halfmask.methods.anatomy.anatomise import anatomise
from halfmask.methods.distortion.distort import distort
from halfmask.methods.distortion.mechanisms import Mask
from halfmask.patterns.mining import mine
from halfmask.randomness import Randomness
from halfmask_reproduction.distortion.estimated import frequent_by_estimate
from halfmask_reproduction.distortion.mined_errors import mined_errors


def two_items(both, first, second, neither):
    return Baskets.of(["ab"] * both + ["a"] * first + ["b"] * second + [""] * neither, names="ab")


def channel(a, b):
    return Channel(np.array([a[0], b[0]]), np.array([a[1], b[1]]))


@pytest.mark.parametrize(
    ("observed", "pairs", "support"),
    [
        # 1000 rows with 50, 150, 100 and 700 of both, a, b, none; the expected distorted counts.
        ((70, 190, 150, 590), channel((0.9, 0.1), (0.9, 0.1)), 50),
        ((155, 305, 425, 1115), channel((0.95, 0.05), (0.8, 0.2)), 100),
        ((607, 1553, 1213, 4627), channel((0.95, 0.1), (0.95, 0.1)), 400),
    ],
)
def test_the_expected_counts_give_back_the_support(observed, pairs, support):
    distorted = DistortedBaskets(two_items(*observed), pairs)
    assert distorted.support([(0, 1)]) == pytest.approx([support])
    n = sum(observed)
    assert distorted.support([(0,), (1,)]) == pytest.approx([0.2 * n, 0.15 * n])
    expected = np.array([[0.7, 0.1], [0.15, 0.05]]) * n
    assert np.allclose(distorted.marginal(["a", "b"]), expected)


@pytest.mark.parametrize(
    ("pairs", "weights"),
    [
        (channel((0.9, 0.1), (0.9, 0.1)), (1.265625, -0.140625, -0.140625, 0.015625)),
        (channel((0.95, 0.05), (0.8, 0.2)), (1.407407, -0.351852, -0.074074, 0.018519)),
    ],
)
def test_weights_of_the_four_kinds_of_rows(pairs, weights):
    # The table of the article has the row with a alone before the row with b alone.
    for row, weight in zip(("ab", "a", "b", ""), weights, strict=True):
        distorted = DistortedBaskets(Baskets.of([row], names="ab"), pairs)
        assert distorted.support([(0, 1)]) == pytest.approx([weight], abs=5e-7)


def test_weights_of_an_asymmetric_bit():
    pairs = Channel.equal(0.95, 0.1, n_items=1)
    for row, weight in (("a", 1.0588235), ("", -0.1176471)):
        distorted = DistortedBaskets(Baskets.of([row], names="a"), pairs)
        assert distorted.support([(0,)]) == pytest.approx([weight], abs=5e-8)


def test_the_subset_form_is_the_inverse_matrix():
    rng = np.random.default_rng(4)
    keep, insert = rng.uniform(0.7, 1, 3), rng.uniform(0, 0.3, 3)
    rows = Baskets.of([[n for n in "abc" if rng.random() < 0.4] for _ in range(50)], names="abc")
    matrix = np.ones((1, 1))
    for a, b in zip(keep, insert, strict=True):
        matrix = np.kron(matrix, [[1 - b, 1 - a], [b, a]])
    expected = np.linalg.solve(matrix, rows.marginal("abc").ravel()).reshape(2, 2, 2)
    found = DistortedBaskets(rows, Channel(keep, insert))
    assert np.allclose(found.marginal("abc"), expected)
    assert found.support([(0, 1, 2)]) == pytest.approx([expected[1, 1, 1]])


def test_simulated_mean_variance_and_standard_error():
    rows = two_items(200, 600, 400, 2800)
    runs = [
        distort(rows, Mask(0.9), randomness=Randomness(seed)).data.estimate([(0, 1)])
        for seed in range(600)
    ]
    values = np.array([run.values[0] for run in runs])
    variances = np.array([run.errors[0] ** 2 for run in runs])
    assert values.mean() == pytest.approx(200, abs=4 * np.sqrt(276 / 600))
    assert values.var() == pytest.approx(276, rel=4 * np.sqrt(2 / 600))
    assert variances.mean() == pytest.approx(276, rel=0.02)


@pytest.mark.parametrize(
    ("keep", "errors"),
    [(0.95, (59.1, 14.3, 3.5)), (0.9, (91.6, 34.3, 12.9)), (0.7, (279.7, 320.4, 367.1))],
)
def test_standard_errors_for_rows_of_zeros(keep, errors):
    empty = Baskets.of([""] * 59_601, names="abc")
    release = distort(empty, Mask(keep), randomness=Randomness(2))
    found = release.data.estimate([(0,), (0, 1), (0, 1, 2)]).errors
    assert found == pytest.approx(errors, rel=0.06)


@given(st.sampled_from([1.0, 0.0]), st.lists(st.sets(st.sampled_from("abc")), min_size=1))
def test_without_noise_estimates_are_counts(keep, rows):
    baskets = Baskets.of(rows, names="abc")
    release = distort(baskets, Mask(keep), randomness=Randomness(1))
    asked = [(), (0,), (1, 2), (0, 1, 2)]
    assert release.support(asked) == pytest.approx(baskets.support(asked))
    assert release.data.estimate(asked).errors == pytest.approx([0] * 4)
    assert np.allclose(release.marginal(["c", "a"]), baskets.marginal(["c", "a"]))


def test_too_long_questions_are_refused():
    names = [f"i{j:02}" for j in range(20)]
    release = distort(Baskets.of([names]), Mask(0.9), randomness=Randomness(1))
    with pytest.raises(NotCountable, match="at most 16 items"):
        release.support([tuple(range(17))])


def test_a_channel_must_name_every_item():
    with pytest.raises(BadInput, match="every item"):
        DistortedBaskets(two_items(1, 1, 1, 1), Channel.equal(0.9, 0.1, n_items=3))


@given(st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=12), st.integers(1, 4))
def test_mining_exact_counts_is_plain_mining(rows, least):
    baskets = Baskets.of([[str(i) for i in row] for row in rows], names=[str(i) for i in range(6)])
    found = {f.items: f.support for f in frequent_by_estimate(baskets, min_support=least)}
    assert found == dict(mine(baskets.transactions, min_support=min(least, len(rows)))) or (
        least > len(rows) and not found
    )


def test_an_anatomised_release_can_be_mined():
    rows = Baskets.of(["ax", "by", "ay", "bx"] * 5)
    release = anatomise(rows, l=2, columns=["ab", "xy"], randomness=Randomness(1))
    assert isinstance(release.data, AnatomisedTables)
    found = {f.items: f.support for f in frequent_by_estimate(release, min_support=5)}
    assert found[0,] == 10.0
    assert found[0, 2] == pytest.approx(5.0)


def test_relaxation_and_errors_only_add_itemsets():
    rng = np.random.default_rng(3)
    rows = Baskets.of(
        [[str(i) for i in range(8) if rng.random() < 0.3] for _ in range(2000)],
        names=[str(i) for i in range(8)],
    )
    data = distort(rows, Mask(0.9), randomness=Randomness(1)).data
    plain = {f.items for f in frequent_by_estimate(data, min_support=180)}
    relaxed = {f.items for f in frequent_by_estimate(data, min_support=180, relaxation=0.1)}
    patient = {f.items for f in frequent_by_estimate(data, min_support=180, extend_errors=2)}
    assert plain < relaxed
    assert plain <= patient


@pytest.mark.parametrize(
    "bad", [{"min_support": 0}, {"relaxation": 1}, {"extend_errors": -1}, {"max_length": 0}]
)
def test_bad_mining_is_refused(bad):
    with pytest.raises(BadInput, match="Mining needs"):
        frequent_by_estimate(two_items(1, 1, 1, 1), **{"min_support": 1, **bad})


def test_errors_of_mining_need_something_frequent():
    with pytest.raises(NotMeasurable, match="none can be missed"):
        mined_errors({}, {(0,): 3.0})


def test_accuracy_counted_from_one_can_pass_one_hundred():
    errors = mined_errors({(0,): 5, (1,): 4}, {(0,): 5, (1,): 4})
    assert errors.accuracy() == 100
    assert errors.accuracy(counter_from_one=True) == 150
    assert errors.jaccard == 1


MASK_ERRORS = [  # length, |F|, ρ, σ⁻, σ⁺ of the article, BMS-WebView-1 ten-fold, p = 0.9, 0.25 %
    (1, 249, 5.89, 4.02, 2.81),
    (2, 239, 3.87, 6.69, 7.11),
    (3, 73, 2.60, 10.96, 9.59),
    (4, 4, 1.41, 0.0, 25.0),
]


def test_mask_on_clicks_as_published(data_folder):
    clicks = Given(data_folder / "bms-webview-1.dat.gz").read().content
    rows = clicks.transactions
    tenfold = Baskets(
        clicks.schema, Transactions(rows.offsets, rows.items, rows.weights * 10, rows.n_items)
    )
    least = int(np.ceil(0.0025 * tenfold.size - 1e-9))
    data = distort(tenfold, Mask(0.9), randomness=Randomness(1)).data
    found = {f.items: f.support for f in frequent_by_estimate(data, min_support=least)}
    errors = mined_errors(dict(mine(tenfold.transactions, min_support=least)), found)
    for level, (length, frequent, rho, missed, false_found) in zip(
        errors.levels, MASK_ERRORS, strict=False
    ):
        assert level.length == length
        assert level.frequent == pytest.approx(frequent, abs=3)  # their copy differs a little
        assert level.support_error < 2 * rho + 1
        assert level.missed <= 2 * missed + 3
        assert level.false_found <= 2 * false_found + 25
