"""Programs of others in their own environments, and what we wrote ourselves to run beside them."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest
from others import ROOT
from scipy.stats import norm

from halfmask.data import Attribute, Schema, Table
from halfmask.data.table import ABSENT
from halfmask.errors import NotMeasurable
from halfmask.randomness import Randomness
from halfmask_reproduction.environments import HERE, VARIABLE, Environments
from halfmask_reproduction.rivals import elsewhere
from halfmask_reproduction.rivals.apart import mst
from halfmask_reproduction.rivals.elsewhere import Rival
from halfmask_reproduction.rivals.releases import ELSEWHERE
from halfmask_reproduction.rivals.siblings import SAMPLERS, correlation, siblings

RIVALS = [one for group in ELSEWHERE.values() for one in group]
NEEDS_JAX = [one for one in (*RIVALS, *SAMPLERS) if one.program == "MST"]


@pytest.fixture(scope="module")
def table():
    """The second column repeats the first nine times in ten; some values are absent."""
    rng = np.random.default_rng(1)
    codes = rng.integers(3, size=(300, 4)).astype(np.int32)
    codes[:, 1] = np.where(rng.random(300) < 0.9, codes[:, 0], codes[:, 1])
    codes[::10, 3] = ABSENT
    return Table(Schema(tuple(Attribute(name, ("x", "y", "z")) for name in "abcd")), codes)


@pytest.fixture
def beside(tmp_path):
    """Environments where the packages of the others really are, by the names they are asked by."""
    named = os.environ.get("HALFMASK_COMPARE", ROOT / ".venv-compare")
    if not (Path(named) / "compare.stamp").exists():
        pytest.skip("no rival to run: `make compare` could not build .venv-compare yet")
    for name in ("synthpop", "datasynthesizer"):
        (tmp_path / name).symlink_to(named, target_is_directory=True)
    return Environments(tmp_path)


def agreement(table):
    return float(np.mean(table.codes[:, 0] == table.codes[:, 1]))


@pytest.mark.parametrize("rival", RIVALS[:2], ids=lambda one: one.name)
def test_a_package_draws_a_table_like_the_original_and_the_same_again(rival, table, beside):
    made, again = (rival.release(table, seed=1, homes=beside) for _ in range(2))
    assert len(made) == len(table)
    assert agreement(made) > 0.75, "what belongs together stays together"
    assert (made.codes[:, 3] == ABSENT).any()
    assert (made.codes[:, :3] != ABSENT).all()
    assert np.array_equal(made.codes, again.codes)


def test_noise_costs_agreement(table, beside):
    rival = next(one for one in RIVALS if one.name == "DataSynthesizer ε=1")
    assert 0.4 < agreement(rival.release(table, seed=1, homes=beside)) < agreement(table)


@pytest.mark.parametrize("rival", NEEDS_JAX, ids=lambda one: one.name)
def test_mst_draws_siblings_apart_but_by_the_sampler_of_long_ago(rival):
    homes = Environments.at(os.environ.get(VARIABLE) or ROOT / HERE)
    if homes.python(rival.environment) is None:
        pytest.skip(f"no {rival.environment} to run: `make rivals` installs it (650 MB)")
    made = rival.release(siblings(Randomness(1)), seed=1, homes=homes)
    assert (correlation(made) > 0.9) == (rival.environment == "mst-before")


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A rival whose program is ours, in an environment that is this one."""
    home = tmp_path / "apart"
    home.mkdir()
    monkeypatch.setattr(elsewhere, "_HOME", tmp_path)
    (tmp_path / "here" / "bin").mkdir(parents=True)
    python = tmp_path / "here" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)

    def write(program):
        (home / "__main__.py").write_text(f"import os, sys, time\n{program}\n")
        return Rival("stand-in", "any", "here"), Environments(tmp_path)

    return write


def test_a_copying_program_gives_the_table_back(stand_in, table):
    rival, homes = stand_in("open(sys.argv[3], 'w').write(open(sys.argv[2]).read())")
    assert np.array_equal(rival.release(table, seed=1, homes=homes).codes, table.codes)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("print('x', file=sys.stderr); raise ValueError('no luck')", "error: ValueError: no luck"),
        ("sys.exit(3)", "did not say why"),
        ("open(sys.argv[3], 'w').write('c0,c1,c2,c3\\n0,0,0,9\\n')", "not of the original's form"),
    ],
)
def test_a_rival_that_fails_says_so_in_a_sentence(stand_in, table, program, reason):
    rival, homes = stand_in(program)
    with pytest.raises(NotMeasurable, match=reason):
        rival.release(table, seed=1, homes=homes)


def test_a_rival_without_end_is_stopped_with_all_it_started(stand_in, table, tmp_path):
    late = tmp_path / "late"
    helper = f"os.fork() or (time.sleep(2), open({str(late)!r}, 'w'))"
    rival, homes = stand_in(f"{helper}; time.sleep(60)")
    started = time.monotonic()
    with pytest.raises(NotMeasurable, match=r"did not finish within 0\.0\d+ minutes"):
        rival.release(table, seed=1, homes=homes, seconds=1.0)
    assert time.monotonic() - started < 30
    time.sleep(2)
    assert not late.exists()


