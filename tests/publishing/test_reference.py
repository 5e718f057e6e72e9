"""Other people as a reference for tracing, and attacks on the counts of a model."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from clinic import clinic
from visiting import hospital

import halfmask as hm
from halfmask.data import Baskets
from halfmask.errors import BadInput, UnknownName
from halfmask.publishing.white_box import told_counts

OTHERS = clinic(3000)[1000:]
SHOP = Baskets.of(["abc", "ab", "ab", "bcd", "acd", "cd", "bd", "abd", "ac", "bc"] * 40)


def published(**options):
    return hm.publish(clinic(1000), **{"seed": 5, **options})


def test_tracing_compares_with_the_people_that_were_given():
    alone, given = published(), published(reference=OTHERS)
    assert alone.readings["tracing"].details["reference"] == "hold-out"
    assert given.readings["tracing"].details["reference"] == "given"
    assert given.readings["tracing"].details["reference_rows"] == 2000
    assert given.data.equals(alone.data), "nothing is learnt from a reference"
    sentence = next(c.sentence for c in given.verdict.checks if c.what == "Tracing")
    assert "the attacker knows 2,000 other people" in sentence


def test_columns_that_are_not_published_may_lack_in_a_reference():
    given = published(drop=["stay"], reference=OTHERS.drop("stay"))
    assert given.readings["tracing"].details["reference"] == "given"


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        (OTHERS.drop("stay"), "The reference does not have the columns .* it lacks 'stay'"),
        (OTHERS.with_columns(more=1), "it also has 'more'"),
        (OTHERS.with_columns(ward=pl.lit("east")), "Column 'ward' of the reference has no value"),
        (OTHERS.head(10), "holds 10 rows; a reference has at least 20"),
        (SHOP, "holds baskets, and a reference for a table is needed"),
    ],
)
def test_what_is_no_reference_is_refused_in_a_sentence(reference, sentence):
    with pytest.raises(BadInput, match=sentence):
        published(reference=reference)


def test_the_original_is_not_its_own_reference(tmp_path):
    path = tmp_path / "clinic.csv"
    clinic(300).write_csv(path)
    with pytest.raises(BadInput, match="The reference is the original itself"):
        hm.publish(path, reference=path)


FAMILY, OTHER_FAMILY = hospital(400, seed=1), hospital(500, seed=2)


def test_a_family_is_traced_with_other_families():
    said = {"min_support": 20, "seed": 1, "no_trade_off": True}
    alone, given = (
        hm.publish(FAMILY, **said, **more) for more in ({}, {"reference": OTHER_FAMILY})
    )
    for name in FAMILY:
        traced = [p.readings[name]["tracing"].details for p in (alone, given)]
        assert [one["reference"] for one in traced] == ["hold-out", "given"]
    assert given.readings["patients"]["tracing"].details["reference_rows"] == 500
    for name, frame in alone.data.items():
        assert given.data[name].equals(frame), "nothing is learnt from a reference"


def test_the_reference_of_a_family_is_a_folder_on_the_command_line(tmp_path):
    for folder, tables in ((tmp_path, FAMILY), (tmp_path / "others", OTHER_FAMILY)):
        folder.mkdir(exist_ok=True)
        for name, frame in tables.items():
            frame.write_csv(folder / f"{name}.csv")
    words = ["publish", "patients.csv", "--child", "visits.csv", "--min-support", "20", "--json"]
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "halfmask", *words, "--no-trade-off", "--reference", "others"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert '"reference": "given"' in done.stdout


def test_what_is_no_reference_of_a_family_is_refused(tmp_path):
    with pytest.raises(BadInput, match="a folder with files of the same names"):
        hm.publish(FAMILY, reference=tmp_path / "nothing.csv")
    with pytest.raises(UnknownName, match="visits"):
        hm.publish(FAMILY, reference={"patients": OTHER_FAMILY["patients"]})
    fewer = OTHER_FAMILY | {"visits": OTHER_FAMILY["visits"].drop("cost")}
    with pytest.raises(BadInput, match="lacks 'cost'"):
        hm.publish(FAMILY, reference=fewer)


def test_the_models_of_a_family_are_attacked_where_asked():
    published = hm.publish(hospital(300), audit_model=True, seed=1)
    for name in ("patients", "visits"):
        assert published.readings[name]["tracing_model"].value > 0
        assert any(f"{name}: " in check.what for check in published.verdict.checks)


def test_baskets_have_a_reference_too():
    other = Baskets.of(["abe", "bd", "cd", "ac"] * 50)
    given = hm.publish(SHOP, method="baskets", seed=1, reference=other)
    assert given.readings["tracing"].details["reference_rows"] == 200
    with pytest.raises(BadInput, match="no item in common"):
        hm.publish(SHOP, method="baskets", seed=1, reference=Baskets.of(["xy", "z"] * 50))


def test_the_counts_of_a_model_are_attacked_where_that_is_asked_for():
    assert "tracing_model" not in published().readings.names
    asked = published(audit_model=True)
    assert 0 <= asked.readings["tracing_model"].value <= 1
    without = published(audit_model=True, calibrate=0)
    assert 0 <= without.readings["tracing_model"].value <= 1, "its patterns are attacked"


def test_a_model_that_could_not_be_attacked_is_not_called_fit():
    alone = hm.publish(SHOP, method="baskets", seed=1, calibrate=0, audit_model=True)
    assert alone.verdict.word == "not attacked"
    assert any("model file could not be attacked" in r for r in alone.verdict.reasons)


@pytest.mark.parametrize("calibrate", [0, 2])
def test_what_a_model_tells_is_what_it_counted_and_no_more(calibrate):
    made = published(calibrate=calibrate).first.made
    told = told_counts(made.model)
    tables = {margin.attributes for margin in made.model.margins or ()}
    assert set(told) == tables if tables else told
    for names, counts in told.items():
        true = made.original.marginal(names)
        known = ~np.isnan(counts)
        np.testing.assert_allclose(counts[known], true[known], atol=made.model.base - 1)
        assert not known.all() or counts.sum() <= made.original.size + made.model.base * counts.size


def test_what_a_model_of_baskets_tells_are_whole_tables_of_two_items():
    made = hm.publish(SHOP, method="baskets", seed=1, audit_model=True).first.made
    told = told_counts(made.model)
    assert told["item 0",].sum() == made.original.size
    for names, counts in told.items():
        items = [made.original.schema.names[int(name.removeprefix("item "))] for name in names]
        true = made.original.marginal(items)
        np.testing.assert_allclose(counts, true, atol=3 * made.model.base)  # sums of three counts
