"""The number of edits foretold is the number made, for one pattern alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Baskets
from halfmask.errors import BadInput
from halfmask.methods.hiding.edits import log_lines, read_log, undo
from halfmask.methods.hiding.hide import hide
from halfmask.methods.hiding.rules import HideRules
from halfmask.methods.hiding.sensitive import Sensitive, SensitiveRule
from halfmask.randomness import Randomness
from reference.hiding_predicted import predicted_edits

CLINIC = Baskets.of(["abc", "abc", "abc", "ab", "a", "ac"])
AC_B = SensitiveRule((0, 2), (1,))


def rows_edited(baskets, secrets, algorithm):
    hidden = hide(baskets, secrets, algorithm, randomness=Randomness(1))
    return hidden.edits.rows_changed if hidden.succeeded else None


@pytest.mark.parametrize(
    ("strategy", "min_support", "steps"),
    [("1.a", 2, 1), ("1.b", 2, 1), ("2.b", 2, 2), ("2.c", 2, 2), ("2.b", 3, 1), ("2.c", 3, 1)],
)
def test_the_steps_of_the_worked_example(strategy, min_support, steps):
    algorithm = HideRules(strategy, min_support, 0.7)
    assert predicted_edits(CLINIC, AC_B, algorithm) == steps
    assert rows_edited(CLINIC, Sensitive(rules=(AC_B,)), algorithm) == steps


@given(
    st.lists(st.sets(st.sampled_from("abcd")), min_size=1, max_size=30),
    st.sampled_from(["1.a", "1.b", "2.b", "2.c"]),
    st.integers(1, 4),
    st.sampled_from([0.2, 0.25, 0.5, 0.6, 0.75, 1.0]),
)
def test_what_is_foretold_is_what_happens(rows, strategy, min_support, confidence):
    baskets = Baskets.of(rows, names="abcd")
    algorithm = HideRules(strategy, min_support, confidence)
    rule = SensitiveRule((0, 1), (2,))
    done = rows_edited(baskets, Sensitive(rules=(rule,)), algorithm)
    if done is not None:  # 1.a can run out of rows to complete
        assert done == predicted_edits(baskets, rule, algorithm)


def test_what_cannot_be_foretold_is_refused():
    with pytest.raises(BadInput, match="depends on which side"):
        predicted_edits(CLINIC, AC_B, HideRules("2.a", 2, 0.7))
    with pytest.raises(BadInput, match="hides rules"):
        predicted_edits(CLINIC, (0, 1), HideRules("1.b", 2, 0.7))


@given(st.lists(st.sets(st.sampled_from("abcd")), min_size=1, max_size=30))
def test_a_log_survives_being_written_and_read(rows):
    baskets = Baskets.of(rows, names="abcd")
    algorithm = HideRules("2.c", 1)
    hidden = hide(baskets, Sensitive(((0, 1),)), algorithm, randomness=Randomness(1))
    log = read_log(log_lines(hidden.edits, baskets.schema), baskets.schema, len(baskets))
    assert list(undo(log, hidden.release.data.transactions)) == list(baskets.transactions)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "has the columns"),
        ([["basket", "item"]], "has the columns"),
        ([["basket", "item", "before", "after"], ["0", "a", "in", "out"]], "release lacks"),
        ([["basket", "item", "before", "after"], ["9", "a", "in", "out"]], "release lacks"),
        ([["basket", "item", "before", "after"], ["1", "a", "in", "away"]], "not an edit"),
        ([["basket", "item", "before", "after"], ["1", "x", "in", "out"]], "no item 'x'"),
    ],
)
def test_a_damaged_log_is_refused(lines, words):
    with pytest.raises(BadInput, match=words):
        read_log(lines, CLINIC.schema, len(CLINIC))
