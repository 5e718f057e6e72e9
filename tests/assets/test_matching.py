"""A regular expression of an asset takes time in proportion to the text, whatever it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.assets.constraints import matches, why_no_pattern


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){12}$"])
def test_a_pattern_that_python_would_follow_for_ages_is_answered(pattern):
    assert why_no_pattern(pattern) is None
    assert matches(pattern, "a" * 50_000)
    assert not matches(pattern, "a" * 50_000 + "!")


@given(
    st.sampled_from(["[A-Z][0-9]+", "a|b", "a?b*", "(x|yz)+", ".{2,3}", "", "é+", r"\d{4}"]),
    st.text("abxyzAZ019é\n", max_size=8),
)
def test_plain_patterns_mean_what_they_mean_in_python(pattern, text):
    assert matches(pattern, text) is (re.fullmatch(pattern, text) is not None)


@pytest.mark.parametrize("pattern", ["a(", "a)(b", "(?=a)", r"(a)\1", "[z-a]", "(?:a{1000}){1000}"])
def test_what_cannot_be_matched_has_a_reason(pattern):
    assert why_no_pattern(pattern)
