"""DS and the other measures that speak of patterns, against the published numbers."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measures.tables import dependent, letters, noisy
from measures.test_counting import CountsOnly
from published import read_coded, read_process

from halfmask.data import Assortment, Baskets, Table, Transactions
from halfmask.errors import BadInput
from halfmask.measures import Comparison, CrossSizes, compare, measure_named
from halfmask.measures.frequent import frequent_sets, itemset_keys
from halfmask.measures.quality.dissimilarity import half_sample
from halfmask.measures.quality.rules_kept import rule_keys
from halfmask.patterns.mining import Itemsets, mine, rules
from halfmask.randomness import Randomness


def against(original, release, holdout=None, **options):
    return Comparison(original, release, holdout, randomness=Randomness(1), **options)


def read(name, original, release, **options):
    return measure_named(name).read(against(original, release, **options), yardsticks=False)


# The domains are ordered so that equal supports are broken as in the published vector.
DOMAINS = ("FE", "DC", "BA")


def published(text: str) -> Table:
    return letters(" ".join("".join(word[::-1]) for word in text.split()), DOMAINS)


def test_ds_of_the_published_vector():
    first, second = published("ACE ACE ACE BDF BDF BCE"), published("ACE ACE ACF ACF BDE BCF")
    reading = read("ds", first, second, evaluation_support=1)
    assert reading.details["bits"] == pytest.approx(
        {
            "original": 13.830075,
            "release_in_original": 52.0,
            "release": 35.034807,
            "original_in_release": 39.16409,
        },
        abs=1e-5,
    )
    assert reading.value == pytest.approx(1.831806, abs=1e-6)
    assert reading.details["original_in_release"] == pytest.approx(1.831806, abs=1e-6)
    assert reading.details["release_in_original"] == pytest.approx(52 / 35.034807 - 1, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "bits"), [("iris", 1140.87), ("pima", 6910.67), ("page-blocks", 7695.88)]
)
def test_an_original_in_its_own_codes_has_the_published_size(name, bits, data_folder):
    table = read_coded(data_folder / f"{name}.csv.gz")
    reading = read("ds", table, table, evaluation_support=1)
    assert reading.value == 0.0
    assert reading.details["bits"]["original"] == pytest.approx(bits, abs=0.01)


def test_led7_reads_as_published(data_folder):
    """DS 0.028, NAS 0.66, 89 % equal patterns, supports off by 0.14 %, new ones at 0.06 %."""
    table = read_coded(data_folder / "led7.csv.gz")
    drawn = read_process("led7-all-1d-nop", table).draw(8 * len(table), key=7).codes
    readings = [
        compare(
            against(table, Table(table.schema, codes), evaluation_support=1),
            ["ds", "nas", "patterns_kept"],
            yardsticks=False,
        )
        for codes in np.split(drawn, 8)
    ]
    sizes = CrossSizes.average([CrossSizes(**r["ds"].details["bits"]) for r in readings])
    assert sizes.dissimilarity == pytest.approx(0.028, abs=0.015)
    kept = [r["patterns_kept"] for r in readings]
    assert np.mean([r["nas"].value for r in readings]) == pytest.approx(0.66, abs=0.02)
    assert np.mean([k.value for k in kept]) == pytest.approx(0.89, abs=0.03)
    mean_difference = np.mean([k.details["mean_difference"] for k in kept])
    assert mean_difference == pytest.approx(0.00144, rel=0.15)
    new = np.mean([k.details["mean_support_of_new"] for k in kept])
    assert new == pytest.approx(0.00064, rel=0.15)


def test_ds_internal_reads_as_published(data_folder):
    table = read_coded(data_folder / "pima.csv.gz")
    reading = read("ds_internal", table, table, evaluation_support=1)
    assert reading.value == pytest.approx(0.173, abs=0.03)
    assert reading.low < reading.value < reading.high


def test_a_half_sample_has_half_the_rows_and_no_others():
    rows = Transactions.of([(0, 1), (0, 1), (2,), (1, 2), (3,)], n_items=4).distinct()
    sample = half_sample(rows, np.random.default_rng(3))
    assert sample.size == 3
    assert set(sample) <= set(rows)


def test_sizes_of_nothing_are_refused():
    with pytest.raises(BadInput, match="empty database"):
        CrossSizes(0.0, 1.0, 1.0, 1.0)
    with pytest.raises(BadInput, match="at least one run"):
        CrossSizes.average([])


@given(st.lists(st.frozensets(st.integers(0, 9)), max_size=30))
def test_itemset_keys_are_equal_exactly_when_the_itemsets_are(sets):
    found = Transactions.of([tuple(s) for s in sets], n_items=10)
    keys = itemset_keys(found.offsets, found.items)
    for i, j in combinations(range(len(sets)), 2):
        assert bool(keys[i] == keys[j]) == (sets[i] == sets[j])


rows_of_items = st.lists(st.frozensets(st.integers(0, 4), min_size=1), min_size=2, max_size=15)


@given(rows_of_items, rows_of_items)
def test_pattern_sets_equal_their_definition(first, second):
    schema = Assortment(tuple("abcde"))
    sides = [Baskets(schema, Transactions.of([tuple(r) for r in x], 5)) for x in (first, second)]
    sets = frequent_sets(against(*sides, evaluation_support=2))
    floor = 2 * len(second) / len(first)
    plain = [
        {items: n for items, n in mine(side.transactions, min_support=1) if n >= least}
        for side, least in zip(sides, (2, floor - 1e-9), strict=True)
    ]
    assert int(sets.common.sum()) == len(plain[0].keys() & plain[1].keys())
    assert sorted(sets.new_shares) == pytest.approx(
        sorted(n / len(second) for items, n in plain[1].items() if items not in plain[0])
    )
    moved = [
        plain[1][x] / len(second) - n / len(first) for x, n in plain[0].items() if x in plain[1]
    ]
    assert sorted(sets.difference) == pytest.approx(sorted(moved))


def test_a_release_of_counts_keeps_patterns_but_has_no_new_ones():
    rng = np.random.default_rng(2)
    original = dependent(400, rng)
    release = noisy(original, 0.2, rng)
    whole = read("patterns_kept", original, release)
    counts = read("patterns_kept", original, CountsOnly(release))
    assert counts.value == pytest.approx(whole.value)
    assert "new" not in counts.details
    found = compare(against(original, CountsOnly(release)), ["rules_kept", "ds"])
    assert [blank.name for blank in found.unmeasured] == ["ds"]
    assert 0 < found["rules_kept"].value <= 1


def test_only_patterns_of_enough_persons_are_named():
    rng = np.random.default_rng(3)
    original = dependent(300, rng)
    reading = read(
        "support_difference",
        original,
        noisy(original, 0.5, rng),
        evaluation_support=1,
        min_support=25,
    )
    assert reading.details["most_moved"]
    for named in reading.details["most_moved"]:
        assert named["original"] * 300 >= 25
    region = read("worst_region", original, noisy(original, 0.5, rng), min_support=25)
    assert all(named["rows"] >= 25 for named in region.details["ten_worst"])


def test_the_worst_region_is_the_one_that_was_scrambled():
    rng = np.random.default_rng(4)
    original = dependent(1500, rng)
    codes = original.codes.copy()
    hit = np.flatnonzero(codes[:, 0] == 2)
    for column in range(1, codes.shape[1]):
        codes[hit, column] = rng.permutation(codes[hit, column])
    reading = read("worst_region", original, Table(original.schema, codes))
    assert reading.details["ten_worst"][0]["region"] == "A0=v2"


def test_rules_by_hand():
    rows = Transactions.of([(0, 1, 2)] * 3 + [(0, 1)] + [(0,)] * 4, n_items=3)
    found = {
        r.what: (r.support, r.confidence)
        for r in rules(mine(rows, min_support=3), min_confidence=0.75)
    }
    assert found == {
        ((1,), 0): (4, 1.0), ((2,), 0): (3, 1.0), ((1,), 2): (3, 0.75), ((2,), 1): (3, 1.0),
        ((1, 2), 0): (3, 1.0), ((0, 2), 1): (3, 1.0), ((0, 1), 2): (3, 0.75),
    }  # fmt: skip


def test_rules_refuse_what_they_cannot_know():
    some = Itemsets(np.array([0, 2]), np.array([0, 1], np.int32), np.array([3]))
    with pytest.raises(BadInput, match="all frequent itemsets"):
        rules(some, min_confidence=0.5)
    with pytest.raises(BadInput, match="above 0"):
        rules(some, min_confidence=0.0)


DRAWN_ROWS = st.lists(st.frozensets(st.integers(0, 5), min_size=1), min_size=1, max_size=30)


@given(DRAWN_ROWS, DRAWN_ROWS)
def test_rules_found_at_once_are_those_of_the_reference(first, second):
    keys, listed = [], []
    for rows in (first, second):
        itemsets = mine(Transactions.of([sorted(row) for row in rows], n_items=6), min_support=2)
        found = rules(itemsets, min_confidence=0.7, max_items=4)
        keys.append(set(rule_keys(itemsets).tolist()))
        listed.append({rule.what for rule in found})
    assert [len(side) for side in keys] == [len(side) for side in listed]
    assert len(keys[0] & keys[1]) == len(listed[0] & listed[1])


def test_rules_kept_of_a_copy_are_all():
    original = dependent(500, np.random.default_rng(5))
    reading = read("rules_kept", original, original)
    assert reading.value == 1.0
    assert reading.details["precision"] == 1.0


def test_the_generators_own_count_of_patterns_is_the_value():
    original = dependent(100, np.random.default_rng(6))
    reading = read("patterns_per_row", original, original, drawn_per_row=2.5)
    assert reading.value == 2.5
    assert reading.details == {"counted_by": "the generator"}


def test_too_many_itemsets_raise_the_support_unless_one_was_asked_for(monkeypatch):
    monkeypatch.setattr("halfmask.measures.code_tables.DEFAULT_LIMIT", 50)
    monkeypatch.setattr("halfmask.measures.code_tables.np.clip", lambda *_: 50)
    rng = np.random.default_rng(7)
    original = dependent(300, rng)
    release = noisy(original, 0.1, rng)
    assert read("ds", original, release, min_support=2).details["min_support"] > 2
    blank = compare(against(original, release, evaluation_support=2), ["ds"]).unmeasured[0]
    assert "itemsets are held by 2 rows, more than can be searched" in blank.reason


def test_supports_moved_is_requirement_three_for_one_delta():
    rng = np.random.default_rng(7)
    original = dependent(300, rng)
    release = noisy(original, 0.2, rng)
    sets = frequent_sets(against(original, release))
    moved = np.abs(sets.found_share - sets.original_share)
    for delta in (0.0, 0.01, 0.2):
        reading = read("supports_moved", original, release, delta=delta)
        assert reading.value == pytest.approx((moved > delta).mean())
    assert read("supports_moved", original, original).value == 0
