"""Merged models: counts add up, and the union is known nearly as well as from pooled rows."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import halfmask as hm
from halfmask.data import Attribute, Margins, Schema, Table
from halfmask.data.margins import Margin
from halfmask.errors import BadInput
from halfmask.io.models import load, model_bytes
from halfmask.methods.generator import GeneratorModel, GeneratorSettings, learn
from halfmask.methods.merging import merge
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
    one, other = (learn(Table(schema, t), GeneratorSettings(min_support=2)) for t in (same, mixed))
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
    assert off["merged"][2] < off["pooled"][2] + 0.15


def test_releases_of_sites_concatenate(sites, generator):
    releases = [generator.fit(rows).sample(len(rows), seed=i) for i, rows in enumerate(sites)]
    together = pl.concat(releases)
    assert together.schema == sites[0].schema
    readings = hm.measure(pl.concat(sites), together, only=["marginals_2"], seed=1)
    assert readings["marginals_2"].value < 0.08


def told(values: tuple[str, ...], cells: list[list[int]], *names: str) -> GeneratorModel:
    """A model of a site with towns of these names, and these tables told from five rows on."""
    schema = Schema((Attribute("town", values), Attribute("ill", ("no", "yes"))))
    table = Table(schema, np.array(cells))
    margins = [Margin.of(table, schema, n.split(), min_support=5) for n in names]
    return replace(learn(table, GeneratorSettings(min_support=5)), margins=Margins(margins, 5))


def test_margins_of_both_add_up_and_those_of_one_go():
    one = told(
        ("Rome", "Lodi"), [[0, 0]] * 9 + [[0, 1]] * 6 + [[1, 0]] * 7, "town ill", "ill", "town"
    )
    other = told(("Lodi", "Bra"), [[0, 0]] * 8 + [[0, 1]] * 5 + [[1, 0]] * 6, "ill town", "town")
    found = merge([one, other]).margins
    assert found is not None
    # Rome is no town of the second site and Bra none of the first: their cells are those of one.
    # Lodi and ill has no row at the first site, which does not tell it: it goes to the rest.
    assert [str(margin) for margin in found] == ["town × ill", "town"]
    cells = {
        tuple(c): n
        for c, n in zip(found.tables[0].cells.tolist(), found.tables[0].counts, strict=True)
    }
    assert cells == {(0, 0): 9, (0, 1): 6, (1, 0): 15, (2, 0): 6}
    assert found.tables[0].remainder == 5
    assert found.tables[1].counts.tolist() == [15, 20, 6]
    assert {margin.rows for margin in found} == {41}
    assert merge([one, replace(other, margins=None)]).margins is None
    rows = merge([one, other]).sample(400, randomness=Randomness(1))
    assert rows.size == 400


def test_a_merged_model_is_a_model_file(sites, generator, tmp_path):
    one, other = (generator.fit(rows) for rows in sites)
    one.save(tmp_path / "1.model.json")
    other.save(tmp_path / "2.model.json")
    command = ["merge", "1.model.json", "2.model.json", "-o", "union.model.json"]
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "halfmask", *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "1,400 rows of 2 sites" in done.stdout
    assert "at least 10 rows of one site" in done.stdout
    found = load(tmp_path / "union.model.json")
    assert model_bytes(found) == model_bytes(one.merge(other).learnt)


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
        ({"laplace": 1.0}, "different laplace"),
        ({"hide_together": [("sex", "ward")]}, "different hide_together"),
        ({"schema": None}, "'age'"),
    ],
)
def test_models_that_do_not_fit_are_refused(sites, generator, change, words):
    other = hm.Generator(**{**generator.get_params(), **change}).fit(sites[1])
    with pytest.raises(BadInput, match=words):
        generator.fit(sites[0]).merge(other)


def test_one_model_is_not_merged(sites, generator):
    with pytest.raises(BadInput, match="two models or more"):
        generator.fit(sites[0]).merge()
