"""Correlation and k-medoids: the article's example, the plain reference, and drawn cases."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from methods.anatomy.table_one import BASKETS, ROWS, THREE_COLUMNS, TWO_COLUMNS
from others import ask

from halfmask import _native
from halfmask.data import Baskets, Transactions
from halfmask.errors import BadInput, UnknownName
from halfmask.methods.anatomy.columns import (
    Clusterer,
    ItemColumns,
    assign,
    k_medoids,
    phi_squared,
    phi_squared_between,
)
from halfmask.randomness import Randomness
from reference import anatomy as reference

CELL = """
ab .0247  ac .0514  ad .0014  ae .0514  af .0010  ag .0005  ah .0010
bc .0514  bd .0014  be .0014  bf .0010  bg .0576  bh .0152
cd .0100  ce .0100  cf .0067  cg .0033  ch .0067
de .0100  df .0817  dg .0533  dh .0067
ef .0067  eg .0533  eh .0067  fg .0022  fh .0544  gh .0356
aa .09 bb .09 cc .36 dd .36 ee .36 ff .16 hh .16 gg .49
"""
FULL = "ab .2744 df .3403 fh .3403 bg .2744 ae .2857"


def pairs(text):
    words = text.split()
    return list(zip(words[::2], map(float, words[1::2]), strict=True))


def phi_of(form, **options):
    return phi_squared(BASKETS.transactions, np.arange(8), phi=form, **options)


def distances_of(form):
    distances = 1 - phi_of(form)
    np.fill_diagonal(distances, 0)
    return distances


def clusters(labels):
    return {frozenset("abcdefgh"[i] for i in np.flatnonzero(labels == j)) for j in set(labels)}


@pytest.mark.parametrize(("form", "words"), [("cell", CELL), ("full", FULL)])
def test_phi_of_the_example(form, words):
    phi = phi_of(form)
    for (one, other), value in pairs(words):
        assert phi["abcdefgh".index(one), "abcdefgh".index(other)] == pytest.approx(
            value, abs=5.1e-5
        )


@pytest.mark.parametrize("form", ["cell", "full"])
def test_phi_equals_the_reference(form):
    plain = {"cell": reference.phi_squared_cell, "full": reference.phi_squared_full}[form]
    rows = [frozenset(row) for row in ROWS]
    phi = phi_of(form)
    for one, other in combinations("abcdefgh", 2):
        expected = float(plain(rows, one, other))
        assert phi["abcdefgh".index(one), "abcdefgh".index(other)] == pytest.approx(expected)


def test_full_form_is_the_cell_form_over_the_absences():
    f = BASKETS.transactions.item_counts / 10
    ratio = np.outer(1 - f, 1 - f)
    assert np.allclose(phi_of("full") * ratio, phi_of("cell"))


def test_signed_phi_is_zero_where_items_avoid_each_other():
    apart = Baskets.of(["a", "a", "b", "b"]).transactions
    assert phi_squared(apart, np.arange(2))[0, 1] == pytest.approx(0.25)
    assert phi_squared(apart, np.arange(2), signed=True)[0, 1] == 0


def test_an_item_in_every_row_is_correlated_with_nothing():
    rows = Baskets.of(["ab", "a", "ac"]).transactions
    for form in ("cell", "full"):
        phi = phi_squared(rows, np.arange(3), phi=form)
        assert (phi[0] == 0).all()


@given(st.lists(st.sets(st.integers(0, 6)), min_size=1, max_size=12), st.data())
def test_counts_between_agree_with_counts_of_pairs(rows, data):
    database = Transactions.of([tuple(row) for row in rows], 7)
    occurring = np.flatnonzero(database.item_counts)
    if not len(occurring):
        return
    left = np.array(data.draw(st.lists(st.sampled_from(occurring.tolist()), unique=True)), np.int64)
    whole = phi_squared(database, occurring)
    place = np.searchsorted(occurring, left)
    assert np.allclose(phi_squared_between(database, left, occurring), whole[place])


def test_weights_count_as_rows():
    once = BASKETS.transactions
    twice = Transactions(once.offsets, once.items, once.weights * 2, once.n_items)
    assert np.allclose(phi_squared(twice, np.arange(8)), phi_of("cell"))


@pytest.mark.parametrize(
    ("form", "k", "loss", "groups"),
    [
        ("cell", 2, 5.723481, TWO_COLUMNS),
        ("cell", 3, 4.701508, THREE_COLUMNS),
        ("full", 2, 4.457200, TWO_COLUMNS),
        ("full", 3, 3.473639, None),
    ],
)
def test_medoids_of_the_example(form, k, loss, groups):
    found = k_medoids(distances_of(form), k, randomness=Randomness(5))
    assert found.loss == pytest.approx(loss, abs=5e-7)
    if groups is None:
        assert clusters(found.labels) != set(map(frozenset, THREE_COLUMNS))
    else:
        assert clusters(found.labels) == set(map(frozenset, groups))


def test_medoids_of_two_columns_are_b_and_f():
    found = k_medoids(distances_of("cell"), 2, randomness=Randomness(5))
    assert ["abcdefgh"[m] for m in found.medoids] == ["b", "f"]


def test_the_best_loss_is_the_best_of_all_medoid_sets():
    distances = distances_of("cell").tolist()
    best = min(reference.total_distance(distances, m) for m in combinations(range(8), 3))
    assert k_medoids(np.array(distances), 3, randomness=Randomness(5)).loss == pytest.approx(best)


def test_the_greedy_start_alone_misses_the_optimum():
    found = k_medoids(distances_of("cell"), 2, randomness=Randomness(1), restarts=0)
    assert found.loss == pytest.approx(5.742063, abs=5e-7)
    assert clusters(found.labels) == {frozenset("acf"), frozenset("bdegh")}


@st.composite
def whole_distances(draw):
    """Whole numbers, so that sums are exact and both programs see the same ties."""
    n = draw(st.integers(2, 9))
    upper = draw(st.lists(st.integers(1, 30), min_size=n * n, max_size=n * n))
    d = np.triu(np.array(upper, float).reshape(n, n), 1)
    k = draw(st.integers(1, n))
    start = draw(st.permutations(range(n)))[:k]
    return d + d.T, np.array(start, np.int32)


@given(whole_distances())
def test_no_swap_improves_the_end(case):
    distances, start = case
    n = len(distances)
    medoids, loss, _ = _native.swap_medoids(distances.ravel(), n, start)
    assert loss == reference.total_distance(distances.tolist(), medoids.tolist())
    for gone in medoids:
        for new in set(range(n)) - set(medoids.tolist()):
            other = [m for m in medoids if m != gone] + [new]
            assert reference.total_distance(distances.tolist(), other) >= loss


@given(whole_distances())
def test_swaps_are_those_of_the_reference(case):
    distances, start = case
    if len(start) == 1:  # with one medoid the kernel takes the best at once
        return
    medoids, _, _ = _native.swap_medoids(distances.ravel(), len(distances), start)
    assert medoids.tolist() == reference.swap_medoids(distances.tolist(), start.tolist())


def test_loss_is_that_of_the_published_program():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(60, 3))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    start = np.arange(7)
    theirs = ask("ask_kmedoids", {"distances": distances.tolist(), "start": start.tolist()})
    _, loss, _ = _native.swap_medoids(distances.ravel(), 60, start.astype(np.int32))
    assert loss == pytest.approx(theirs, rel=0.02)


@pytest.mark.parametrize(("k", "message"), [(0, "1 to 8 groups"), (9, "not in 9")])
def test_impossible_numbers_of_groups_are_refused(k, message):
    with pytest.raises(BadInput, match=message):
        k_medoids(distances_of("cell"), k, randomness=Randomness(1))


def test_the_kernel_refuses_a_matrix_that_is_no_distance():
    for bad in ([0.0, 1.0, 1.0, 0.5], [0.0, -1.0, 1.0, 0.0], [0.0, np.nan, 1.0, 0.0]):
        with pytest.raises(ValueError, match="distance"):
            _native.build_start(np.array(bad), 2, 1)


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 99))
def test_a_capacity_is_kept_and_everybody_is_placed(n, k, seed):
    capacity = -(-n // k)
    labels = assign(np.random.default_rng(seed).random((n, k)), capacity)
    assert (labels >= 0).all()
    assert np.bincount(labels).max() <= capacity


@pytest.mark.parametrize(("k", "groups"), [(2, TWO_COLUMNS), (3, THREE_COLUMNS)])
def test_columns_of_the_example(k, groups):
    columns = Clusterer().columns(BASKETS, k, randomness=Randomness(5))
    assert clusters(columns.of_item) == set(map(frozenset, groups))


def test_balanced_columns_have_equal_sizes():
    columns = Clusterer(balanced=True).columns(BASKETS, 3, randomness=Randomness(5))
    assert max(columns.sizes) == 3


def test_rare_items_join_the_nearest_medoid():
    rows = ["abx"] * 6 + ["cdy"] * 6 + ["ab"] * 20 + ["cd"] * 20
    baskets = Baskets.of(rows)
    columns = Clusterer(max_items=4, signed=True).columns(baskets, 2, randomness=Randomness(1))
    named = dict(zip(baskets.schema.names, columns.of_item.tolist(), strict=True))
    assert named["x"] == named["a"] == named["b"] != named["c"] == named["d"] == named["y"]


def test_items_that_never_occur_have_a_column_too():
    baskets = Baskets.of(["a", "b"], names=["a", "b", "never"])
    columns = Clusterer().columns(baskets, 5, randomness=Randomness(1))
    assert columns.n == 2
    assert columns.of_item[2] == 0


def test_given_columns_must_name_every_item_once():
    with pytest.raises(BadInput, match="two columns"):
        ItemColumns.given(["abcdefgh", "a"], BASKETS.schema)
    with pytest.raises(BadInput, match="leave out 2 of 8 items"):
        ItemColumns.given(["abc", "def"], BASKETS.schema)
    with pytest.raises(UnknownName, match="no item 'z'"):
        ItemColumns.given(["abcdefgh", "z"], BASKETS.schema)
    with pytest.raises(BadInput, match="at least one item"):
        ItemColumns.given(["abcdefgh", ""], BASKETS.schema)


def test_joined_columns_stay_numbered_from_zero():
    columns = ItemColumns(np.array([0, 1, 2, 3], np.int32))
    assert columns.joined(2, 0).of_item.tolist() == [0, 1, 0, 2]
