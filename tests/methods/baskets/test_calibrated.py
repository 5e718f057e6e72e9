"""Calibrated baskets meet counts of the original, and learn nothing else of it."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask import _native
from halfmask.data import BasketMargins, Baskets, Transactions
from halfmask.errors import BadInput
from halfmask.methods.baskets import margins as basket_margins
from halfmask.methods.baskets.learn import learn_baskets
from halfmask.methods.baskets.margins import Lengths, Links, count_sets
from halfmask.methods.baskets.model import BasketModel
from halfmask.methods.calibration import pool as calibrated
from halfmask.randomness import Randomness
from reference import baskets as basket_reference

patterns_drawn = st.lists(
    st.sets(st.integers(0, 7), min_size=1, max_size=3).map(lambda s: tuple(sorted(s))),
    max_size=8,
    unique=True,
).map(lambda sets: sorted(sets, key=len))
links_drawn = st.dictionaries(
    st.tuples(st.integers(0, 7), st.integers(0, 7)), st.sampled_from([0.5, 1.0, 7.0]), max_size=20
)


def linked(patterns, weights, links, sizes, **options):
    """Baskets by the kernel, links given as (from, to) → weight."""
    rows, ordered = Transactions.of(patterns, 8), sorted(links)
    offsets, items, steps = _native.sample_linked_baskets(
        rows.offsets,
        rows.items,
        np.array(weights),
        8,
        np.searchsorted([start for start, _ in ordered], np.arange(9)).astype(np.int64),
        np.array([end for _, end in ordered], np.int32),
        np.array([links[pair] for pair in ordered]),
        options.get("fresh", 0.5),
        np.array(sizes, np.int64),
        options.get("key", 1),
        options.get("first", 0),
    )
    return [items[a:b].tolist() for a, b in pairwise(offsets)], steps


@given(
    patterns_drawn,
    links_drawn,
    st.lists(st.integers(0, 10), max_size=8),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 1000)),
)
def test_linked_baskets_are_those_of_the_plain_twin(patterns, links, sizes, fresh, place):
    key, first = place
    weights = [1.0 + n % 3 for n in range(len(patterns))]
    drawn, steps = linked(patterns, weights, links, sizes, fresh=fresh, key=key, first=first)
    tied: dict[int, list[tuple[int, float]]] = {}
    for start, end in sorted(links):
        tied.setdefault(start, []).append((end, links[start, end]))
    assert drawn == basket_reference.sample_baskets(
        patterns, weights, sizes, key, links=tied, fresh=fresh, first=first
    )
    assert all(0 <= taken <= len(row) for taken, row in zip(steps, drawn, strict=True))


@pytest.mark.parametrize(
    ("links", "fresh", "sentence"),
    [
        ({(0, 1): 0.0}, 0.5, "not above 0"),
        ({(0, 1): 1.0}, 1.5, "outside 0 to 1"),
        ({(0, 1): 1.0}, float("nan"), "outside 0 to 1"),
        ({(0, 9): 1.0}, 0.5, "outside the alphabet"),
    ],
)
def test_the_kernel_refuses_links_that_make_no_sense(links, fresh, sentence):
    with pytest.raises(ValueError, match=sentence):
        linked([(0,)], [1.0], links, [1], fresh=fresh)


GROUPS = (("tea", "milk", "sugar"), ("beer", "crisps", "nuts"), ("soap", "towel"))


def shop(rows=4_000, seed=3):
    """Baskets of one or two groups of goods that go together, and things that anyone may take."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(rows):
        row = {f"thing {n}" for n in np.flatnonzero(rng.random(12) < 0.08)}
        for group in rng.permutation(3)[: 1 + rng.integers(2)]:
            row |= {item for item in GROUPS[group] if rng.random() < 0.6}
        found.append(sorted(row))
    return Baskets.of(found)


def relative_error(original, release, size, floor):
    told = list(combinations(range(original.schema.n_items), size))
    before, after = original.support(told), release.support(told)
    common = before >= floor
    return float((np.abs(after - before)[common] / before[common]).mean())


def test_calibrated_baskets_meet_counts_that_others_miss():
    original = shop()
    model = learn_baskets(original, min_support=40, calibrate=2)
    release = model.sample(4_000, randomness=Randomness(1))
    plain = model.limited(0).sample(4_000, randomness=Randomness(1))
    assert relative_error(original, release, 1, 40) < 0.03
    assert relative_error(original, release, 2, 40) < 0.08
    assert relative_error(original, plain, 2, 40) > 0.12
    record = release.record
    assert record["calibrate"] == 2
    assert record["calibrated_smallest_count"] >= 40
    assert record["calibrated_cells"] == len(model.wanted.targets) > len(model.margins)
    assert record["calibration_pool"] == 5 * 4_000
    assert record["calibration_largest_error"] < 0.002
    assert record["calibration_sets_missed"] == record["calibration_unreachable"] == 0
    assert "at least as large" in str(release.claim)
    assert plain.record["calibrate"] == 0


