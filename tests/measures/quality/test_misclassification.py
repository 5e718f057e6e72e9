"""Rows that change their cluster, counted row by row."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import halfmask as hm
from halfmask.data import Attribute, Schema, Table
from halfmask.errors import NotMeasurable
from halfmask.measures import Comparison, compare
from halfmask.measures.quality.misclassification import misclassified
from halfmask.randomness import Randomness


def groups(rows, rng):
    kinds = [["beer", "crisps"], ["tea", "milk"], ["bread", "jam", "butter"]]
    return [
        [item for item in kinds[rng.integers(3)] if rng.random() < 0.9] or ["beer"]
        for _ in range(rows)
    ]


def read(original, release):
    names = sorted({item for row in original for item in row} | {"soap"})
    sides = (hm.Baskets.of(rows, names=names) for rows in (original, release))
    return compare(Comparison(*sides, randomness=Randomness(1)), ["misclassification"])


def test_noise_moves_rows_between_clusters_and_nothing_moves_none():
    rng = np.random.default_rng(1)
    original = groups(800, rng)
    assert read(original, original)["misclassification"].value == 0
    shares = []
    for noise in (0.1, 0.5):
        moved = [groups(1, rng)[0] if rng.random() < noise else row for row in original]
        shares.append(read(original, moved)["misclassification"].value)
    assert 0 < shares[0] < 0.1 < shares[1] < 0.5  # a third of the new rows stay by chance


def test_rows_of_a_table_are_classified_by_column_and_value():
    """Two blocks of rows that agree in all columns but one; three rows go over to the other."""
    schema = Schema(tuple(Attribute(name, ("0", "1")) for name in "abcd"))
    codes = np.repeat([[0, 0, 0, 0], [1, 1, 1, 1]], 20, axis=0)
    codes[:, 3] = np.arange(40) % 2
    changed = codes.copy()
    changed[:3, :3] = 1
    changed[3:5, 3] = 1  # another value of a column that separates nobody
    sides = (Table(schema, rows) for rows in (codes, changed))
    found = misclassified(*(side.transactions for side in sides), Table(schema, codes).transactions,
                          clusters=2)  # fmt: skip
    assert found == 3 / 40


@pytest.mark.parametrize(
    ("method", "said"),
    [("distortion", {"keep": 0.7}), ("hiding", {"hide": ["sex=f, ill=yes"], "hide_support": 5}),
     ("coherence", {"k": 90})],
)  # fmt: skip
def test_it_is_read_off_every_release_of_a_table_that_keeps_its_rows(method, said):
    rng = np.random.default_rng(4)
    sex = rng.choice(["f", "m"], 300)
    ill = np.where(rng.random(300) < 0.9, np.where(sex == "f", "yes", "no"), "yes")
    frame = pl.DataFrame({"sex": sex, "ill": ill, "town": rng.choice(["a", "b", "c"], 300)})
    found = hm.publish(frame, method=method, seed=1, **said).readings["misclassification"]
    assert found.details["rows_classified"] == 300
    assert hm.measure(frame, frame, only=["cells_changed"], seed=1)["cells_changed"].value == 0
    assert (found.value > 0) == (method != "hiding")  # what is hidden here decides no cluster


def test_rows_must_correspond():
    original = groups(60, np.random.default_rng(1))
    with pytest.raises(NotMeasurable, match="row by row"):
        read(original, original[:50])["misclassification"]
