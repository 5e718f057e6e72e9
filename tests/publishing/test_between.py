"""DS between the classes of a table: the same as of two files cut by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import halfmask as hm
from halfmask.errors import BadInput


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    kind = rng.choice(["a", "b", "c"], 600, p=[0.5, 0.49, 0.01])
    one = np.where(rng.random(600) < 0.9, np.where(kind == "a", "x", "y"), "z")
    two = np.where(rng.random(600) < 0.8, one, rng.choice(["x", "y", "z"], 600))
    return pl.DataFrame({"class": kind, "one": one, "two": two})


def test_classes_are_tables_of_their_own(table):
    pairs = hm.class_dissimilarities(table, "class", min_support=10)
    assert [(pair.first, pair.second) for pair in pairs] == [("a", "b")]  # of c there are few
    halves = [table.filter(pl.col("class") == name).drop("class") for name in "ab"]
    alone = hm.measure(*halves, only=["ds"], min_support=10)["ds"]
    assert pairs[0].ds == pytest.approx(alone.value)
    assert pairs[0].rows == tuple(len(half) for half in halves)
    turns = np.where(np.arange(len(table)) % 2, "odd", "even")
    same = table.with_columns(pl.Series("class", turns))
    assert hm.class_dissimilarities(same, "class")[0].ds < 0.2 < pairs[0].ds


def test_what_makes_no_classes_is_refused(table):
    with pytest.raises(BadInput, match="1 class"):
        hm.class_dissimilarities(table.filter(pl.col("class") == "a"), "class")
    with pytest.raises(hm.HalfmaskError, match="no column 'clas'"):
        hm.class_dissimilarities(table, "clas")
