"""Distorted tables: rows stay rows, and what they say about the original is right on average."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import halfmask as hm
from halfmask.data import Attribute, Schema, Table
from halfmask.errors import BadInput
from halfmask.methods.distortion.distort import distort_table
from halfmask.methods.distortion.method import Distortion
from halfmask.randomness import Randomness

MEDICAL = pl.DataFrame(
    {
        "PID": ["P100", "P200", "P300", "P400", "P500"],
        "Gender": ["F", "M", "F", "F", "M"],
        "Age": [25, 27, 47, 29, 32],
        "Malaria": [1, 1, 1, 0, 1],
        "Diabetes": [0, 1, 0, 0, 1],
        "TB": [1, 0, 1, 1, 0],
        "Cancer": [0, 0, 1, 1, 1],
    }
)
"""The sample of a medical database in the article on improved distortion."""
SCHEMA = Schema(
    (Attribute("sex", ("f", "m")), Attribute("town", ("a", "b", "c")), Attribute("one", ("x",)))
)


def people(rows, rng):
    sex = rng.integers(2, size=rows)
    town = np.where(rng.random(rows) < 0.7, sex, rng.integers(3, size=rows))
    return Table(SCHEMA, np.stack([sex, town, np.zeros(rows, int)], axis=1))


def test_every_row_has_one_value_of_each_column():
    published = hm.publish(MEDICAL, method="distortion", keep=0.8, min_support=1, seed=3)
    assert published.data.columns == MEDICAL.columns[1:]  # nobody is told by a key
    assert published.data.null_count().sum_horizontal().item() == 0
    for name in published.data.columns:
        assert set(published.data[name]) <= set(MEDICAL[name])


def test_estimates_come_out_on_average():
    original = people(2_000, np.random.default_rng(1))
    pairs = [original.schema.item("sex", "f"), original.schema.item("town", "b")]
    true, found, tables = original.support([tuple(pairs)])[0], [], []
    for seed in range(60):
        release = distort_table(original, 0.75, randomness=Randomness(seed)).data
        found.append(release.support([tuple(pairs)])[0])
        tables.append(release.marginal(["sex", "town"]))
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - true) < 4 * error
    assert np.allclose(np.mean(tables, axis=0), original.marginal(["sex", "town"]), atol=12)
    assert np.isclose(tables[0].sum(), 2_000)
    assert np.isclose(tables[0][0, 1], found[0])


def test_a_cell_changes_as_often_as_the_channel_says():
    original = people(20_000, np.random.default_rng(2))
    release = distort_table(original, 0.9, randomness=Randomness(1)).data
    changed = (release.observed.codes != original.codes).mean(axis=0)
    assert changed[:2] == pytest.approx([0.1, 0.1], abs=0.01)
    assert changed[2] == 0
    became = release.observed.codes[original.codes[:, 1] == 0, 1]
    assert np.bincount(became)[1:] == pytest.approx(np.bincount(became)[0] / 18, rel=0.2)


def test_what_is_for_baskets_is_refused_of_a_table():
    for more in ({"keep_rare": 0.8}, {"keep_absent": 0.8}):
        with pytest.raises(BadInput, match="are for baskets"):
            hm.publish(MEDICAL, method="distortion", keep=0.9, min_support=1, **more)


def test_algorithm_two_as_printed_needs_its_second_probability():
    rows = hm.Baskets.of([["beer", "crisps"], ["beer"], ["tea"]] * 40 + [["rare"]] * 5)
    with pytest.raises(BadInput, match="give keep_rare too"):
        hm.publish(rows, method="distortion", keep=0.9, as_printed=True)
    published = hm.publish(
        rows, method=Distortion(keep=0.9, keep_rare=0.7, as_printed=True, min_support=10), seed=1
    )
    channel = published.first.release.channel
    names = rows.schema.names
    inserted = dict(zip(names, channel.insert.tolist(), strict=True))
    assert inserted == {"beer": 0.0, "crisps": 0.0, "tea": 0.0, "rare": pytest.approx(0.3)}
    assert set(channel.keep.tolist()) == {0.9}
    assert published.readings["amplification"].value == 1.0  # a frequent item seen was there
