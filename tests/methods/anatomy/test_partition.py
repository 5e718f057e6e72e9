"""The record partition: the article's example, eligibility, leftovers and their bounds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from methods.anatomy.table_one import BASKETS, ROWS, THREE_COLUMNS, TWO_COLUMNS

from halfmask import _native
from halfmask.data import Baskets
from halfmask.errors import BadInput
from halfmask.methods.anatomy.anatomise import anatomise
from halfmask.methods.anatomy.columns import ItemColumns
from halfmask.methods.anatomy.eligibility import Ineligible
from halfmask.methods.anatomy.partition import (
    Bounds,
    Cells,
    Partition,
    diversity_level,
    partition_rows,
    settle,
)
from halfmask.randomness import Randomness
from reference import anatomy as reference


def cells_of(columns, baskets=BASKETS, empty="count"):
    return Cells.of(baskets.transactions, ItemColumns.given(columns, baskets.schema), empty)


def scan(cells, level, order, min_bucket=1):
    bounds = Bounds.equal(cells, diversity_level(level))
    bucket_of = _native.close_buckets(
        cells.of_row.ravel(), cells.columns.n, bounds.rises, bounds.falls, order, min_bucket
    )
    return Partition(bucket_of)


def numbered(buckets):
    """Rows as the article counts them, from 1."""
    return [[row + 1 for row in bucket] for bucket in buckets]


@pytest.mark.parametrize(
    ("columns", "level", "buckets"),
    [
        (TWO_COLUMNS, 2, [[1, 2], [3, 4, 5, 6, 7, 8], [9, 10]]),
        (TWO_COLUMNS, 3, [[1, 2, 3]]),
        (THREE_COLUMNS, 2, [[1, 2], [3, 4, 5, 6, 7, 8, 9, 10]]),
        (THREE_COLUMNS, 3, []),
    ],
)
def test_one_scan_in_file_order(columns, level, buckets):
    assert numbered(scan(cells_of(columns), level, np.arange(10)).buckets) == buckets


def test_leftovers_of_ineligible_rows_one_pass_and_all_passes():
    rows = [frozenset(row) for row in ROWS]
    values = reference.column_values(rows, [frozenset(column) for column in TWO_COLUMNS])
    closed, opened = reference.close_buckets(values, Fraction(3), range(10))
    placed, left = reference.place_leftovers(values, closed, opened, Fraction(3), passes=1)
    assert numbered([*placed, left]) == [[1, 2, 3, 7, 10], [4, 5, 6, 8, 9]]
    # 7 and 10 have made room for 4, and 4 for 5.
    cells = cells_of(TWO_COLUMNS)
    scanned = scan(cells, 3, np.arange(10)).bucket_of
    bounds = Bounds.equal(cells, Fraction(3))
    found = settle(cells, bounds, scanned, np.arange(3, 10), randomness=None, absorb=False)
    assert numbered(found.buckets) == [[1, 2, 3, 4, 5, 7, 10]]


def test_a_second_pass_places_what_the_first_could_not():
    cells = cells_of(TWO_COLUMNS)
    order = np.array([10, 5, 9, 7, 1, 2, 8, 3, 4, 6]) - 1
    scanned = scan(cells, 2, order)
    assert [sorted(b) for b in numbered(scanned.buckets)] == [[5, 7, 9, 10], [1, 2]]
    leftovers = order[scanned.bucket_of[order] < 0]
    bounds = Bounds.equal(cells, Fraction(2))
    found = settle(cells, bounds, scanned.bucket_of, leftovers, randomness=None, absorb=False)
    assert found.passes == 2
    assert found.placed == 4
    assert sorted(map(len, found.buckets)) == [2, 8]


def test_exact_values_are_numbered_whatever_the_order_of_rows():
    cells = cells_of(TWO_COLUMNS)
    backwards = Baskets.of(ROWS[::-1], names="abcdefgh")
    turned = cells_of(TWO_COLUMNS, backwards)
    assert np.array_equal(cells.of_row, turned.of_row[::-1])
    names = ["".join("abcdefgh"[i] for i in cells.values[v]) for v in range(len(cells.values))]
    assert names[: int(cells.values.starts[1])] == sorted(names[: int(cells.values.starts[1])])


def test_eligibility_of_the_example():
    assert cells_of(TWO_COLUMNS).largest_counts.tolist() == [4, 3]
    assert cells_of(THREE_COLUMNS).largest_counts.tolist() == [4, 4, 4]


def test_the_refusal_says_what_is_feasible():
    with pytest.raises(Ineligible, match=r"l at most 2\.5\); ask for l of at most 2\.5") as refusal:
        anatomise(BASKETS, l=3, columns=TWO_COLUMNS, randomness=Randomness(1))
    table = refusal.value.table
    assert [(line.count, line.largest_l) for line in table] == [(4, 2.5), (3, 10 / 3)]
    anatomise(BASKETS, l=2.5, columns=TWO_COLUMNS, randomness=Randomness(1))


@pytest.mark.parametrize("level", [0.5, 0, -1, 10**7])
def test_impossible_levels_are_refused(level):
    with pytest.raises(BadInput, match="l is a number from 1"):
        anatomise(BASKETS, l=level, columns=TWO_COLUMNS, randomness=Randomness(1))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"empty": "skip"}, "'count' or 'exempt'"),
        ({"on_ineligible": "shrug"}, "one of 'error', 'suppress'"),
        ({"min_bucket": 0}, "at least 1 row"),
        ({"columns": 0}, "at least 1, not 0"),
        ({"relative_slack": -1}, "from 0 to 1000"),
    ],
)
def test_bad_options_are_refused(option, message):
    with pytest.raises(BadInput, match=message):
        anatomise(BASKETS, **{"l": 2, "randomness": Randomness(1), **option})


@st.composite
def partitions(draw):
    rows = draw(st.lists(st.sets(st.sampled_from("abcdef")), min_size=1, max_size=16))
    cut = draw(st.integers(1, 5))
    level = draw(st.sampled_from([1, 1.5, 2, 2.5, 3]))
    empty = draw(st.sampled_from(["count", "exempt"]))
    order = draw(st.permutations(range(len(rows))))
    return rows, ("abcdef"[:cut], "abcdef"[cut:]), level, empty, order


@given(partitions(), st.integers(1, 4))
def test_scan_and_passes_equal_the_reference(case, min_bucket):
    rows, columns, level, empty, order = case
    cells = cells_of(columns, Baskets.of(rows, names="abcdef"), empty)
    exact = diversity_level(level)
    values = reference.column_values([frozenset(r) for r in rows], [frozenset(c) for c in columns])
    exempt = empty == "exempt"
    closed, opened = reference.close_buckets(
        values, exact, order, min_bucket=min_bucket, exempt=exempt
    )
    scanned = scan(cells, level, np.array(order), min_bucket)
    assert scanned.buckets == [sorted(bucket) for bucket in closed]
    bounds = Bounds.equal(cells, exact)
    found = settle(
        cells, bounds, scanned.bucket_of, np.array(opened, np.int64), randomness=None, absorb=False
    )
    placed, left = reference.place_leftovers(values, closed, opened, exact, exempt=exempt)
    assert found.buckets == [sorted(bucket) for bucket in placed]
    assert sorted(np.flatnonzero(found.bucket_of < 0).tolist()) == sorted(left)


@given(partitions(), st.integers(0, 5))
def test_eligible_rows_are_never_lost_and_every_bucket_keeps_its_bound(case, seed):
    rows, columns, level, empty, _ = case
    baskets = Baskets.of(rows, names="abcdef")
    cells = cells_of(columns, baskets, empty)
    exact = diversity_level(level)
    if not cells.is_eligible(exact).all():
        with pytest.raises(Ineligible, match="diversity is impossible"):
            anatomise(baskets, l=level, columns=columns, empty=empty, randomness=Randomness(seed))
        return
    release = anatomise(baskets, l=level, columns=columns, empty=empty, randomness=Randomness(seed))
    assert release.size == len(rows)
    largest = release.data.largest_counts(count_empty=empty == "count")
    assert (largest * exact <= release.data.bucket_sizes[:, None]).all()


@given(partitions(), st.integers(0, 5))
def test_the_union_of_diverse_buckets_is_diverse(case, seed):
    rows, columns, level, empty, _ = case
    cells = cells_of(columns, Baskets.of(rows, names="abcdef"), empty)
    exact = diversity_level(level)
    if not cells.is_eligible(exact).all():
        return
    bounds = Bounds.equal(cells, exact)
    found = partition_rows(cells, bounds, min_bucket=1, randomness=Randomness(seed))
    union = cells.keeping(np.sort(np.concatenate(found.buckets[:2])).astype(np.int64))
    assert union.is_eligible(exact).all()


def test_absorption_merges_when_nothing_else_helps():
    # Two closed buckets of one a and one b each, both full of a; the last row needs both slacks.
    baskets = Baskets.of(["ax", "by", "az", "bw", "cx", "ay"], names="abcxyzw")
    cells = cells_of(("abc", "xyzw"), baskets)
    bounds = Bounds.equal(cells, Fraction(2))
    bucket_of = np.array([0, 0, 1, 1, 0, -1], np.int32)
    found = settle(cells, bounds, bucket_of, np.array([5]), randomness=None)
    assert (found.bucket_of >= 0).all()
    sizes = np.bincount(found.bucket_of)
    for bucket, size in zip(found.buckets, sizes, strict=True):
        assert cells.keeping(np.array(bucket)).largest_counts.max() * 2 <= size


def test_a_single_bucket_takes_all_when_no_bucket_ever_closed():
    # Four a first: the scan never closes before the end, and no single row fits an empty bucket.
    baskets = Baskets.of(["a", "a", "b", "c"])
    cells = cells_of(("abc",), baskets)
    bounds = Bounds.equal(cells, Fraction(2))
    bucket_of = np.full(4, -1, np.int32)
    found = settle(cells, bounds, bucket_of, np.arange(4), randomness=None)
    assert found.bucket_of.tolist() == [0, 0, 0, 0]
    assert found.absorbed == 4


def test_exempt_empty_values_need_no_company():
    baskets = Baskets.of(["a", "b", "", "", "", ""], names="ab")
    with pytest.raises(Ineligible, match="impossible"):
        anatomise(baskets, l=2, columns=["ab"], randomness=Randomness(1))
    release = anatomise(baskets, l=2, columns=["ab"], empty="exempt", randomness=Randomness(1))
    assert release.data.bucket_sizes.min() >= 2
    assert any("Holding nothing" in note for note in release.notes)
    assert release.record["largest_empty_share"] > 0.5


FREQUENT = Baskets.of(["ax"] * 6 + ["bx", "by", "cz", "dx"], names="abcdxyz")
COLUMNS = ("abcd", "xyz")


def test_suppression_removes_no_more_than_it_must():
    release = anatomise(
        FREQUENT, l=2, columns=COLUMNS, on_ineligible="suppress", randomness=Randomness(1)
    )
    # x stands in 8 of 10 rows: r = (8·2 − 10)/(2 − 1) = 6 rows with it must go.
    assert release.record["rows_suppressed"] == 6
    assert release.size == 4
    assert release.data.diversity().min() >= 2
    assert len(release.house.suppressed) == 6
    assert (release.house.bucket_of[release.house.suppressed] == -1).all()
    assert "6 of 10 rows were left out." in release.notes


def test_suppressing_everything_is_refused():
    with pytest.raises(Ineligible, match="impossible"):
        anatomise(
            Baskets.of(["a", "a"]), l=2, columns=["a"], on_ineligible="suppress",
            randomness=Randomness(1),
        )  # fmt: skip


def test_joining_columns_makes_values_rarer():
    rows = [a + x for a in "ab" for x in "xyz"] * 2
    baskets = Baskets.of(rows)
    release = anatomise(
        baskets, l=4, columns=["ab", "xyz"], on_ineligible="merge_columns",
        randomness=Randomness(1),
    )  # fmt: skip
    assert release.data.n_columns == 1
    assert release.data.diversity().min() >= 4
    assert "2 columns were asked for; the release has 1." in release.notes


def test_joining_columns_that_cannot_help_is_refused():
    with pytest.raises(Ineligible, match="impossible for 1 of 1 columns"):
        anatomise(
            Baskets.of(["a", "a", "a", "b"]), l=2, columns=["a", "b"],
            on_ineligible="merge_columns", randomness=Randomness(1),
        )  # fmt: skip


def test_relative_bounds_hold_value_by_value():
    release = anatomise(
        FREQUENT, l=2, columns=COLUMNS, on_ineligible="relative", relative_slack=0.1,
        randomness=Randomness(1),
    )  # fmt: skip
    tables = release.data
    whole = {"a": 6, "b": 2, "c": 1, "d": 1, "x": 8, "y": 1, "z": 1}
    for j in range(2):
        for line in tables.lines(j):
            share = line.count / tables.bucket_sizes[line.bucket]
            assert share <= max(0.5, 1.1 * whole[line.items[0]] / 10) + 1e-12
    assert "little above the value's share" in str(release.claim)


def test_each_column_keeps_the_l_it_can_reach():
    release = anatomise(
        FREQUENT, l=2, columns=COLUMNS, on_ineligible="effective_l", randomness=Randomness(1)
    )
    reached = release.data.diversity()
    assert reached[0] >= 10 / 6 - 1e-12
    assert reached[1] >= 10 / 8 - 1e-12
    assert release.claim.terms["l_of_columns"] == tuple(np.round(reached, 6))


def test_min_bucket_is_kept_by_the_scan():
    release = anatomise(
        BASKETS, l=2, columns=TWO_COLUMNS, min_bucket=4, shuffle=False, randomness=Randomness(1)
    )
    assert release.data.bucket_sizes.min() >= 4
