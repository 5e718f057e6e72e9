"""Balanced rows are those of the plain reference, and nearer to every table than chance."""

from __future__ import annotations

import csv
import gzip
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfmask import _native
from halfmask.methods.loglinear import TableSet, balancing, count_cells
from halfmask.methods.loglinear.balancing import RankLinks, balanced, balanced_tables
from reference.balancing import Link, Pool


@st.composite
def cases(draw):
    """A pool with weights, rows chosen from it, and perhaps links between columns."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    rows = draw(st.integers(2, 12))
    codes = [tuple(draw(st.integers(0, s - 1)) for s in sizes) for _ in range(rows)]
    weights = draw(st.lists(st.integers(1, 5), min_size=rows, max_size=rows))
    chosen = draw(st.lists(st.integers(0, rows - 1), min_size=1, max_size=8))
    links = []
    for _ in range(draw(st.integers(0, 2))):
        one, other = draw(st.permutations(range(len(sizes))))[:2]
        scores = [
            draw(st.lists(st.integers(-3, 3), min_size=s, max_size=s))
            for s in (sizes[one], sizes[other])
        ]
        links.append(Link((one, other), tuple(scores), float(draw(st.integers(-9, 9)))))
    return sizes, codes, [float(w) for w in weights], chosen, links


@settings(max_examples=60, deadline=None)
@given(cases(), st.integers(0, 2**32), st.integers(1, 3))
def test_the_kernel_exchanges_what_the_reference_does(case, key, passes):
    sizes, codes, weights, chosen, links = case
    tables = TableSet(tuple(sizes), balanced_tables(sizes))
    pool = Pool(codes, weights, tables.columns, links)

    def uniform(turn, place):
        return (_native.philox(key, turn, place)[0] >> 11) * 2.0**-53

    arrays = RankLinks.of_pairs(
        [
            (
                [(c, np.array(s, float)) for c, s in zip(one.columns, one.scores, strict=True)],
                one.wanted,
            )
            for one in links
        ]
    )
    found = _native.balance(
        np.array(codes, np.int32).ravel(order="F"), tables.size_array, tables.column_offsets,
        tables.flat, tables.cell_offsets, np.array(weights), np.array(chosen, np.int32),
        arrays.columns, arrays.offsets, arrays.scores, arrays.wanted, passes, key, None,
    )  # fmt: skip
    assert found.tolist() == pool.balanced(chosen, passes, uniform)
    assert pool.distance(found.tolist()) <= pool.distance(chosen) + 1e-9


def pool_of(rows=20_000, columns=8, seed=3):
    """Columns that each follow the one before, and weights that prefer some rows."""
    rng = np.random.default_rng(seed)
    codes = np.empty((rows, columns), np.int32)
    codes[:, 0] = rng.integers(4, size=rows)
    for c in range(1, columns):
        keep = rng.random(rows) < 0.6
        codes[:, c] = np.where(keep, codes[:, c - 1], rng.integers(4, size=rows))
    return np.asfortranarray(codes), np.exp(rng.normal(0, 0.5, rows) + 0.3 * codes[:, 2])


def off(codes, weights, chosen, order):
    sizes = (4,) * codes.shape[1]
    tables = TableSet(sizes, list(combinations(range(len(sizes)), order)))
    found = count_cells(codes[chosen], tables) / len(chosen)
    wanted = np.concatenate(
        [
            np.bincount(np.ravel_multi_index(codes[:, list(t)].T, (4,) * order), weights, 4**order)
            for t in tables.columns
        ]
    )
    return np.abs(found - wanted / weights.sum()).sum() / 2 / len(tables.columns)


def test_balanced_rows_are_several_times_nearer_than_rows_by_chance():
    codes, weights = pool_of()
    rng = np.random.default_rng(1)
    chance = rng.choice(len(codes), 1000, p=weights / weights.sum()).astype(np.int32)
    found = balanced(codes, (4,) * 8, weights, chance, key=5)
    assert off(codes, weights, found, 1) < 0.1 * off(codes, weights, chance, 1)
    assert off(codes, weights, found, 2) < 0.35 * off(codes, weights, chance, 2)
    assert off(codes, weights, found, 3) < 0.95 * off(codes, weights, chance, 3)  # not paid for


def test_no_row_is_preferred_beyond_its_tables():
    """Rows of the same codes are chosen by weight, whichever of them it is."""
    codes, weights = pool_of(rows=4000, columns=3)
    heavy = np.arange(len(codes)) % 2 == 0
    weights = np.where(heavy, 3.0, 1.0)
    taken = np.zeros(len(codes))
    for key in range(20):
        rng = np.random.default_rng(key)
        first = rng.choice(len(codes), 500, p=weights / weights.sum()).astype(np.int32)
        np.add.at(taken, balanced(codes, (4,) * 3, weights, first, key=key), 1)
    assert taken[heavy].sum() / taken.sum() == pytest.approx(0.75, abs=0.02)


def test_a_link_brings_the_sum_that_it_wants():
    codes, weights = pool_of()
    weights = np.ones(len(codes))
    scores = np.array([-1.5, -0.5, 0.5, 1.5]) / np.sqrt(1.25)
    first = np.random.default_rng(2).choice(len(codes), 800).astype(np.int32)

    def correlation(rows):
        return np.corrcoef(codes[rows, 0], codes[rows, 5])[0, 1]

    plain = balanced(codes, (4,) * 8, weights, first, key=1)
    links = RankLinks.of_pairs([([(0, scores), (5, scores)], 800 * 0.4)])
    assert abs(correlation(plain) - 0.4) > 0.2
    linked = balanced(codes, (4,) * 8, weights, first, key=1, links=links)
    assert correlation(linked) > correlation(plain) + 0.1


def test_columns_that_are_drawn_anew_do_not_count():
    assert balanced_tables((2, 2, 2), without=[0]) == [(1,), (2,), (1, 2)]
    codes, weights = pool_of(columns=3)
    first = np.zeros(100, np.int32)
    none = balanced(codes, (4,) * 3, weights, first, key=1, without=[0, 1, 2])
    assert np.array_equal(none, first)


def test_of_very_many_rows_none_is_exchanged(monkeypatch):
    codes, weights = pool_of(rows=2000)
    first = np.arange(1000, dtype=np.int32)
    monkeypatch.setattr(balancing, "WORK", 1000 * 36 - 1)
    assert np.array_equal(balanced(codes, (4,) * 8, weights, first, key=1), first)


def test_a_release_is_nearer_to_people_than_one_by_chance(data_folder, monkeypatch):
    """On real rows: two-way tables of a calibrated release against rows that nobody learnt from."""
    pandas, halfmask = pytest.importorskip("pandas"), pytest.importorskip("halfmask")
    with gzip.open(data_folder / "adult.csv.gz", "rt", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    rows = pandas.DataFrame(lines[1:], columns=lines[0]).sample(9000, random_state=1)
    model = halfmask.Generator(rare_values="keep").fit(rows[:1000])
    people = rows[1000:].to_numpy(str)

    def distance(release):
        total = 0.0
        for one, other in combinations(range(people.shape[1]), 2):
            cells = [np.char.add(t[:, one], t[:, other]) for t in (people, release)]
            names, place = np.unique(np.concatenate(cells), return_inverse=True)
            counts = [
                np.bincount(p, minlength=len(names)) / len(p)
                for p in np.split(place, [len(people)])
            ]
            total += np.abs(counts[0] - counts[1]).sum()
        return total

    def distances():
        return sum(distance(model.sample(1000, seed=n).to_numpy(str)) for n in range(1, 6))

    near = distances()
    monkeypatch.setattr(balancing, "PASSES", 0)
    assert near < 0.98 * distances()
