"""Evaluation: the worked health example to the last digit, and what must hold for any release."""

from __future__ import annotations

import health
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfmask.assets.evaluation import evaluate
from halfmask.assets.lacks import one_form
from halfmask.data import Assortment, Baskets, Transactions
from halfmask.documents.asset import parse_asset
from halfmask.errors import BadInput, NotMeasurable, UnknownName
from halfmask.methods.hiding.blocked import BlockedBaskets
from halfmask.methods.suppression.hierarchy import Hierarchy

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
    assert evaluation.accuracy.raw == pytest.approx(0.115)
    assert evaluation.completeness.raw == pytest.approx(0.120625)
    assert evaluation.consistency.raw == pytest.approx(0.64)
    assert evaluation.accuracy.normalised == pytest.approx(0.1625 / 3.1 * 0.7 + 0.3875 / 3.1 * 0.3)


def test_the_free_form_of_the_example_is_tight():
    evaluation = example(alignment="none")
    found = [a for i in evaluation.informations for a in i.attributes]
    distances = {a.attribute: a.accuracy + max(a.completeness, 0.0) for a in found}
    # What went missing is incomplete and not inaccurate.
    assert {a.attribute for a in found if not a.accuracy} == {"diagnosis", "dose_mg"}
    assert distances == {
        "age": EIGHTH, "sex": EIGHTH, "pregnant": EIGHTH, "diagnosis": EIGHTH, "drug": 2 * EIGHTH,
        "dose_mg": EIGHTH, "days": EIGHTH,
    }  # fmt: skip
    assert evaluation.form == "free"
    assert evaluation.consistency.raw == pytest.approx(0.64)  # no violation stood there before


def test_the_two_forms_are_never_mixed_in_one_ranking():
    with pytest.raises(BadInput, match="ranked together"):
        one_form([example(), example(alignment="none")])
    assert one_form([example(), example()]) == "aligned"


WITHOUT_KEY = health.NAMES[1:]


@pytest.mark.parametrize(
    ("change", "names", "says"),
    [
        (lambda rows: [*rows, rows[0]], health.NAMES, "rows of the release: 1 of them"),
        (lambda rows: [["?", *rows[0][1:]], *rows[1:]], health.NAMES, "release have no 'pid'"),
        (lambda rows: [[f"x{r[0]}", *r[1:]] for r in rows], health.NAMES, "No key of the release"),
        (lambda rows: rows, WITHOUT_KEY, "The release lacks the key column 'pid'"),
    ],
    ids=["twice", "missing", "others", "no column"],
)
def test_keys_that_identify_no_row_are_refused(change, names, says):
    before, after = health.columns(health.original()), change(health.release())
    with pytest.raises(BadInput, match=says):
        evaluate(health.ASSET, before, health.columns(after, names), alignment="key")


@pytest.mark.parametrize("names", [health.NAMES, WITHOUT_KEY])
def test_the_original_needs_its_keys_too(names):
    rows = health.original()
    doubled = health.columns([*rows, rows[0]], names)
    with pytest.raises(BadInput, match="original"):
        evaluate(health.ASSET, doubled, health.columns(rows))


def test_rows_that_are_missing_or_invented_are_counted():
    rows = health.original()
    kept, ghost = rows[1:], ["p9", "50", "M", "Y", "tb", "rifampicin", "450", "180"]
    evaluation = evaluate(health.ASSET, health.columns(rows), health.columns([*kept, ghost]))
    counts = evaluation.rows
    assert (counts.compared, counts.changed, counts.missing, counts.ghosts) == (9, 2, 1, 1)
    therapy, pregnancy = evaluation.informations
    assert {a.completeness for a in therapy.attributes} == {1 / 9}
    assert {a.accuracy for a in therapy.attributes} == {1 / 9}
    broken = by_name(pregnancy.constraints, "constraint")
    assert (broken["c_mp"].induced, broken["c_mp"].absolute) == (1, 1)
    as_paper = evaluate(
        health.ASSET, health.columns(rows), health.columns([*kept, ghost]), ghosts="paper"
    )
    assert {a.accuracy for a in as_paper.informations[0].attributes} == {0}
    assert as_paper.consistency.raw == 0


