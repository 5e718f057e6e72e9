"""Quality against people: a release drawn from the population reads like a second sample."""

from __future__ import annotations

import numpy as np
import pytest
from measures.tables import dependent

from halfmask.data import Table
from halfmask.errors import NotMeasurable
from halfmask.measures import MEASURES, Comparison, compare
from halfmask.randomness import Randomness

ASKED = ("marginals_1", "marginals_2", "marginals_3", "item_frequencies", "ds", "patterns_kept",
         "support_difference", "rules_kept")  # fmt: skip


def populations(original, holdout, release, seed):
    rng = np.random.default_rng(seed)
    table = dependent(original + holdout + release, rng)
    ends = np.cumsum([original, holdout])
    parts = np.split(np.arange(len(table)), ends)
    return [table.take(part) for part in parts]


def readings(original, release, holdout, seed, names=ASKED):
    comparison = Comparison(original, release, holdout, randomness=Randomness(seed))
    return compare(comparison, names)


@pytest.mark.parametrize("release_rows", [200, 400, 1200], ids=["shorter", "as long", "longer"])
def test_a_release_from_the_population_reads_like_a_second_sample(release_rows):
    """Whatever the sizes: the difference of the two has mean 0."""
    gaps = {name: [] for name in ASKED}
    for seed in range(40):
        original, holdout, fresh = populations(400, 150, release_rows, seed)
        found = readings(original, fresh, holdout, seed)
        for name in ASKED:
            gaps[name].append(found[name].against_holdout - found[name].second_sample)
    for name, some in gaps.items():
        error = np.std(some, ddof=1) / len(some) ** 0.5
        assert abs(np.mean(some)) <= 3.5 * error + 1e-12, name


def test_repeating_the_noise_of_the_original_is_no_nearer_to_people():
    """A copy reads as perfect against the original, and as a second sample against people."""
    original, holdout, fresh = populations(400, 400, 400, 1)
    copy = readings(original, original, holdout, 1)
    people = readings(original, fresh, holdout, 1)
    assert copy["marginals_2"].value == 0 < people["marginals_2"].value
    assert copy["marginals_2"].against_holdout == copy["marginals_2"].second_sample > 0
    ratio = people["marginals_2"].against_holdout / copy["marginals_2"].against_holdout
    assert 0.8 < ratio < 1.25


def test_a_bad_release_is_farther_from_people_than_a_second_sample():
    original, holdout, _ = populations(400, 400, 400, 2)
    mixed = np.stack([np.random.default_rng(c).permutation(original.codes[:, c]) for c in range(6)])
    found = readings(original, Table(original.schema, mixed.T), holdout, 2, ["marginals_2", "ds"])
    for name in ("marginals_2", "ds"):
        assert found[name].against_holdout > 1.5 * found[name].second_sample


def test_both_are_read_at_one_size():
    original, holdout, fresh = populations(300, 100, 900, 3)
    comparison = Comparison(original, fresh, holdout, randomness=Randomness(1))
    release, sample = comparison.against_people
    assert release.release.size == sample.release.size == 300
    assert release.original is sample.original is holdout
    shorter = comparison.with_release(fresh.take(np.arange(50))).against_people
    assert [c.release.size for c in shorter] == [50, 50]


def test_only_quality_with_a_hold_out_is_held_against_people():
    original, holdout, fresh = populations(300, 100, 300, 4)
    found = readings(original, fresh, holdout, 4, ["nas", "marginals_1"])
    assert found["nas"].against_holdout is None
    assert found["marginals_1"].to_dict()["second_sample"] > 0
    assert found.to_rows()[1]["against_holdout"] == found["marginals_1"].against_holdout
    without = Comparison(original, fresh, randomness=Randomness(1))
    assert compare(without, ["marginals_1"])["marginals_1"].second_sample is None
    with pytest.raises(NotMeasurable, match="held-out"):
        _ = without.against_people


@pytest.mark.parametrize("held_out", [80, 400, 2000])
def test_the_hold_out_as_yardstick_does_not_read_better_for_being_small(held_out):
    """Held-out persons are hit by a fresh release as often as those of the original."""
    gaps = {"nas": [], "unique_found": [], "copied_rows": []}
    for seed in range(25):
        original, holdout, fresh = populations(400, held_out, 400, seed)
        found = readings(original, fresh, holdout, seed, list(gaps))
        for name, some in gaps.items():
            some.append(found[name].value - found[name].yardsticks["holdout"])
    for name in ("unique_found", "copied_rows"):
        error = np.std(gaps[name], ddof=1) / 5
        assert abs(np.mean(gaps[name])) <= 3.5 * error + 1e-12, name
    assert abs(np.mean(gaps["nas"])) < 0.1  # only the levels that the hold-out reaches are alike


def test_a_hold_out_smaller_than_the_release_is_no_yardstick_where_size_decides():
    original, holdout, fresh = populations(400, 80, 400, 5)
    small = readings(original, fresh, holdout, 5, ["marginals_2", "k_anonymity"])
    assert all("holdout" not in item.yardsticks for item in small)
    original, holdout, fresh = populations(400, 900, 400, 5)
    comparison = Comparison(original, fresh, holdout, randomness=Randomness(5))
    assert comparison.yardsticks["holdout"].release.size == 400


def test_measures_whose_hold_out_is_read_otherwise_are_few_and_known():
    assert {m.name for m in MEASURES if m.of_holdout} == {"nas", "unique_found"}
    assert {m.name for m in MEASURES if m.by_row} == {"copied_rows", "patterns_per_row"}