def test_links_are_followed_where_items_come_in_chains():
    """Visits that go from page to page: no pattern tells which pages follow one another."""
    rng = np.random.default_rng(2)
    walks = np.cumsum(rng.integers(1, 4, size=(4_000, 6)), axis=1) + rng.integers(
        40, size=(4_000, 1)
    )
    original = Baskets.of([sorted({f"page {n % 40}" for n in walk}) for walk in walks.tolist()])
    model = learn_baskets(original, min_support=40, calibrate=2)
    assert model.fresh < 1
    release = model.sample(4_000, randomness=Randomness(1))
    assert relative_error(original, release, 2, 40) < 0.1
    apart = [s for s in combinations(range(40), 2) if original.support([s])[0] == 0]
    assert (
        release.support(apart).sum()
        < 0.5 * model.limited(0).sample(4_000, randomness=Randomness(1)).support(apart).sum()
    )


def test_order_0_is_the_release_of_before_bit_for_bit():
    original = shop()
    plain = learn_baskets(original, min_support=40).sample(3_000, randomness=Randomness(7))
    limited = learn_baskets(original, min_support=40, calibrate=2).limited(0)
    again = limited.sample(3_000, randomness=Randomness(7))
    assert again.data.transactions.items.tobytes() == plain.data.transactions.items.tobytes()
    assert again.data.transactions.offsets.tobytes() == plain.data.transactions.offsets.tobytes()


def test_orders_are_nested_and_the_same_seed_gives_the_same_baskets():
    original = shop()
    model = learn_baskets(original, min_support=40, calibrate=3)
    two = learn_baskets(original, min_support=40, calibrate=2, threads=2)
    narrowed = model.limited(2)
    assert list(narrowed.margins.sets) == list(two.margins.sets)
    assert (narrowed.margins.order, narrowed.fresh) == (two.margins.order, two.fresh) != (3, 1.0)
    one, other = (
        m.sample(1_000, randomness=Randomness(5)).data.transactions for m in (narrowed, two)
    )
    assert one.items.tobytes() == other.items.tobytes()
    assert model.limited(None) is model
    with pytest.raises(BadInput, match="the model holds counts of up to 2 items together"):
        two.limited(3)
    with pytest.raises(BadInput, match="the model holds no counts"):
        two.limited(0).limited(1)
    pools = [
        m.sample(100, randomness=Randomness(5)).record["calibration_pool"] for m in (model, two)
    ]
    assert pools == [1_500, 500], "triples take more baskets to choose from"
    single = model.limited(1)
    assert set(single.margins.held.tolist()) == {1}
    assert not len(single.links)
    release = single.sample(4_000, randomness=Randomness(1))
    assert relative_error(original, release, 1, 40) < 0.03


def test_pairs_below_the_floor_do_not_show_in_the_release():
    """Baskets of two rare pairs are changed into baskets of two other rare pairs."""
    rest = _names(shop(2_000))
    before = Baskets.of([*rest, *[["beer", "soap"], ["milk", "towel"]] * 3])
    after = Baskets.of([*rest, *[["beer", "towel"], ["milk", "soap"]] * 3])
    rare = [_items(before, pair) for pair in product(("beer", "milk"), ("soap", "towel"))]
    assert (after.support(rare) - before.support(rare)).tolist() == [-3, 3, 3, -3]
    floor = 1 + int(max(before.support(rare).max(), after.support(rare).max()))
    one, other = (
        learn_baskets(baskets, min_support=floor, calibrate=2, exact=True).sample(
            1_000, randomness=Randomness(1)
        )
        for baskets in (before, after)
    )
    assert one.data.transactions.items.tobytes() == other.data.transactions.items.tobytes()
    assert one.record == other.record


def _names(baskets):
    return [[baskets.schema.label(i) for i in row] for row in baskets.transactions]


def _items(baskets, names):
    return tuple(sorted(baskets.schema.item(name) for name in names))


def test_only_sets_above_the_floor_are_told():
    original = shop()
    margins = learn_baskets(original, min_support=200, calibrate=3, exact=True).margins
    every = [s for size in (1, 2, 3) for s in combinations(range(original.schema.n_items), size)]
    counts = original.support(every)
    assert list(margins.sets) == [s for s, n in zip(every, counts, strict=True) if n >= 200]
    assert margins.counts.tolist() == [int(n) for n in counts if n >= 200]
    assert margins.smallest >= 200


