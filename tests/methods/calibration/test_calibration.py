"""A calibrated release meets counts of the original, and learns nothing else of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from published import read_coded

from halfmask.data import Attribute, Margin, Schema, Table
from halfmask.errors import BadInput, UnknownName
from halfmask.methods.calibration.pool import block_sizes
from halfmask.methods.calibration.settings import CalibrationSettings, candidate_tables
from halfmask.methods.generator.learn import counted, learn, learn_exactly, limited
from halfmask.methods.generator.record import cramers_v
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.randomness import Randomness

NAMES = ("town", "ill", "ward", "age")
SCHEMA = Schema(
    tuple(Attribute(n, tuple("abcde"[:k])) for n, k in zip(NAMES, (5, 4, 3, 5), strict=True))
)


def hospital(rows=4_000, seed=3):
    """Ties between all columns, rare combinations among them."""
    rng = np.random.default_rng(seed)
    town = rng.choice(5, rows, p=[0.4, 0.3, 0.2, 0.08, 0.02])
    ill = (town + rng.choice(4, rows, p=[0.6, 0.25, 0.1, 0.05])) % 4
    ward = np.where(rng.random(rows) < 0.7, (town + ill) % 3, rng.integers(3, size=rows))
    age = np.where(rng.random(rows) < 0.6, (2 * ill + ward) % 5, rng.integers(5, size=rows))
    return Table(SCHEMA, np.column_stack([town, ill, ward, age]))


def learnt(table, order, **changes):
    settings = GeneratorSettings(
        min_support=40, calibration=CalibrationSettings(order=order, **changes)
    )
    return learn(table, settings)


def distance(one, other, names):
    p, q = (data.marginal(names) / data.size for data in (one, other))
    return float(np.abs(p - q).sum() / 2)


def mean_distance(one, other, ways):
    tables = list(combinations(one.schema.names, ways))
    return float(np.mean([distance(one, other, names) for names in tables]))


ORIGINAL = hospital()
MODELS = {order: learnt(ORIGINAL, order) for order in (0, 1, 2, 3)}


def drawn(model, rows=4_000, seed=1, **how):
    return model.sample(rows, randomness=Randomness(seed), **how)


def test_without_calibration_the_release_is_the_papers_bit_for_bit():
    papers = learn(ORIGINAL, GeneratorSettings(min_support=40))
    key = Randomness(1).key("rows of the generator")
    rows = papers.process.draw(4_000, key=key).codes
    assert np.array_equal(drawn(papers).data.codes, rows)
    for order in (1, 2, 3):  # a model that has margins and is told to leave them
        assert np.array_equal(drawn(MODELS[order], calibrate=False).data.codes, rows)
        assert np.array_equal(drawn(limited(MODELS[order], 0)).data.codes, rows)
    assert "calibrated_tables" not in drawn(papers).record


@pytest.mark.parametrize("order", [1, 2, 3])
def test_tables_of_the_order_asked_for_come_nearer(order):
    before, after = drawn(MODELS[0]), drawn(MODELS[order])
    ways = range(1, order + 1)
    samples = [hospital(seed=seed) for seed in range(9, 14)]
    noise = [np.mean([mean_distance(ORIGINAL, one, w) for one in samples]) for w in ways]
    for way, chance in zip(ways, noise, strict=True):
        # Tables that are within chance are left alone, and those told are rounded to 21 rows.
        assert mean_distance(ORIGINAL, after, way) < 1.25 * chance
    assert mean_distance(ORIGINAL, after, order) < mean_distance(ORIGINAL, before, order)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_every_margin_that_is_said_to_be_met_is_met_to_within_chance_and_rounding(order):
    model, release = MODELS[order], drawn(MODELS[order])
    assert order == 1 or len(model.margins)
    for margin in model.margins:
        assert str(margin) not in release.record["calibration_missed"]
        found = release.marginal(margin.attributes)[tuple(margin.cells.T)]
        # Two standard errors in the weights, and what sampling whole rows adds to it.
        assert (np.abs(found - margin.counts) <= 2 * np.sqrt(margin.counts) + 8).all()


def test_only_tables_that_the_patterns_get_wrong_are_told():
    rng = np.random.default_rng(1)
    independent = Table(SCHEMA, np.column_stack([rng.integers(3, size=5_000) for _ in NAMES]))
    model = learnt(independent, 3)
    assert len(model.margins) <= 1  # nothing but luck could make one look wrong
    assert len(MODELS[2].margins) >= 2
    assert MODELS[2].margins.smallest >= 40


@pytest.mark.parametrize(
    ("shrink", "most", "whole"), [(2.0, 15, True), (2.0, 14, False), (0.0, 15, False)]
)
def test_all_of_few_pairs_are_told_where_counts_are_shrunk(shrink, most, whole, monkeypatch):
    monkeypatch.setattr("halfmask.methods.calibration.choose_margins.FEW_TABLES", most)
    names = tuple("abcdef")
    codes = np.random.default_rng(8).integers(3, size=(2_000, len(names)))
    table = Table(Schema(tuple(Attribute(name, ("0", "1", "2")) for name in names)), codes)
    margins = learnt(table, 2, shrink=shrink).margins
    pairs = [m.attributes for m in margins if len(m.attributes) == 2]
    assert (set(pairs) == set(combinations(names, 2))) == whole
    assert (sum(len(m.attributes) == 1 for m in margins) == len(names)) == (shrink > 0)


def test_the_same_randomness_gives_the_same_rows_whatever_the_threads():
    one, two = (drawn(learn(ORIGINAL, MODELS[2].settings, threads=t), threads=t) for t in (1, 2))
    assert np.array_equal(one.data.codes, two.data.codes)
    assert not np.array_equal(one.data.codes, drawn(MODELS[2], seed=2).data.codes)
    assert not np.array_equal(one.data.codes, drawn(MODELS[2], first_row=4_000).data.codes)


def test_cells_below_the_floor_reach_the_release_only_as_their_remainder():
    schema = Schema((Attribute("town", tuple("abc")), Attribute("ill", tuple("xyzw"))))
    common = [[0, 0]] * 300 + [[1, 1]] * 250 + [[2, 2]] * 60 + [[2, 3]] * 60 + [[0, 1]] * 90
    rare = [[0, 2], [1, 3], [0, 3], [1, 2]]  # each town and each illness has enough rows
    settings = GeneratorSettings(
        min_support=40, max_pattern_length=1, calibration=CalibrationSettings(order=2)
    )
    papers, releases, told = None, [], []
    for held in ((29, 29, 0, 0), (0, 0, 29, 29), (15, 15, 14, 14)):
        rows = [cell for cell, count in zip(rare, held, strict=True) for _ in range(count)]
        table = Table(schema, np.array(common + rows))
        papers = papers or replace(learn_exactly(table, settings), margins=None)
        model = counted(papers, table)
        told.append([(m.attributes, m.cells.tolist(), m.counts.tolist()) for m in model.margins])
        releases.append(drawn(model, 2_000).data.codes.tobytes())
    assert any(len(attributes) == 2 for attributes, *_ in told[0])
    assert told[0] == told[1] == told[2]
    assert releases[0] == releases[1] == releases[2]


def test_what_is_hidden_together_is_in_no_margin_and_its_association_is_stated():
    settings = replace(MODELS[3].settings, hide_together=(("ill=b", "ward"),))
    model = learn(ORIGINAL, settings)
    assert len(model.margins)
    assert not any({"ill", "ward"} <= set(margin.attributes) for margin in model.margins)
    release = drawn(model)
    left = cramers_v(release.data, "ill=b", "ward")
    assert any(f"ill=b and ward {left:.3f}" in note for note in release.notes)


def test_an_attribute_can_be_met_at_a_lower_order():
    model = learnt(ORIGINAL, 3, order_for={"ill": 1, "age": 2})
    with_ill = [m for m in model.margins if "ill" in m.attributes]
    assert all(len(margin.attributes) == 1 for margin in with_ill)
    assert all(len(m.attributes) <= 2 for m in model.margins if "age" in m.attributes)
    assert model.margins.order >= 2


def test_the_tables_around_a_target_are_one_attribute_wider():
    named = CalibrationSettings(order=1, target="ill")
    assert candidate_tables(SCHEMA, named, order=2) == [
        ("town", "ill"),
        ("ill", "ward"),
        ("ill", "age"),
    ]
    assert candidate_tables(SCHEMA, CalibrationSettings(order=1), order=2) == []


def test_rounded_margins_hold_no_other_counts():
    model = learnt(ORIGINAL, 2, base=5)
    assert model.base == 21  # half the minimum support and 1, which is coarser
    assert all((margin.counts % 21 == 0).all() for margin in model.margins)
    assert all(margin.remainder % 21 == 0 for margin in model.margins)
    assert mean_distance(ORIGINAL, drawn(model), 2) < mean_distance(ORIGINAL, hospital(seed=9), 2)


def test_a_long_release_is_made_in_blocks_that_each_meet_the_margins():
    assert sum(block_sizes(10**7 + 3, 40)) == 10**7 + 3
    assert len(block_sizes(10**7, 40)) > 10
    assert block_sizes(0, 5) == []
    model = MODELS[1]
    assert drawn(model, 0).size == 0
    assert drawn(model, 1).size == 1


def test_a_stopped_draw_says_so():
    calls = iter([True, False])
    release = MODELS[2].sample(
        400_000, randomness=Randomness(1), progress=lambda *_: next(calls, False)
    )
    assert release.size < 400_000
    assert any("stopped after" in note for note in release.notes)


def test_tables_that_cannot_be_met_are_named():
    # Two columns that are copies: the patterns hardly ever make a row in which they differ.
    codes = np.repeat(np.arange(3), 200)
    schema = Schema((Attribute("a", tuple("xyz")), Attribute("b", tuple("xyz"))))
    table = Table(schema, np.column_stack([codes, codes]))
    model = learn_exactly(table, learnt(table, 2).settings)
    lying = replace(model.margins, tables=(replace_counts(model, table),))
    release = drawn(replace(model, margins=lying, settings=model.settings), 600)
    assert release.record["calibration_missed"] == ("a × b",)
    assert release.record["calibration_mean_distance"] > 0.5
    [note] = [note for note in release.notes if "are not matched" in note]
    assert note.startswith("1 of 1 tables")
    assert "a × b (6" in note  # that share of the rows would have to change


def test_tables_that_are_hardly_off_are_no_news():
    model = MODELS[2]
    margin = model.margins.tables[0]
    nudged = replace(margin, counts=margin.counts + np.arange(len(margin.counts)) % 2)
    release = drawn(replace(model, margins=replace(model.margins, tables=(nudged,))), 400)
    assert release.record["calibration_missed"] == ()
    assert not [note for note in release.notes if "are not matched" in note]


def replace_counts(model, table):
    """A margin that asks for rows which the patterns of this model never make."""
    crossed = Table(table.schema, np.column_stack([table.codes[:, 0], 2 - table.codes[:, 1]]))
    return Margin.of(crossed, model.schema, ("a", "b"), min_support=40)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"order": 4}, "from 0 to 3, not 4"),
        ({"order": True}, "not True"),
        ({"order": 2, "order_for": {"ill": -1}}, "calibrate_for 'ill' is a whole number"),
        ({"order": 2, "base": 7}, "round_margins is 1, 3, 5 or 10, not 7"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(changes, sentence):
    with pytest.raises(BadInput, match=sentence):
        CalibrationSettings(**changes)


def test_an_unknown_column_is_refused_with_the_nearest():
    for changes in ({"target": "il"}, {"order_for": {"il": 1}}):
        with pytest.raises(UnknownName, match="ill"):
            learnt(ORIGINAL, 2, **changes)


def test_two_way_tables_of_a_real_table_are_nearer_than_another_sample_would_be(data_folder):
    table = read_coded(data_folder / "nursery.csv.gz")
    half = np.random.default_rng(1).permutation(len(table))
    seen, other = table.take(half[: len(table) // 2]), table.take(half[len(table) // 2 :])
    settings = GeneratorSettings(min_support=20, calibration=CalibrationSettings(order=2))
    release = learn(seen, settings).sample(len(seen), randomness=Randomness(1))
    assert mean_distance(seen, release, 2) < mean_distance(seen, other, 2)
