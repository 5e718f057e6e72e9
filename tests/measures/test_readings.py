"""Readings refuse nonsense, and comparisons refuse what cannot be compared."""

from __future__ import annotations

import json

import numpy as np
import pytest
from measures.tables import letters, schema_of

from halfmask.data import Attribute, Schema, Table
from halfmask.errors import BadInput, NotMeasurable, UnknownName
from halfmask.measures import MEASURES, Comparison, Reading, Unmeasured, compare, side_by_side
from halfmask.randomness import Randomness

ORIGINAL = letters("ACE ACE ACE BDF BDF BCE ADF")
RELEASE = letters("ACE ACE ACE ACE BDE BCE BDF")
RECODED = Schema((*ORIGINAL.schema.attributes[:2], Attribute("EF", ("F", "E"))))


def reading(**changes):
    parts = {
        "name": "x", "room": "quality", "value": 0.5, "low": 0.4, "high": 0.6, "unit": "share",
        "better": "lower", "meaning": "A sentence.", "how": "Another.",
    }  # fmt: skip
    return Reading(**(parts | changes))


def compared(**options):
    return Comparison(ORIGINAL, RELEASE, randomness=Randomness(1), **options)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"low": 0.55}, "outside its own interval"),
        ({"value": float("nan")}, "not finite"),
        ({"high": float("inf")}, "not finite"),
        ({"better": "big"}, "'higher', 'lower' or 'neither'"),
        ({"yardsticks": {"neighbour": 0.1}}, "unknown yardstick"),
        ({"meaning": ""}, "in a sentence"),
        ({"unit": ""}, "in a sentence"),
        ({"details": {"x": object()}}, "cannot carry"),
    ],
)
def test_a_reading_refuses_nonsense(changes, complaint):
    with pytest.raises(BadInput, match=complaint):
        reading(**changes)


def test_a_reading_cannot_be_changed_through_its_details():
    with pytest.raises(TypeError):
        reading(details={"worst": 1.0}).details["worst"] = 0.0


def test_a_blank_needs_a_reason():
    with pytest.raises(BadInput, match="no reason"):
        Unmeasured("ds", "")


def test_names_of_measures_are_unique_and_sentences_end():
    names = [measure.name for measure in MEASURES]
    assert len(set(names)) == len(names)
    assert all(m.meaning.endswith(".") and m.how.endswith(".") and m.cost for m in MEASURES)


def test_an_unknown_measure_is_named_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'nas'"):
        compare(compared(), ["nass"])


def test_a_blank_is_not_a_number_and_raises_when_asked_for():
    one_column = Table(schema_of(2), np.array([[0], [1], [1]]))
    readings = compare(
        Comparison(one_column, one_column, randomness=Randomness(1)), ["marginals_2"]
    )
    assert readings.get("marginals_2") is None
    assert readings.to_rows()[0]["value"] is None
    with pytest.raises(NotMeasurable, match="only 1 attribute"):
        _ = readings["marginals_2"]


def test_readings_survive_json_and_keep_the_same_keys_in_every_row():
    readings = compare(compared())
    assert json.loads(json.dumps(readings.to_dict()))["readings"][0]["name"] == "marginals_1"
    assert len({tuple(row) for row in readings.to_rows()}) == 1


def test_side_by_side_shows_the_value_of_each_release():
    first = compare(compared(), ["nas", "marginals_1"])
    second = compare(Comparison(ORIGINAL, ORIGINAL, randomness=Randomness(1)), ["nas"])
    rows = side_by_side({"generated": first, "copy": second})
    assert rows[0] == {
        "name": "nas", "unit": "share", "better": "lower", "generated": 8 / 11, "copy": 1.0,
    }  # fmt: skip
    assert rows[1]["copy"] is None


@pytest.mark.parametrize(
    ("release", "complaint"),
    [
        (letters(""), "The release has no rows"),
        (letters("ACE"), "The release has 1 row;"),
        (letters("AC AC", ("AB", "CD")), "lacks column 'EF'"),
        (letters("ACEG ACEG", ("AB", "CD", "EF", "GH")), "it also has a column 'GH'"),
        (letters("CAE CAE", ("CD", "AB", "EF")), "in another order"),
        (
            Table(RECODED, np.zeros((2, 3))),
            "'EF' of the release is coded differently",
        ),
    ],
)  # fmt: skip
def test_a_release_that_cannot_be_compared_is_refused(release, complaint):
    with pytest.raises(BadInput, match=complaint):
        Comparison(ORIGINAL, release, randomness=Randomness(1))


def test_an_unknown_sensitive_attribute_is_named():
    with pytest.raises(UnknownName, match="no column 'disease'"):
        compared(sensitive="disease")
    with pytest.raises(BadInput, match="both sensitive and known"):
        compared(sensitive="AB", keys=("AB", "CD"))


def test_the_original_is_counted_once_for_all_yardsticks():
    comparison = compared(holdout=letters("ACE BDF"))
    compare(comparison)
    assert {side.what for side in comparison.sides.values()} >= {"the original", "the release"}
    assert all(
        other.original_side is comparison.original_side for other in comparison.yardsticks.values()
    )