def test_null_and_null_are_equal_and_an_invented_value_is_inaccurate():
    old, new = health.original(), health.original()
    old[0][4] = old[1][4] = "?"
    new[0][4] = "?"
    therapy = evaluate(health.ASSET, health.columns(old), health.columns(new)).informations[0]
    [diagnosis] = [a for a in therapy.attributes if a.attribute == "diagnosis"]
    assert (diagnosis.accuracy, diagnosis.completeness) == (EIGHTH, 0)
    assert (diagnosis.missing_before, diagnosis.missing_after) == (2 * EIGHTH, EIGHTH)


def test_a_violation_that_stood_there_before_is_not_induced_and_its_repair_is_told():
    old, new = health.original(), health.original()
    old[1][3] = new[1][3] = "Y"  # a pregnant man on both sides, of another age in the release
    new[1][1] = "52"
    old[3][3] = "Y"  # repaired in the release
    pregnancy = evaluate(health.ASSET, health.columns(old), health.columns(new)).informations[1]
    [found] = [c for c in pregnancy.constraints if c.constraint == "c_mp"]
    assert (found.induced, found.repaired, found.absolute) == (0, 1, 1)
    assert found.excess == -EIGHTH


def test_a_number_spelled_in_two_ways_is_the_same_number():
    new = health.original()
    new[0][6] = "600.0"
    evaluation = evaluate(health.ASSET, health.columns(health.original()), health.columns(new))
    assert evaluation.rows.changed == 0


def test_equality_may_be_a_tolerance_or_a_step_up_a_hierarchy():
    text = health.TEXT.replace(
        "dose_mg: {type: float}", "dose_mg: {type: float, equal: tolerance, tolerance: 50}"
    ).replace("drug: {type: str}", "drug: {equal: ancestor, hierarchy: d.txt}")
    asset = parse_asset(text)
    new = health.original()
    new[0][6], new[1][6] = "640", "1051"
    new[0][5], new[1][5], new[2][5] = "antimalarial", "any", "insulin"
    parent = {"quinine": "antimalarial", "antimalarial": "any"}
    drugs = ("cisplatin", "insulin", "isoniazid", "metformin", "quinine", "rifampicin")
    lines = dict.fromkeys(drugs, "other") | {"other": "any"} | parent
    hierarchy = Hierarchy.of(lines, Assortment(drugs))
    found = evaluate(
        asset,
        health.columns(health.original()),
        health.columns(new),
        hierarchies={"drug": hierarchy},
    )
    shares = {a.attribute: a.accuracy for a in found.informations[0].attributes}
    assert shares["dose_mg"] == EIGHTH
    assert shares["drug"] == pytest.approx((0.5 + 1 + 1) / 8)
    with pytest.raises(BadInput, match="compared along a hierarchy"):
        evaluate(asset, health.columns(health.original()), health.columns(new))


def test_an_attribute_that_the_release_lacks_went_missing_everywhere():
    release = [c for c in health.columns(health.original()) if c.name != "drug"]
    evaluation = evaluate(health.ASSET, health.columns(health.original()), release)
    shares = {a.attribute: a.completeness for a in evaluation.informations[0].attributes}
    assert shares == {"diagnosis": 0, "drug": 1, "dose_mg": 0, "days": 0}


def test_a_group_where_a_number_stood_is_unknown_to_tests_and_told():
    new = health.original()
    new[4][6] = "other"
    evaluation = evaluate(health.ASSET, health.columns(health.original()), health.columns(new))
    assert evaluation.consistency.raw == 0
    assert evaluation.accuracy.raw > 0
    assert any("'dose_mg'" in note for note in evaluation.notes)


cells = st.tuples(
    *(
        st.sampled_from(options)
        for options in (("5", "30", "?"), ("F", "M", "?"), ("Y", "N", "?"), ("insulin", "tea", "?"))
    )
)


