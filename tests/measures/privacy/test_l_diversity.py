"""l-diversity of a release: by hand, and against a plain count."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Attribute, Schema, Table
from halfmask.errors import NotMeasurable
from halfmask.measures import Comparison, compare
from halfmask.measures.privacy.l_diversity import diversity
from halfmask.randomness import Randomness

SCHEMA = Schema((Attribute("town", ("Rome", "Bra")), Attribute("ill", ("flu", "cold", "burn"))))


def read(release, **asked):
    table = Table(SCHEMA, np.array(release))
    comparison = Comparison(table, table, randomness=Randomness(1), **asked)
    return compare(comparison, ["l_diversity"], yardsticks=False)["l_diversity"]


def test_by_hand():
    """Rome has flu and cold as often, Bra has burn alone."""
    found = read([[0, 0], [0, 1], [1, 2], [1, 2]], sensitive="ill")
    assert found.value == 1
    assert found.details["mean_l_of_a_row"] == 1.5
    assert found.details["rows_with_one_value"] == 0.5
    assert read([[0, 0], [0, 1], [1, 2], [1, 0]], sensitive="ill").value == 2
    assert read([[0, 0], [0, 1]], sensitive="ill").details["entropy_l"] == pytest.approx(2)


def test_it_needs_to_know_what_is_sensitive():
    with pytest.raises(NotMeasurable, match="No sensitive attribute"):
        read([[0, 0], [0, 1]])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3)), min_size=1, max_size=60))
def test_as_many_values_as_a_plain_count_finds(rows):
    seen = defaultdict(list)
    for group, value in rows:
        seen[group].append(value)
    groups = np.unique([group for group, _ in rows], return_inverse=True)[1]
    distinct, entropy = diversity(groups, np.array([value for _, value in rows]))
    for number, group in enumerate(sorted(seen)):
        values = seen[group]
        assert distinct[number] == len(set(values))
        shares = [values.count(value) / len(values) for value in set(values)]
        assert entropy[number] == pytest.approx(-sum(p * math.log(p) for p in shares), abs=1e-12)
