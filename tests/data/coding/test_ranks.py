"""Rank correlations: told few and rounded, met by a release, and no way to trace a person."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask import Generator
from halfmask.data import Attribute, Schema, Table
from halfmask.data.coding.bins import Bins, Part
from halfmask.data.coding.ranks import (
    ROWS_A_PAIR,
    RankPair,
    Ranks,
    chosen,
    completed,
    normal_score,
)
from halfmask.data.coding.reordering import exchanged
from halfmask.data.coding.scale import Scale
from halfmask.errors import BadInput
from halfmask.measures.telling_apart import told_apart


def _normal(rows: int, columns: int, strength: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(rows, 1))
    return strength * shared + np.sqrt(1 - strength**2) * rng.normal(size=(rows, columns))


def _frame(values: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(values.round(3), columns=[f"c{n}" for n in range(values.shape[1])])


@given(st.integers(2, 8), st.integers(0, 10**6))
def test_what_is_told_is_met_and_the_rest_follows(size, seed):
    rng = np.random.default_rng(seed)
    loads = rng.uniform(-0.9, 0.9, size)
    wanted = np.outer(loads, loads)
    edges = [(i, i + 1, wanted[i, i + 1]) for i in range(size - 1)]
    found = completed(np.eye(size), edges, 40)
    assert np.linalg.eigvalsh(found).min() > 0
    assert all(abs(found[i, j] - r) < 0.01 for i, j, r in edges)
    if size > 2:  # along a chain correlations multiply
        assert found[0, 2] == pytest.approx(edges[0][2] * edges[1][2], abs=0.01)


def test_chance_is_not_told_and_few_rows_tell_few_pairs():
    rows = 120
    noise = np.corrcoef(np.random.default_rng(1).normal(size=(rows, 20)).T)
    allowed = ~np.eye(20, dtype=bool)
    assert len(chosen(noise, allowed, rows)) < 0.25 * 190
    strong = np.corrcoef(_normal(rows, 20, 0.9, 1).T)
    assert 19 <= len(chosen(strong, allowed, rows)) <= max(rows // ROWS_A_PAIR, 19)


def test_a_correlation_beyond_bounds_is_refused():
    with pytest.raises(BadInput, match="between"):
        RankPair("a", "b", None, 1.0)
    with pytest.raises(BadInput, match="two columns"):
        RankPair("a", "a", None, 0.5)


@pytest.mark.parametrize("strength", [0.5, 0.95])
def test_a_small_release_keeps_rank_correlations(strength):
    people = _frame(_normal(240, 5, strength, 3))
    people["sex"] = np.where(people["c0"] + np.random.default_rng(1).normal(size=240) > 0, "f", "m")
    model = Generator(min_support=10).fit(people)
    release = model.sample(2000, seed=1)
    numbers = [f"c{n}" for n in range(5)]
    old, new = (frame[numbers].corr("spearman").to_numpy() for frame in (people, release))
    assert np.abs(old - new).max() < 0.15
    assert np.median(np.abs(old - new)[np.triu_indices(5, 1)]) < 0.06
    gap = [f.groupby("sex")["c0"].mean().diff().iloc[-1] for f in (people, release)]
    assert gap[1] == pytest.approx(gap[0], rel=0.3)


def test_columns_that_are_hidden_together_are_not_correlated():
    people = _frame(_normal(300, 4, 0.9, 5))
    model = Generator(min_support=10, hide_together=[("c0", "c1")]).fit(people)
    pairs = {frozenset((p.one, p.other)) for p in model.learnt.schema.ranks.pairs}
    assert pairs
    assert frozenset(("c0", "c1")) not in pairs


def test_two_values_against_two_are_left_to_counts():
    rng = np.random.default_rng(1)
    one = rng.integers(0, 2, 300)
    other = np.where(rng.random(300) < 0.9, one, 1 - one)
    model = Generator(min_support=10).fit(pd.DataFrame({"a": one, "b": other}))
    assert model.learnt.schema.ranks is None


def test_a_model_file_draws_the_same_correlated_rows(tmp_path):
    from halfmask.documents.model import load

    model = Generator(min_support=10).fit(_frame(_normal(300, 4, 0.8, 2)))
    model.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert again.schema.ranks == model.learnt.schema.ranks
    assert type(model)(again).sample(50, seed=3).to_pandas().equals(model.sample(50, seed=3))


def _ranks_of(people: np.ndarray) -> Ranks | None:
    model = Generator(min_support=10, search="krimp").fit(_frame(people))
    found: Ranks | None = model.learnt.schema.ranks
    return found


def test_nobody_is_traced_by_the_correlations_that_are_told():
    """The best linear test: an attacker with the population's true correlations sums surprises."""
    members, strangers = [], []
    for seed in range(12):
        people = _normal(200, 8, 0.4, seed)
        others = _normal(200, 8, 0.4, 1000 + seed)
        ranks = _ranks_of(people)
        assert ranks is not None
        for values, scores in ((people, members), (others, strangers)):
            total = np.zeros(200)
            for pair in ranks.pairs:
                i, j = int(pair.one[1:]), int(pair.other[1:])
                total += (pair.correlation - 0.16) * (values[:, i] * values[:, j] - 0.16)
            scores.append(total)
    one, two = np.concatenate(members), np.concatenate(strangers)
    fold = np.zeros(len(two), np.intp)
    told = told_apart(one[None, :], two, fold, np.random.default_rng(1))
    assert told.auc.value < 0.6


