"""Small tables: a minimum support that fits, a verdict that says what they are worth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import halfmask as hm
from halfmask.errors import BadInput


def _people(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(rows)
    age = rng.integers(20, 70, rows)
    return pd.DataFrame(
        {
            "age": age,
            "pay": (1000 + 40 * age + rng.normal(0, 300, rows)).round(2),
            "sex": rng.choice(["f", "m"], rows),
            "note": [f"remark {n} of its own" for n in range(rows)],
            "plant": ["north"] * rows,
            "seldom": [None] * (rows - 2) + ["yes", "no"],
        }
    )


@pytest.mark.parametrize(("rows", "floor"), [(30, 5), (120, 6), (199, 9), (200, 10)])
def test_the_minimum_support_follows_small_tables_down(rows, floor):
    published = hm.publish(_people(rows), seed=1)
    assert published.first.min_support == floor
    assert any("instead of 10" in remark for remark in published.remarks) == (floor < 10)
    assert "It was learnt from" in published.verdict.reasons[-1]


def test_one_column_that_cannot_be_published_does_not_keep_the_others_in():
    published = hm.publish(_people(120), seed=1)
    assert [*published.data.columns] == ["age", "pay", "sex", "plant"]
    said = " ".join(published.remarks)
    assert "Column 'note' was left out" in said
    assert "Column 'seldom' was left out" in said


def test_what_would_keep_a_column_keeps_it(tmp_path):
    people = _people(120).assign(village=["here"] * 30 + [f"hamlet {n}" for n in range(90)])
    said = hm.publish(people, seed=1).remarks
    assert "To keep column 'village', with the values that enough rows hold: --categorical." in said
    assert any("To keep column 'note'," in one and 'kind = "key"' in one for one in said)
    (tmp_path / "keys.toml").write_text('[columns.note]\nkind = "key"\n')
    kept = hm.publish(people, seed=1, categorical=["village"], schema=tmp_path / "keys.toml")
    assert set(kept.data["village"]) == {"here", "other"}
    assert not any("remark" in note for note in kept.data["note"])


def test_what_the_steward_says_about_the_support_stays():
    published = hm.publish(_people(120), seed=1, min_support=10)
    assert published.first.min_support == 10


def test_fewer_than_some_tens_of_rows_are_refused_with_the_smallest_size():
    with pytest.raises(BadInput, match="published has 30 rows, and this one has 29"):
        hm.publish(_people(29), seed=1)
    assert len(hm.publish(_people(29), seed=1, min_support=5).data) == 29
