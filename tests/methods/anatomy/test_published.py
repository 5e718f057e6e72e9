"""The article's settings on its own data: what of them exists at all."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

from halfmask.data import Baskets, Transactions
from halfmask.io.given import Given
from halfmask.measures.privacy.item_disclosure import fake_records
from halfmask.methods.anatomy.anatomise import anatomise
from halfmask.methods.anatomy.columns import Clusterer
from halfmask.methods.anatomy.eligibility import Ineligible
from halfmask.randomness import Randomness

PREFIX = 10_000


@pytest.fixture(scope="module")
def connect(data_folder):
    return Given(data_folder / "connect.dat.gz").read().content


@pytest.fixture(scope="module")
def t40(data_folder):
    return Given(data_folder / "t40i10d100k.dat.gz").read().content


def names_of(baskets, columns):
    found = Clusterer().columns(baskets, columns, randomness=Randomness(1)).of_item
    return [
        [baskets.schema.label(int(item)) for item in np.flatnonzero(found == column)]
        for column in range(columns)
    ]


@pytest.fixture(scope="module")
def t40_columns(t40):
    return names_of(t40, 20)


def first_rows(baskets):
    rows = baskets.transactions
    items = rows.items[: rows.offsets[PREFIX]]
    return Baskets(
        baskets.schema,
        Transactions(rows.offsets[: PREFIX + 1], items, rows.weights[:PREFIX], rows.n_items),
    )


def largest_level(baskets, columns, empty):
    with pytest.raises(Ineligible) as refusal:
        anatomise(baskets, l=1000, columns=columns, empty=empty, randomness=Randomness(1))
    return min(line.largest_l for line in refusal.value.table)


@pytest.mark.parametrize(("empty", "level"), [("count", 1.744), ("exempt", 9.200)])
def test_largest_l_of_t40_in_twenty_columns(t40, t40_columns, empty, level):
    # The article publishes l = 6, 8, 10 and 12.
    assert largest_level(t40, t40_columns, empty) == pytest.approx(level, abs=5e-4)


def test_fake_records_of_t40_grow_with_l(t40, t40_columns):
    found = []
    for level in (4, 6, 8):
        release = anatomise(
            t40, l=level, columns=t40_columns, empty="exempt", randomness=Randomness(1)
        )
        assert release.size == 100_000
        assert release.data.diversity(count_empty=False).min() >= level
        counted = fake_records(release.data)
        assert counted.fake > counted.least(level)
        found.append(math.log(counted.fake))
    assert found == sorted(found)


def test_t40_takes_less_than_two_seconds_of_processor_time(t40):
    start = time.process_time()
    anatomise(t40, l=6, columns=20, empty="exempt", randomness=Randomness(1))
    assert time.process_time() - start < 2


@pytest.mark.parametrize("empty", ["count", "exempt"])
def test_connect_in_ten_columns_allows_no_l_of_two(connect, empty):
    # The article publishes l = 5, 6, 8 and 10.
    level = largest_level(connect, names_of(connect, 10), empty)
    assert level == pytest.approx(1.2209, abs=5e-5)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("all", {2: 7, 3: 6, 5: 4, 6: 4, 8: 3, 10: 3}),
        ("first", {2: 7, 3: 4, 5: 3, 6: 3, 8: 2, 10: 2}),
    ],
)
def test_columns_that_connect_keeps_when_they_are_joined(connect, rows, expected):
    baskets = connect if rows == "all" else first_rows(connect)
    columns = [group for group in names_of(baskets, 10) if group]
    for level, left in expected.items():
        release = anatomise(
            baskets, l=level, columns=columns, on_ineligible="merge_columns",
            randomness=Randomness(1),
        )  # fmt: skip
        assert release.data.n_columns == left
        assert release.size == baskets.size
        assert release.data.diversity().min() >= level
