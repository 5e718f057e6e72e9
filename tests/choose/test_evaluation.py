"""Evaluation: the worked health example to the last digit, and what must hold for any release."""

from __future__ import annotations

import health
import pytest

from halfmask.choose.evaluation import evaluate
from halfmask.choose.lacks import one_form
from halfmask.errors import BadInput

EIGHTH = 1 / 8


def example(**options):
    before, after = health.columns(health.original()), health.columns(health.release())
    return evaluate(health.ASSET, before, after, **options)


def by_name(parts, field):
    return {getattr(part, field): part for part in parts}


def test_the_search_finds_all_rows_but_p3():
    rows = example().rows
    assert (rows.compared, rows.changed, rows.missing, rows.ghosts) == (8, 7, 0, 0)


def test_therapy_has_the_lacks_worked_by_hand():
    therapy = example().informations[0]
    found = by_name(therapy.attributes, "attribute")
    assert {n: a.accuracy for n, a in found.items()} == {
        "diagnosis": 0, "drug": EIGHTH, "dose_mg": 0, "days": EIGHTH,
    }  # fmt: skip
    assert {n: a.completeness for n, a in found.items()} == {
        "diagnosis": EIGHTH, "drug": EIGHTH, "dose_mg": EIGHTH, "days": 0,
    }  # fmt: skip
    assert therapy.accuracy.raw == pytest.approx(0.1625)
    assert therapy.completeness.raw == pytest.approx(0.3125)
    broken = by_name(therapy.constraints, "constraint")
    assert {n: v.induced for n, v in broken.items()} == {"s_days": 1, "c_ins": 1}
    assert therapy.consistency.raw == pytest.approx(1.1)
    assert therapy.consistency_per_row == pytest.approx(1.1 / 8)
    assert therapy.consistency.normalised == pytest.approx(1.1 / 8 / 1.1)


def test_pregnancy_has_the_lacks_worked_by_hand():
    pregnancy = example().informations[1]
    found = by_name(pregnancy.attributes, "attribute")
    assert {a.accuracy for a in found.values()} == {EIGHTH}
    assert {n: a.completeness for n, a in found.items()} == {
        "age": 0, "sex": 0, "pregnant": 0, "drug": EIGHTH,
    }  # fmt: skip
    assert pregnancy.accuracy.raw == pytest.approx(0.3875)
    assert pregnancy.completeness.raw == pytest.approx(0.075)
    broken = by_name(pregnancy.constraints, "constraint")
    assert {n: v.induced for n, v in broken.items()} == {"c_mp": 1, "c_pa": 1}
    assert pregnancy.consistency.raw == pytest.approx(1.7)


def test_the_asset_has_the_lacks_worked_by_hand():
    evaluation = example()
    assert evaluation.form == "aligned"
    assert evaluation.accuracy_lack == pytest.approx(0.115)
    assert evaluation.completeness_lack == pytest.approx(0.120625)
    assert evaluation.consistency_lack == pytest.approx(0.64)
    assert evaluation.accuracy.normalised == pytest.approx(0.1625 / 3.1 * 0.7 + 0.3875 / 3.1 * 0.3)


def test_the_free_form_of_the_example_is_tight():
    evaluation = example(alignment="none")
    distances = {a.attribute: a.accuracy for i in evaluation.informations for a in i.attributes}
    assert distances == {
        "age": EIGHTH, "sex": EIGHTH, "pregnant": EIGHTH, "diagnosis": EIGHTH, "drug": 2 * EIGHTH,
        "dose_mg": EIGHTH, "days": EIGHTH,
    }  # fmt: skip
    assert evaluation.form == "free"
    assert evaluation.consistency_lack == pytest.approx(0.64)  # no violation stood there before


def test_the_two_forms_are_never_mixed_in_one_ranking():
    with pytest.raises(BadInput, match="one ranking"):
        one_form([example(), example(alignment="none")])
    assert one_form([example(), example()]) == "aligned"
