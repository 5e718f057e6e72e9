"""The measures of families, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from halfmask.data import Attribute, Schema, Table
from halfmask.data.families import Family, Link
from halfmask.judging.families import judge_family
from halfmask.judging.verdict import Targets
from halfmask.measures import Reading, Readings, Unmeasured
from halfmask.measures.families import compare_families, sibling_agreement
from halfmask.randomness import Randomness

PARENT = Schema((Attribute("sex", ("f", "m")),))
CHILD = Schema((Attribute("ill", ("no", "yes")),))


def family(parents, children):
    """Parents by code, children as (parent, code)."""
    return Family(
        Table(PARENT, np.array(parents)[:, None]),
        Table(CHILD, np.array([code for _, code in children])[:, None]),
        Link(np.array([parent for parent, _ in children]), len(parents)),
    )


ORIGINAL = family([0, 0, 1, 1], [(0, 0), (0, 0), (1, 0), (1, 1), (2, 1), (2, 1)])


def readings(release):
    return compare_families(ORIGINAL, release, None, randomness=Randomness(1))


def test_numbers_of_children_are_compared_one_by_one():
    found = readings(family([0, 0, 1, 1], [(0, 0), (1, 1), (1, 1)]))["child_counts"]
    # 0, 1, 2 children: 1, 0, 3 of 4 parents in the original, 2, 1, 1 in the release.
    assert found.value == pytest.approx(0.5)
    assert found.details["mean_release"] == pytest.approx(0.75)
    assert found.yardsticks["copy"] == 0


def test_a_parents_column_is_held_against_a_childs():
    # f×no 3, f×yes 1, m×yes 2 of 6, against f×no 1, f×yes 1, m×no 1, m×yes 1 of 4.
    found = readings(family([0, 1], [(0, 0), (0, 1), (1, 0), (1, 1)]))["parent_child"]
    assert found.value == pytest.approx((1 / 4 + 1 / 12 + 1 / 4 + 1 / 12) / 2)
    assert found.details["ten_worst"][0]["attributes"] == ["sex", "ill"]


def test_siblings_agree_as_often_as_pairs_of_them_do():
    # Parent 0 agrees, parent 1 does not, parent 2 agrees, parent 3 has no children.
    assert sibling_agreement(ORIGINAL).tolist() == pytest.approx([2 / 3])
    released = family([0], [(0, 0), (0, 0), (0, 1)])  # one of three pairs
    assert readings(released)["siblings_alike"].value == pytest.approx(1 / 3)


def test_whole_families_are_found_again():
    some = family([0, 1], [(0, 1), (0, 0), (1, 0)])  # a woman with one child ill and one not
    assert readings(some)["families_found"].value == pytest.approx(1 / 3)
    assert readings(ORIGINAL)["families_found"].value == 1
    other = family([1], [(0, 1), (0, 0)])  # the same children of a man
    assert readings(other)["families_found"].value == 0


def test_without_siblings_there_is_nothing_to_say_of_them():
    found = readings(family([0, 1], [(0, 0), (1, 1)]))
    assert found.get("siblings_alike") is None
    assert {blank.name for blank in found.unmeasured} == {"siblings_alike"}
    assert found["families_found"].value == 0


@pytest.mark.parametrize(("moved", "word"), [(0.02, "publish"), (0.08, "review")])
def test_siblings_that_lost_what_made_them_alike_are_pointed_out(moved, word):
    def reading(name, value, **details):
        return Reading(
            name=name, room="quality", value=value, low=value, high=value, unit="share",
            better="lower", meaning="What it means.", how="How it is computed.",
            yardsticks={"independent": 0.11}, details={"chance": 0.005, **details},
        )  # fmt: skip

    found = (
        reading("child_counts", 0.001, mean_original=1.4, mean_release=1.4),
        reading("parent_child", 0.01),
        reading("siblings_alike", moved),
    )
    verdict = judge_family({}, {"visits": Readings(found)}, Targets())
    assert verdict.word == word
    assert verdict.checks[-1].what == "visits: Children of one parent"
    assert ("sequences within one parent" in verdict.checks[-1].sentence) == (word == "review")
    without = judge_family({}, {"visits": Readings((*found[:2], _unmeasured()))}, Targets())
    assert [check.outcome for check in without.checks] == ["passed", "passed"]


def _unmeasured():
    return Unmeasured(name="siblings_alike", room="quality", reason="No parent has two children.")
