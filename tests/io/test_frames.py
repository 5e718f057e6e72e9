"""Any dataframe in; the same kind, names, order, types and missing cells out."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Attribute, Encoding, Schema, Table
from halfmask.errors import BadInput
from halfmask.io.columns import columns_of
from halfmask.io.frames import form_of, from_table, to_arrow

ARROW_CELLS = {
    pa.int8(): st.integers(-128, 127),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float32(): st.floats(width=32, allow_nan=False),
    pa.float64(): st.floats(allow_nan=False),
    pa.bool_(): st.booleans(),
    pa.string(): st.text(max_size=5),
    pa.large_string(): st.text(max_size=5),
    pa.string_view(): st.text(max_size=5),
    pa.date32(): st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31)),
    pa.time32("s"): st.times().map(lambda t: t.replace(microsecond=0)),
    pa.time64("us"): st.times(),
    pa.timestamp("us"): st.datetimes(),
    pa.timestamp("ms", tz="UTC"): st.datetimes().map(
        lambda t: t.replace(microsecond=0, tzinfo=dt.UTC)
    ),
    pa.duration("us"): st.timedeltas(dt.timedelta(-9999), dt.timedelta(9999)),
    pa.decimal128(12, 3): st.decimals(-(10**8), 10**8, places=3, allow_nan=False),
    pa.dictionary(pa.int8(), pa.string()): st.sampled_from(["low", "mid", "high"]),
    pa.dictionary(pa.int32(), pa.int64(), ordered=True): st.integers(0, 5),
}


@st.composite
def arrow_tables(draw):
    types = draw(st.lists(st.sampled_from(list(ARROW_CELLS)), min_size=1, max_size=4))
    rows = draw(st.integers(1, 8))
    arrays = []
    for type_ in types:
        cells = draw(
            st.lists(st.none() | ARROW_CELLS[type_], min_size=rows, max_size=rows).filter(
                lambda cells: any(cell is not None for cell in cells)
            )
        )
        cut = draw(st.integers(0, rows))
        arrays.append(pa.chunked_array([pa.array(c, type_) for c in (cells[:cut], cells[cut:])]))
    return pa.table(arrays, names=[f"c{i}" for i in range(len(types))])


def there_and_back(frame):
    columns = columns_of(to_arrow(frame))
    return from_table(Encoding.fit(columns).encode(columns), like=frame)


def test_storage_is_the_arrow_type_and_labels_are_text():
    [column] = columns_of(pa.table({"day": [dt.date(2026, 1, 2), None, dt.date(2026, 1, 2)]}))
    assert column.storage == "date32[day]"
    assert column.labels == ("2026-01-02", None)
    assert column.index.tolist() == [0, 1, 0]


@given(arrow_tables())
def test_arrow_tables_come_back_equal(table):
    back = there_and_back(table)
    assert back.schema == table.schema
    assert back.to_pydict() == table.to_pydict()


@given(arrow_tables())
def test_polars_frames_come_back_equal(table):
    frame = pl.DataFrame(table)
    back = there_and_back(frame)
    assert back.schema == frame.schema
    assert back.equals(frame)


@given(arrow_tables())
def test_arrow_backed_pandas_frames_come_back_equal(table):
    plain = pa.table({f.name: _decoded(table[f.name]) for f in table.schema})
    frame = plain.to_pandas(types_mapper=pd.ArrowDtype)
    back = there_and_back(frame)
    assert back.dtypes.tolist() == frame.dtypes.tolist()
    pd.testing.assert_frame_equal(back, frame)


def _decoded(column):
    """Without the two types that Arrow-backed pandas frames do not have."""
    if pa.types.is_string_view(column.type):
        return column.cast(pa.string())
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


@given(arrow_tables())
def test_pandas_frames_come_back_equal(table):
    frame = pa.table({f.name: _decoded(table[f.name]) for f in table.schema}).to_pandas()
    back = there_and_back(frame)
    assert back.dtypes.tolist() == frame.dtypes.tolist()
    assert pa.Table.from_pandas(back).equals(pa.Table.from_pandas(frame))


@given(arrow_tables())
def test_duckdb_relations_come_back_equal(table):
    spans = [field.name for field in table.schema if pa.types.is_duration(field.type)]
    known = table.drop_columns(spans)  # DuckDB reads a duration as an INTERVAL of months and days
    if not known.num_columns:
        return
    relation = duckdb.from_arrow(known)
    back = there_and_back(relation)
    assert back.columns == relation.columns
    assert back.types == relation.types
    assert back.to_arrow_table().to_pydict() == relation.to_arrow_table().to_pydict()


PANDAS = pd.DataFrame(
    {
        "Int64": pd.array([1, None, 3], dtype="Int64"),
        "boolean": pd.array([True, None, False], dtype="boolean"),
        "str": ["a", None, "b"],
        "object": pd.Series(["a", None, "b"], dtype=object),
        "string": pd.array(["a", None, "b"], dtype="string"),
        "category": pd.Categorical(["lo", None, "hi"], categories=["lo", "hi"], ordered=True),
        "number category": pd.Categorical([1, None, 2]),
        "float": [1.5, None, 2.0],
        "float32": np.array([0.1, 2, 3], np.float32),
        "time": pd.to_datetime(["2026-01-01", None, "2026-01-02"]),
        "zoned": pd.to_datetime(["2026-01-01", None, "2026-01-02"]).tz_localize("Europe/Rome"),
        "span": pd.to_timedelta(["1D", None, "2h"]),
        "Float64": pd.array([1.5, None, 2], dtype="Float64"),
        "int": [1, 0, 2],
        "uint8": np.array([1, 2, 255], np.uint8),
        "bool": [True, False, True],
        "object dates": pd.Series([dt.date(2026, 1, 1), None, dt.date(2026, 1, 2)], dtype=object),
        "object flags": pd.Series([True, None, False], dtype=object),
        "object decimals": pd.Series([Decimal("1.50"), None, Decimal("2.25")], dtype=object),
    }
)


@pytest.mark.parametrize("name", PANDAS.columns)
def test_pandas_columns_come_back_equal(name):
    frame = PANDAS[[name]]
    pd.testing.assert_frame_equal(there_and_back(frame), frame)


def test_pandas_keeps_column_labels_that_are_not_text_and_forgets_the_index():
    frame = pd.DataFrame({1: ["a", "b"], 2: [3, 4]}, index=["alice", "bob"])
    back = there_and_back(frame)
    assert back.columns.tolist() == [1, 2]
    assert back.index.tolist() == [0, 1]


def test_an_integer_that_became_missing_stays_an_integer_in_pandas():
    frame = pd.DataFrame({"n": np.array([1, 1, 2], np.int16), "b": [True, True, False]})
    schema = Schema((Attribute("n", ("1", None), "int16"), Attribute("b", ("true", None), "bool")))
    back = from_table(Table(schema, np.array([[0, 1], [1, 0]])), like=frame)
    assert [str(t) for t in back.dtypes] == ["Int16", "boolean"]
    assert back["n"].isna().tolist() == [False, True]


def test_categories_that_are_not_in_the_schema_are_not_listed():
    frame = pd.DataFrame({"c": pd.Categorical(["a", "b"], categories=["a", "b", "secret"])})
    assert there_and_back(frame)["c"].cat.categories.tolist() == ["a", "b"]
    polars = pl.DataFrame({"c": pl.Series(["b", "a"], dtype=pl.Enum(["b", "a", "secret"]))})
    assert there_and_back(polars).schema["c"] == pl.Enum(["b", "a"])


def test_duckdb_relations_come_back_with_their_sql_types():
    relation = duckdb.sql(
        "SELECT * FROM (VALUES ('a'::ENUM('a', 'b'), 1::HUGEINT, 2::TINYINT, DATE '2026-01-01', "
        "1.5::DECIMAL(4,1), TIME '03:04:05', TIMESTAMP '2026-01-01', TIMESTAMPTZ '2026-01-01', "
        "true, 'x'), ('b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)) "
        't(e, h, "the ""t""", d, dec, tm, ts, tz, b, s)'
    )
    back = there_and_back(relation)
    assert isinstance(back, duckdb.DuckDBPyRelation)
    assert back.columns == relation.columns
    assert back.types == relation.types
    assert back.to_arrow_table().to_pydict() == relation.to_arrow_table().to_pydict()


