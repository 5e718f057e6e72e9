"""Synthetic baskets: the kernel against its plain twin, usages kept, rare things never drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask import _native
from halfmask.data import Attribute, Baskets, Schema, Table, Transactions
from halfmask.data.binary_domains import binary_table, from_binary_table
from halfmask.errors import BadInput
from halfmask.methods.baskets.learn import learn_baskets
from halfmask.methods.baskets.margins import Lengths
from halfmask.methods.baskets.model import BasketModel
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.methods.quest import Quest, quest
from halfmask.patterns.krimp import krimp
from halfmask.randomness import Randomness
from reference import baskets as basket_reference

patterns_drawn = st.lists(
    st.sets(st.integers(0, 7), min_size=1, max_size=4).map(lambda s: tuple(sorted(s))),
    max_size=8,
    unique=True,
).map(lambda sets: sorted(sets, key=len))


@given(
    patterns_drawn,
    st.lists(st.sampled_from([0.0, 0.5, 1.0, 7.0]), min_size=8, max_size=8),
    st.lists(st.integers(0, 10), max_size=10),
    st.integers(0, 2**64 - 1),
)
def test_kernel_fills_the_very_baskets_of_the_plain_twin(patterns, weights, sizes, key):
    weights = weights[: len(patterns)]
    rows = Transactions.of(patterns, 8)
    offsets, items, usages = _native.sample_baskets(
        rows.offsets, rows.items, np.array(weights), 8, np.array(sizes, np.int64), key
    )
    drawn = [items[a:b].tolist() for a, b in zip(offsets[:-1], offsets[1:], strict=True)]  # noqa: RUF007
    assert drawn == basket_reference.sample_baskets(patterns, weights, sizes, key)
    assert sum(u * len(p) for u, p in zip(usages, patterns, strict=True)) == len(items)


@given(patterns_drawn, st.integers(0, 10), st.integers(0, 99))
def test_a_basket_is_made_of_disjoint_patterns_and_full_when_singles_are_there(patterns, size, key):
    pool = sorted({*patterns, *((i,) for i in range(8))}, key=lambda p: (len(p), p))
    rows = Transactions.of(pool, 8)
    offsets, items, _ = _native.sample_baskets(
        rows.offsets, rows.items, np.ones(len(pool)), 8, np.array([size]), key
    )
    assert offsets[1] == min(size, 8) == len(set(items.tolist()))


def test_two_patterns_of_one_size_come_by_their_weights():
    rows = Transactions.of([(0, 1), (2, 3)], 4)
    _, _, usages = _native.sample_baskets(
        rows.offsets, rows.items, np.array([3.0, 1.0]), 4, np.full(40_000, 2), 5
    )
    assert usages.sum() == 40_000
    assert usages[0] == pytest.approx(30_000, abs=5 * np.sqrt(40_000 * 3 / 16))


@pytest.mark.parametrize(
    ("patterns", "weights", "sentence"),
    [
        ([(0,), (0, 1)], [1.0], "every pattern needs one weight"),
        ([(0, 1), (0,)], [1.0, 1.0], "order of their length"),
        ([(0,)], [-1.0], "negative or too large"),
        ([(0,)], [float("nan")], "negative or too large"),
        ([()], [1.0], "at least one item"),
    ],
)
def test_kernel_refuses_pools_that_make_no_sense(patterns, weights, sentence):
    rows = Transactions.of(patterns, 2)
    with pytest.raises(ValueError, match=sentence):
        _native.sample_baskets(rows.offsets, rows.items, np.array(weights), 2, np.array([1]), 1)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=80), st.integers(1, 20))
def test_no_length_points_at_fewer_than_min_support_baskets(lengths, min_support):
    drawn = Lengths.of(np.array(lengths), min_support=min_support)
    assert drawn.counts.sum() == len(lengths)
    if len(lengths) >= min_support:
        assert (drawn.counts >= min_support).all()
    assert (drawn.values * drawn.counts).sum() == pytest.approx(sum(lengths), abs=len(lengths) / 2)
    assert len(drawn.spread(1000)) == 1000


def test_common_lengths_are_kept_as_they_are():
    drawn = Lengths.of(np.array([0] * 10 + [3] * 20 + [4] * 30), min_support=10)
    assert drawn.values.tolist() == [0, 3, 4]
    assert drawn.counts.tolist() == [10, 20, 30]


def test_rare_items_are_never_drawn_and_usages_are_those_of_the_original():
    original = quest(20_000, Quest(items=200, patterns=60), randomness=Randomness(1))
    model = learn_baskets(original, min_support=100, exact=True)
    release = model.sample(50_000, randomness=Randomness(2))
    rows = release.data.transactions
    rare = original.transactions.item_counts < 100
    assert rare.any()
    assert rows.item_counts[rare].sum() == 0
    assert rows.item_counts[~rare] * 0.4 == pytest.approx(
        original.transactions.item_counts[~rare], rel=0.15, abs=60
    )


def test_supports_of_pairs_are_nearer_than_without_patterns():
    original = quest(20_000, Quest(items=100, patterns=30, mode="ibm"), randomness=Randomness(1))
    model = learn_baskets(original, min_support=200)
    release = model.sample(20_000, randomness=Randomness(2))
    pairs = [(a, b) for a in range(100) for b in range(a + 1, 100)]
    before, after = original.support(pairs), release.support(pairs)
    counts = original.transactions.item_counts
    alone = np.array([counts[a] * counts[b] / 20_000 for a, b in pairs])
    strong = before >= 400
    assert np.abs(after - before)[strong].mean() < 0.5 * np.abs(alone - before)[strong].mean()


def test_the_claim_says_what_the_model_holds():
    original = Baskets.of([["a", "b"]] * 30 + [["c"]] * 20 + [["d", "e", "f"]] * 3)
    model = learn_baskets(original, min_support=5, exact=True)
    assert all(
        support >= 5
        for itemset in model.patterns
        for support in original.support([itemset]).tolist()
    )
    release = model.sample(100, randomness=Randomness(1))
    assert release.claim.terms["min_support"] == 5
    assert release.claim.terms["patterns"] == len(model.patterns) == 2
    assert "one single pattern" in release.notes[0]
    # three baskets of rare items only become empty ones, which few are: they join the others
    assert set(map(len, release.data.transactions)) <= {1, 2}


def test_fractions_and_stops():
    original = Baskets.of([["a", "b"]] * 30 + [["c"]] * 20)
    assert learn_baskets(original, min_support=0.1).min_support == 5
    stopped = learn_baskets(original, min_support=5, progress=lambda *_: False)
    assert len(stopped.sample(10, randomness=Randomness(1)).data) == 10


def test_what_cannot_be_learnt_or_drawn_is_refused():
    original = Baskets.of([["a"], ["b"], ["c"]])
    with pytest.raises(BadInput, match="No item is held by 2 baskets or more"):
        learn_baskets(original, min_support=2)
    with pytest.raises(BadInput, match="minimum support of 4 is not possible"):
        learn_baskets(original, min_support=4)
    with pytest.raises(BadInput, match="whole number of at least 0, not -1"):
        learn_baskets(original, min_support=1).sample(-1, randomness=Randomness(1))
    schema = Schema((Attribute("x", ("0", "1")),))
    table = Table(schema, np.array([[0], [1]]))
    found = krimp(table.transactions, schema, min_support=1)
    with pytest.raises(BadInput, match="needs baskets, not a table"):
        BasketModel(found.code_table, Lengths.of(np.array([1]), min_support=1), 1)


@given(st.lists(st.sets(st.sampled_from("abcd")), max_size=20))
def test_binary_domains_and_back(rows):
    baskets = Baskets.of([sorted(row) for row in rows], names="abcd")
    table = binary_table(baskets)
    assert table.marginal(["a", "c"]).tolist() == baskets.marginal(["a", "c"]).tolist()
    assert list(from_binary_table(table).transactions) == list(baskets.transactions)


def test_binary_domains_are_for_few_items():
    with pytest.raises(BadInput, match="use the basket generator"):
        binary_table(quest(1, randomness=Randomness(1)))
    schema = Schema((Attribute("sex", ("f", "m")),))
    with pytest.raises(BadInput, match="'sex' is not an item"):
        from_binary_table(Table(schema, np.array([[0]])))


def test_a_click_stream_keeps_lengths_and_item_supports(webview):
    model = learn_baskets(webview, min_support=60)
    release = model.sample(len(webview), randomness=Randomness(1)).data
    before, after = webview.transactions, release.transactions
    common = before.item_counts >= 300
    error = np.abs(after.item_counts - before.item_counts) / np.maximum(before.item_counts, 1)
    assert error[common].mean() < 0.07
    lengths = [np.bincount(np.diff(rows.offsets), minlength=300)[:20] for rows in (before, after)]
    assert np.abs(lengths[0] - lengths[1]).sum() / 2 / len(webview) < 0.05


def test_few_items_also_go_through_the_generator_of_tables():
    """As the papers did with Quest data: a column in or out for each item, and back."""
    original = quest(
        3000, Quest(basket_size=4, pattern_size=3, items=12, patterns=8), randomness=Randomness(1)
    )
    model = learn(binary_table(original), GeneratorSettings(min_support=60))
    release = from_binary_table(model.sample(3000, randomness=Randomness(2)).data)
    items = [(item,) for item in range(12)]
    assert release.support(items) == pytest.approx(original.support(items), abs=250)
    assert release.schema.names == original.schema.names
