"""Merged models: counts add up, and the union is known nearly as well as from pooled rows."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import halfmask as hm
from halfmask.data import Attribute, Schema, Table
from halfmask.documents.model import load, model_bytes
from halfmask.errors import BadInput
from halfmask.methods.generator.learn import learn_exactly
from halfmask.methods.generator.merge import merge
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.randomness import Randomness


def site(rows: int, seed: int, towns: tuple[str, ...]) -> pl.DataFrame:
    """Patients whose ward follows mostly from their diagnosis; towns are those of the region."""
    rng = np.random.default_rng(seed)
    diagnosis = rng.integers(4, size=rows)
    ward = np.where(rng.random(rows) < 0.8, diagnosis // 2, 1 - diagnosis // 2)
    age = np.clip(rng.normal(40 + 8 * diagnosis, 10), 18, 89).astype(int)
    return pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], rows),
            "town": rng.choice(towns, rows),
            "diagnosis": np.array(["asthma", "fracture", "infection", "hernia"])[diagnosis],
            "ward": np.array(["north", "south"])[ward],
            "age": age,
        }
    )


@pytest.fixture(scope="module")
def sites():
    return site(900, 1, ("Rome", "Lodi")), site(500, 2, ("Lodi", "Bra", "Alba"))


@pytest.fixture(scope="module")
def generator(tmp_path_factory):
    schema = tmp_path_factory.mktemp("schema") / "schema.toml"
    schema.write_text("[columns.age]\nkind = 'number'\nbins = [35, 50, 65]\n")
    return hm.Generator(min_support=10, schema=schema)


def test_counts_add_up_by_hand():
    schema = Schema((Attribute("a", ("x", "y")), Attribute("b", ("x", "y"))))
    same, mixed = np.array([[0, 0]] * 6 + [[1, 1]] * 6), np.array([[0, 0]] * 4 + [[0, 1]] * 4)
    settings = GeneratorSettings(min_support=2)
    one, other = (learn_exactly(Table(schema, t), settings) for t in (same, mixed))
    found = merge([one, other])
    assert found.code_table.rows == 20
    assert found.code_table.item_supports.tolist() == [14, 6, 10, 10]
    for table in (one.code_table, other.code_table):
        assert set(table.sets) <= set(found.code_table.sets)
    total = dict(zip(found.code_table.sets, found.code_table.usages.tolist(), strict=True))
    assert sum(total.values()) == one.code_table.usages.sum() + other.code_table.usages.sum()
    assert found.min_support == 2


def test_the_merged_model_is_nearly_as_good_as_that_of_the_pooled_rows(sites, generator):
    pooled = pl.concat(sites)
    one, other = (generator.fit(rows) for rows in sites)
    merged = one.merge(other)
    assert merged.learnt.code_table.rows == len(pooled)
    assert merged.learnt.min_support == 10
    off = {}
    for name, model in (("pooled", generator.fit(pooled)), ("merged", merged)):
        release = model.sample(len(pooled), seed=4)
        only = ["marginals_1", "marginals_2"]
        readings = hm.measure(pooled, release, only=only, seed=1)
        off[name] = [readings[reading].value for reading in only]
        rows = model.log_probability(pooled).rows
        # An extreme age is capped in a release, so that its row is never drawn.
        assert np.isfinite(rows).mean() > 0.9
        off[name].append(-float(np.median(rows)))
    assert off["merged"][0] < off["pooled"][0] + 0.02
    assert off["merged"][1] < off["pooled"][1] + 0.03
    assert off["merged"][2] < off["pooled"][2] + 0.2  # tails of sites are not merged


def test_releases_of_sites_concatenate(sites, generator):
    releases = [generator.fit(rows).sample(len(rows), seed=i) for i, rows in enumerate(sites)]
    together = pl.concat(releases)
    assert together.schema == sites[0].schema
    readings = hm.measure(pl.concat(sites), together, only=["marginals_2"], seed=1)
    assert readings["marginals_2"].value < 0.08


def test_counts_of_the_union_are_estimated_from_what_each_model_draws(sites, generator):
    chosen = replace(generator, shrink=0)  # each site tells only what its patterns miss
    one, other = (chosen.fit(rows).learnt for rows in sites)
    union = merge([one, other])
    found, pooled = union.margins, pl.concat(sites)
    assert found is not None
    assert found.estimated
    assert found.smallest >= 10
    shared = {frozenset(m.attributes) for m in one.margins} & {
        frozenset(m.attributes) for m in other.margins
    }
    assert len(found) > len(shared), "not only the tables that both tell"
    counted = {"sex", "town", "diagnosis", "ward"}  # an age is in a bin
    off = []
    for margin in (m for m in found if counted >= set(m.attributes)):
        for cell, count in zip(margin.cells.tolist(), margin.counts.tolist(), strict=True):
            holds = [
                pl.col(name) == union.schema[name].values[code]
                for name, code in zip(margin.attributes, cell, strict=True)
            ]
            off.append(count - pooled.filter(*holds).height)
    assert len(off) >= 6
    assert np.abs(off).max() < 40, "twice the chance of a half"
    assert np.abs(off).mean() < 12
    again = merge([one, other])
    assert model_bytes(again) == model_bytes(union), "the rows drawn for it have fixed keys"
    release = union.sample(400, randomness=Randomness(1))
    assert "an estimate from models of sites" in str(release.claim)
    assert merge([one, replace(other, margins=None)]).margins is None


def wards(rows: int, seed: int, towns: tuple[str, ...]) -> pl.DataFrame:
    """The outcome follows from sex and ward together, and from neither alone."""
    rng = np.random.default_rng(seed)
    sex, ward = rng.integers(2, size=(2, rows))
    odd = (sex ^ ward) == (rng.random(rows) < 0.9)
    return pl.DataFrame(
        {
            "sex": np.array(["f", "m"])[sex],
            "ward": np.array(["north", "south"])[ward],
            "town": rng.choice(towns, rows),
            "age": rng.choice(["young", "old"], rows),
            "outcome": np.array(["home", "stays"])[odd.astype(int)],
        }
    )


def test_what_a_target_follows_from_is_kept():
    both = wards(1_500, 1, ("Rome", "Lodi")), wards(900, 2, ("Lodi", "Bra"))
    generator = hm.Generator(min_support=10, target="outcome")
    one, other = (generator.fit(rows) for rows in both)
    union = one.merge(other)
    trees = union.learnt.margins.target_trees
    assert trees.target == union.learnt.settings.calibration.target == "outcome"
    assert min(trees.counts) >= 10
    cells = ["sex", "ward", "outcome"]
    shares = [
        rows.group_by(cells).len().sort(cells)["len"].to_numpy() / len(rows)
        for rows in (pl.concat(both), union.sample(2_400, seed=5))
    ]
    assert np.abs(shares[0] - shares[1]).max() < 0.03
    unlike = hm.Generator(min_support=10, target="ward").fit(both[1])
    without = one.merge(unlike).learnt
    assert without.settings.calibration.target is without.margins.target_trees is None


def test_the_more_careful_settings_hold_for_the_union(sites, generator):
    asked = ({"round_margins": 5, "calibrate_for": {"town": 1}}, {"calibrate_for": {"ward": 1}})
    models = [
        hm.Generator(**{**generator.get_params(), **more}).fit(rows)
        for rows, more in zip(sites, asked, strict=True)
    ]
    union = models[0].merge(models[1]).learnt
    calibration = union.settings.calibration
    assert (calibration.base, calibration.order_for) == (5, {"town": 1, "ward": 1})
    assert {int(n) % 5 for margin in union.margins for n in margin.counts} == {0}
    wide = [set(m.attributes) for m in union.margins if len(m.attributes) > 1]
    assert wide
    assert not any({"town", "ward"} & names for names in wide)


def run(*words, cwd):
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "halfmask", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_merged_model_is_a_model_file(sites, generator, tmp_path):
    one, other = (generator.fit(rows) for rows in sites)
    one.save(tmp_path / "1.model.json")
    other.save(tmp_path / "2.model.json")
    done = run("merge", "1.model.json", "2.model.json", "-o", "union.model.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1,400 rows of 2 sites" in done.stdout
    assert "at least 10 rows of one site" in done.stdout
    assert "0 trees about a target, estimated from rows" in " ".join(done.stdout.split())
    found = load(tmp_path / "union.model.json")
    assert found.margins.estimated
    assert model_bytes(found) == model_bytes(one.merge(other).learnt)
    seen = run("inspect", "union.model.json", "--margins", cwd=tmp_path)
    assert "of the original, estimated from models of sites" in " ".join(seen.stdout.split())
    bare = hm.Generator(**{**generator.get_params(), "calibrate": 0}).fit(sites[1])
    bare.save(tmp_path / "3.model.json")
    done = run("merge", "1.model.json", "3.model.json", "-o", "bare.model.json", cwd=tmp_path)
    assert "because 1 of the models were learnt without any" in " ".join(done.stdout.split())
    targeted = hm.Generator(**{**generator.get_params(), "target": "ward"}).fit(sites[1])
    targeted.save(tmp_path / "4.model.json")
    done = run("merge", "1.model.json", "4.model.json", "-o", "one.model.json", cwd=tmp_path)
    assert "No target is described by trees" in done.stdout
    assert "('ward')" in done.stdout


def test_the_order_of_sites_changes_names_only(sites, generator):
    one, other = (generator.fit(rows) for rows in sites)
    left, right = one.merge(other), other.merge(one)
    rows = pl.concat(sites).head(200)
    np.testing.assert_allclose(
        left.log_probability(rows).rows, right.log_probability(rows).rows, atol=1e-9
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"drop": ["town"]}, "'town'"),
        ({"laplace": 1.0}, "different values of laplace"),
        ({"hide_together": [("sex", "ward")]}, "different values of hide_together"),
        ({"schema": None}, "'age'"),
    ],
)
def test_models_that_do_not_fit_are_refused(sites, generator, change, words):
    other = hm.Generator(**{**generator.get_params(), **change}).fit(sites[1])
    with pytest.raises(BadInput, match=words):
        generator.fit(sites[0]).merge(other)


def test_one_model_is_not_merged(sites, generator):
    with pytest.raises(BadInput, match="at least two models"):
        generator.fit(sites[0]).merge()
