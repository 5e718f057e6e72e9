"""The probability of rows and of a database under a model, held against all rows there are."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest

import halfmask as hm
from halfmask.errors import BadInput

VALUES = {"sex": ["f", "m"], "ward": ["a", "b", "c"], "ill": ["no", "yes"]}


def admissions(rows: int = 300, *, drifted: bool = False) -> pl.DataFrame:
    rng = np.random.default_rng(7)
    ward = rng.choice(3, rows, p=[0.1, 0.1, 0.8] if drifted else [0.6, 0.3, 0.1])
    ill = rng.random(rows) < np.array([0.1, 0.5, 0.9])[ward]
    return pl.DataFrame(
        {
            "sex": np.array(VALUES["sex"])[rng.integers(0, 2, rows)],
            "ward": np.array(VALUES["ward"])[ward],
            "ill": np.array(VALUES["ill"])[ill.astype(int)],
        }
    )


def every_row() -> pl.DataFrame:
    return pl.DataFrame(list(product(*VALUES.values())), schema=list(VALUES), orient="row")


@pytest.mark.parametrize(
    "settings", [{}, {"order": "columns"}, {"laplace": 1.0}, {"laplace": 0.0}, {"calibrate": 0}]
)
def test_all_rows_together_have_probability_one(settings):
    model = hm.Generator(min_support=10, **settings).fit(admissions())
    found = model.log_probability(every_row())
    assert found.how == "exact"
    assert np.exp2(found.rows).sum() == pytest.approx(1)


def test_the_draws_follow_the_probabilities_when_no_counts_are_met():
    model = hm.Generator(min_support=10).fit(admissions())
    drawn = model.sample(40_000, seed=1, calibrate=False)
    counts = every_row().join(drawn.group_by(list(VALUES)).len(), on=list(VALUES), how="left")
    shares = counts["len"].fill_null(0).to_numpy() / 40_000
    assert np.abs(shares - np.exp2(model.log_probability(every_row()).rows)).max() < 0.01


def test_of_databases_of_two_rows_the_probabilities_sum_to_one():
    model = hm.Generator(min_support=10).fit(admissions())
    every = every_row()
    total = sum(
        2 ** model.log_probability(every[[one, other]]).total
        for one, other in product(range(len(every)), repeat=2)
    )
    assert total == pytest.approx(1)


def test_drift_costs_bits():
    model = hm.Generator(min_support=10).fit(admissions())
    usual = model.log_probability(model.sample(500, seed=2)).bits_per_row
    assert model.log_probability(admissions()).bits_per_row == pytest.approx(usual, abs=0.2)
    assert model.log_probability(admissions(drifted=True)).bits_per_row > usual + 0.5


def test_an_unknown_value_is_impossible_or_one_of_the_others():
    model = hm.Generator(min_support=10).fit(admissions())
    odd = pl.DataFrame({"sex": ["x", "f"], "ward": ["a", "a"], "ill": ["no", "no"]})
    found = model.log_probability(odd)
    assert found.rows[0] == -np.inf
    assert np.isfinite(found.rows[1])
    assert found.total == -np.inf
    towns = pl.DataFrame({"town": ["Rome"] * 80 + [f"town {i % 9}" for i in range(20)]})
    grouped = hm.Generator(min_support=10).fit(towns)
    both = grouped.log_probability(pl.DataFrame({"town": ["Rome", "Bra"]}))
    assert np.exp2(both.rows).sum() == pytest.approx(1)


def test_a_wide_table_is_estimated_and_says_so():
    rng = np.random.default_rng(3)
    narrow = pl.DataFrame({f"c{i}": rng.choice(["x", "y"], 200) for i in range(18)})
    model = hm.Generator(min_support=60, max_pattern_length=2).fit(narrow)
    found = model.log_probability(narrow.head(20), seed=1)
    assert found.how == "estimated"
    assert (found.rows < 0).all()
    again = model.log_probability(narrow.head(20), seed=1)
    np.testing.assert_array_equal(found.rows, again.rows)


def test_a_missing_column_is_named():
    model = hm.Generator(min_support=10).fit(admissions())
    with pytest.raises(BadInput, match="ward"):
        model.log_probability(admissions().drop("ward"))
