"""What every measure must do, whatever it measures."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from halfmask.data import Attribute, Schema, Table
from halfmask.measures import MEASURES, Comparison, Reading, Unmeasured, compare
from halfmask.measures.confidence import difference, wilson
from halfmask.randomness import Randomness

NAMES = [measure.name for measure in MEASURES]
SIZES = (4, 3, 6, 2, 5, 3, 4, 8, 3)
ROWS, HELD_OUT = 700, 700
NOISE = (0.0, 0.1, 0.3, 0.6)

NOT_FOR_TABLES = {
    "bit_privacy", "amplification", "value_intervals", "privacy_loss",
    "matching_buckets", "fake_records", "column_attack", "item_disclosure", "group_attack",
    "basket_lengths", "generalisation", "misses_cost", "side_effects",
    "hiding_failure", "tracing_model",
}  # fmt: skip
"""They read baskets, counts of a model, or releases of one method, and say so."""

BY_PLACE = {"misclassification", "cells_changed"}
"""Row i is held against row i, so that the order of rows means something."""
BLIND_TO_RELATIONS = {"marginals_1", "item_frequencies"}
INDEPENDENT_OF_THE_RELEASE = {"ds_internal"}
TIES_BY_ITEM_NUMBER = {"ds", "worst_region", "patterns_per_row", "ds_internal"}
"""Krimp breaks ties between equally frequent candidates by the number of their items."""

SMALLEST_OF_ALL = {"l_diversity"}
"""One key of one row decides, and any release of these data has such a key."""

OF_A_COPY = {
    "marginals_1": 0.0, "marginals_2": 0.0, "marginals_3": 0.0, "item_frequencies": 0.0,
    "ds": 0.0, "worst_region": 0.0, "patterns_kept": 1.0, "support_difference": 0.0,
    "supports_moved": 0.0,
    "rules_kept": 1.0, "learning": 0.0, "propensity": 0.5,
    "nas": 1.0, "k_anonymity": 1.0, "unique_found": 1.0, "unique_excess": 1.0,
    "membership_unique": 1.0,
}  # fmt: skip
"""Perfect quality and worst privacy, where they have a number."""


LUCK_GROWS_WITH_NOISE = {"attribute_disclosure"}
"""Noise makes keys rarer, so more of them go with one value by chance, for held-out persons too."""


def beyond_luck(reading: Reading) -> Reading:
    """The reading less what held-out persons get."""
    control = wilson(round(reading.details["disclosed_of_holdout"] * HELD_OUT), HELD_OUT)
    gap = difference(wilson(round(reading.value * ROWS), ROWS), control)
    return replace(reading, value=gap.value, low=gap.low, high=gap.high)


def _population(rows: int, rng: np.random.Generator) -> np.ndarray:
    codes = np.empty((rows, len(SIZES)), np.int32)
    codes[:, 0] = rng.choice(SIZES[0], rows, p=[0.5, 0.3, 0.15, 0.05])
    for c in range(1, len(SIZES)):
        follow = rng.random(rows) < 0.7
        fresh = np.minimum(rng.geometric(0.35, rows) - 1, SIZES[c] - 1)
        codes[:, c] = np.where(follow, (codes[:, c - 1] + c) % SIZES[c], fresh)
    return codes


class World:
    """One population: an original, a hold-out, and releases of every kind."""

    def __init__(self) -> None:
        self.schema = Schema(
            tuple(
                Attribute(f"A{c}", tuple(f"v{j}" for j in range(size)))
                for c, size in enumerate(SIZES)
            )
        )
        rng = np.random.default_rng(2024)
        people = _population(2 * ROWS + HELD_OUT, rng)
        self.original = Table(self.schema, people[:ROWS])
        self.holdout = Table(self.schema, people[ROWS : ROWS + HELD_OUT])
        self.fresh = Table(self.schema, people[ROWS + HELD_OUT :])
        # Nested noise: whatever a low level replaces, a higher one replaces by the same value.
        self._when = rng.random(self.original.codes.shape)
        self._by = np.stack([rng.integers(size, size=ROWS) for size in SIZES], axis=1)
        self.rng = rng

    def noisy(self, share: float) -> Table:
        return Table(self.schema, np.where(self._when < share, self._by, self.original.codes))

    def shifted(self) -> Table:
        return Table(self.schema, (self.original.codes + 1) % np.array(SIZES))

    def independent(self) -> Table:
        codes = self.original.codes.copy()
        for c in range(len(SIZES)):
            codes[:, c] = np.random.default_rng(c).permutation(codes[:, c])
        return Table(self.schema, codes)


@cache
def world() -> World:
    return World()


def readings_of(original: Table, release: Table, holdout: Table, seed: int = 5):
    comparison = Comparison(
        original, release, holdout,
        randomness=Randomness(seed), sensitive="A4", keys=("A0", "A2", "A7", "A8"), min_support=10,
    )  # fmt: skip
    return compare(comparison, NAMES, yardsticks=False)


@cache
def readings(kind: str, level: float = 0.0):
    w = world()
    releases = {
        "copy": lambda: w.original,
        "independent": w.independent,
        "fresh": lambda: w.fresh,
        "shifted": w.shifted,
        "noisy": lambda: w.noisy(level),
    }
    return readings_of(w.original, releases[kind](), w.holdout)


def reading(name: str, kind: str, level: float = 0.0) -> Reading:
    return readings(kind, level)[name]


def worse_by(measure, first: Reading, second: Reading) -> float:
    """How much worse the first reading is than the second; negative when it is better."""
    sign = {"lower": 1.0, "higher": -1.0, "neither": 0.0}[measure.better]
    return sign * (first.value - second.value)


def slack(first: Reading, second: Reading) -> float:
    """Two readings may differ by so much by luck."""
    return (first.high - first.low + second.high - second.low) / 2 + 1e-9


TABLE_MEASURES = [m for m in MEASURES if m.name not in NOT_FOR_TABLES]
DIRECTED = [m for m in TABLE_MEASURES if m.name not in INDEPENDENT_OF_THE_RELEASE]
QUALITY = [m for m in DIRECTED if m.room == "quality"]
PRIVACY = [m for m in DIRECTED if m.room == "privacy"]


def by_name(measures):
    return pytest.mark.parametrize("measure", measures, ids=lambda m: m.name)


@pytest.mark.parametrize("name", sorted(NOT_FOR_TABLES))
def test_a_measure_of_baskets_says_that_it_does_not_read_tables(name):
    blank = next(item for item in readings("copy") if item.name == name)
    assert isinstance(blank, Unmeasured)
    assert blank.reason.endswith(".")


@by_name(TABLE_MEASURES)
def test_every_measure_of_tables_reads_every_release(measure):
    for kind in ("copy", "independent", "fresh", "shifted"):
        assert isinstance(readings(kind)[measure.name], Reading)


@by_name([m for m in TABLE_MEASURES if m.name in OF_A_COPY])
def test_a_copy_reads_as_perfect_quality_and_worst_privacy(measure):
    assert reading(measure.name, "copy").value == pytest.approx(OF_A_COPY[measure.name], abs=1e-12)


@by_name(QUALITY)
def test_no_release_has_better_quality_than_a_copy(measure):
    copy = reading(measure.name, "copy")
    for kind in ("independent", "fresh", "shifted"):
        other = reading(measure.name, kind)
        assert worse_by(measure, copy, other) <= slack(copy, other), kind


@by_name([m for m in QUALITY if m.name not in BLIND_TO_RELATIONS | BY_PLACE])
def test_independent_columns_read_as_worse_quality_than_the_patterns_allow(measure):
    independent, fresh = reading(measure.name, "independent"), reading(measure.name, "fresh")
    assert worse_by(measure, independent, fresh) > slack(fresh, fresh) / 2


@by_name([m for m in QUALITY if m.name in BLIND_TO_RELATIONS])
def test_independent_columns_keep_what_single_columns_say(measure):
    assert reading(measure.name, "independent").value == pytest.approx(0.0, abs=1e-12)


@by_name(PRIVACY)
def test_no_release_has_worse_privacy_than_a_copy(measure):
    copy = reading(measure.name, "copy")
    for kind in ("independent", "fresh", "shifted"):
        other = reading(measure.name, kind)
        assert worse_by(measure, other, copy) <= slack(copy, other), kind


@by_name([m for m in PRIVACY if m.name not in SMALLEST_OF_ALL])
def test_independent_columns_read_as_better_privacy_than_a_copy(measure):
    copy, independent = reading(measure.name, "copy"), reading(measure.name, "independent")
    assert worse_by(measure, copy, independent) > 0


@by_name(QUALITY)
def test_a_shifted_copy_reads_as_worse_quality(measure):
    copy, shifted = reading(measure.name, "copy"), reading(measure.name, "shifted")
    assert worse_by(measure, shifted, copy) > 0


@by_name(QUALITY)
def test_more_noise_never_reads_as_better_quality(measure):
    steps = [reading(measure.name, "noisy", level) for level in NOISE]
    for less, more in pairwise(steps):
        assert worse_by(measure, less, more) <= slack(less, more)
    assert worse_by(measure, steps[-1], steps[0]) > 0


@by_name(PRIVACY)
def test_more_noise_never_reads_as_worse_privacy(measure):
    steps = [reading(measure.name, "noisy", level) for level in NOISE]
    if measure.name in LUCK_GROWS_WITH_NOISE:
        steps = [beyond_luck(step) for step in steps]
    for less, more in pairwise(steps):
        assert worse_by(measure, more, less) <= slack(less, more)


@cache
def shuffled():
    w = world()
    rng = np.random.default_rng(99)
    tables = [
        table.take(rng.permutation(len(table))) for table in (w.original, w.noisy(0.1), w.holdout)
    ]
    return readings_of(*tables)


@cache
def renamed():
    """Other names for all values, which stand in another order."""
    w = world()
    rng = np.random.default_rng(98)
    orders = [rng.permutation(size) for size in SIZES]
    schema = Schema(
        tuple(
            Attribute(f"A{c}", tuple(f"w{j}" for j in range(size))) for c, size in enumerate(SIZES)
        )
    )
    tables = [
        Table(schema, np.stack([order[t.codes[:, c]] for c, order in enumerate(orders)], axis=1))
        for t in (w.original, w.noisy(0.1), w.holdout)
    ]
    return readings_of(*tables)


@pytest.mark.parametrize("changed", [shuffled, renamed], ids=["shuffled rows", "renamed values"])
@by_name(TABLE_MEASURES)
def test_order_of_rows_and_names_of_values_mean_nothing(measure, changed):
    if measure.name in BY_PLACE and changed is shuffled:
        assert changed()[measure.name].value > 0.5
        return
    before, after = reading(measure.name, "noisy", 0.1), changed()[measure.name]
    if before.exact and measure.name not in TIES_BY_ITEM_NUMBER:
        assert after.value == pytest.approx(before.value, abs=1e-12)
    elif before.exact:
        assert after.value == pytest.approx(before.value, rel=0.1)
    else:
        assert abs(after.value - before.value) <= slack(before, after)


@by_name(TABLE_MEASURES)
def test_the_same_seed_gives_the_same_reading(measure):
    w = world()
    again = readings_of(w.original, w.noisy(0.1), w.holdout)[measure.name]
    assert again.to_dict() == reading(measure.name, "noisy", 0.1).to_dict()


@cache
def told_of_a_rare_person() -> str:
    """All readings, with yardsticks, of data in which two persons hold a value of their own."""
    w = world()
    attributes = list(w.schema.attributes)
    attributes[2] = Attribute("A2", (*attributes[2].values, "very rare thing"))
    schema = Schema(tuple(attributes))
    codes = w.original.codes.copy()
    codes[:2, 2] = SIZES[2]
    original = Table(schema, codes)
    comparison = Comparison(
        original, original, Table(schema, w.holdout.codes),
        randomness=Randomness(1), sensitive="A2", min_support=10, evaluation_support=2,
    )  # fmt: skip
    return json.dumps(compare(comparison, NAMES).to_dict())


def test_no_reading_names_what_few_persons_hold():
    assert "A2=v0" in told_of_a_rare_person()
    assert "very rare thing" not in told_of_a_rare_person()
