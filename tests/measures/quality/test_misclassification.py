"""Rows that change their cluster, counted row by row."""

from __future__ import annotations

import numpy as np
import pytest

import halfmask as hm
from halfmask.errors import NotMeasurable
from halfmask.measures import Comparison, compare
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


def test_rows_must_correspond():
    original = groups(60, np.random.default_rng(1))
    with pytest.raises(NotMeasurable, match="row by row"):
        read(original, original[:50])["misclassification"]
