"""Numbers, dates, keys and missing codes through fit, sample, model file and release file."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

import halfmask as hm
from halfmask.documents.model import model_bytes
from halfmask.documents.model_document import from_json
from halfmask.estimators import Generator
from halfmask.io.given import Given

ROWS = 1500


@pytest.fixture(scope="module")
def visits() -> pl.DataFrame:
    """Every type a steward meets, with a relation between age, stay and outcome."""
    rng = np.random.default_rng(11)
    age = rng.integers(18, 91, ROWS)
    stay = np.where(rng.random(ROWS) < 0.4, 0, rng.gamma(2, 1 + age / 30)).round(2)
    day = dt.date(2019, 1, 1)
    days = [day + dt.timedelta(int(n)) for n in rng.integers(0, 700, ROWS)]
    missing = rng.random(ROWS) < 0.12
    return pl.DataFrame(
        {
            "id": [f"V-{i:06}" for i in range(ROWS)],
            "age": age.astype(np.int8),
            "stay": stay,
            "admitted": days,
            "seen": [dt.datetime.combine(d, dt.time(8 + i % 10, 15 * (i % 4)))
                     for i, d in enumerate(days)],
            "weight": [None if gone else round(float(w), 1)
                       for w, gone in zip(rng.normal(75, 12, ROWS), missing, strict=True)],
            "urgent": rng.random(ROWS) < 0.3,
            "outcome": np.where(age + rng.normal(0, 15, ROWS) > 70, "died", "home"),
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def model(visits):
    return Generator(min_support=15).fit(visits)


def test_a_release_has_the_columns_and_types_of_the_original(visits, model):
    release = model.sample(seed=1)
    assert release.schema == visits.schema
    arrow = visits.to_arrow()
    assert Generator(min_support=15).fit(arrow).sample(5).schema.types == arrow.schema.types
    pandas = Generator(min_support=15).fit(visits.to_pandas()).sample(9, seed=1)
    assert pandas.dtypes.drop("age").equals(visits.to_pandas().dtypes.drop("age"))


def test_ranges_spikes_precision_and_missing_rates_are_kept(visits, model):
    release = model.sample(ROWS, seed=2)
    for name in ("age", "stay", "admitted", "seen", "weight"):
        old, new = (f[name].drop_nulls().to_physical() for f in (visits, release))
        slack = (old.max() - old.min()) / 20  # the tails of numbers are drawn, not copied
        assert old.min() - slack <= new.min() <= old.quantile(0.05), name
        assert old.quantile(0.95) <= new.max() <= old.max() + slack, name
    assert abs((release["stay"] == 0).mean() - (visits["stay"] == 0).mean()) < 0.06
    assert abs(release["weight"].null_count() / ROWS - 0.12) < 0.05
    tenths = release["weight"].drop_nulls() * 10
    assert ((tenths - tenths.round()).abs() < 1e-6).all()
    assert release["seen"].dt.second().max() == 0
    assert abs(release["age"].mean() - visits["age"].mean()) < 2


def test_relations_survive(visits, model):
    release = model.sample(4000, seed=3)
    for frame in (visits, release):
        by = frame.group_by("outcome").agg(pl.col("age").mean())
        means = dict(by.iter_rows())
        assert means["died"] - means["home"] > 10


def test_keys_are_new_and_unique(visits, model):
    release = model.sample(50, seed=4)
    assert release["id"].n_unique() == 50
    assert not set(release["id"]) & set(visits["id"])


def test_a_model_file_draws_the_same_typed_rows_anywhere(model, tmp_path):
    model.save(tmp_path / "m.json")
    again = hm.Model.load(tmp_path / "m.json")
    assert again.sample(60, seed=5).to_pylist() == model.sample(60, seed=5).to_dicts()


def test_a_file_of_version_1_is_still_read():
    frame = pl.DataFrame({"sex": ["f", "m"] * 20, "ill": ["no", "no", "yes", "no"] * 10})
    plain = model_bytes(Generator(min_support=5).fit(frame).learnt)
    assert b'"bins"' not in plain
    assert b'"keys"' not in plain
    old = plain.replace(b'"version": 2', b'"version": 1')
    assert from_json(old, "'m.json'") == from_json(plain, "'m.json'")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b'"parts":[[[', b'"parts":[[[9', "was changed"),
        (b'"decimals":', b'"decimal":', "wrong at columns"),
    ],
)
def test_damaged_bins_are_refused(model, tmp_path, old, new, sentence):
    content = model_bytes(model.learnt)
    (tmp_path / "m.json").write_bytes(content.replace(old, new, 1))
    with pytest.raises(hm.BadInput, match=sentence):
        hm.Model.load(tmp_path / "m.json")


def test_publish_and_measure_a_typed_file(visits, tmp_path):
    visits.write_csv(tmp_path / "visits.csv")
    published = hm.publish(
        tmp_path / "visits.csv", method=Generator(min_support=15), seed=1, holdout=0
    )
    assert any("'id' received new keys" in remark for remark in published.remarks)
    release = Given(tmp_path / "visits.release.csv").read()
    assert [c.name for c in release.content] == visits.columns
    storages = {c.name: c.storage for c in release.content}
    assert storages["age"] == "int64"
    assert storages["admitted"] == "date32[day]"
    measured = hm.measure(
        tmp_path / "visits.csv", tmp_path / "visits.release.csv", min_support=15,
        only=["marginals_1", "nas"], seed=1,
    )  # fmt: skip
    for reading in measured:
        assert reading.value == pytest.approx(published.readings[reading.name].value, abs=1e-9)


def test_dropped_columns_leave_the_frame_whole(visits):
    for frame in (visits, visits.to_pandas()):
        release = Generator(min_support=15, drop=["seen"]).fit(frame).sample(5, seed=1)
        assert list(release.columns) == [c for c in visits.columns if c != "seen"]


def test_the_probability_of_typed_rows_adds_up():
    rng = np.random.default_rng(3)
    age = rng.integers(1, 31, 600)
    frame = pl.DataFrame({"age": age, "ill": np.where(age + rng.normal(0, 9, 600) > 20, "y", "n")})
    model = Generator(min_support=10).fit(frame)
    every = pl.DataFrame(
        {"age": list(range(1, 31)) * 2, "ill": ["y"] * 30 + ["n"] * 30}, schema=frame.schema
    )
    found = model.log_probability(every).rows
    assert np.exp2(found).sum() == pytest.approx(1, abs=0.01)
    drawn = model.sample(200, seed=1)
    assert np.isfinite(model.log_probability(drawn).rows).all()


def test_what_is_not_published_cannot_be_asked_about(visits):
    with pytest.raises(hm.BadInput, match=r"'id' is not published \(each row has a code"):
        hm.publish(visits, sensitive="id", seed=1)


def test_anatomy_of_a_typed_table_publishes_ranges(visits):
    frame = visits.with_columns(ward=pl.Series(["n", "s", "e", "w"] * (ROWS // 4)))
    published = hm.publish(frame, method="table-anatomy", sensitive="ward", l=2, seed=1)
    assert any("'age'" in r and "published as ranges" in r for r in published.remarks)
    assert any("'id' was left out" in r for r in published.remarks)
