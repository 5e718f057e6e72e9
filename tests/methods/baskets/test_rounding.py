"""A model of baskets tells multiples of a base and nothing between them."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import halfmask
from halfmask.data import Baskets
from halfmask.documents.basket_model import FORM, basket_model_bytes, basket_model_of
from halfmask.errors import BadInput
from halfmask.methods.baskets.learn import learn_baskets
from halfmask.randomness import Randomness

shops = st.lists(
    st.tuples(st.sets(st.sampled_from("abcdef"), max_size=5).map(sorted), st.integers(1, 40)),
    min_size=1,
    max_size=12,
).map(lambda kinds: [row for row, times in kinds for _ in range(times)])


def shop(rows=2_000):
    """Three groups of goods that go together, of which baskets hold one or two."""
    rng = np.random.default_rng(4)
    held = np.repeat(rng.random((rows, 3)) < 0.5, 3, axis=1) & (rng.random((rows, 9)) < 0.7)
    return Baskets.of([[f"thing {i}" for i in np.flatnonzero(row)] for row in held])


def told(model):
    """Every number of baskets in a model's file."""
    document = FORM.from_json(basket_model_bytes(model), "it")
    elements = [*document.items, *document.patterns]
    return [
        *(count for _, count in document.lengths),
        *(count for each in elements for count in (each.usage, each.support)),
        *(margin.count for margin in document.margins or ()),
    ]


@given(shops, st.sampled_from([1, 3, 5, 10]), st.integers(1, 12), st.integers(0, 3))
def test_every_count_of_the_file_is_a_multiple_of_the_base(rows, asked, floor, order):
    baskets = Baskets.of(rows, "abcdef")
    counts = baskets.transactions.item_counts
    if counts.max() < floor:
        return
    model = learn_baskets(baskets, min_support=floor, calibrate=order, base=asked)
    assert model.base >= (1 if floor == 1 else max(asked, floor // 2 + 1, 3))
    every = told(model)
    assert {count % model.base for count in every if count != len(baskets)} <= {0}
    assert model.code_table.rows == len(baskets)
    content = basket_model_bytes(model)
    back = basket_model_of(FORM.from_json(content, "it"))
    assert basket_model_bytes(back) == content
    assert back.base == model.base
    drawn = model.sample(20, randomness=Randomness(1))
    assert len(drawn.data) == 20
    assert (counts[drawn.data.transactions.item_counts > 0] >= floor).all()


@pytest.mark.parametrize(("asked", "base"), [(1, 6), (5, 6), (10, 10)])
def test_counts_are_told_to_within_a_base_right_on_average_and_still_met(asked, base):
    original = shop()
    exact = learn_baskets(original, min_support=10, calibrate=2, exact=True)
    rounded = learn_baskets(original, min_support=10, calibrate=2, base=asked)
    assert (exact.base, rounded.base) == (1, base)
    held = original.support(list(rounded.margins.sets))
    off = rounded.margins.counts - held
    assert 0 < np.abs(off).max() < base
    assert abs(off.mean()) < base / 4
    assert np.abs(exact.lengths.counts - rounded.lengths.counts).max() < base
    release = rounded.sample(2_000, randomness=Randomness(1))
    pairs = [items for items in rounded.margins.sets if len(items) == 2]
    before, after = original.support(pairs), release.support(pairs)
    assert np.mean(np.abs(after - before) / before) < 0.06
    assert release.record["round_margins"] == base
    assert f"rounded to multiples of {base}" in str(release.claim)
    assert "round_margins" not in exact.sample(9, randomness=Randomness(1)).record


def test_the_same_baskets_are_told_the_same_way_and_others_otherwise():
    """Who publishes again tells nothing new; who does not have the baskets cannot repeat it."""
    one, again, turned = (
        learn_baskets(baskets, min_support=10, calibrate=2)
        for baskets in (shop(), shop(), shop().take(np.arange(2_000)[::-1]))
    )
    assert basket_model_bytes(one) == basket_model_bytes(again)
    assert one.code_table.item_supports.tolist() != turned.code_table.item_supports.tolist()


def test_exact_counts_are_not_written():
    few = Baskets.of([["a", "b"]] * 60 + [["a"]] * 5 + [["c"]] * 40)  # five hold a without b
    with pytest.raises(BadInput, match="The model discloses small groups"):
        basket_model_bytes(learn_baskets(few, min_support=10, calibrate=2, exact=True))
    assert basket_model_bytes(learn_baskets(few, min_support=10, calibrate=2))


def test_a_file_that_says_it_was_rounded_and_was_not_is_refused():
    model = learn_baskets(shop(), min_support=1, calibrate=2)
    exact = FORM.from_json(basket_model_bytes(model), "it")
    with pytest.raises(BadInput, match="not a multiple of 10"):
        basket_model_of(msgspec.structs.replace(exact, base=10, min_support=9))
    rounded = learn_baskets(shop(), min_support=10, calibrate=2, base=10)
    content = basket_model_bytes(rounded)
    assert b'"version": 2' in content
    assert b'"base": 10' in content
    with pytest.raises(BadInput, match="something wrong at base"):
        FORM.from_json(content.replace(b'"base": 10', b'"base": 0'), "it")
    with pytest.raises(BadInput, match="1, 3, 5 or 10, not 4"):
        learn_baskets(shop(200), min_support=40, base=4)


def test_the_front_door_rounds_too():
    published = halfmask.publish(shop(), method="baskets", min_support=40, round_margins=5, seed=1)
    assert published.model.base == 21
    assert {count % 21 for count in told(published.model)} == {0}
    assert "Disclosed counts are multiples of" in published.report.html()
