"""The noise itself: its law, its streams, its mechanisms and what they promise."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask import _native
from halfmask.data import Baskets, Transactions
from halfmask.data.published.distorted import Channel
from halfmask.errors import BadInput, UnknownName
from halfmask.io.given import Given
from halfmask.methods.distortion.distort import distort
from halfmask.methods.distortion.mechanisms import (
    Alg2Literal,
    DeleteOnly,
    Emask,
    Frequent,
    Mask,
    MaskItems,
    Selective,
)
from halfmask.randomness import Randomness
from reference import distortion as reference

NO_KEY = np.zeros(4, np.uint64)


def through(rows, keep, insert, seed=1, threads=1):
    keys = Randomness(seed).long_key("test")
    offsets, items = _native.distort(
        rows.offsets, rows.items, rows.weights, rows.n_items, keep, insert, keys, threads
    )
    return Transactions(offsets, items, np.ones(len(rows), np.int64), rows.n_items)


def drawn_rows(seed=0, n=3000, m=9, share=0.3):
    rng = np.random.default_rng(seed)
    return Transactions.of([np.flatnonzero(rng.random(m) < share) for _ in range(n)], m)


def test_the_stream_is_chacha_with_eight_rounds():
    # Test case 1 of the ChaCha test vectors (Strombergson): zero key of 256 bits, zero IV.
    expected = (
        "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
        "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42"
    )
    assert _native.chacha(NO_KEY, 0, 16).astype("<u4").tobytes().hex() == expected


@given(st.lists(st.integers(0, 2**64 - 1), min_size=4, max_size=4), st.integers(0, 2**64 - 1))
def test_the_stream_equals_the_plain_one(key, number):
    words = _native.chacha(np.array(key, np.uint64), number, 200).tolist()
    assert words == reference.chacha_words(key, number, 200)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_do_not_change_the_result(threads):
    rows = drawn_rows(n=5000)
    keep, insert = np.full(9, 0.8), np.linspace(0.01, 0.4, 9)
    one, many = through(rows, keep, insert), through(rows, keep, insert, threads=threads)
    assert np.array_equal(one.items, many.items)
    assert np.array_equal(one.offsets, many.offsets)


@pytest.mark.parametrize(
    ("keep", "insert"),
    [
        (np.full(9, 0.9), np.full(9, 0.1)),
        (np.linspace(0.5, 1, 9), np.array([0, 0.001, 0.01, 0.3, 0.29, 0.25, 0.5, 0.9, 1.0])),
        (np.full(9, 0.7), np.zeros(9)),
        (np.zeros(9), np.full(9, 0.05)),
    ],
)
def test_each_bit_has_its_probability(keep, insert):
    rows = drawn_rows(n=40_000)
    noisy = through(rows, keep, insert)
    before, after = dense(rows), dense(noisy)
    for chosen, probability in ((before, keep), (~before, insert)):
        n = chosen.sum(axis=0)
        share = (after & chosen).sum(axis=0) / n
        error = np.sqrt(probability * (1 - probability) / n)
        assert (abs(share - probability) <= 4.5 * error).all()


def dense(rows):
    bits = np.zeros((len(rows), rows.n_items), bool)
    bits[np.repeat(np.arange(len(rows)), np.diff(rows.offsets)), rows.items] = True
    return bits


def test_bits_are_independent():
    empty = Transactions.of([()] * 60_000, 6)
    bits = dense(through(empty, np.full(6, 0.8), np.full(6, 0.2))).astype(float)
    within = np.corrcoef(bits.T)[np.triu_indices(6, 1)]
    between = [np.corrcoef(bits[:-1, a], bits[1:, b])[0, 1] for a in range(6) for b in range(6)]
    assert abs(within).max() < 4.5 / math.sqrt(60_000)
    assert max(map(abs, between)) < 4.5 / math.sqrt(60_000)


def test_the_law_of_whole_rows_is_that_of_the_literal_algorithm():
    rows = [(0, 2)] * 4000
    keep, insert = np.array([0.9, 0.7, 0.6]), np.array([0.2, 0.05, 0.3])
    noisy = through(Transactions.of(rows, 3), keep, insert)
    found = np.bincount(dense(noisy) @ [1, 2, 4], minlength=8)
    expected = 4000 * np.array([
        reference.row_probability((0, 2), outcome, keep, insert)
        for outcome in ((), (0,), (1,), (0, 1), (2,), (0, 2), (1, 2), (0, 1, 2))
    ])  # fmt: skip
    assert (abs(found - expected) <= 4.5 * np.sqrt(expected)).all()


def test_plain_algorithms_have_the_channels_of_their_mechanisms():
    rng = np.random.default_rng(1)
    frequent = np.array([True, False])
    for algorithm, channel in (
        (lambda row: reference.algorithm_1(row, 2, 0.8, rng), ([0.8, 0.8], [0.2, 0.2])),
        (
            lambda row: reference.algorithm_2(row, frequent, 0.9, 0.7, rng),
            ([0.9, 0.9], [0.0, 0.3]),
        ),
    ):
        ones = np.array([algorithm((0, 1)) for _ in range(4000)]).mean(axis=0)
        zeros = np.array([algorithm(()) for _ in range(4000)]).mean(axis=0)
        assert ones == pytest.approx(channel[0], abs=0.03)
        assert zeros == pytest.approx(channel[1], abs=0.03)


BASKETS = Baskets.of(["ab", "a", "ac", "", "abc"])


@pytest.mark.parametrize(
    ("mechanism", "keep", "insert"),
    [
        (Mask(0.9), [0.9] * 3, [0.1] * 3),
        (MaskItems({"b": 0.7}, otherwise=0.95), [0.95, 0.7, 0.95], [0.05, 0.3, 0.05]),
        (Selective(0.95, 0.8, Frequent(min_support=0.5)), [0.95, 0.8, 0.8], [0.05, 0.2, 0.2]),
        (Selective(0.95, 0.8, Frequent(names=("c",))), [0.8, 0.8, 0.95], [0.2, 0.2, 0.05]),
        (Emask(0.95, 0.9), [0.95] * 3, [0.1] * 3),
        (DeleteOnly(0.95), [0.95] * 3, [0.0] * 3),
        (Alg2Literal(0.95, 0.7, Frequent(min_support=3)), [0.95] * 3, [0.0, 0.3, 0.3]),
    ],
)
def test_channels_of_the_mechanisms(mechanism, keep, insert):
    channel = mechanism.channel(BASKETS)
    assert channel.keep.tolist() == keep
    assert channel.insert.tolist() == insert


@pytest.mark.parametrize("keep", [0.5, 0.5004, 0.4996])
def test_a_coin_that_tells_nothing_is_refused(keep):
    with pytest.raises(BadInput, match="no support can be reconstructed"):
        distort(BASKETS, Mask(keep), randomness=Randomness(1))


@pytest.mark.parametrize("keep", [-0.1, 1.2, math.nan])
def test_probabilities_outside_their_range_are_refused(keep):
    with pytest.raises(BadInput, match="between 0 and 1"):
        distort(BASKETS, Mask(keep), randomness=Randomness(1))


def test_bad_settings_are_refused():
    with pytest.raises(BadInput, match="not both"):
        Frequent()
    with pytest.raises(UnknownName, match="no item 'z'"):
        distort(BASKETS, MaskItems({"z": 0.9}, otherwise=0.9), randomness=Randomness(1))
    with pytest.raises(BadInput, match="A basket holds 3 items"):
        distort(BASKETS, Mask(0.9), max_items=2, randomness=Randomness(1))
    with pytest.raises(BadInput, match="at least 1, not 0"):
        distort(BASKETS, Mask(0.9), threads=0, randomness=Randomness(1))
    with pytest.raises(BadInput, match="nothing to distort"):
        distort(Baskets.of([]), Mask(0.9), randomness=Randomness(1))


@pytest.mark.parametrize(
    ("keep", "epsilon"),
    [(0.98, 3.8918), (0.95, 2.9444), (0.90, 2.1972), (0.85, 1.7346), (0.80, 1.3863),
     (0.75, 1.0986), (0.70, 0.8473)],
)  # fmt: skip
def test_epsilon_of_a_bit(keep, epsilon):
    assert Mask(keep).channel(BASKETS).epsilons == pytest.approx([epsilon] * 3, abs=5e-5)


def test_epsilon_of_a_row():
    channel = Channel.equal(0.9, 0.1, n_items=497)
    assert channel.row_epsilon() == pytest.approx(1092, abs=0.5)
    assert channel.row_epsilon(max_items=5) == pytest.approx(10 * math.log(9))
    # The randomised response of OpenDP flips with f/2 and has ε = 2·w·ln((2 − f)/f).
    f = 2 * (1 - 0.9)
    assert channel.row_epsilon(max_items=5) == pytest.approx(2 * 5 * math.log((2 - f) / f))


def test_keep_probability_for_an_epsilon():
    mask = Mask.for_epsilon(2.0, max_items=5)
    assert mask.keep == pytest.approx(0.5498, abs=5e-5)
    wide = Baskets.of(["abcde"], names="abcdefghijkl")
    assert mask.channel(wide).row_epsilon(max_items=5) == pytest.approx(2.0)


def test_the_claim_of_mask_is_local_differential_privacy():
    release = distort(BASKETS, Mask(0.9), max_items=3, randomness=Randomness(1))
    assert release.claim.terms["epsilon_item"] == pytest.approx(2.1972, abs=5e-5)
    assert release.claim.terms["epsilon_row"] == pytest.approx(3 * math.log(9))
    assert "local differential privacy with ε = 2.1972" in str(release.claim)


@pytest.mark.parametrize(
    ("mechanism", "reason"),
    [
        (DeleteOnly(0.9), "for every item a reader can be certain"),
        (Alg2Literal(0.9, 0.8, Frequent(min_support=3)), "for 1 of 3 items a reader"),
        (Selective(0.9, 0.8, Frequent(min_support=3)), "by looking at the data"),
    ],
)
def test_where_there_is_no_differential_privacy_the_claim_says_so(mechanism, reason):
    release = distort(BASKETS, mechanism, randomness=Randomness(1))
    assert "not local differential privacy" in str(release.claim)
    assert reason in str(release.claim)
    assert release.claim.terms["epsilon_row"] is None


def test_named_frequent_items_leave_differential_privacy_intact():
    mechanism = Selective(0.9, 0.8, Frequent(names=("a",)))
    release = distort(BASKETS, mechanism, randomness=Randomness(1))
    assert release.claim.terms["epsilon_row"] == pytest.approx(math.log(9) + 2 * math.log(4))


def test_a_seeded_release_says_that_it_can_be_undone():
    seeded = distort(BASKETS, Mask(0.9), randomness=Randomness(1))
    secret = distort(BASKETS, Mask(0.9), randomness=Randomness())
    assert any("seeded" in note for note in seeded.notes)
    assert not any("seeded" in note for note in secret.notes)


@given(st.floats(0.55, 1), st.floats(0.55, 1))
def test_mask_twice_is_mask_once(p1, p2):
    both = Channel.equal(p1, 1 - p1, n_items=1).then(Channel.equal(p2, 1 - p2, n_items=1))
    assert both.keep[0] == pytest.approx(p1 * p2 + (1 - p1) * (1 - p2))
    assert both.insert[0] == pytest.approx(1 - both.keep[0])


def test_distorting_twice_has_the_law_of_the_joined_channel():
    rows = drawn_rows(n=40_000)
    first, second = Channel.equal(0.9, 0.1, n_items=9), Channel.equal(0.8, 0.3, n_items=9)
    noisy = through(through(rows, first.keep, first.insert, 1), second.keep, second.insert, 2)
    both = first.then(second)
    expected = rows.item_counts * both.keep + (40_000 - rows.item_counts) * both.insert
    assert (abs(noisy.item_counts - expected) < 4.5 * np.sqrt(expected)).all()


def test_weighted_rows_are_distorted_one_by_one():
    weighted = Baskets(BASKETS.schema, Transactions(
        np.array([0, 1]), np.array([0], np.int32), np.array([500]), 3))  # fmt: skip
    release = distort(weighted, Mask(0.8), randomness=Randomness(1))
    assert release.size == 500
    assert 340 < release.baskets.support([(0,)])[0] < 460


def test_sparse_noise_on_clicks_is_fast_and_of_the_expected_size(data_folder):
    clicks = Given(data_folder / "bms-webview-1.dat.gz").read().content.transactions
    keep, insert = np.full(497, 0.95), np.full(497, 0.05)
    through(clicks, keep, insert)
    start = time.process_time()
    noisy = through(clicks, keep, insert)
    sparse = time.process_time() - start
    start = time.process_time()
    bits = np.zeros((len(clicks), 497), bool)
    bits[np.repeat(np.arange(len(clicks)), np.diff(clicks.offsets)), clicks.items] = True
    bits ^= np.random.default_rng(1).random(bits.shape) < 0.05
    bitmap = time.process_time() - start
    assert sparse < bitmap
    expected = len(clicks) * 0.05 * 497 + 0.9 * len(clicks.items)
    assert len(noisy.items) == pytest.approx(expected, rel=0.005)
