"""What each candidate makes of a database: rows in their place, and only what had to change."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from halfmask.choosing.candidates import Candidate, candidates, publish_command
from halfmask.choosing.databases import generic_database, stand_in
from halfmask.choosing.making import information_left, make, of_release
from halfmask.choosing.secrets import Secrets, draw_secrets, with_thresholds
from halfmask.data import Baskets, Table
from halfmask.errors import BadInput
from halfmask.methods.hiding.sensitive import Sensitive, SensitiveRule
from halfmask.methods.names import as_baskets
from halfmask.methods.quest import Quest, quest
from halfmask.randomness import Randomness

EVERY = candidates(None, "table", frozenset({"patterns", "rules", "column"}))[0]
HIDING = [c for c in EVERY if c.about.need in ("patterns", "rules")]


@pytest.mark.parametrize("candidate", EVERY, ids=lambda c: c.name)
def test_a_table_comes_out_as_a_table(candidate, clinic, secrets):
    told = with_thresholds(secrets, clinic)
    made = make(candidate, clinic, told, randomness=Randomness(1))
    assert isinstance(made.rows, Table)
    assert made.rows.schema == clinic.schema
    again = make(candidate, clinic, told, randomness=Randomness(1))
    assert np.array_equal(made.rows.codes, again.rows.codes)
    found = of_release(clinic, made, told, min_support=10, randomness=Randomness(1))
    for value in (found.hiding_failure, found.privacy, found.rows_back, found.rare_rows):
        assert value is not None
        assert 0 <= value <= 1
    assert found.dissimilarity >= 0


@pytest.mark.parametrize("candidate", HIDING, ids=lambda c: c.name)
def test_hiding_in_a_table_touches_only_what_is_in_a_sensitive_pattern(candidate, clinic, secrets):
    told = with_thresholds(secrets, clinic)
    rows = make(candidate, clinic, told, randomness=Randomness(1)).rows
    changed = {clinic.schema.names[c] for c in np.flatnonzero((rows.codes != clinic.codes).any(0))}
    assert changed <= {"illness", "sex", "drug", "ward"}
    assert "age" not in changed
    if candidate.variant != "1.a":  # the only one that writes a value where another was
        assert ((rows.codes == clinic.codes) | (rows.codes < 0)).all()


@pytest.mark.parametrize("method", ["naive", "minfia", "maxfia", "iga", "rra", "swa", "1.b", "2.b"])
def test_what_was_to_be_hidden_falls_just_below_the_threshold(method, clinic, secrets):
    told = with_thresholds(secrets, clinic)
    rows = make(Candidate(method), clinic, told, randomness=Randomness(1)).rows
    assert told.found(clinic.support, clinic.size) == 2
    assert told.found(rows.support, rows.size) == 0
    supports = rows.support(told.patterns.wholes)
    if method in ("maxfia", "2.b"):
        floor = np.ceil(told.min_support * clinic.size)
        assert supports.max() == floor - 1


def test_dealing_values_out_in_groups_keeps_both_published_tables(clinic, secrets):
    made = make(Candidate("table-anatomy", {"l": 2}), clinic, secrets, randomness=Randomness(3))
    separated = made.made.counted
    assert np.array_equal(made.rows.marginal(["illness"]), separated.marginal(["illness"]))
    known = [n for n in clinic.schema.names if n != "illness"]
    assert np.array_equal(made.rows.marginal(known), separated.known.marginal(known))
    for group in range(len(separated.counts)):
        codes = made.rows.codes[separated.groups == group, separated.position]
        assert np.bincount(codes, minlength=3).tolist() == separated.counts[group].tolist()


BASKETS = quest(400, Quest(basket_size=5, pattern_size=3, patterns=30, items=25),
    randomness=Randomness(2))  # fmt: skip
OF_BASKETS = candidates(None, "baskets", frozenset({"patterns", "rules", "column"}))[0]


@pytest.mark.parametrize("candidate", OF_BASKETS, ids=lambda c: c.name)
def test_baskets_come_out_as_baskets(candidate):
    told = draw_secrets(BASKETS, Secrets())
    made = make(candidate, BASKETS, told, randomness=Randomness(1))
    assert isinstance(made.rows, Baskets)
    assert made.rows.schema == BASKETS.schema
    if candidate.method.aligned:
        assert len(made.rows) == len(BASKETS)
    found = of_release(BASKETS, made, told, min_support=5, randomness=Randomness(1))
    assert 0 <= found.hiding_failure <= 1
    assert (found.interval is not None) == (candidate.about.family == "blocking")


def test_a_copy_hides_nothing_and_changes_nothing(clinic, secrets):
    told = with_thresholds(secrets, clinic)
    copy = make(Candidate("iga", {"disclosure": 1.0}), clinic, told, randomness=Randomness(1))
    found = of_release(clinic, copy, told, min_support=10, randomness=Randomness(1))
    assert (found.hiding_failure, found.dissimilarity, found.privacy) == (1.0, 0.0, 0.0)
    assert found.rows_back == 1.0


def test_the_published_numbers_of_interest_and_dissimilarity():
    rows = Baskets.of(["abc", "abc", "abc", "ab", "a", "ac"])
    told = Secrets(Sensitive(rules=(SensitiveRule((0, 2), (1,)),)), 2 / 6, 0.7)
    assert information_left(rows, told)[0] == pytest.approx(0.0157896, abs=1e-7)
    for name, left in (("1.a", 0.0116766), ("1.b", 0.0)):
        made = make(Candidate(name), rows, told, randomness=Randomness(1))
        assert of_release(rows, made, told, min_support=1, randomness=Randomness(1)).privacy == (
            pytest.approx(1 - left / 0.0157896, abs=1e-5)
        )
    rows = Baskets.of(["abcd", "abc", "abd", "acd", "abc", "bd"])
    told = Secrets(Sensitive(itemsets=((0, 1, 3), (0, 2, 3))), 2 / 6)
    for name, moved in (("naive", 0.4444), ("minfia", 0.2222), ("maxfia", 0.1667)):
        made = make(Candidate(name, {"disclosure": 0.0}), rows, told, randomness=Randomness(1))
        found = of_release(rows, made, told, min_support=1, randomness=Randomness(1))
        assert found.dissimilarity == pytest.approx(moved, abs=1e-4)
        assert found.hiding_failure == 0


def test_thresholds_leave_work_to_do_and_can_be_given(clinic, secrets):
    told = with_thresholds(secrets, clinic)
    assert told.found(clinic.support, clinic.size) == len(secrets)
    given = Secrets(secrets.sensitive, 0.01, 0.5)
    assert with_thresholds(given, clinic) == given
    nobody = Secrets(Sensitive(itemsets=((0, 1),)))  # a person of two sexes
    with pytest.raises(BadInput, match="1 of the 1 sensitive patterns do not occur"):
        with_thresholds(nobody, clinic)
    with pytest.raises(BadInput, match="share above 0"):
        Secrets(secrets.sensitive, 1.5)


def test_drawn_secrets_share_no_item_and_can_be_found(clinic):
    drawn = draw_secrets(as_baskets(clinic), Secrets())
    items = [item for rule in drawn.sensitive.rules for item in rule.itemset]
    assert len(items) == len(set(items))
    assert drawn.found(clinic.support, clinic.size) == len(drawn)


@pytest.mark.parametrize("kind", ["quest", "stand-in"])
def test_generic_databases_have_the_width_of_the_target(clinic, kind):
    source = stand_in(clinic, min_support=10, randomness=Randomness(1))
    made = generic_database(clinic, kind, 300, source, randomness=Randomness(2))
    assert (len(made), len(made.schema)) == (300, len(clinic.schema))
    assert (made.codes >= 0).all()
    one, two = (source(200, name) for name in ("test 0", "test 1"))
    assert not np.array_equal(one.codes, two.codes)
    assert np.array_equal(one.codes, source(200, "test 0").codes)
    with pytest.raises(BadInput, match="'quest' or 'stand-in', not 'other'"):
        generic_database(clinic, "other", 300, source, randomness=Randomness(2))


def test_sizes_of_a_table_are_nested(databases):

    for one, two in pairwise([10, 50, 600]):
        small, large = (databases.generic.take(np.arange(n)) for n in (one, two))
        assert np.array_equal(small.codes, large.codes[:one])


def test_items_generalised_by_a_hierarchy_have_the_coarse_quality_of_formula_eight():
    rows = Baskets.of([["a1", "b1"], ["a2", "b1"]] * 50)
    secrets = Secrets(hierarchy="a1, a2 -> A\nb1 -> B\nA, B -> all")
    candidate = Candidate("km", {"k": 60, "known": 1})
    attempt = make(candidate, rows, secrets, randomness=Randomness(1))
    found = of_release(rows, attempt, secrets, min_support=5, randomness=Randomness(1))
    assert found.dissimilarity == pytest.approx(0.25)
    asked = {"file": "shop.dat", "hierarchy": "groups.txt"}
    command = publish_command(candidate, asked)
    assert command.endswith("--method km -k 60 --known 1 --hierarchy groups.txt")
    with pytest.raises(BadInput, match="none was given"):
        candidates(["km:5"], "baskets", frozenset())