def test_other_kinds_come_back_as_they_were():
    frame = pl.DataFrame({"a": [1, 2]})
    assert isinstance(there_and_back(frame.lazy()), pl.LazyFrame)
    assert isinstance(there_and_back(nw.from_native(frame)), nw.DataFrame)
    batch = pa.RecordBatch.from_pydict({"a": [1, 2]})
    assert there_and_back(batch).equals(batch)


def test_a_form_keeps_no_rows():
    form = form_of(PANDAS)
    assert len(form.dress.keywords["like"]) == 0


def test_dictionaries_with_repeats_missing_and_unused_values_are_cleaned():
    odd = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 3]), pa.array(["a", "b", "a", None, "z"])
    )
    [column] = columns_of(pa.table({"c": odd}))
    assert column.labels == ("a", "b", None)
    assert column.index.tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (3, "A int is not a dataframe"),
        ({"a": [1]}, "A dict is not a dataframe"),
        (pl.Series([1]), "holds one column"),
        (pl.DataFrame({"a": [[1]]}), "Column 'a' of the table holds"),
        (pd.DataFrame({"a": ["x", 1]}), "Column 'a' mixes values"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns called 'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), "two columns called 'a'"),
        (pl.DataFrame({"a": []}), "The table has no rows"),
        (pl.DataFrame(), "The table has no columns"),
        (pd.DataFrame(), "The table has no columns"),
    ],
)
def test_what_is_not_a_table_is_refused_in_a_sentence(frame, sentence):
    with pytest.raises(BadInput, match=sentence):
        columns_of(to_arrow(frame))
