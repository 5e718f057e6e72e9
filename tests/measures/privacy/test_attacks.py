"""Attacks worked by hand, and excesses that are zero where nothing is remembered."""

from __future__ import annotations

import numpy as np
import pytest
from measures.tables import dependent, letters, schema_of

from halfmask.data import Table
from halfmask.measures import Comparison, compare, measure_named
from halfmask.randomness import Randomness

ORIGINAL = letters("ACE ACE ACE BDF BDF BCE ADF")
RELEASE = letters("ACE ACE ACE ACE BDE BCE BDF")
HOLDOUT = letters("ACE ADE BDE BCF")


def read(name, original=ORIGINAL, release=RELEASE, holdout=HOLDOUT, **options):
    comparison = Comparison(original, release, holdout, randomness=Randomness(1), **options)
    return measure_named(name).read(comparison, yardsticks=False)


def test_copied_rows_by_hand():
    reading = read("copied_rows", min_support=3)
    # Of 7 release rows, BCE is held by one person, BDF by two, ACE by three, BDE by nobody.
    assert reading.value == pytest.approx(2 / 7)
    assert reading.details["share_by_holders"] == pytest.approx(
        {"nobody": 1 / 7, "one": 1 / 7, "few": 1 / 7, "many": 4 / 7}
    )


def test_unique_rows_by_hand():
    assert read("unique_found").value == 0.5  # BCE is in the release, ADF is not
    # ADE, BDE and BCF have no equal in the original; the release holds BDE.
    excess = read("unique_excess")
    assert excess.value == pytest.approx(1 / 2 - 1 / 3)
    assert excess.details == {"success": 0.5, "control": pytest.approx(1 / 3)}


def test_nas_excess_by_hand():
    # Held-out persons exist with 0 others (ADE, BDE, BCF; one found) and with 3 others (ACE), and
    # the original has levels 1, 2, 3: only level 1 can be compared.
    assert read("nas_excess").value == pytest.approx(1 / 2 - 1 / 3)


def test_disclosure_by_hand():
    identity = read("identity_disclosure", keys=("AB", "CD"))
    # Keys of the original: AC×3 BD×2 BC AD; of the release: AC×4 BD×2 BC. BC is unique in both.
    assert identity.value == pytest.approx(1 / 7)
    assert identity.details["unique_in_original"] == pytest.approx(2 / 7)
    assert identity.details["unique_in_release"] == pytest.approx(1 / 7)
    attribute = read("attribute_disclosure", keys=("AB", "CD"), sensitive="EF")
    # AC and BC go with E alone in the release and in truth; BD goes with both; AD does not occur.
    assert attribute.value == pytest.approx(4 / 7)
    assert attribute.details["one_target_in_original"] == 1.0
    assert attribute.details["one_target_in_release"] == pytest.approx(5 / 7)
    assert attribute.details["disclosed_of_holdout"] == pytest.approx(1 / 4)


def test_linkability_of_a_copy_with_distinct_halves_is_certain():
    schema = schema_of(50, 50)
    codes = np.arange(50)[:, None].repeat(2, axis=1)
    original = Table(schema, codes)
    strangers = Table(schema, np.stack([np.arange(50), np.roll(np.arange(50), 1)], axis=1))
    reading = read("linkability", original, original, strangers)
    assert reading.details["success"][0] == 1.0
    assert reading.details["control"][0] == 0.0
    assert reading.details["luck"] == pytest.approx(1 / 50)


def test_inference_of_a_copy_knows_what_only_the_original_knows():
    rng = np.random.default_rng(1)
    schema = schema_of(400, 2)
    original = Table(schema, np.stack([np.arange(400), rng.integers(2, size=400)], axis=1))
    strangers = Table(schema, np.stack([np.arange(400), rng.integers(2, size=400)], axis=1))
    reading = read("sensitive_guess", original, original, strangers, sensitive="A1")
    assert reading.details["success"][0] == 1.0
    assert reading.details["control"][0] == pytest.approx(0.5, abs=0.08)
    assert reading.details["luck"] == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("name", ["sensitive_guess", "attribute_disclosure"])
def test_without_a_sensitive_attribute_there_is_nothing_to_guess(name):
    comparison = Comparison(ORIGINAL, RELEASE, HOLDOUT, randomness=Randomness(1))
    assert compare(comparison, [name]).unmeasured[0].reason == "No sensitive attribute was named."


@pytest.mark.parametrize(
    "name",
    ["unique_excess", "nas_excess", "membership", "membership_unique", "singling_out",
     "linkability", "inference", "closest_record"],
)  # fmt: skip
def test_attacks_with_a_control_need_a_hold_out(name):
    comparison = Comparison(ORIGINAL, RELEASE, randomness=Randomness(1))
    assert "held-out rows" in compare(comparison, [name]).unmeasured[0].reason


def test_too_few_persons_are_a_blank():
    comparison = Comparison(ORIGINAL, RELEASE, HOLDOUT, randomness=Randomness(1))
    assert "Only 4 people" in compare(comparison, ["membership"]).unmeasured[0].reason


def worlds(count: int):
    """Releases that never saw the original: other samples of the same population."""
    rng = np.random.default_rng(11)
    for seed in range(count):
        people = dependent(1400, rng, columns=7)
        yield Comparison(
            people.take(np.arange(600)),
            people.take(np.arange(600, 1200)),
            people.take(np.arange(1200, 1400)),
            randomness=Randomness(seed),
        )


@pytest.mark.parametrize(
    ("name", "nothing"),
    [("unique_excess", 0.0), ("nas_excess", 0.0), ("membership", 0.0), ("membership_unique", 0.0),
     ("singling_out", 0.0), ("linkability", 0.0), ("inference", 0.0), ("closest_record", 0.5)],
)  # fmt: skip
def test_where_nothing_is_remembered_the_interval_holds_nothing(name, nothing):
    """Also with a hold-out a third of the original's size: no artefact of unequal sizes."""
    readings = [measure_named(name).read(w, yardsticks=False) for w in worlds(40)]
    held = sum(reading.low <= nothing <= reading.high for reading in readings)
    assert held >= 34  # of 40 at 95 %: fewer happens once in 400 times
    mean = np.mean([reading.value for reading in readings]) - nothing
    spread = np.std([reading.value for reading in readings], ddof=1) / 40**0.5
    assert abs(mean) <= 3.5 * spread + 1e-9


def test_a_release_with_a_few_copied_persons_is_caught():
    rng = np.random.default_rng(12)
    people = dependent(4000, rng, columns=8)
    original, fresh = people.take(np.arange(1500)), people.take(np.arange(1500, 3000))
    leaky = Table(people.schema, np.vstack([fresh.codes[:1050], original.codes[:450]]))
    for name in ("unique_excess", "membership_unique", "singling_out"):
        reading = read(name, original, leaky, people.take(np.arange(3000, 4000)))
        assert reading.low > 0, name
