"""Domains: declared ones cost next to nothing, learnt ones show no single person."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Column
from halfmask.data.coding.scale import Scale
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.errors import BadInput
from halfmask.io.columns import typed
from halfmask.methods.private.accounting import BudgetLedger, gaussian_sigma
from halfmask.methods.private.domains import (
    BINS,
    MISSING,
    RANGES,
    TIMES,
    VALUES,
    Asker,
    DomainPrices,
    learn_domains,
    threshold,
)
from halfmask.methods.private.forms import forms_of
from halfmask.methods.private.grids import Grid, coarse_grid, merged, refined
from halfmask.methods.private.mechanisms import RandomBits, discrete_gaussian, usable_variance

NOTHING = TableSpec()


def learnt(columns, spec=NOTHING, *, unit=0.01, delta=1e-10, seed=1, rows=1):
    forms = forms_of(columns, spec, floor=10)
    asker = Asker(BudgetLedger(10.0), RandomBits(seed), unit, delta, rows)
    found = learn_domains(forms, {c.name: c for c in columns}, asker)
    return found, asker.ledger, forms


def codes_of(domain, column):
    """The code of each row."""
    return np.array([domain.code_of[label] for label in column.labels])[column.index]


def test_a_value_of_one_person_is_never_learnt():
    cells = ["f"] * 500 + ["m"] * 500 + ["Xanthippe"]
    for seed in range(20):
        found, _, _ = learnt([Column.of("sex", cells)], seed=seed)
        assert "Xanthippe" not in found["sex"].attribute.values
        assert {"f", "m"} <= set(found["sex"].attribute.values)


def test_the_threshold_is_reached_by_one_row_no_oftener_than_delta():
    variance = usable_variance(3.0)
    noise = discrete_gaussian(variance, 400_000, RandomBits(5))
    for delta in (0.1, 0.01, 1e-3):
        assert (1 + noise >= threshold(3.0, delta)).mean() <= delta


def test_a_person_with_several_rows_needs_a_higher_threshold():
    cells = ["a"] * 900 + ["b"] * 90
    found, ledger, _ = learnt([Column.of("x", cells)], delta=1e-3, unit=0.5)
    assert "b" in found["x"].attribute.values
    assert ledger.delta == pytest.approx(1e-3)
    found, ledger, _ = learnt([Column.of("x", cells)], delta=1e-3, unit=0.5, rows=100)
    assert "b" not in found["x"].attribute.values
    assert ledger.delta == pytest.approx(0.1)


def test_every_row_gets_a_code_whatever_it_holds(table, declared):
    for spec in (NOTHING, declared):
        found, _, _ = learnt(table, spec)
        for column in table:
            domain = found[column.name]
            codes = codes_of(domain, column)
            assert codes.min() >= 0
            assert codes.max() < domain.attribute.size


def test_values_that_were_not_declared_count_as_other_or_as_missing():
    cells = ["f"] * 300 + ["m"] * 300 + ["?"] * 300
    spec = TableSpec({"sex": ColumnSpec(values=("f", "m"))})
    found, _, _ = learnt([Column.of("sex", cells)], spec)
    assert found["sex"].attribute.values == ("f", "m", None)
    assert np.bincount(codes_of(found["sex"], Column.of("sex", cells))).tolist() == [300, 300, 300]
    spec = TableSpec({"sex": ColumnSpec(values=("f", "m", "other"))})
    found, _, _ = learnt([Column.of("sex", cells)], spec)
    assert np.bincount(codes_of(found["sex"], Column.of("sex", cells))).tolist() == [300, 300, 300]


def test_missing_cells_are_a_value_where_they_show():
    few, many = (["f"] * 600 + [None] * n for n in (1, 300))
    for spec in (NOTHING, TableSpec({"sex": ColumnSpec(values=("f", "m"))})):
        assert None not in learnt([Column.of("sex", few)], spec)[0]["sex"].attribute.values
        assert None in learnt([Column.of("sex", many)], spec)[0]["sex"].attribute.values


def test_the_range_of_numbers_is_found_and_one_person_does_not_stretch_it():
    ages = [str(a) for a in np.random.default_rng(1).integers(18, 90, 5000)]
    found, ledger, _ = learnt([Column.of("age", [*ages, "9000000"], "int64")])
    labels = found["age"].attribute.values
    assert labels[0].startswith("10 to")
    assert labels[-1].endswith("to 99")
    assert set(ledger.by_part()) == {RANGES, BINS}


def test_nothing_stands_alone_where_many_have_nothing():
    rng = np.random.default_rng(1)
    pay = [str(p) for p in np.where(rng.random(4000) < 0.6, 0, rng.integers(900, 5000, 4000))]
    found, _, _ = learnt([Column.of("pay", pay, "int64")])
    bins = found["pay"].attribute.bins
    assert bins.labels[0] == "0"
    drawn = bins.draw(np.array([1, 2, 3], np.int32), np.array([0.1, 0.5, 0.9]))
    assert drawn.min() >= 500


def test_declared_bins_are_taken_as_they_are_and_cost_only_a_look_at_missing_cells():
    spec = TableSpec({"age": ColumnSpec(kind="number", range=("0", "120"), bins=("18", "65"))})
    column = Column.of("age", [str(a) for a in range(10, 100)] * 20, "int64")
    found, ledger, _ = learnt([column], spec)
    assert found["age"].attribute.values == ("0 to 17", "18 to 64", "65 to 120")
    assert set(ledger.by_part()) == {MISSING}


def test_moments_have_days_and_times():
    rng = np.random.default_rng(2)
    start = np.datetime64("2020-01-01T08:00:00")
    moments = start + rng.integers(0, 700, 3000) * 86_400 + rng.integers(0, 36_000, 3000)
    column = Column.of("at", [str(m).replace("T", " ") for m in moments], "timestamp[us]")
    found, ledger, _ = learnt([column], unit=0.1)
    bins = found["at"].attribute.bins
    assert TIMES in ledger.by_part()
    texts = bins.scale.texts(bins.draw(np.zeros(200, np.int32), rng.random(200)))
    hours = [int(text[11:13]) for text in texts]
    assert np.mean([7 < hour < 19 for hour in hours]) > 0.9


def test_a_range_that_cannot_be_learnt_is_asked_for():
    column = Column.of("age", ["31", "42", "53"] * 4, "int64")
    with pytest.raises(BadInput, match=r"range = \[0, 120\]"):
        learnt([column], unit=1e-4)


def test_what_cannot_be_read_is_missing_and_no_error():
    spec = TableSpec({"age": ColumnSpec(kind="number", range=("0", "120"))})
    column = Column.of("age", ["31", "42", "x", "n/a", "1e400", None, " 7 "] * 200)
    found, _, [form] = learnt([column], spec)
    ticks, readable = form.ticks(column)
    assert dict(zip(column.labels, readable.tolist(), strict=True)) == {
        "31": True, "42": True, "x": False, "n/a": False, "1e400": True, None: False, " 7 ": True,
    }  # fmt: skip
    assert found["age"].attribute.values[-1] is None
    assert ticks[column.labels.index(" 7 ")] == 7


def test_forms_are_told_or_guessed(table, declared):
    told = forms_of(table, declared, floor=10)
    assert all(form.told for form in told)
    guessed = {form.name: form for form in forms_of(table, NOTHING, floor=10)}
    assert not any(form.told for form in guessed.values())
    assert guessed["seen"].day_scale.is_moment
    assert guessed["pay"].scale.decimals == 2
    prices = DomainPrices.of(told)
    assert prices.categories == 0
    assert prices.tables < DomainPrices.of(list(guessed.values())).tables


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (ColumnSpec(kind="number", range=("9", "1")), "ends before it begins"),
        (ColumnSpec(kind="number", range=("0", "x")), "not a number"),
        (ColumnSpec(kind="number", step="1", bins=("3",)), "need its range"),
        (ColumnSpec(kind="date", format="%Y-%m-%d", range=("1", "2")), "not one of its values"),
    ],
)
def test_a_wrong_declaration_is_refused(spec, words):
    with pytest.raises(BadInput, match=words):
        forms_of([Column.of("x", ["1", "2"] * 20)], TableSpec({"x": spec}), floor=5)


@given(st.lists(st.integers(-500, 3000), min_size=1, max_size=60), st.integers(1, 15))
def test_bins_put_together_cover_the_grid_without_a_gap(counts, bins):
    grid = Grid.of(list(range(0, 10 * len(counts), 10)), 10 * len(counts) - 1)
    found = merged(grid, np.array(counts), 20.0, bins)
    parts = [part for bin_ in found for part in bin_]
    assert [(part.low, part.high) for part in parts] == grid.cells
    assert all(sum(part.rows for part in bin_) > 0 for bin_ in found)


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6), st.data())
def test_a_finer_grid_divides_the_coarse_one(low, width, data):
    coarse = coarse_grid(Scale(), (low, low + width))
    weights = data.draw(
        st.lists(st.floats(0, 1e6), min_size=len(coarse.cells), max_size=len(coarse.cells))
    )
    fine = refined(coarse, np.array(weights))
    assert set(coarse.starts.tolist()) <= set(fine.starts.tolist())
    assert (fine.starts[0], fine.end) == (low, low + width)


def test_a_count_of_cells_is_one_for_each_row():
    grid = coarse_grid(Scale(), None)
    ticks = np.array([0, 1, -1, 7, 10**15 + 5, -(10**16)])
    assert grid.count(ticks, np.ones(6, np.int64)).sum() == 6
    assert (np.diff(grid.starts) > 0).all()


def test_the_noise_is_what_was_paid_for():
    truth = np.zeros(4000, np.int64)
    asker = Asker(BudgetLedger(1.0), RandomBits(3), 0.002)
    noisy, sigma = asker.counts(VALUES, truth, 0.5)
    assert sigma >= gaussian_sigma(0.001)
    assert noisy.std() == pytest.approx(sigma, rel=0.05)
    assert asker.ledger.spent <= 0.001


@pytest.mark.parametrize("odd", ["31", "x", "3.5", ""])
def test_one_odd_cell_changes_no_type_of_a_declared_column(odd):
    """A text file's types are read off all its cells, so they may not show in a release."""
    spec = TableSpec(
        {
            "age": ColumnSpec(kind="number", range=("0", "120")),
            "code": ColumnSpec(kind="category"),
            "sex": ColumnSpec(values=("1", "2")),
            "day": ColumnSpec(kind="date", format="%Y-%m-%d", range=("2020-01-01", "2021-12-31")),
        }
    )
    cells = {
        "age": [str(20 + i % 60) for i in range(3000)],
        "code": [str(i % 3) for i in range(3000)],
        "sex": [str(1 + i % 2) for i in range(3000)],
        "day": [f"2020-{1 + i % 12:02d}-01" for i in range(3000)],
    }
    plain = {name: Column.of(name, values) for name, values in cells.items()}
    odd_ones = {name: Column.of(name, [*values, odd]) for name, values in cells.items()}
    for columns in (plain, odd_ones):
        read = [typed(column) for column in columns.values()]
        found, _, _ = learnt(read, spec)
        types = {name: domain.attribute.storage for name, domain in found.items()}
        assert types == {"age": "int64", "code": "int64", "sex": "int64", "day": "date32[day]"}
        assert found["code"].attribute.values == ("0", "1", "2")
