"""Rows that are drawn while they are written are the rows of a release that is drawn at once."""

from __future__ import annotations

from functools import cache
from itertools import chain

import numpy as np
import polars as pl
import pytest

import halfmask
from halfmask.data import Table
from halfmask.estimators import Streamed, filled
from halfmask.methods.generator.draw import Drawing
from halfmask.methods.generator.learn import limited
from halfmask.randomness import Randomness

ROWS = 3_000


@cache
def model():
    rng = np.random.default_rng(1)
    town, age = rng.integers(5, size=ROWS), rng.integers(20, 90, size=ROWS)
    frame = {
        "id": range(ROWS),
        "town": [f"t{t}" for t in town],
        "ill": [f"i{(t + a // 30) % 4}" for t, a in zip(town, age, strict=True)],
        "age": age,
    }
    return halfmask.Generator(min_support=20).fit(pl.DataFrame(frame)).learnt


@pytest.fixture(params=[0, 2])
def learnt(request, monkeypatch):
    """A model, and pools and pieces so small that a release is made of many."""
    monkeypatch.setattr("halfmask.methods.calibration.choose_margins.MOST_POOL_CELLS", 1 << 14)
    for module in ("halfmask.methods.generator.draw", "halfmask.data.table"):
        monkeypatch.setattr(f"{module}.PIECE", 700)
    monkeypatch.setattr("halfmask.data.coding.filling.SHORT_ROWS", 700)
    return limited(model(), request.param)


def cells(table: Table) -> list[list[str | None]]:
    return [
        [attribute.values[code] for code in table.codes[:, n]]
        for n, attribute in enumerate(table.schema)
    ]


@pytest.mark.parametrize("rows", [0, 1, ROWS])
def test_the_parts_are_the_whole(learnt, rows):
    randomness = Randomness(3)
    release = learnt.sample(rows, randomness=randomness)
    whole = cells(filled(release, randomness).whole)
    streamed = Streamed(Drawing(learnt, rows, randomness))
    pieces = [cells(piece) for piece in streamed.pieces()]
    assert len(pieces) > 3 or rows < ROWS
    assert [[*chain(*column)] for column in zip(*pieces, strict=True)] == whole
    assert streamed.done == rows
    told = streamed.release
    assert (told.notes, told.record, told.claim) == (release.notes, release.record, release.claim)


def test_a_stop_is_told(learnt):
    streamed = Streamed(Drawing(learnt, ROWS, Randomness(3), progress=lambda done, _: done < 900))
    assert 0 < sum(map(len, streamed.pieces())) < ROWS
    assert f"stopped after {streamed.done:,} of 3,000" in streamed.release.notes[-1]
