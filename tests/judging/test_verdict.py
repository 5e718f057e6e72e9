"""The verdict: targets decide, attacks by their intervals, the closest record never."""

from __future__ import annotations

from dataclasses import replace

import pytest

from halfmask.data.release import Check
from halfmask.errors import BadInput
from halfmask.judging.attacks import ATTACKS
from halfmask.judging.promise import judge_promise
from halfmask.judging.verdict import Targets, judge
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
    return judge(Readings(items), Targets(**targets), min_support=10)


ATTACKED = (
    reading("membership", 0.01, -0.05, 0.07),
    reading("tracing", 0.52, 0.5, 0.54),
    reading("unique_excess", 0.0, -0.01, 0.01, details={"success": 0.02, "control": 0.02}),
)
GOOD = (
    reading("nas", 0.1),
    reading("ds", 0.05, independent=0.4),
    reading("patterns_per_row", 3.0),
    *ATTACKED,
)


def without(*names):
    """The good readings but for these."""
    return tuple(item for item in GOOD if item.name not in names)


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
    others = without(name)
    proven = reading(name, 0.3, 0.25, 0.35)
    assert judged(*others, proven).word == "review"
    assert judged(*others, proven, risk_at_most=0.1).word == "do not publish"


def test_an_interval_that_reaches_luck_does_not_count_against_a_release():
    assert judged(*GOOD, reading("singling_out", 0.3, -0.01, 0.6)).word == "publish"


def test_many_attacks_are_judged_together():
    # Alone 0.05 (0.003 to 0.097) lies above 0; among eight attacks such luck is to be expected.
    alone = reading("linkability", 0.05, 0.003, 0.097)
    rest = without("membership", "unique_excess")
    blank = Unmeasured("unique_found", "No row of the original is unique.")
    assert judged(*rest, blank, alone).word == "review"
    others = [reading(name, 0.0, -0.05, 0.05) for name in ATTACKS if name != "linkability"]
    assert judged(*rest, alone, *others).word == "publish"


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_the_closest_record_never_decides(value):
    verdict = judged(*GOOD, reading("closest_record", value))
    assert verdict == judged(*GOOD)


def test_high_scores_few_patterns_and_lost_relations_are_pointed_at():
    assert judged(reading("nas", 0.6), *GOOD[1:]).word == "review"
    unclear = reading("nas_excess", 0.05, -0.1, 0.2)
    assert judged(reading("nas", 0.6), *GOOD[1:], unclear).word == "review"
    assert judged(*without("patterns_per_row"), reading("patterns_per_row", 1.2)).word == "review"
    assert judged(*without("ds"), reading("ds", 0.3, independent=0.4)).word == "review"
    # Too high a support to see relations at, or none to see: no reason to look twice.
    assert judged(*without("ds"), reading("ds", 1e-4, independent=5e-8)).word == "publish"


def test_a_target_on_what_was_not_measured_is_missed():
    blank = Unmeasured("nas", "The release has only counts.")
    assert judged(blank, nas_at_most=0.5).word == "do not publish"
    assert judged(GOOD[0], risk_at_most=0.1).word == "do not publish"
    assert judged(GOOD[0], ds_at_most=0.1).word == "do not publish"


@pytest.mark.parametrize(
    "missing", [("membership", "unique_excess"), ("tracing",), ("unique_excess",)]
)
def test_what_was_not_attacked_is_never_published(missing):
    verdict = judged(*without(*missing))
    assert (verdict.word, verdict.headline) == ("not attacked", "Not attacked")
    assert judged(*without(*missing), nas_at_most=0.01).word == "do not publish"


def test_unique_rows_without_comparable_strangers_ask_for_a_review():
    assert judged(*without("unique_excess"), reading("unique_found", 0.1)).word == "review"
    assert judged(*without("unique_excess"), reading("unique_found", 0.0)).word == "publish"


def test_a_doubt_about_what_was_not_attacked_is_told_but_no_better_word_is_said():
    verdict = judged(reading("nas", 0.9), *GOOD[1:3])
    assert verdict.word == "not attacked"
    assert any("held back" in reason or "hold rows back" in reason for reason in verdict.reasons)
    assert any("90% of the original rows" in reason for reason in verdict.reasons)


@pytest.mark.parametrize(("floor", "word"), [(1, "review"), (4, "review"), (5, "publish")])
def test_what_fewer_than_five_people_hold_is_not_published(floor, word):
    verdict = judge(Readings(GOOD), Targets(), min_support=floor)
    assert verdict.word == word


@pytest.mark.parametrize(
    ("value", "low", "word"),
    [(0.02, -0.01, "publish"), (0.02, 0.01, "review"), (0.2, -0.1, "review")],
)
def test_unique_rows_beyond_what_strangers_show_ask_for_a_review(value, low, word):
    told = {"success": 0.3, "control": 0.3 - value}
    excess = reading("unique_excess", value, low, 2 * value - low, details=told)
    verdict = judged(*without("unique_excess"), excess)
    assert verdict.word == word
    assert any("rows of 30.0% of the people" in check.sentence for check in verdict.checks)


def test_where_nobody_is_unique_no_unique_row_can_be_copied():
    blank = Unmeasured("unique_found", "No row of the original is unique.")
    assert judged(*without("unique_excess"), blank).word == "publish"


def test_a_method_that_cannot_be_attacked_is_not_called_fit_to_publish():
    kept = Check("Promise", "passed", "It was counted again.")
    readings = Readings((reading("nas", 0.1),))
    alone = judge_promise([kept], readings, Targets(), risk=0.2, rare_named=0)
    assert alone.word == "not attacked"
    assert "only its promise was checked" in alone.reasons[0]
    attacked = judge_promise(
        [kept], Readings(GOOD), Targets(), risk=None, rare_named=0, attackable=True, min_support=10
    )
    assert attacked.word == "publish"
    unattacked = judge_promise(
        [kept], readings, Targets(), risk=None, rare_named=0, attackable=True, min_support=10
    )
    assert unattacked.word == "not attacked"


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
        *ATTACKED,
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
    readings = Readings((*without("tracing"), a_tracing(0.55, high)))
    verdict = judge(readings, Targets(leak_at_most=at_most))
    assert verdict.word == word
    assert any("AUC of 0.550" in check.sentence for check in verdict.checks)


def test_a_leak_that_nobody_measured_is_not_within_a_target():
    verdict = judge(Readings(()), Targets(leak_at_most=0.6))
    assert verdict.word == "do not publish"
    with pytest.raises(BadInput, match=r"between 0\.5 \(chance\) and 1"):
        Targets(leak_at_most=0.4)


@pytest.mark.parametrize(("moved", "word"), [(0.02, "passed"), (0.08, "missed")])
def test_supports_that_moved_are_held_against_the_target(moved, word):
    reading = replace(GOOD[0], name="supports_moved", value=moved, low=moved, high=moved,
                      details={"delta": 0.01}, yardsticks={})  # fmt: skip
    verdict = judge(Readings((*GOOD, reading)), Targets(moved_at_most=0.05), min_support=10)
    check = next(c for c in verdict.checks if c.what == "Supports of patterns")
    assert check.outcome == word
    unread = judge(Readings(GOOD), Targets(moved_at_most=0.05), min_support=10)
    assert unread.word == "do not publish"
    assert not any(c.what == "Supports of patterns" for c in judge(
        Readings(GOOD), Targets(), min_support=10).checks)  # fmt: skip
