"""Who dominates whom: against the definition, word for word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.choosing.ranking import Score, dominates, fallen, pareto_set
from halfmask.errors import BadInput

NUMBERS = st.integers(0, 4).map(float)


@st.composite
def fields(draw, of):
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[of] * width), min_size=1, max_size=9))
    return {f"m{n}": row for n, row in enumerate(rows)}


def plainly_non_dominated(values):
    """The definition: nobody is as good everywhere and better somewhere."""

    def beats(a, b):
        return all(x <= y for x, y in zip(a, b, strict=True)) and a != b

    return tuple(
        name for name, row in values.items() if not any(beats(o, row) for o in values.values())
    )


@given(fields(NUMBERS))
def test_the_pareto_set_is_that_of_the_definition(values):
    assert pareto_set(values) == plainly_non_dominated(values)


INTERVALS = st.tuples(NUMBERS, st.sampled_from([0.0, 0.5, 1.0, 2.0])).map(
    lambda pair: Score(pair[0], pair[0] + pair[1])
)


@given(fields(INTERVALS))
def test_somebody_always_stands_and_whoever_falls_was_dominated(scores):
    lost = fallen(scores)
    assert len(lost) < len(scores)
    for name, by in lost.items():
        assert dominates(scores[by], scores[name])
    standing = [name for name in scores if name not in lost]
    for name in standing:
        assert not any(dominates(scores[other], scores[name]) for other in standing)


@given(fields(INTERVALS))
def test_domination_goes_one_way(scores):
    for one in scores.values():
        assert not dominates(one, one)
        for other in scores.values():
            assert not (dominates(one, other) and dominates(other, one))


def test_a_circle_of_intervals_leaves_one_standing():
    low, wide, high = Score(0, 1), Score(1, 3), Score(2, 5)
    circle = {
        "a": (low, high, wide),
        "b": (high, wide, low),
        "c": (wide, low, high),
    }
    for one, other in ("ab", "bc", "ca"):
        assert dominates(circle[one], circle[other])
    assert len(fallen(circle)) == 2


def test_a_score_lies_between_its_bounds():
    with pytest.raises(BadInput, match="between its bounds"):
        Score(2, 1)
