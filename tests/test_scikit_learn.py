"""Generator among scikit-learn's estimators: its own checks, searches, pipelines, arrays."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import halfmask as hm

NOT_ASKED = {
    "check_estimators_fit_returns_self": "fit returns the model that was learnt, which draws rows; "
    "it is kept as model_, and a pipeline does not look at what fit returns",
    "check_readonly_memmap_input": "such data are read; then it asks the same of fit",
    "check_fit2d_1sample": "nothing is learnt from one person: the sentence names the minimum "
    "support, and not the number of samples",
}
"""Checks that do not apply, and why."""


with warnings.catch_warnings():
    # scikit-learn is an extra, so its base class cannot be ours; its manners are.
    warnings.filterwarnings("ignore", "Estimator Generator does not inherit", UserWarning)
    CHECKS = parametrize_with_checks(
        [hm.Generator(min_support=5)], expected_failed_checks=lambda _estimator: NOT_ASKED
    )


@CHECKS
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    sex = rng.choice(["f", "m"], 400)
    ill = np.where(rng.random(400) < np.where(sex == "f", 0.8, 0.2), "yes", "no")
    return pl.DataFrame({"sex": sex, "ill": ill, "ward": rng.choice(["a", "b", "c"], 400)})


def test_a_search_over_settings_finds_the_one_that_describes_people_best(people):
    """A correction of 1,000 for each value forgets which illness goes with which sex."""
    frame = people.to_pandas()
    search = GridSearchCV(hm.Generator(min_support=10), {"laplace": [0.001, 1000.0]}, cv=3)
    search.fit(frame)
    assert search.best_params_ == {"laplace": 0.001}
    assert search.best_estimator_.sample(5, seed=1).shape == (5, 3)


def test_it_ends_a_pipeline(people):
    pipeline = make_pipeline(
        FunctionTransformer(lambda frame: frame.drop("ward")), hm.Generator(min_support=10)
    )
    pipeline.fit(people)
    assert pipeline[-1].sample(7, seed=1).columns == ["sex", "ill"]
    assert pipeline.score(people) == pytest.approx(pipeline[-1].score(people.drop("ward")))


def test_scores_are_the_models_probabilities(people):
    generator = hm.Generator(min_support=10)
    model = generator.fit(people)
    bits = model.log_probability(people, seed=0).rows
    assert np.allclose(generator.score_samples(people), bits * np.log(2))
    assert generator.score(people) == pytest.approx(
        -model.log_probability(people).bits_per_row * np.log(2)
    )
    assert list(generator.feature_names_in_) == people.columns


def test_an_array_comes_back_as_an_array():
    rng = np.random.default_rng(1)
    for array in (rng.integers(0, 4, (200, 3)), rng.choice(["a", "b"], (200, 2))):
        drawn = hm.Generator(min_support=5).fit(array).sample(20, seed=1)
        assert type(drawn) is np.ndarray
        assert drawn.dtype == array.dtype
        assert drawn.shape == (20, array.shape[1])
        assert set(drawn.ravel()) <= set(array.ravel())


def test_what_is_asked_of_an_array_is_answered():
    array = np.random.default_rng(1).integers(0, 4, (300, 3))
    published = hm.publish(array, seed=1)
    assert published.data.shape == array.shape
    assert published.model.patterns().column_names[0] == "pattern"
    assert "nas" in published.readings.to_frame()["name"].to_pylist()
    assert hm.measure(array, published.data)["marginals_1"].value < 0.1


def test_numbers_that_are_missing_in_an_array_stay_missing():
    rng = np.random.default_rng(1)
    array = rng.normal(size=(300, 2))
    array[rng.random(300) < 0.3, 0] = np.nan
    drawn = hm.Generator(min_support=10).fit(array).sample(300, seed=1)
    assert 0.15 < np.isnan(drawn[:, 0]).mean() < 0.45
    assert not np.isnan(drawn[:, 1]).any()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (np.zeros(3), "Reshape your data"),
        (np.zeros((2, 2), complex), "Complex data not supported"),
        (np.zeros((0, 2)), "0 sample"),
        (np.zeros((2, 0)), "0 feature"),
        (sparse.csr_matrix(np.eye(3)), "Sparse data is not supported"),
        (np.array([[1, "a"], ["b", 2.5]], dtype=object), "mixes values"),
    ],
)
def test_what_is_no_table_is_refused(wrong, sentence):
    with pytest.raises(hm.BadInput, match=sentence) as refusal:
        hm.Generator().fit(wrong)
    assert isinstance(refusal.value, ValueError)


def test_before_it_is_fitted_it_says_so():
    for ask in (lambda g: g.sample(3), lambda g: g.score_samples(np.zeros((1, 1)))):
        with pytest.raises(hm.BadInput, match="call fit first"):
            ask(clone(hm.Generator()))
