from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from published import read_coded, read_process
from strategies import tables

from halfmask.data import Attribute, Baskets, Release, Schema, Table
from halfmask.errors import BadInput, UnknownName
from halfmask.measures import expected_nas
from halfmask.methods.generator.learn import learn, learn_at, learn_exactly
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.process import TooManyWays
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.patterns.code_table import CodeTable
from halfmask.patterns.mining import TooManyItemsets
from halfmask.randomness import Randomness

SCHEMA = Schema(
    (
        Attribute("sex", ("f", "m")),
        Attribute("ill", ("no", "yes", None)),
        Attribute("town", ("A", "B", "C")),
    )
)


def patients(rows=600):
    """Three columns: the illness follows the town, the sex is a coin."""
    rng = np.random.default_rng(3)
    town = rng.integers(3, size=rows)
    ill = np.where(rng.random(rows) < 0.85, town, rng.integers(3, size=rows))
    return Table(SCHEMA, np.column_stack([rng.integers(2, size=rows), ill, town]))


def settings(**changes):
    return GeneratorSettings(**({"min_support": 20} | changes))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"min_support": 0}, "min_support is a whole number of rows of at least 1"),
        ({"min_support": -3}, "min_support is a whole number"),
        ({"min_support": 1.5}, "or a fraction above 0 and up to 1.0, not 1.5"),
        ({"min_support": float("nan")}, "not nan"),
        ({"min_support": True}, "not True"),
        ({"laplace": -0.1}, "laplace is a number of at least 0, not -0.1"),
        ({"laplace": float("inf")}, "laplace is a number of at least 0, not inf"),
        ({"laplace_for": {"sex": -1}}, "laplace_for 'sex' is a number of at least 0, not -1"),
        ({"candidates": "some"}, "candidates is 'all' or 'closed', not 'some'"),
        ({"order": "backwards"}, "'random', 'columns' or a list of columns, not 'backwards'"),
        ({"search": "guess"}, "not 'guess'"),
        ({"rare_values": "hide"}, "rare_values is 'group', 'suppress' or 'keep', not 'hide'"),
        ({"max_candidates": 0}, "max_candidates is a whole number of at least 1, not 0"),
        ({"pattern_support": 0}, "pattern_support is a whole number of at least 1, not 0"),
        ({"max_pattern_length": 0}, "max_pattern_length is a whole number of at least 1, not 0"),
        ({"hide_together": (("a", "b", "c"),)}, "hide_together lists pairs"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(changes, sentence):
    with pytest.raises(BadInput, match=sentence):
        GeneratorSettings(**changes)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"hide_together": (("sx", "ill"),)}, "no column 'sx'; did you mean 'sex'"),
        ({"hide_together": (("sex", "ill=yess"),)}, "value of column 'ill' 'yess'; did you mean"),
        ({"laplace_for": {"twon": 1}}, "no column 'twon'; did you mean 'town'"),
        ({"order": ("town", "sex", "il")}, "no column 'il'; did you mean 'ill'"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(changes, sentence):
    with pytest.raises(UnknownName, match=sentence):
        learn(patients(), settings(**changes))


def test_values_of_one_column_cannot_be_hidden_from_each_other():
    with pytest.raises(BadInput, match="'ill=no' and 'ill=yes' belong to one column"):
        learn(patients(), settings(hide_together=(("ill=no", "ill=yes"),)))


def test_a_support_above_the_number_of_rows_is_refused():
    with pytest.raises(BadInput, match="minimum support of 601 is not possible for 600 rows"):
        learn(patients(), settings(min_support=601))


def test_a_table_without_rows_is_refused():
    with pytest.raises(BadInput, match="has no rows"):
        learn(Table(SCHEMA, np.empty((0, 3))), settings())


def test_a_release_says_what_it_is_and_how_it_was_made():
    release = learn(patients(), settings()).sample(500, randomness=Randomness(1))
    assert isinstance(release, Release)
    assert (release.kind, release.method, release.iso_class) == (
        "synthetic",
        "generator",
        "synthetic data",
    )
    assert release.size == 500
    assert release.claim.terms == {
        "min_support": 20,
        "value_support": 20,
        "differential_privacy": False,
    }
    assert "at least 20 of its rows, every single value by at least 20" in str(release.claim)
    assert release.record["seeded"] is True
    assert 1 <= release.record["patterns_per_row"] <= 3
    assert not any("key" in name for name in release.record)


@given(tables(), st.integers(1, 3), st.sampled_from(["random", "columns"]))
def test_drawn_rows_have_one_value_in_every_column(table, support, order):
    floor = min(support, len(table))
    model = learn(table, GeneratorSettings(min_support=floor, order=order))
    drawn = model.sample(50, randomness=Randomness(2)).data
    assert (drawn.codes >= 0).all()
    assert drawn.schema == table.schema


def test_the_same_seed_gives_the_same_release_whatever_the_threads():
    model = learn(patients(), settings())
    one = model.sample(10_000, randomness=Randomness(7)).data.codes
    np.testing.assert_array_equal(
        one, model.sample(10_000, randomness=Randomness(7), threads=3).data.codes
    )
    assert (one != model.sample(10_000, randomness=Randomness(8)).data.codes).any()
    tail = model.sample(100, randomness=Randomness(7), first_row=9_900).data.codes
    np.testing.assert_array_equal(one[9_900:], tail)


@pytest.mark.parametrize(
    ("pair", "apart"),
    [
        (("ill", "town"), lambda labels: {"ill", "town"} <= {x.split("=")[0] for x in labels}),
        (
            ("ill=yes", "town"),
            lambda labels: any("town=" in x for x in labels) & ("ill=yes" in labels),
        ),
        (("ill=yes", "town=B"), lambda labels: {"ill=yes", "town=B"} <= set(labels)),
        (("ill=(missing)", "town=C"), lambda labels: {"ill=(missing)", "town=C"} <= set(labels)),
    ],
)
def test_no_pattern_holds_what_is_hidden_together(pair, apart):
    open_model = learn(patients(), settings())
    hidden = learn(patients(), settings(hide_together=(pair,)))
    assert any(apart(p.labels) for p in open_model.code_table.patterns(unused=True))
    assert not any(apart(p.labels) for p in hidden.code_table.patterns(unused=True))


def test_what_is_hidden_together_is_less_associated_and_the_rest_is_told():
    # An indirect association stays: rows of town B are those that a pattern of sex and illness
    # covers, so the single value B is used, and drawn, mostly beside that illness.
    def association(release):
        joint = release.marginal(["ill", "town"]) / release.size
        apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        return np.abs(joint - apart).sum() / 2

    shown = learn(patients(), settings()).sample(20_000, randomness=Randomness(5))
    hidden = learn(patients(), settings(hide_together=(("ill", "town"),))).sample(
        20_000, randomness=Randomness(5)
    )
    assert association(hidden) < 0.7 * association(shown)
    assert any("hidden together" in note for note in hidden.notes)
    assert not any("hidden together" in note for note in shown.notes)


def test_a_large_correction_flattens_one_column():
    def most_frequent(model):
        return model.sample(5_000, randomness=Randomness(5)).marginal(["town"]).max() / 5_000

    rows = patients().codes[patients().codes[:, 2] != 1]
    table = Table(SCHEMA, np.vstack([rows, rows[rows[:, 2] == 0]]))
    plain = learn(table, settings())
    flat = learn(table, settings(laplace_for={"town": 1e7}))
    assert most_frequent(plain) > 0.6
    assert most_frequent(flat) < 0.5


def test_weights_are_usage_plus_the_largest_correction_of_the_items():
    code_table = CodeTable(
        SCHEMA, [(0, 3)], [4], [4], [6, 10, 20, 5, 0, 12, 8, 5], [10, 10, 20, 9, 0, 12, 8, 5], 30
    )
    model = GeneratorModel(
        code_table,
        GeneratorSettings(
            min_support=1, laplace=0.5, laplace_for={"ill=yes": 3, "ill": 2, "town=A": 0}
        ),
    )
    expected = [4 + 3, 6.5, 10.5, 20 + 2, 5 + 3, 0 + 2, 12, 8.5, 5.5]
    assert model.process.weights.tolist() == expected


def test_a_pattern_is_never_longer_than_asked():
    model = learn(patients(), settings(max_pattern_length=2))
    assert max(len(p.items) for p in model.code_table.patterns(unused=True)) == 2


def test_few_patterns_per_row_are_a_warning(data_folder):
    table = read_coded(data_folder / "page-blocks.csv.gz")
    release = learn(table, settings(min_support=1)).sample(1000, randomness=Randomness(1))
    assert release.record["patterns_per_row"] < 1.2
    assert release.record["rows_of_one_pattern"] > 0.8
    assert any("Not well suited: a row takes 1.0" in note for note in release.notes)
    assert (
        not learn(patients(), settings(max_pattern_length=2))
        .sample(1000, randomness=Randomness(1))
        .notes
    )


def test_rare_values_in_the_model_are_a_warning():
    rows = np.vstack([patients().codes[:300] % [2, 2, 2], [[0, 2, 2]] * 4])
    release = learn(Table(SCHEMA, rows), settings()).sample(10, randomness=Randomness(1))
    assert any("2 value(s) held by fewer than 20 rows" in note for note in release.notes)


def test_a_stopped_search_and_a_stopped_draw_are_told():
    model = GeneratorModel(learn(patients(), settings()).code_table, settings(), complete=False)
    assert any(
        "search for patterns was stopped" in note
        for note in model.sample(10, randomness=Randomness(1)).notes
    )


def test_a_model_of_baskets_is_refused():
    baskets = Baskets.of([["milk", "bread"], ["milk"]])
    table = CodeTable(baskets.schema, [], [], [], [1, 2], [1, 2], 2)
    with pytest.raises(BadInput, match="baskets have none"):
        GeneratorModel(table, GeneratorSettings())


def test_probabilities_sum_to_one_over_all_rows_and_follow_the_draws():
    model = learn(patients(), settings())
    cells = np.stack(np.meshgrid(range(2), range(3), range(3), indexing="ij"), -1).reshape(-1, 3)
    every = Table(SCHEMA, cells)
    probabilities = np.exp2(model.probability(every))
    assert probabilities.sum() == pytest.approx(1)
    drawn = model.sample(100_000, randomness=Randomness(3)).marginal(SCHEMA.names).ravel() / 1e5
    assert np.abs(drawn - probabilities).max() < 4 * np.sqrt(0.25 / 1e5)
    twice = Table(SCHEMA, np.vstack([cells[4:6], cells[4:5]]))
    np.testing.assert_allclose(np.exp2(model.probability(twice)), probabilities[[4, 5, 4]])


def test_without_correction_probabilities_still_sum_to_one():
    model = learn(patients(), settings(laplace=0))
    cells = np.stack(np.meshgrid(range(2), range(3), range(3), indexing="ij"), -1).reshape(-1, 3)
    assert np.exp2(model.probability(Table(SCHEMA, cells))).sum() == pytest.approx(1)
    drawn = model.sample(50_000, randomness=Randomness(3))
    assert drawn.record["patterns_per_row"] == pytest.approx(
        model.expected_patterns_per_row(), abs=0.02
    )


def test_a_table_of_other_columns_has_no_probability():
    other = Schema((Attribute("sex", ("f", "m")), SCHEMA["ill"], Attribute("town", ("A", "B"))))
    with pytest.raises(BadInput, match="columns and values that the model learnt"):
        learn(patients(), settings()).probability(Table(other, np.zeros((1, 3))))


@pytest.mark.parametrize(("order", "nas"), [("random", 0.69542), ("columns", 0.69541)])
def test_expected_nas_of_iris_is_the_published_one(order, nas, data_folder):
    table = read_coded(data_folder / "iris.csv.gz")
    model = learn(table, GeneratorSettings(min_support=1, order=order))
    hits = model.expected_hits(table, len(table), randomness=Randomness(1))
    assert (hits.how, hits.uncertainty) == ("exact", 0.0)
    found = expected_nas(hits.log2_probabilities, hits.multiplicities, hits.rows)
    assert found.normalised == pytest.approx(nas, abs=6e-6)
    assert hits.chances.sum() == pytest.approx(found.hit.sum())
    assert model.expected_patterns_per_row() == pytest.approx(1.8601, abs=1e-4)


def test_bounds_and_estimates_agree_with_the_exact_chances(monkeypatch, data_folder):
    table = read_coded(data_folder / "pima.csv.gz")
    process = read_process("pima-all-1d-nop", table)
    model = learn(table, GeneratorSettings(min_support=1))
    np.testing.assert_allclose(np.sort(model.process.weights), np.sort(process.weights))
    exact = model.expected_hits(table, 768, randomness=Randomness(1))
    monkeypatch.setattr("halfmask.methods.generator.probability.EXACT_COLUMNS", 5)
    bounded = model.expected_hits(table, 768, randomness=Randomness(1))
    monkeypatch.setattr("halfmask.methods.generator.probability.BOUNDED_COLUMNS", 5)
    estimated = model.expected_hits(table, 768, randomness=Randomness(1))
    again = model.expected_hits(table, 768, randomness=Randomness(1), threads=2)
    assert (bounded.how, estimated.how) == ("bounded", "estimated")
    gap = exact.chances - bounded.chances
    assert (gap >= -1e-12).all()
    assert gap.max() <= bounded.uncertainty
    assert abs((exact.chances - estimated.chances).mean()) < 4 * estimated.uncertainty
    np.testing.assert_array_equal(estimated.log2_probabilities, again.log2_probabilities)


def test_a_wide_table_is_estimated_instead_of_refused():
    # Four coins, each thrown for six columns at once: sixteen rows with about the same chance.
    columns = 24
    schema = Schema(tuple(Attribute(f"c{i}", ("0", "1")) for i in range(columns)))
    coins = np.random.default_rng(1).integers(2, size=(400, 4))
    table = Table(schema, np.repeat(coins, 6, axis=1))
    model = learn(table, GeneratorSettings(min_support=100, candidates="closed"))
    with pytest.raises(TooManyWays, match="over 24 columns"):
        model.probability(table)
    hits = model.expected_hits(table, 20_000, randomness=Randomness(1))
    assert hits.how == "estimated"
    drawn = model.sample(20_000, randomness=Randomness(4)).data.codes
    rows = np.unique(table.codes, axis=0)
    counts = [(drawn == row).all(axis=1).sum() for row in rows]
    expected = 20_000 * np.exp2(hits.log2_probabilities)
    assert (np.abs(counts - expected) < 4.5 * np.sqrt(expected) + 0.02 * expected).all()


def test_one_search_gives_the_generators_of_several_supports():
    table = patients()
    models = learn_at(table, settings(), [20, 60, 200])
    assert list(models) == [20, 60, 200]
    for support, model in models.items():
        alone = learn_exactly(table, settings(min_support=support))
        assert model.code_table.sets == alone.code_table.sets
        assert model.code_table.usages.tolist() == alone.code_table.usages.tolist()
        assert model.min_support == support
    with pytest.raises(BadInput, match="at least one minimum support"):
        learn_at(table, settings(), [])


def test_slim_learns_under_the_same_floor_and_the_same_pairs():
    table = patients()
    model = learn(table, settings(search="slim", hide_together=(("sex", "ill"),)))
    free = learn(table, settings(search="slim"))
    assert len(free.code_table) > 0
    assert free.code_table.supports.min() >= 20
    for itemset in model.code_table.sets:
        assert {SCHEMA.label(item).split("=")[0] for item in itemset} != {"sex", "ill"}
    assert model.sample(50, randomness=Randomness(1)).size == 50
    models = learn_at(table, settings(search="slim"), [20, 60])
    lowest = learn(table, settings(search="slim", min_support=min(models)))
    assert models[min(models)].code_table.sets == lowest.code_table.sets
    for support, model in models.items():
        assert (model.code_table.supports >= support).all()
        assert model.min_support == support


def test_a_search_that_its_effort_ends_says_so_and_keeps_the_strongest_patterns():
    schema = Schema(tuple(Attribute(f"c{i}", ("0", "1", "2")) for i in range(12)))
    rng = np.random.default_rng(3)
    codes = np.where(rng.random((3000, 12)) < 0.6, rng.integers(3, size=(3000, 1)), 0)
    table = Table(schema, codes)
    short = learn(table, settings(search="slim", effort=1e-4))
    assert not short.complete
    assert short.code_table.sets
    assert any("--effort" in note for note in short.sample(50, randomness=Randomness(1)).notes)
    long = learn(table, settings(search="slim"))
    assert long.complete
    assert long.code_table.bits.total < short.code_table.bits.total
    with pytest.raises(BadInput, match="effort is a number above 0, not 0"):
        settings(effort=0)


def test_higher_supports_are_left_out_when_time_is_up():
    asked = settings(search="slim", min_support=10)
    assert list(learn_at(patients(), asked, [10, 20, 40], progress=lambda *_: False)) == [10]


def test_auto_takes_krimp_while_candidates_are_few():
    table = patients()
    auto, krimp = learn(table, settings(search="auto")), learn(table, settings())
    assert auto.code_table.sets == krimp.code_table.sets


def test_the_number_of_candidates_has_a_bound_that_auto_respects():
    with pytest.raises(TooManyItemsets, match="which exceeds the limit of 5 or the memory"):
        learn(patients(), settings(max_candidates=5))
    assert learn(patients(), settings(max_candidates=5, search="auto")).settings.search == "slim"


def test_auto_takes_slim_when_candidates_are_countless():
    schema = Schema(tuple(Attribute(f"c{i}", ("0", "1")) for i in range(40)))
    rows = np.repeat(np.random.default_rng(0).integers(2, size=(3, 40)), 20, axis=0)
    auto = learn(Table(schema, rows), settings(min_support=10, search="auto"))
    assert auto.code_table.supports.min() >= 10
    assert max(len(itemset) for itemset in auto.code_table.sets) == 40


def test_a_fraction_of_the_rows_is_a_support():
    assert learn(patients(), settings(min_support=0.05)).min_support == 30
