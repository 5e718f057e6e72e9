"""Constrained drawing: no forbidden combination is drawn, and the rest as the reference says."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from halfmask.data import Attribute, Schema, Table
from halfmask.errors import BadInput
from halfmask.methods.generator import constraints as constrained
from halfmask.methods.generator.constraints import Fence, RowRule
from halfmask.methods.generator.process import Process
from reference.generator import PlainProcess

SCHEMA = Schema(
    (
        Attribute("x", ("A", "B")),
        Attribute("y", ("C", "D", "E")),
        Attribute("z", ("F", "G")),
    )
)
SINGLES = [(item,) for item in range(7)]


def rule(name: str, forbidden: set[tuple[int, ...]], attributes: tuple[str, ...]) -> RowRule:
    """A rule that is broken by these combinations of value numbers."""

    def broken(table: Table) -> np.ndarray:
        columns = [table.schema.position(attribute) for attribute in attributes]
        return np.array([tuple(row) in forbidden for row in table.codes[:, columns].tolist()], bool)

    return RowRule(name, attributes, broken)


def processes(patterns, weights):
    native = Process.of(SCHEMA, patterns, weights)
    listed = dict(zip(patterns, weights, strict=True))
    return native, PlainProcess((0, 0, 1, 1, 1, 2, 2), listed)


def counted(codes: np.ndarray) -> dict[tuple[int, ...], int]:
    items = codes + SCHEMA.offsets[:-1]
    rows, counts = np.unique(items, axis=0, return_counts=True)
    return {tuple(r): c for r, c in zip(rows.tolist(), counts.tolist(), strict=True)}


def agree(codes: np.ndarray, exact: dict[tuple[int, ...], object]) -> bool:
    seen = counted(codes)
    assert set(seen) <= set(exact)
    expected = np.array([float(p) * len(codes) for p in exact.values()])
    observed = np.array([seen.get(row, 0) for row in exact])
    return stats.chisquare(observed, expected).pvalue > 1e-6


@settings(max_examples=12)
@given(st.data())
def test_rows_follow_the_distribution_of_the_reference(data):
    cells = list(itertools.product(range(2), range(3), range(2)))
    forbidden = set(data.draw(st.lists(st.sampled_from(cells), max_size=6, unique=True)))
    pairs = [(0, 2), (1, 3), (0, 5), (3, 6), (1, 4, 6)]
    patterns = pairs[: data.draw(st.integers(0, 5))] + SINGLES
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(patterns), max_size=len(patterns)))
    native, plain = processes(patterns, weights)
    fence = Fence.of(SCHEMA, [rule("r", forbidden, ("x", "y", "z"))])
    exact = plain.fenced(list(fence.forbidden))
    assert not {tuple(np.array(row) - SCHEMA.offsets[:-1]) for row in exact} & forbidden
    drawn = fence.around(native).draw(20_000, key=7)
    assert agree(drawn.codes, exact)


def test_the_smallest_parts_that_can_only_end_badly_are_forbidden():
    # A with C is bad whatever z is; E is bad whatever else; B D F is bad as a whole.
    bad = {(0, 0, 0), (0, 0, 1), (0, 2, 0), (0, 2, 1), (1, 2, 0), (1, 2, 1), (1, 1, 0)}
    fence = Fence.of(SCHEMA, [rule("r", bad, ("x", "y", "z"))])
    assert set(fence.forbidden) == {(4,), (0, 2), (1, 3, 5)}
    assert fence.checked == ()


def test_without_forbidden_combinations_the_rows_are_those_of_the_process():
    native, _ = processes([(0, 2), *SINGLES], [3, *[1] * 7])
    free = native.draw(5000, key=3)
    fenced = Fence.of(SCHEMA, [rule("r", set(), ("x", "y"))]).around(native).draw(5000, key=3)
    np.testing.assert_array_equal(free.codes, fenced.codes)
    assert free.attempts == fenced.attempts == 5000


def test_rows_without_rules_are_those_that_were_drawn_before_there_were_rules():
    weights = [5, 4, 3, 2, *[1] * 7]
    native, _ = processes([(0, 2), (1, 3), (3, 6), (1, 4, 6), *SINGLES], weights)
    codes = np.ascontiguousarray(native.draw(5000, key=11).codes, "<i4")
    assert hashlib.sha256(codes.tobytes()).hexdigest().startswith("ba9cad5a4520f148")


def test_a_rule_too_large_to_list_is_checked_after_drawing(monkeypatch):
    native, _ = processes(SINGLES, [1] * 7)
    bad = rule("r", {(0, 0), (1, 1)}, ("x", "y"))
    monkeypatch.setattr(constrained, "MOST_CELLS", 1)
    fence = Fence.of(SCHEMA, [bad])
    assert fence.checked == (bad,)
    drawn = fence.around(native).draw(6000, key=5)
    assert len(drawn.codes) == 6000
    assert not bad.broken(Table(SCHEMA, drawn.codes)).any()
    assert 6000 / drawn.attempts == pytest.approx(2 / 3, abs=0.03)
    # Rejection leaves the process given the rule: four of the six pairs, equally probable.
    exact = {r: 1 / 8 for r in itertools.product((0, 1), (2, 3, 4), (5, 6))
             if (r[0], r[1]) not in {(0, 2), (1, 3)}}  # fmt: skip
    assert agree(drawn.codes, exact)


@pytest.mark.parametrize("most_cells", [1, 1 << 20])
def test_rows_are_the_same_whatever_the_threads_and_the_cuts(monkeypatch, most_cells):
    monkeypatch.setattr(constrained, "MOST_CELLS", most_cells)
    monkeypatch.setattr(constrained, "PIECE", 1000)
    native, _ = processes([(0, 2), (1, 3), *SINGLES], [5, 5, *[1] * 7])
    fence = Fence.of(SCHEMA, [rule("r", {(0, 0), (1, 2)}, ("x", "y"))])
    whole = fence.around(native).draw(9000, key=1)
    np.testing.assert_array_equal(
        whole.codes, fence.around(native).draw(9000, key=1, threads=3).codes
    )
    part = fence.around(native).draw(100, key=1, first_row=3950)
    np.testing.assert_array_equal(whole.codes[3950:4050], part.codes)
    assert len(np.unique(whole.codes[:1000] == whole.codes[1000:2000])) == 2  # drawn apart
    far = fence.around(native).draw(100, key=1, first_row=10**9 + 950)
    assert len(far.codes) == 100
    assert far.attempts < 5000  # rows before are not drawn


def test_a_rule_that_nothing_satisfies_is_refused():
    every = set(itertools.product(range(2), range(3)))
    with pytest.raises(BadInput, match="'r' is broken by every combination"):
        Fence.of(SCHEMA, [rule("r", every, ("x", "y"))])


def test_rules_that_contradict_each_other_are_refused():
    native, _ = processes(SINGLES, [1] * 7)
    no_a = rule("a", {(0, n) for n in range(3)}, ("x", "y"))
    no_b = rule("b", {(1, n) for n in range(2)}, ("x", "z"))
    with pytest.raises(BadInput, match="leave no value for some column"):
        Fence.of(SCHEMA, [no_a, no_b]).around(native).draw(10, key=1)


def test_hopeless_rejection_is_refused_with_the_rule_and_its_share(monkeypatch):
    monkeypatch.setattr(constrained, "MOST_CELLS", 1)
    native, _ = processes(SINGLES, [1e-6, 1, *[1] * 5])
    fence = Fence.of(SCHEMA, [rule("only A", {(1, n) for n in range(3)}, ("x", "y"))])
    with pytest.raises(BadInput, match=r"'only A' alone is broken by 100\.0%"):
        fence.around(native).draw(1000, key=1)