def test_releases_meet_what_is_told_whatever_was_drawn():
    """Told correlations are met to a hundredth or two, where rows drawn one by one miss by 0.05."""
    learnt = Generator(min_support=10).fit(_frame(_normal(300, 4, 0.8, 5)))
    ranks = learnt.learnt.schema.ranks
    assert ranks is not None
    for seed in range(3):
        found = learnt.sample(300, seed=seed)[list(ranks.columns)].corr("spearman")
        assert np.abs(found.to_numpy() - ranks.matrix).max() < 0.025


def test_what_is_told_is_spearmans_correlation_and_a_release_has_it():
    """Far rows go together and the others do not: normal scores would say 0.8 instead of 0.7."""
    rng = np.random.default_rng(1)
    one = rng.normal(size=800)
    other, near = one.copy(), np.abs(one) < 1
    other[near] = rng.permutation(one[near])
    people = _frame(np.stack([one, other], axis=1))
    asked = people.corr("spearman").iloc[0, 1]
    scores = normal_score(people.rank().to_numpy() / 801)
    assert np.corrcoef(scores.T)[0, 1] > asked + 0.08
    learnt = Generator(min_support=10).fit(people)
    [pair] = learnt.learnt.schema.ranks.pairs
    assert pair.correlation == pytest.approx(asked, abs=0.01)
    found = [learnt.sample(800, seed=seed).corr("spearman").iloc[0, 1] for seed in range(3)]
    assert found == pytest.approx([asked] * 3, abs=0.02)


def test_exchanging_moves_no_value_out_of_its_bin_and_loses_none():
    rng = np.random.default_rng(3)
    bins = Bins(Scale(), ((Part(0, 999, 50),), (Part(1000, 1999, 50),)))
    attributes = tuple(Attribute(name, bins.labels, "int64", bins) for name in "ab")
    schema = Schema(attributes, ranks=Ranks((RankPair("a", "b", None, 0.9),), 200))
    table = Table(schema, rng.integers(0, 2, (200, 2)).astype(np.int32))
    places = {name: rng.random(200) for name in "ab"}
    found = exchanged(table, places)
    for column, name in enumerate("ab"):
        for code in (0, 1):  # one value in each of as many equal parts as there are rows
            here = np.sort(found[name][table.codes[:, column] == code])
            assert np.array_equal(np.floor(here * len(here)), np.arange(len(here)))
    values = [[table.codes[:, n] + p[name] for n, name in enumerate("ab")] for p in (places, found)]
    before, after = (np.corrcoef(pair)[0, 1] for pair in values)
    assert after > before + 0.05  # two bins leave a quarter of the spread to be exchanged
