"""The parts of experiments that no other test holds against something known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from halfmask.data import Attribute, Baskets, Schema, Table
from halfmask.methods.distortion.distort import distort
from halfmask.methods.distortion.mechanisms import Frequent, Mask, Selective
from halfmask.randomness import Randomness
from halfmask_reproduction.distortion.runs import _expected_support
from halfmask_reproduction.evaluation.framework import _text
from halfmask_reproduction.generator.paper import data_named
from halfmask_reproduction.generator.trials import original, single_values
from halfmask_reproduction.lab import Lab
from halfmask_reproduction.pictures import histograms
from halfmask_reproduction.result import Compared, Measured
from halfmask_reproduction.rivals.competitors import bootstrap, sequential_cart
from halfmask_reproduction.shelf import Shelf

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "health"


@pytest.mark.parametrize("mechanism", [Mask(0.9), Selective(0.95, 0.7, Frequent(names=("a",)))])
def test_the_expected_support_is_the_mean_of_what_distortion_gives(mechanism):
    baskets = Baskets.of([["a", "b"]] * 300 + [["a"]] * 200 + [["c"]] * 500)
    supports = {(0,): 500.0, (1,): 300.0, (0, 1): 300.0}
    drawn = [
        distort(baskets, mechanism, randomness=Randomness(seed)).baskets.support([(0, 1)])[0]
        for seed in range(60)
    ]
    expected = _expected_support((0, 1), supports, mechanism.channel(baskets), 1000.0)
    assert expected == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / np.sqrt(60))


@pytest.fixture
def copied_column():
    """The second column repeats the first, the third has nothing to do with them."""
    rng = np.random.default_rng(1)
    first = rng.integers(3, size=600)
    attributes = tuple(Attribute(name, ("a", "b", "c")) for name in "xyz")
    return Table(Schema(attributes), np.column_stack([first, first, rng.integers(3, size=600)]))


def test_sequential_cart_keeps_what_follows_from_what(copied_column):
    pytest.importorskip("sklearn")
    made = sequential_cart(copied_column, np.random.default_rng(2))
    assert len(made) == 600
    assert (made.codes[:, 0] == made.codes[:, 1]).all()
    # What has nothing to do with the others keeps its frequencies and nothing else.
    assert np.abs(made.marginal(["z"]) - copied_column.marginal(["z"])).max() < 60
    assert not np.array_equal(made.codes[:, 2], copied_column.codes[:, 2])


def test_a_bootstrap_holds_rows_of_the_original_only(copied_column):
    made = bootstrap(copied_column, np.random.default_rng(3))
    known = {tuple(row) for row in copied_column.codes.tolist()}
    assert {tuple(row) for row in made.codes.tolist()} <= known


def test_code_tables_are_those_of_the_authors(data_folder):
    """Sets and bits of the authors' program, Mushroom with its own order of items among them."""
    lab = Lab(Shelf(data_folder), seed=1)
    for name, sets, bits in (("Iris", 21, 1474.97), ("Mushroom", 718, 277774.15)):
        found = original(lab, data_named(name)).code_table
        assert len(found) == sets
        assert found.bits.total == pytest.approx(bits, abs=0.01)


def test_a_table_without_patterns_is_used_when_it_is_asked_for(data_folder):
    start = original(Lab(Shelf(data_folder), seed=1), data_named("Iris"))
    apart = start.model(table=single_values(start))
    assert len(apart.code_table) == 0
    assert apart.expected_patterns_per_row() == len(start.table.schema)


def test_decimals_that_were_cut_off_are_reached_by_what_they_came_from():
    measured = (Measured("described", 88.5299),)
    assert Compared("p", "privacy", 88.52, 2, "=", "", measured, cut=True).verdict(1) == "reached"
    assert Compared("p", "privacy", 88.52, 2, "=", "", measured).verdict(1) == "missed by 0.01"


def test_the_asset_of_the_experiment_is_the_one_of_the_example():
    for name in ("health.yaml", "secrets.txt"):
        assert _text(name) == (EXAMPLES / name).read_text("utf-8")


def test_a_picture_is_the_same_each_time_and_explains_itself():
    series = {"one": [0.1, 0.2, 0.2], "other": [0.3, 0.4, 0.5]}
    first, second = (histograms("name", "Two samples", series, label="DS") for _ in range(2))
    assert first == second
    assert "<title" in first.svg
    assert "other: 3 values" in first.svg