def test_a_seed_decides_everything(stand_in, table, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    rival, homes = stand_in(
        "assert os.environ['PYTHONHASHSEED'] == '0' and 'elsewhere' not in sys.path\n"
        "assert sys.argv[-2:] == ['--seed', '5']; sys.exit('as it should be')"
    )
    with pytest.raises(NotMeasurable, match="as it should be"):
        rival.release(table, seed=5, homes=homes)


def test_environments_come_from_the_variable(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert Environments.at(None).folder == tmp_path
    assert Environments.at("there").folder == Path("there")


def test_the_budget_of_mst_is_what_its_gaussian_noise_allows():
    """A Gaussian mechanism is ρ = 1/(2σ²); its exact δ at this ε [Balle & Wang 2018]."""
    for epsilon, delta in ((1.0, 1e-9), (0.1, 1e-6), (8.0, 1e-9)):
        rho = mst.zero_concentrated(epsilon, delta)
        apart = np.sqrt(2 * rho)
        exact = norm.cdf(apart / 2 - epsilon / apart) - np.exp(epsilon) * norm.cdf(
            -apart / 2 - epsilon / apart
        )
        assert exact <= delta
        simple = (np.sqrt(np.log(1 / delta) + epsilon) - np.sqrt(np.log(1 / delta))) ** 2
        assert simple < rho < 2 * simple, "better than the plain conversion, but not by much"


def test_edges_are_drawn_by_how_much_they_gain():
    gains = {(0, 1): 3.0, (0, 2): 0.0, (1, 2): 0.0}
    rng = np.random.default_rng(1)
    first = [mst.spanning_tree(gains, 3, 2.0, rng)[0] for _ in range(4000)]
    expected = np.exp(3.0) / (np.exp(3.0) + 2)
    assert np.mean([edge == (0, 1) for edge in first]) == pytest.approx(expected, abs=0.02)


def test_a_tree_joins_all_columns_once():
    rng = np.random.default_rng(2)
    gains = {(a, b): float(rng.random()) for b in range(9) for a in range(b)}
    edges = mst.spanning_tree(gains, 9, 0.1, rng)
    reached = {0}
    for _ in edges:
        reached |= {at for edge in edges if reached & set(edge) for at in edge}
    assert len(edges) == 8
    assert reached == set(range(9))


@pytest.mark.parametrize("edges", [[(0, 1), (0, 2)], [(1, 2), (0, 1)]])
def test_drawn_rows_follow_the_tree_and_nothing_else(edges):
    """Pairs on an edge have the model's counts; the columns at both ends are apart in a group."""
    rng = np.random.default_rng(3)
    tables = {edge: rng.dirichlet(np.ones(16)).reshape(4, 4) for edge in edges}
    first, second = edges
    # The second edge starts where the first ends: its shares of the common column must agree.
    hub = next(iter(set(first) & set(second)))
    shared = tables[first].sum(axis=1 - first.index(hub))
    tables[second] *= np.expand_dims(
        shared / tables[second].sum(axis=1 - second.index(hub)), 1 - second.index(hub)
    )

    def counts(*columns):
        for edge in edges:
            if set(columns) <= set(edge):
                if len(columns) == 1:
                    return tables[edge].sum(axis=1 - edge.index(columns[0]))
                return tables[edge] if columns == edge else tables[edge].T
        raise AssertionError

    rows = mst.draw(20_000, 3, edges, counts, rng)
    for a, b in edges:
        found = np.zeros((4, 4))
        np.add.at(found, (rows[:, a], rows[:, b]), 1 / len(rows))
        assert np.abs(found - tables[a, b]).max() < 0.001, "rounding only, no noise of drawing"
    ends = sorted({0, 1, 2} - {hub})
    for value in range(4):
        group = rows[rows[:, hub] == value][:, ends]
        assert abs(np.corrcoef(group.T)[0, 1]) < 5 / np.sqrt(len(group))


def test_expected_counts_are_rounded_without_bias():
    rng = np.random.default_rng(4)
    weights = np.array([0.5, 0.2, 0.3])
    times = np.mean([np.bincount(mst._dealt(weights, 4, rng), minlength=3) for _ in range(4000)], 0)
    assert times == pytest.approx(4 * weights, abs=0.05)
    assert len(mst._dealt(np.zeros(3), 7, rng)) == 7, "a group that the model does not know"


def test_values_that_drown_in_noise_share_a_code_and_come_back_as_often_as_each_other():
    noisy = mst.Measured((0,), np.array([900.0, 5.0, 400.0, -3.0]), 10.0)
    key = mst._merged(noisy)
    assert mst._added_up(noisy, key).counts.tolist() == [900.0, 400.0, 2.0]
    column = np.repeat([0, 1, 2], [5, 5, 2000])
    back = mst._split_up(column, key, np.random.default_rng(5))
    assert np.array_equal(key[back], column)
    assert np.bincount(back)[[1, 3]] == pytest.approx([1000, 1000], abs=120)


def test_noise_has_the_deviation_that_is_told_to_the_inference(monkeypatch):
    """The whole of MST but mbi: what is measured, how noisy, and what is drawn from it."""
    told = []

    def estimate(_sizes, measured):
        told.append(list(measured))
        return {one.columns: np.maximum(one.counts, 0) for one in measured}

    def counts(model, columns):
        return model[columns] if columns in model else model[columns[::-1]].T

    monkeypatch.setattr(mst, "_estimate", estimate)
    monkeypatch.setattr(mst, "_counts", counts)
    rng = np.random.default_rng(6)
    first = rng.integers(3, size=30_000)
    codes = np.column_stack([first, first, rng.integers(3, size=30_000)])
    asked = Namespace(seed=1, epsilon=1.0, sampler="repaired")
    made = mst.release(codes, [3, 3, 3], asked)
    assert made.shape == codes.shape
    assert np.mean(made[:, 0] == made[:, 1]) > 0.95
    singles, everything = told
    assert [one.columns for one in singles] == [(0,), (1,), (2,)]
    assert (0, 1) in [one.columns for one in everything[3:]]
    # A third of the budget for all counts of a kind: the sum of 1/(2σ²) is what was spent.
    spent = sum(1 / (2 * one.deviation**2) for one in everything)
    assert spent == pytest.approx(2 / 3 * mst.zero_concentrated(1.0, mst.DELTA))
