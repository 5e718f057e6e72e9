"""The verdict: targets decide, attacks by their intervals, the closest record never."""

from __future__ import annotations

import pytest

from halfmask.errors import BadInput
from halfmask.judging.verdict import ATTACKS, Targets, judge
from halfmask.measures import Reading, Readings, Unmeasured


def reading(name, value, low=None, high=None, details=None, **yardsticks):
    return Reading(
        name=name,
        room="privacy",
        value=value,
        low=value if low is None else low,
        high=value if high is None else high,
        unit="share",
        better="lower",
        meaning="What it means.",
        how="How it is computed.",
        yardsticks=yardsticks,
        details=details or {},
    )


def judged(*items, **targets):
    return judge(Readings(items), Targets(**targets))


GOOD = (
    reading("nas", 0.1),
    reading("ds", 0.05, independent=0.4),
    reading("patterns_per_row", 3.0),
    reading("membership", 0.01, -0.05, 0.07),
)


def test_nothing_that_stands_out_may_be_published():
    verdict = judged(*GOOD)
    assert verdict.word == "publish"
    assert {check.outcome for check in verdict.checks} == {"passed"}


@pytest.mark.parametrize(
    ("targets", "word"),
    [
        ({"nas_at_most": 0.1}, "publish"),
        ({"nas_at_most": 0.09}, "do not publish"),
        ({"ds_at_most": 0.05}, "publish"),
        ({"ds_at_most": 0.04}, "do not publish"),
        ({"risk_at_most": 0.05}, "publish"),
        ({"risk_at_most": 0.0}, "review"),
    ],
)
def test_targets_decide(targets, word):
    assert judged(*GOOD, **targets).word == word


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_that_surely_gains_is_pointed_at_and_beyond_a_target_refused(name):
    others = tuple(item for item in GOOD if item.name != name)
    proven = reading(name, 0.3, 0.25, 0.35)
    assert judged(*others, proven).word == "review"
    assert judged(*others, proven, risk_at_most=0.1).word == "do not publish"


def test_an_interval_that_reaches_luck_does_not_count_against_a_release():
    assert judged(*GOOD, reading("singling_out", 0.3, -0.01, 0.6)).word == "publish"


def test_many_attacks_are_judged_together():
    # Alone 0.05 (0.003 to 0.097) lies above 0; among eight attacks such luck is to be expected.
    alone = reading("linkability", 0.05, 0.003, 0.097)
    assert judged(*GOOD[:3], alone).word == "review"
    others = [reading(name, 0.0, -0.05, 0.05) for name in ATTACKS if name != "linkability"]
    assert judged(*GOOD[:3], alone, *others).word == "publish"


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_the_closest_record_never_decides(value):
    verdict = judged(*GOOD, reading("closest_record", value))
    assert verdict == judged(*GOOD)


def test_high_scores_few_patterns_and_lost_relations_are_pointed_at():
    assert judged(reading("nas", 0.6), *GOOD[1:]).word == "review"
    unclear = reading("nas_excess", 0.05, -0.1, 0.2)
    assert judged(reading("nas", 0.6), *GOOD[1:], unclear).word == "review"
    assert judged(GOOD[0], GOOD[1], reading("patterns_per_row", 1.2)).word == "review"
    assert judged(GOOD[0], reading("ds", 0.3, independent=0.4)).word == "review"
    # Too high a support to see relations at, or none to see: no reason to look twice.
    assert judged(GOOD[0], reading("ds", 1e-4, independent=5e-8)).word == "publish"


def test_a_target_on_what_was_not_measured_is_missed():
    blank = Unmeasured("nas", "The release has only counts.")
    assert judged(blank, nas_at_most=0.5).word == "do not publish"
    assert judged(GOOD[0], risk_at_most=0.1).word == "do not publish"
    assert judged(GOOD[0], ds_at_most=0.1).word == "do not publish"


def test_without_a_hold_out_the_verdict_says_that_no_attack_was_measured():
    verdict = judged(*GOOD[:3])
    assert verdict.word == "publish"
    assert any("hold-out" in reason for reason in verdict.reasons)


@pytest.mark.parametrize(
    "targets", [{"nas_at_most": 1.1}, {"ds_at_most": -0.1}, {"risk_at_most": 2.0}]
)
def test_impossible_targets_are_refused(targets):
    with pytest.raises(BadInput, match="at most"):
        Targets(**targets)


def test_rows_that_held_out_persons_have_as_often_are_plausible_and_not_remembered():
    excess = reading("nas_excess", 0.01, -0.02, 0.04)
    verdict = judged(reading("nas", 0.6), *GOOD[1:], excess)
    assert verdict.word == "publish"
    assert "plausible, not memorised" in verdict.checks[0].sentence
    assert judged(reading("nas", 0.6), *GOOD[1:], excess, nas_at_most=0.5).word == "do not publish"


@pytest.mark.parametrize(
    ("independent", "copied", "word"),
    [(0.88, 0.001, "publish"), (0.2, 0.001, "review"), (0.88, 0.5, "review")],
)
def test_rows_that_many_share_and_that_come_by_themselves_are_no_reason_to_look(
    independent, copied, word
):
    items = (
        reading("nas", 0.87, independent=independent),
        reading("copied_rows", copied, details={"k": 10}),
        reading("patterns_per_row", 1.0, independent=1.0 if independent > 0.5 else 3.0),
        GOOD[1],
    )
    verdict = judged(*items)
    assert verdict.word == word
    assert ("few distinct rows" in verdict.checks[0].sentence) == (word == "publish")
    assert judged(*items, nas_at_most=0.1).word == "do not publish"


def a_tracing(value: float, high: float) -> Reading:
    return Reading(
        name="tracing", room="privacy", value=value, low=0.5, high=high, unit="AUC",
        better="lower", meaning="How well members are told.", how="By a density ratio.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("high", "at_most", "word"),
    [
        (0.59, None, "publish"),
        (0.61, None, "review"),
        (0.61, 0.62, "publish"),
        (0.61, 0.6, "do not publish"),
    ],
)
def test_a_tracing_attack_is_judged_by_the_upper_end_of_its_interval(high, at_most, word):
    verdict = judge(Readings((a_tracing(0.55, high),)), Targets(leak_at_most=at_most))
    assert verdict.word == word
    assert any("AUC of 0.550" in check.sentence for check in verdict.checks)


def test_a_leak_that_nobody_measured_is_not_within_a_target():
    verdict = judge(Readings(()), Targets(leak_at_most=0.6))
    assert verdict.word == "do not publish"
    with pytest.raises(BadInput, match=r"between 0\.5 \(chance\) and 1"):
        Targets(leak_at_most=0.4)