@settings(max_examples=40)
@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=12))
def test_no_alignment_changes_fewer_cells_than_the_distance_of_the_distributions(pairs):
    sides = [
        [[f"p{n}", age, sex, pregnant, "tb", drug, "10", "7"]
         for n, (age, sex, pregnant, drug) in enumerate(side)]
        for side in zip(*pairs, strict=True)
    ]  # fmt: skip
    before, after = map(health.columns, sides)
    aligned, free = (evaluate(health.ASSET, before, after, alignment=a) for a in ("key", "none"))
    for one, two in zip(aligned.informations, free.informations, strict=True):
        assert two.tuples <= one.tuples + 1e-12
        for cell, distribution in zip(one.attributes, two.attributes, strict=True):
            moved = distribution.accuracy + max(distribution.completeness, 0.0)
            assert moved <= cell.accuracy + cell.completeness + 1e-12
        for exact, rate in zip(one.constraints, two.constraints, strict=True):
            assert exact.after - exact.before == pytest.approx(rate.excess)
            assert exact.induced - exact.repaired == pytest.approx(rate.excess * len(pairs))
    same = evaluate(health.ASSET, before, before)
    assert (same.accuracy.raw, same.completeness.raw, same.consistency.raw) == (0, 0, 0)


BASKET_ASSET = parse_asset(
    "{relation: {key: [], attributes: {beer: {type: bool}, chips: {type: bool}}}, asset: [{name: "
    "snack, weight: 1, attributes: {beer: {}, chips: {}}, simple: {b: {expr: {attr: beer, cmp: ==, "
    "value: true}}, c: {expr: {attr: chips, cmp: ==, value: true}}}, complex: {r: {op: implies, "
    "args: [b, c]}}}]}"
)
BASKETS = Baskets.of([["beer", "chips"], ["beer", "chips"], ["tea"], ["chips"]])


def test_baskets_are_rows_of_items_in_and_out():
    names = BASKETS.schema.names
    rows = [["beer"], ["beer", "chips"], ["tea"], ["tea"]]
    evaluation = evaluate(BASKET_ASSET, BASKETS, Baskets.of(rows, names), alignment="position")
    [snack] = evaluation.informations
    assert {a.attribute: a.accuracy for a in snack.attributes} == {"beer": 0, "chips": 0.5}
    assert snack.constraints[0].induced == 1


def test_an_unknown_cell_of_a_blocked_basket_is_missing():
    unknown = Transactions.of([(1,), (), (), ()], 3)
    held = Baskets.of([["beer"], ["beer", "chips"], ["tea"], ["chips"]], BASKETS.schema.names)
    blocked = BlockedBaskets(BASKETS.schema, held.transactions, unknown)
    [snack] = evaluate(BASKET_ASSET, BASKETS, blocked, alignment="position").informations
    assert {a.attribute: a.completeness for a in snack.attributes} == {"beer": 0, "chips": 0.25}
    assert snack.constraints[0].induced == 0


def test_a_release_that_only_counts_is_evaluated_by_its_counts():
    class Counts:
        """A release without rows; it answers as the baskets it was made from."""

        schema, size = BASKETS.schema, BASKETS.size
        marginal, support = staticmethod(BASKETS.marginal), staticmethod(BASKETS.support)

    evaluation = evaluate(BASKET_ASSET, BASKETS, Counts())
    assert evaluation.form == "free"
    assert evaluation.accuracy.raw == 0
    assert evaluation.informations[0].constraints[0].after == 0
    with pytest.raises(NotMeasurable, match="only counts"):
        evaluate(BASKET_ASSET, Counts(), BASKETS)


def test_an_item_that_no_basket_knows_is_named_with_the_nearest():
    asset = parse_asset(
        "{relation: {key: [], attributes: {bear: {type: bool}}}, asset: [{name: x, weight: 1, "
        "attributes: {bear: {}}}]}"
    )
    with pytest.raises(UnknownName, match="did you mean 'beer'"):
        evaluate(asset, BASKETS, BASKETS)


def test_keys_that_were_numbered_afresh_do_not_pair_rows():
    rng = np.random.default_rng(4)
    rows = [[f"p{n}", *rng.choice(health.original())[1:]] for n in range(200)]
    order = rng.permutation(200)
    shuffled = [[f"p{n}", *rows[order[n]][1:]] for n in range(200)]
    before, after = health.columns(rows), health.columns(shuffled)
    guessed = evaluate(health.ASSET, before, after)
    assert (guessed.form, guessed.accuracy.raw) == ("free", 0)
    assert any("afresh" in note for note in guessed.notes)
    assert evaluate(health.ASSET, before, after, alignment="key").form == "aligned"
    few = [[f"p{n}", *rows[n][1:]] if n % 5 else shuffled[n] for n in range(200)]
    assert evaluate(health.ASSET, before, health.columns(few)).form == "aligned"
