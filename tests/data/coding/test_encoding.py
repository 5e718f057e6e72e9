"""Values ↔ codes: nothing rare gets a code, nothing is lost from the count, one space for two."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Column, Encoding
from halfmask.data.coding.kinds import plan_columns
from halfmask.data.coding.notices import notices
from halfmask.data.coding.spec import TableSpec
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput

CELLS = st.none() | st.sampled_from(["a", "b", "c", "other", "1", "2", "10"])
NUMBERS = st.none() | st.sampled_from(["-1", "0", "2.5", "1e3"])


@st.composite
def columns(draw, name="x"):
    text = draw(st.booleans())
    cells = draw(st.lists(CELLS if text else NUMBERS, min_size=1, max_size=40))
    return Column.of(name, cells, "string" if text else "double")


def fitted(column, min_support, policy):
    try:
        return Encoding.fit([column], min_support=min_support, rare=policy)
    except BadInput:
        counts = dict(zip(column.labels, column.counts, strict=True))
        common = [v for v, n in counts.items() if v is not None and n >= min_support]
        assert not common
        return None


@given(columns())
def test_decoding_undoes_encoding_when_nothing_is_rare(column):
    encoding = fitted(column, 1, "keep")
    if encoding is not None:
        assert encoding.decode(encoding.encode([column]))[0].cells == column.cells


@given(columns(), st.integers(1, 12), st.sampled_from(["group", "suppress"]))
def test_no_code_is_held_by_fewer_rows_than_the_minimum(column, min_support, policy):
    encoding = fitted(column, min_support, policy)
    if encoding is None:
        return
    counts = encoding.encode([column]).marginal(["x"])
    assert (counts >= min_support).all()


@given(columns(), st.integers(1, 12), st.sampled_from(["group", "suppress"]))
def test_rare_values_are_nowhere_and_the_account_adds_up(column, min_support, policy):
    encoding = fitted(column, min_support, policy)
    if encoding is None:
        return
    held = dict(zip(column.labels, column.counts.tolist(), strict=True))
    rare = {v for v, n in held.items() if v is not None and n < min_support}
    values = set(encoding.schema["x"].values)
    assert not rare & values
    codes = encoding.encode([column]).codes[:, 0]
    left_out = int((codes == ABSENT).sum())
    [account] = encoding.rare or [None]
    if account is None:
        assert not rare
        assert left_out == 0
        return
    rare_rows = sum(held[v] for v in rare)
    missing_left_out = held.get(None, 0) if None not in values else 0
    assert account.values == len(rare)
    assert account.left_out == left_out
    assert account.grouped_rows + account.left_out == rare_rows + missing_left_out


@given(columns(), st.integers(1, 12))
def test_common_values_keep_their_rows(column, min_support):
    encoding = fitted(column, min_support, "group")
    if encoding is None:
        return
    cells = encoding.decode(encoding.encode([column]))[0].cells
    held = dict(zip(column.labels, column.counts.tolist(), strict=True))
    for before, after in zip(column.cells, cells, strict=True):
        if before is not None and held[before] >= min_support:
            assert after == before


def test_the_group_takes_a_label_that_no_row_holds():
    column = Column.of("x", ["other"] * 5 + ["a", "b"] * 3)
    encoding = Encoding.fit([column], min_support=5)
    assert encoding.schema["x"].values == ("other", "other (grouped)")
    assert encoding.encode([column]).marginal(["x"]).tolist() == [5, 6]


def test_a_column_that_holds_every_group_label_is_refused():
    labels = ["other", "other (grouped)", "other (grouped values)"]
    column = Column.of("x", labels * 9 + ["a", "b"] * 3)
    with pytest.raises(BadInput, match="every label that rare values could share"):
        Encoding.fit([column], min_support=5)


def test_rare_numbers_become_missing_because_other_is_no_number():
    column = Column.of("x", ["1"] * 5 + ["2", "3"] * 3, "int64")
    encoding = Encoding.fit([column], min_support=5)
    assert encoding.schema["x"].values == ("1", None)
    assert encoding.rare[0].grouped_rows == 6


def test_a_group_that_would_be_rare_itself_is_left_out():
    column = Column.of("x", ["a"] * 5 + ["b", "c"])
    encoding = Encoding.fit([column], min_support=5)
    assert encoding.schema["x"].values == ("a",)
    assert encoding.encode([column]).codes[:, 0].tolist() == [0] * 5 + [ABSENT] * 2
    assert encoding.rare[0].left_out == 2


def test_numbers_are_ordered_by_size_and_ordered_categories_as_they_are():
    numbers = Column.of("x", ["10", "9", "-1.5", "nan"], "double")
    assert Encoding.fit([numbers]).schema["x"].values == ("-1.5", "9", "10", "nan")
    ordered = Column.of("x", ["low", "high"], "dictionary<values=string, indices=int8, ordered=1>")
    assert Encoding.fit([ordered]).schema["x"].values == ("low", "high")


def test_a_value_that_the_original_does_not_have_is_refused_without_being_quoted():
    encoding = Encoding.fit([Column.of("x", ["a"])])
    with pytest.raises(BadInput, match="Column 'x' holds a value that the original") as caught:
        encoding.encode([Column.of("x", ["Rumpelstiltskin"])])
    assert "Rumpel" not in str(caught.value)


def test_columns_of_different_length_are_refused():
    encoding = Encoding.fit([Column.of("x", ["a"]), Column.of("y", ["a"])])
    with pytest.raises(BadInput, match="different numbers of rows"):
        encoding.encode([Column.of("x", ["a"]), Column.of("y", ["a", "a"])])


def margins(old, new):
    both = Encoding.align([old], [new])
    name = old.name
    values = both.schema[name].values
    return {
        value: (int(o), int(n))
        for value, o, n in zip(
            values,
            both.encode([old]).marginal([name]),
            both.encode([new]).marginal([name]),
            strict=True,
        )
    }


@given(columns(), columns())
def test_aligned_files_are_encoded_completely_in_one_space(old, new):
    try:
        both = Encoding.align([old], [new])
    except BadInput:
        assert old.storage != new.storage
        return
    for column in (old, new):
        table = both.encode([column])
        assert (table.codes != ABSENT).all()
        assert table.marginal(["x"]).sum() == len(column)


@given(columns())
def test_a_file_aligned_with_itself_has_equal_counts_and_keeps_its_values(column):
    both = Encoding.align([column], [column])
    assert set(both.schema["x"].values) == set(column.labels)
    assert both.decode(both.encode([column]))[0].cells == column.cells


def test_values_of_the_original_that_the_release_grouped_fold_into_the_group():
    old = Column.of("town", ["Rome"] * 3 + ["Lodi", "Bra", None])
    new = Column.of("town", ["Rome", "other", "other", None])
    assert margins(old, new) == {"Rome": (3, 1), "other": (2, 2), None: (1, 1)}


def test_an_other_of_the_original_is_a_value_like_any():
    old = Column.of("town", ["Rome", "other", "Lodi"])
    new = Column.of("town", ["Rome", "other"])
    assert margins(old, new) == {"Lodi": (1, 0), "Rome": (1, 1), "other": (1, 1)}
    grouped = Column.of("town", ["Rome", "other", "other (grouped)"])
    assert margins(old, grouped) == {"Rome": (1, 1), "other": (1, 1), "other (grouped)": (1, 1)}


@pytest.mark.parametrize(
    ("old", "old_storage", "new", "new_storage", "expected"),
    [
        (["1", "2"], "int64", ["1.0", "2.0"], "double", {"1": (1, 1), "2": (1, 1)}),
        (["1.50"], "double", ["1.5"], "decimal128(3, 2)", {"1.50": (1, 1)}),
        (["TRUE", "FALSE"], "bool", ["true"], "bool", {"FALSE": (1, 0), "TRUE": (1, 1)}),
        (["007", "12"], "string", ["12"], "int64", {"007": (1, 0), "12": (1, 1)}),
        (
            ["2026-01-01T10:00"],
            "timestamp[us]",
            ["2026-01-01 10:00:00.000"],
            "timestamp[ms]",
            {"2026-01-01T10:00": (1, 1)},
        ),
        (["1", "2"], "int64", ["2", "other"], "string", {"2": (1, 1), "other": (1, 1)}),
        ([None], "null", ["a"], "string", {"a": (0, 1), None: (1, 0)}),
    ],
)
def test_values_are_compared_by_what_they_mean(old, old_storage, new, new_storage, expected):
    pair = Column.of("x", old, old_storage), Column.of("x", new, new_storage)
    assert margins(*pair) == expected


def test_types_without_a_value_in_common_are_refused():
    old = Column.of("age", ["30", "40"], "int64")
    with pytest.raises(BadInput, match="'age' holds numbers in the original and text in the rel"):
        Encoding.align([old], [Column.of("age", ["young", "old"])])
    with pytest.raises(BadInput, match="numbers in the original and dates in the release"):
        Encoding.align([old], [Column.of("age", ["2026-01-01"], "date32[day]")])


def test_columns_that_differ_are_named():
    old = [Column.of("age", ["1"]), Column.of("sex", ["f"])]
    with pytest.raises(BadInput, match="lacks 'sex' and has besides 'gender'"):
        Encoding.align(old, [Column.of("age", ["1"]), Column.of("gender", ["f"])])


def test_the_order_of_columns_does_not_matter():
    old = [Column.of("age", ["1"]), Column.of("sex", ["f"])]
    both = Encoding.align(old, old[::-1])
    assert np.array_equal(both.encode(old).codes, both.encode(old[::-1]).codes)


@pytest.mark.parametrize(
    ("cells", "storage"),
    [
        (["x"] * 3, "string"),
        (["1", "2", "3", "5"], "int64"),
        (["2020-01-05"] * 9, "string"),
        (["true"] * 2, "bool"),
    ],
)
def test_a_nearly_empty_column_is_left_out_and_the_others_are_published(cells, storage):
    empty = Column.of("rest", [*cells, *[None] * (200 - len(cells))], storage)
    sex = Column.of("sex", ["f", "m"] * 100)
    number = Column.of("id", [str(i) for i in range(200)], "int64")
    columns = [empty, sex, number]
    plans = plan_columns(columns, TableSpec(), floor=10)
    encoding = Encoding.fit(columns, min_support=10, plans=plans)
    assert encoding.schema.names == ("sex",)
    assert [(key.name, key.position) for key in encoding.schema.keys] == [("id", 1)]
    assert len(encoding.encode(columns)) == 200
    assert notices(encoding)[0] == (
        "Column 'rest' was left out: no value of it is held by 10 rows or more; a lower minimum "
        "support would keep it."
    )


def test_a_table_of_nearly_empty_columns_is_refused():
    column = Column.of("rest", ["x", *[None] * 99])
    plans = plan_columns([column], TableSpec(), floor=10)
    with pytest.raises(BadInput, match=r"No column can be published: 'rest' \(no value of it"):
        Encoding.fit([column], min_support=10, plans=plans)