def test_of_too_many_sets_the_largest_counts_are_told(monkeypatch):
    rows = shop().transactions
    monkeypatch.setattr(basket_margins, "MOST_SETS", 40)
    fewer = count_sets(rows, min_support=40, order=2)
    assert 20 <= len(fewer) <= 40
    monkeypatch.undo()
    every = count_sets(rows, min_support=40, order=2)
    told = set(fewer.sets)
    left = [n for s, n in zip(every.sets, every.counts.tolist(), strict=True) if s not in told]
    assert max(left) <= fewer.smallest


def test_many_baskets_are_made_in_blocks_that_meet_the_counts_too(monkeypatch):
    original = shop()
    model = learn_baskets(original, min_support=40, calibrate=2)
    monkeypatch.setattr(calibrated, "pool_rows", lambda rows, _: 10 * min(rows, 1_500))
    release = model.sample(4_000, randomness=Randomness(1))
    assert len(release.data) == 4_000
    assert release.record["calibration_pool"] == 5 * 4_000
    assert relative_error(original, release, 2, 40) < 0.08


def test_a_set_that_is_never_drawn_gets_a_larger_pool_and_is_named():
    """A model by hand: its patterns and links never put the two items in one basket."""
    original = shop()
    model = learn_baskets(original, min_support=40)
    tea, soap = original.schema.item("tea"), original.schema.item("soap")
    short = Lengths(np.array([1]), np.array([4_000]))
    sets = Transactions.of(
        [(soap,), (tea,), (soap, tea)] if soap < tea else [(tea,), (soap,), (tea, soap)], 20
    )
    told = BasketMargins(sets, np.array([500, 500, 400]), rows=4_000, min_support=40, order=2)
    by_hand = BasketModel(model.code_table, short, 40, margins=told)
    release = by_hand.sample(1_000, randomness=Randomness(1))
    assert release.record["calibration_pool"] == 4 * 5 * 1_000
    assert release.record["calibration_unreachable"] >= 1
    assert "could not be matched to within chance" in release.notes[-1]
    assert "tea" in release.notes[-1]


def test_a_stopped_drawing_gives_fewer_baskets():
    model = learn_baskets(shop(1_000), min_support=40, calibrate=2)
    release = model.sample(10**6, randomness=Randomness(1), progress=lambda *_: False)
    assert len(release.data) < 10**6
    assert len(model.sample(0, randomness=Randomness(1)).data) == 0


def test_links_are_what_goes_beyond_chance():
    original = shop()
    links = learn_baskets(original, min_support=40, calibrate=2).links
    tea = original.schema.item("tea")
    tied = links.items[links.offsets[tea] : links.offsets[tea + 1]].tolist()
    strong = [original.schema.label(i) for i in sorted(
        tied, key=lambda i: -links.weights[links.offsets[tea] + tied.index(i)])[:2]]  # fmt: skip
    assert set(strong) == {"milk", "sugar"}
    assert len(Links.of(None, 5)) == 0


@pytest.mark.parametrize("order", [-1, 4, 1.5, True])
def test_an_order_that_is_none_is_refused(order):
    with pytest.raises(BadInput, match="calibrate is a whole number from 0 to 3"):
        learn_baskets(shop(100), min_support=5, calibrate=order)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"counts": np.array([5])}, "a count for each set"),
        ({"counts": np.array([5, 3])}, "fewer baskets than the minimum support"),
        ({"counts": np.array([5, 90])}, "more than there are"),
        ({"order": 1}, "a set of 1 to 1 items"),
        ({"sets": Transactions.of([(0, 1), (0,)], 2)}, "shortest first"),
        ({"sets": Transactions.of([(0,), (0,)], 2)}, "shortest first"),
    ],
)
def test_margins_that_make_no_sense_are_refused(change, sentence):
    sound = {
        "sets": Transactions.of([(0,), (0, 1)], 2),
        "counts": np.array([8, 5]),
        "rows": 10,
        "min_support": 5,
        "order": 2,
    }
    assert len(BasketMargins(**sound)) == 2
    with pytest.raises(BadInput, match=sentence):
        BasketMargins(**(sound | change))
    with pytest.raises(BadInput, match="share of fresh steps"):
        BasketModel(
            learn_baskets(shop(200), min_support=5).code_table,
            Lengths(np.array([1]), np.array([1])),
            5,
            fresh=0.0,
        )
