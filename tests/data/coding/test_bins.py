"""Bins: nothing in them tells of fewer rows than the floor, and what is drawn lies where it was."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Column, Encoding, Schema, Table
from halfmask.data.coding.bins import Bins, Part
from halfmask.data.coding.calendar import Layout, find_layout
from halfmask.data.coding.cutting import cut, tally_of
from halfmask.data.coding.entropy import entropy_cuts
from halfmask.data.coding.filling import SHORT_ROWS, fill
from halfmask.data.coding.kinds import plan_columns
from halfmask.data.coding.scale import Scale, find_scale
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.data.schema import Attribute
from halfmask.errors import BadInput
from halfmask.randomness import Randomness

TICKS = st.lists(
    st.integers(-50, 50) | st.integers(-(10**9), 10**9) | st.sampled_from([0, 7, 40]),
    min_size=1,
    max_size=300,
)


def parts_of(ticks, floor, **said):
    tally = tally_of(np.array(ticks, np.int64), np.ones(len(ticks), np.int64))
    return tally, cut(tally, Scale(), floor=floor, **said)


@given(TICKS, st.integers(1, 12), st.none() | st.integers(1, 12))
def test_every_part_is_held_by_enough_rows_and_no_row_is_lost(ticks, floor, bins):
    if len(ticks) < floor:
        with pytest.raises(BadInput, match="Fewer than"):
            parts_of(ticks, floor, bins=bins)
        return
    tally, found = parts_of(ticks, floor, bins=bins)
    rows = [part.rows for bin_ in found for part in bin_]
    assert min(n for n in rows if n) >= floor
    assert sum(rows) == len(ticks)
    counted = np.bincount(Bins(Scale(), found).find(tally.ticks), tally.rows, len(found))
    assert counted.tolist() == [sum(part.rows for part in bin_) for bin_ in found]


@given(TICKS, st.integers(1, 12), st.integers(0, 2**32))
def test_what_is_drawn_from_a_bin_is_found_in_it_again(ticks, floor, seed):
    if len(ticks) < floor:
        return
    _, found = parts_of(ticks, floor)
    bins = Bins(Scale(), found)
    rng = np.random.default_rng(seed)
    asked = rng.integers(len(found), size=200).astype(np.int32)
    drawn = bins.draw(asked, rng.random(200))
    assert bins.find(drawn).tolist() == asked.tolist()


@given(TICKS, st.integers(2, 12))
def test_the_ends_are_reached_by_enough_rows(ticks, floor):
    if len(ticks) < 2 * floor:
        return
    _, found = parts_of(ticks, floor)
    bins = Bins(Scale(), found)
    everywhere = np.repeat(np.arange(len(found), dtype=np.int32), 1001)
    drawn = bins.draw(everywhere, np.tile(np.linspace(0, 1, 1001), len(found)))
    first, last = found[0][0], found[-1][-1]
    low = first.high if first.tail else drawn.min()  # a tail begins where enough rows reach
    high = last.low if last.tail else drawn.max()
    assert sum(tick <= low for tick in ticks) >= floor
    assert sum(tick >= high for tick in ticks) >= floor


def test_spikes_stand_alone_and_the_rest_is_cut_at_round_numbers():
    rng = np.random.default_rng(1)
    ticks = [0] * 900 + rng.integers(113, 98_000, 1000).tolist() + [99_999] * 300
    _, found = parts_of(ticks, 10)
    bins = Bins(Scale(), found)
    assert bins.labels[0] == "0"
    assert bins.labels[-1] == "99999"
    inner = [bin_[0].low for bin_ in found[2:-1]]
    assert all(edge % 1000 == 0 for edge in inner)


def test_heaped_values_are_drawn_heaped():
    rng = np.random.default_rng(1)
    ticks = (rng.integers(10, 10_000, 3000) * 100).tolist()
    _, found = parts_of(ticks, 10)
    bins = Bins(Scale(), found)
    drawn = bins.draw(rng.integers(len(found), size=500).astype(np.int32), rng.random(500))
    assert (drawn % 100 == 0).all()


def test_the_shape_survives():
    rng = np.random.default_rng(2)
    ticks = np.rint(rng.lognormal(6, 1, 20_000)).astype(np.int64)
    tally = tally_of(ticks, np.ones(len(ticks), np.int64))
    bins = Bins(Scale(), cut(tally, Scale(), floor=10))
    drawn = bins.draw(bins.find(ticks), rng.random(len(ticks)))
    for share in (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99):
        assert np.quantile(drawn, share) == pytest.approx(np.quantile(ticks, share), rel=0.04)
    assert abs(drawn.mean() / ticks.mean() - 1) < 0.02
    # Rare values are not carried over: few of the drawn ones far out are values of the original.
    far = drawn[drawn > 5_000]
    assert np.isin(far, ticks).mean() < 0.2


def test_entropy_cuts_where_the_target_changes():
    rng = np.random.default_rng(3)
    ages = rng.integers(0, 100, 4000)
    ill = (ages >= 65) ^ (rng.random(4000) < 0.05)
    classes = np.stack([1 - ill.astype(np.int64), ill.astype(np.int64)], axis=1)
    tally = tally_of(ages, np.ones(4000, np.int64), classes)
    found = cut(tally, Scale(), floor=10, bins=10, by="entropy")
    assert 65 in [bin_[0].low for bin_ in found]
    assert len(found) <= 4
    assert entropy_cuts(rng.integers(0, 9, (50, 2)), most=5, floor=1) == []


def test_borders_and_widths_as_asked():
    ticks = np.random.default_rng(4).integers(0, 100, 1000).tolist()
    _, found = parts_of(ticks, 10, bins=(18, 65))
    assert [bin_[0].low for bin_ in found][1:] == [18, 65]
    _, found = parts_of(ticks, 10, bins=4, by="width")
    assert [bin_[0].low for bin_ in found][1:] == pytest.approx([25, 50, 75], abs=2)
    with pytest.raises(BadInput, match="quantile, width, entropy"):
        parts_of(ticks, 10, by="size")


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (["17", "90"], ["17", "90"]),
        (["1.50", "22.25"], ["1.50", "22.25"]),
        (["1.5", "22.25", "3"], ["1.5", "22.25", "3"]),
        (["-0.05", "0.10"], ["-0.05", "0.10"]),
        (["1999-12-31", "2020-02-29"], ["1999-12-31", "2020-02-29"]),
        (["31.12.1999", "01.02.2000"], ["31.12.1999", "01.02.2000"]),
        (["12/31/1999", "02/01/2000"], ["12/31/1999", "02/01/2000"]),
        (["31/1/1999", "1/2/2000"], ["31/1/1999", "1/2/2000"]),
        (["19991231", "20000201"], ["19991231", "20000201"]),
        (["2020-01-01 10:30", "2020-01-02 23:59"], ["2020-01-01 10:30", "2020-01-02 23:59"]),
        (["2020-01-01T10:30:05Z"], ["2020-01-01T10:30:05Z"]),
        (["10:30:05", "23:59:59"], ["10:30:05", "23:59:59"]),
        (["0001-01-01", "9999-12-31"], ["0001-01-01", "9999-12-31"]),
    ],
)
def test_values_are_written_as_they_were(texts, shown):
    scale = find_scale(Column.of("x", texts), floor=1)
    assert scale is not None
    assert scale.texts(scale.ticks(texts)) == shown


@given(st.lists(st.integers(-(2**52), 2**52), min_size=1), st.integers(0, 6), st.booleans())
def test_writing_and_reading_a_number_gives_it_back(ticks, decimals, fixed):
    scale = Scale(decimals, fixed=fixed and decimals > 0)
    ticks = [tick for tick in ticks if abs(tick) < 2**50] or [0]
    assert scale.ticks(scale.texts(np.array(ticks))).tolist() == ticks


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        (["14 Aug 2021", "3 Sep 2020"], [18_853, 18_508]),
        (["14-AUG-21", "01-JAN-99"], [18_853, 10_592]),
        (["14AUG2021", "03SEP2020"], [18_853, 18_508]),
        (["August 14, 2021", "May 3, 2020"], [18_853, 18_385]),
        (["may 3, 2020"], [18_385]),
        (["25/12/98", "01/01/70"], [10_585, 0]),
        (["12/25/98", "1/1/70"], [10_585, 0]),
        (["31.1.99", "1.12.68"], [10_622, 36_129]),
    ],
)
def test_dates_are_read_and_written_as_people_write_them(texts, days):
    layout = find_layout(texts)
    assert layout is not None
    assert layout.parse(texts, "D").tolist() == days
    assert layout.write(np.array(days), "D") == texts


@pytest.mark.parametrize(
    ("texts", "minutes"),
    [
        (["1/2/1970 8:26", "1/14/1970 17:05"], [1_946, 19_745]),
        (["1/14/1970 12:05 AM", "1/2/1970 12:05 PM"], [18_725, 2_165]),
        (["02 Jan 1970 08:26am", "14 Jan 1970 05:05pm"], [1_946, 19_745]),
        (["1970-01-02 08:26+02:00", "1970-01-14 17:05+02:00"], [1_946, 19_745]),
        (["8:26", "17:05"], [506, 1_025]),
        (["12:26 am", "12:05 pm"], [26, 725]),
        (["8:26", "30:02", "99:59"], [506, 1_802, 5_999]),
    ],
)
def test_times_are_read_and_written_as_people_write_them(texts, minutes):
    layout = find_layout(texts)
    assert layout is not None
    assert layout.parse(texts, "m").tolist() == minutes
    assert layout.write(np.array(minutes), "m") == texts


@pytest.mark.parametrize(
    "texts",
    [
        ["25/12/20", "26/12/21"],  # the 25th, or 2025
        ["29 Feb 2021"],
        ["14 Aug 2021", "August 14, 2021"],
        ["13:05 PM"],
        ["0:05 AM"],
        ["8:26 am", "8:26am"],
        ["30:02 pm"],
        ["1970-01-01 24:00"],
        ["30:62"],
        ["2020-01-01 10:00+01:00", "2020-07-01 10:00+02:00"],
    ],
)
def test_what_could_be_several_days_or_none_has_no_layout(texts):
    assert find_layout(texts) is None


def test_a_layout_of_no_writing_is_refused():
    with pytest.raises(BadInput, match="no way to write"):
        Layout("x-y")
    with pytest.raises(BadInput, match="no way to write"):
        Layout(half=" noon")


def test_bounds_among_numbers_say_that_there_is_no_value():
    cells = [str(n) for n in range(5, 205)] * 2 + ["<5"] * 60 + ["90+"] * 3
    column = Column.of("cases", cells)
    plan = plan_columns([column], TableSpec(), floor=10)["cases"]
    assert (plan.kind, plan.fate, set(plan.codes)) == ("number", "bins", {"<5", "90+"})
    encoding = Encoding.fit([column], min_support=10, plans={"cases": plan})
    filled = fill(encoding.encode([column]), Randomness(1))
    drawn = [filled.schema["cases"].values[code] for code in filled.codes[:, 0] if code >= 0]
    assert drawn.count("<5") == 60
    assert "90+" not in drawn


def test_a_day_that_does_not_exist_or_could_be_two_is_no_date():
    assert find_layout(["2021-02-30"]) is None
    assert find_layout(["01/02/2020", "03/04/2021"]) is None
    assert find_layout(["2020-13-01"]) is None
    assert find_scale(Column.of("x", ["0000-00-00", "2020-01-01"]), floor=1) is None


def test_one_long_decimal_does_not_show_through():
    cells = [f"{i / 10:.1f}" for i in range(100)] * 3 + ["3.14159265"]
    scale = find_scale(Column.of("x", cells, "double"), floor=10)
    assert scale.decimals == 1


def test_nonsense_is_refused():
    with pytest.raises(BadInput, match="ends before it begins"):
        Part(3, 2, 10)
    with pytest.raises(BadInput, match="no value that could be drawn"):
        Part(3, 4, 10, step=10)
    with pytest.raises(BadInput, match="overlap"):
        Bins(Scale(), ((Part(0, 5, 1),), (Part(5, 9, 1),)))
    with pytest.raises(BadInput, match="no parts"):
        Bins(Scale(), ())
    with pytest.raises(BadInput, match="not those of its bins"):
        Attribute("x", ("a",), "int64", Bins(Scale(), ((Part(0, 5, 1),),)))


def test_filling_piece_by_piece_gives_the_same_rows():
    bins = Bins(Scale(), ((Part(0, 10**6, 5),), (Part(10**6 + 1, 10**7, 5),)))
    schema = Schema((Attribute("x", (*bins.labels, None), "int64", bins),))
    codes = np.random.default_rng(1).integers(-1, 3, (101, 1))

    def cells(table):
        values = table.schema["x"].values
        return [None if code < 0 else values[code] for code in table.codes[:, 0]]

    def some(first, last, seed=5):  # of a release too long to be looked at as a whole
        rows, chance = Table(schema, codes[first:last]), Randomness(seed)
        return cells(fill(rows, chance, first_row=first, rows=SHORT_ROWS + 1))

    pieces = [some(start, start + 30) for start in range(0, 101, 30)]
    assert [cell for piece in pieces for cell in piece] == some(0, 101)
    assert some(0, 101) != some(0, 101, seed=6)


def test_declared_codes_are_kept_apart_and_never_drawn_as_numbers():
    rng = np.random.default_rng(7)
    cells = [str(n) for n in rng.integers(-100, 100, 2000) if n != -8] + ["-8"] * 150 + ["999"] * 3
    column = Column.of("x", cells, "int64")
    spec = TableSpec({"x": ColumnSpec(missing=("-8", "999"))})
    encoding = Encoding.fit([column], min_support=10, plans=plan_columns([column], spec, floor=10))
    table = encoding.encode([column])
    values = encoding.schema["x"].values
    assert values[-1] == "-8"
    assert table.marginal(["x"])[-1] == 150
    filled = fill(table, Randomness(1))
    drawn = [filled.schema["x"].values[code] for code in filled.codes[:, 0] if code >= 0]
    assert drawn.count("-8") == 150
    assert "999" not in drawn


def test_layouts_say_what_they_are():
    assert find_layout(["2020-01-31 10:00"]) == Layout("Y-m-d", " ")
    assert find_layout(["x"]) is None


def test_times_of_day_keep_their_shape_whatever_the_day():
    rng = np.random.default_rng(8)
    days = rng.integers(18_000, 18_400, 3000)
    times = np.where(rng.random(3000) < 0.5, 9 * 3600, rng.integers(8 * 4, 17 * 4, 3000) * 900)
    scale = Scale(layout=Layout("Y-m-d", " "), unit="s")
    texts = scale.texts(days * 86_400 + times)
    column = Column.of("seen", texts)
    plans = plan_columns([column], TableSpec(), floor=10)
    encoding = Encoding.fit([column], min_support=10, plans=plans)
    table = encoding.encode([column])
    filled = fill(table, Randomness(1))
    drawn = [filled.schema["seen"].values[code] for code in filled.codes[:, 0]]
    hours = np.array([int(text[11:13]) for text in drawn])
    assert hours.min() >= 8
    assert hours.max() <= 17
    assert np.mean([text.endswith("09:00:00") for text in drawn]) == pytest.approx(0.5, abs=0.05)
    assert all(text[14:] in ("00:00", "15:00", "30:00", "45:00") for text in drawn)
    again = encoding.encode([Column.of("seen", drawn)])
    assert np.array_equal(again.codes, table.codes)


def test_a_shared_end_with_enough_rows_beyond_it_is_no_heap():
    """Years of school: 26 people have 8, 21 fewer; and a share of 100 that 20 rows exceed."""
    rows = np.array([1, 4, 4, 4, 8, 26, 60, 200])
    found = cut(tally_of(np.arange(3, 11), rows), Scale(), floor=10)
    assert found[0][0].tail < 0
    assert 3 <= found[0][0].low < found[0][0].high == 8
    values = np.concatenate([np.arange(1, 96), np.arange(100, 122)])
    found = cut(tally_of(values, np.ones(len(values), np.int64)), Scale(), floor=10)
    assert found[-1][-1].tail > 0
    assert found[-1][-1].high > 100
    values = np.concatenate([np.repeat(np.arange(1, 100), 5), np.arange(101, 110)])
    found = cut(tally_of(values, np.ones(len(values), np.int64)), Scale(), floor=10)
    assert found[-1][-1].high <= 100  # nine rows beyond it do not decide
