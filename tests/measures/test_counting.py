"""NAS, the k-anonymity check and marginals, worked by hand and against plain definitions."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from measures.tables import dependent, letters, noisy, schema_of

from halfmask.data import Baskets, Table
from halfmask.errors import BadInput, NotMeasurable
from halfmask.measures import Comparison, anonymity, compare, expected_nas
from halfmask.measures.privacy.linkability import rare_in_both
from halfmask.measures.side import Side, Tally, row_keys
from halfmask.randomness import Randomness

SIZES = (2, 3, 2)
codes = st.integers(2, 20).flatmap(
    lambda n: st.tuples(*[arrays(np.int32, n, elements=st.integers(-1, s - 1)) for s in SIZES])
)


def table(columns) -> Table:
    return Table(schema_of(*SIZES), np.stack(columns, axis=1))


def against(original, release, **options):
    return Comparison(original, release, randomness=Randomness(1), **options)


def plain_nas(original: Table, release: Table) -> float:
    """The definition, word by word."""
    supports = Counter(map(tuple, original.codes.tolist()))
    published = set(map(tuple, release.codes.tolist()))
    levels = sorted(set(supports.values()))
    score = 0.0
    for level in levels:
        rows = [row for row, support in supports.items() if support == level]
        score += sum(row in published for row in rows) / len(rows) / level
    return score / sum(1 / level for level in levels)


def test_the_papers_example_reads_8_of_11():
    reading = compare(
        against(letters("ACE ACE ACE BDF BDF BCE ADF"), letters("ACE ACE ACE ACE BDE BCE BDF")),
        ["nas"],
    )["nas"]
    assert reading.value == pytest.approx(8 / 11)
    assert reading.details["as"] == pytest.approx(4 / 3)
    assert reading.details["share_per_level"] == [0.5, 1.0, 1.0]
    assert reading.exact


@given(codes, codes)
def test_nas_equals_its_definition(first, second):
    original, release = table(first), table(second)
    value = compare(against(original, release), ["nas"], yardsticks=False)["nas"].value
    assert value == pytest.approx(plain_nas(original, release))


def test_expected_nas_is_the_mean_over_drawn_releases():
    rng = np.random.default_rng(5)
    probabilities = rng.dirichlet(np.ones(12))
    supports = rng.integers(1, 4, 12)
    expected = expected_nas(np.log2(probabilities), supports, rows=9).normalised
    drawn = [
        anonymity(supports, rng.multinomial(9, probabilities) > 0).normalised for _ in range(4000)
    ]
    assert expected == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / 4000**0.5)


def test_expected_nas_at_its_edges():
    assert expected_nas([0.0], [3], rows=1).normalised == 1.0
    assert expected_nas([-np.inf], [3], rows=10**9).normalised == 0.0
    assert expected_nas([-3.0], [1], rows=0).normalised == 0.0
    with pytest.raises(BadInput, match="at most 1"):
        expected_nas([0.5], [1], rows=1)
    with pytest.raises(BadInput, match="one support and one finding"):
        expected_nas([-1.0], [1, 2], rows=1)


def test_k_check_weighs_rows_and_distinct_rows():
    assert rare_in_both([1, 1, 3], [1, 0, 1], 2) == (0.5, 0.5)
    assert rare_in_both([1, 2, 9], [2, 0, 1], 3) == (1 / 3, 0.5)


def test_k_check_without_rare_rows_is_blank():
    copy = letters("ACE ACE ACE BDF BDF BDF")
    readings = compare(against(copy, copy, min_support=3), ["k_anonymity"])
    assert "shared by 3 or more" in readings.unmeasured[0].reason


@given(codes, codes)
def test_marginals_equal_the_counted_definition(first, second):
    original, release = table(first), table(second)
    for ways in (1, 2, 3):
        reading = compare(against(original, release), [f"marginals_{ways}"], yardsticks=False)
        distances = []
        for columns in combinations(range(3), ways):
            names = [original.schema.names[c] for c in columns]
            p, q = (t.marginal(names).ravel() / len(t) for t in (original, release))
            distances.append(0.5 * (abs(p - q).sum() + abs(p.sum() - q.sum())))
        found = reading[f"marginals_{ways}"]
        assert found.value == pytest.approx(np.mean(distances))
        assert found.details["worst"] == pytest.approx(max(distances))


def test_the_worst_marginal_is_named():
    original = dependent(400, np.random.default_rng(1))
    broken = original.codes.copy()
    broken[:, 3] = 0
    reading = compare(against(original, Table(original.schema, broken)), ["marginals_1"])[
        "marginals_1"
    ]
    assert reading.details["worst_attributes"] == ["A3"]
    assert reading.yardsticks == {"independent": 0.0, "copy": 0.0}


def test_marginals_with_too_many_cells_for_an_array_are_counted_by_key(monkeypatch):
    rng = np.random.default_rng(2)
    original = dependent(300, rng)
    release = noisy(original, 0.2, rng)
    dense = compare(against(original, release), ["marginals_2"], yardsticks=False)
    monkeypatch.setattr("halfmask.measures.quality.marginals._MOST_CELLS", 0)
    sparse = compare(against(original, release), ["marginals_2"], yardsticks=False)
    assert sparse["marginals_2"].value == pytest.approx(dense["marginals_2"].value)


def test_beyond_the_limit_a_sample_of_combinations_is_read_and_says_so(monkeypatch):
    monkeypatch.setattr("halfmask.measures.quality.marginals._MOST_COMBINATIONS", 5)
    rng = np.random.default_rng(3)
    original = dependent(100, rng)
    reading = compare(against(original, noisy(original, 0.5, rng)), ["marginals_3"])["marginals_3"]
    assert reading.details["combinations"] == 5
    assert reading.details["all_combinations"] is False


class CountsOnly:
    """A release that answers questions but has no rows, like an anatomised one."""

    def __init__(self, table: Table) -> None:
        self._table = table

    schema = property(lambda self: self._table.schema)
    size = property(lambda self: self._table.size)

    def marginal(self, attributes):
        return self._table.marginal(attributes)

    def support(self, itemsets):
        return self._table.support(itemsets)


def test_a_release_of_counts_gets_marginals_but_no_nas():
    rng = np.random.default_rng(4)
    original = dependent(200, rng)
    release = noisy(original, 0.1, rng)
    whole = compare(against(original, release), ["marginals_2"])
    counts = compare(against(original, CountsOnly(release)), ["marginals_2", "nas"])
    assert counts["marginals_2"].value == pytest.approx(whole["marginals_2"].value)
    assert counts.unmeasured[0].reason == (
        "This measure looks at single rows, and the release has only counts."
    )


def test_baskets_are_compared_by_whole_baskets_and_items():
    names = ["bread", "milk", "tea"]
    original = Baskets.of([["milk", "bread"], ["milk"], [], ["tea"]], names)
    release = Baskets.of([["milk"], ["milk"], ["tea", "milk"], []], names)
    readings = compare(against(original, release), ["nas", "marginals_1"])
    assert readings["nas"].value == 0.5
    assert readings["marginals_1"].value == pytest.approx((0.25 + 0.25 + 0.0) / 3)


def test_keys_tell_rows_apart_also_beyond_64_bits():
    rng = np.random.default_rng(6)
    wide = Table(schema_of(*[9] * 60), rng.integers(-1, 9, (50, 60)))
    twice = Table(wide.schema, np.vstack([wide.codes, wide.codes[::-1]]))
    tally = Side(twice, "the original").tally
    assert len(tally) == 50
    assert (tally.counts == 2).all()
    assert (tally.count(row_keys(wide, range(60))) == 2).all()


def test_an_empty_tally_counts_nothing():
    assert Tally.of(np.empty(0, np.int64)).count(np.array([1, 2])).tolist() == [0, 0]


def test_yardsticks_stand_beside_the_value():
    rng = np.random.default_rng(7)
    people = dependent(1300, rng)
    original, holdout = people.take(np.arange(600)), people.take(np.arange(600, 1300))
    reading = compare(
        against(original, noisy(original, 0.3, rng), holdout=holdout), ["marginals_2"]
    )["marginals_2"]
    assert set(reading.yardsticks) == {"holdout", "independent", "copy"}
    assert reading.yardsticks["copy"] == 0.0
    assert reading.yardsticks["holdout"] < reading.yardsticks["independent"]


def test_a_mean_over_nothing_is_refused():
    with pytest.raises(NotMeasurable, match="shared by 1 or more"):
        rare_in_both([1, 1], [0, 0], 1)
