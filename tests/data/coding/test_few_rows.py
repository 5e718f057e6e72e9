"""What fewer rows than the minimum support hold decides nothing about a column.

Up to nine rows with any text join six hundred ordinary ones: kinds, decimals, layouts, labels and
the columns that go out stay as they were, and every end of a range is one that ten of the others
reach.
"""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from halfmask import Generator
from halfmask.data.coding.cutting import cut, tally_of
from halfmask.data.coding.scale import Scale

ROWS, FLOOR = 600, 10
_rng = np.random.default_rng(4)
_first = dt.date(2020, 1, 1)
COLUMNS = {
    "whole": [str(n) for n in _rng.integers(18, 90, ROWS)],
    "price": [f"{x:.2f}" for x in _rng.lognormal(3, 0.5, ROWS)],
    "sex": _rng.choice(["f", "m"], ROWS).tolist(),
    "day": [(_first + dt.timedelta(int(n))).isoformat() for n in _rng.integers(0, 900, ROWS)],
    "moment": [f"2021-03-{d:02d} {h:02d}:15" for d, h in _rng.integers(1, 24, (ROWS, 2))],
    "code": [f"{n:03d}" for n in _rng.integers(1, 12, ROWS)],
    "answer": _rng.choice(["yes", "no", ""], ROWS).tolist(),
}
hostile = st.one_of(
    st.sampled_from(
        ["1234567890123456789", "1e200", "5e-324", "-1e9", "777771", "33.123456789", "other",
         "(other)", "", "NA", "nan", "inf", "0001-01-01", "9999-12-31", "31/12/2020", "12:30",
         "2020-01-01T00:00:00Z", "2020-13-01", "007", "7,5", "=cmd", "yes ", "0x10"]
    ),
    st.integers().map(str),
    st.floats().map(str),
    st.dates().map(str),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12),
)  # fmt: skip


def _described(columns: dict[str, list[str]], folder: Path) -> dict[str, Any]:
    """The columns of the model file."""
    generator = Generator(min_support=FLOOR, calibrate=0, effort=0.01, search="slim", prune=True)
    path = folder / "model.json"
    path.unlink(missing_ok=True)
    generator.fit(pd.DataFrame(columns)).save(path)
    return {c["name"]: c for c in json.loads(path.read_text())["model"]["columns"]}


def _form(column: dict[str, Any]) -> Any:
    """What is decided of a column apart from where its bins end."""
    if (bins := column.get("bins")) is None:
        return column["storage"], sorted(map(str, column["values"]))
    kept = ("decimals", "fixed", "layout", "unit", "codes")
    return column["storage"], {name: bins.get(name) for name in kept}


def _range(column: dict[str, Any]) -> tuple[int, int]:
    parts = [part for bin_ in column["bins"]["parts"] for part in bin_]
    return min(part[0] for part in parts), max(part[1] for part in parts)


_honest = st.lists(
    st.one_of(st.integers(-200, 200), st.integers(-(10**6), 10**6)), min_size=40, max_size=120
)


@settings(max_examples=300, deadline=None)
@given(_honest, st.data())
def test_ends_are_where_enough_of_the_others_lie(honest: list[int], data: st.DataObject) -> None:
    """Whoever adds nine rows, knowing all that is told, learns of no end beyond ten others'."""
    near = st.one_of(st.sampled_from(honest), st.integers(-(10**9), 10**9))
    joined = [*honest, *data.draw(st.lists(near, max_size=FLOOR - 1))]
    held = sorted(honest)
    found = cut(tally_of(np.array(joined), np.ones(len(joined), np.int64)), Scale(), floor=FLOOR)
    shared = {value for value in joined if joined.count(value) >= FLOOR}
    first, last = found[0][0], found[-1][-1]
    # A tail begins at the end and goes on as more rows than these say.
    for end in (first.high if first.tail else first.low, last.low if last.tail else last.high):
        assert held[FLOOR - 1] <= end <= held[-FLOOR] or end in shared


def test_a_column_of_few_rows_keeps_two_ends() -> None:
    """Ten rows of one value and fifteen of another, fewer than twice the floor at either end."""
    values = np.array([20] * 10 + [50] * 15)
    found = cut(tally_of(values, np.ones(25, np.int64)), Scale(), floor=FLOOR)
    assert [(bin_[0].low, bin_[-1].high) for bin_ in found] == [(20, 20), (50, 50)]


def test_nine_rows_do_not_show_the_richest() -> None:
    """One person has a million, the others at most 300; nine rows of a billion stand before her."""
    honest = [*range(1, 301), 1_000_000]
    joined = [*honest, *[10**9 + n for n in range(FLOOR - 1)]]
    for values in (honest, joined):
        ones = np.ones(len(values), np.int64)
        found = cut(tally_of(np.array(values), ones), Scale(), floor=FLOOR)
        assert max(part.high for bin_ in found for part in bin_) < 1_000


@pytest.mark.parametrize("name", COLUMNS)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(few=st.lists(hostile, min_size=1, max_size=FLOOR - 1))
def test_few_rows_decide_nothing(name: str, few: list[str], tmp_path: Path) -> None:
    beside = "code" if name == "sex" else "sex"
    plain = {name: COLUMNS[name], beside: COLUMNS[beside]}
    joined = {name: [*plain[name], *few], beside: plain[beside] + plain[beside][: len(few)]}
    before, after = _described(plain, tmp_path), _described(joined, tmp_path)
    assert before.keys() == after.keys()
    assert _form(before[name]) == _form(after[name])
    if "bins" in after[name]:
        low, high = _range(before[name])
        span = high - low
        assert low - span / 5 <= _range(after[name])[0]
        assert _range(after[name])[1] <= high + span / 5
