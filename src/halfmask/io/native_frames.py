"""Native frames: what each dataframe library needs beyond Arrow to get its own types back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa


def dress_pandas(table: pa.Table, like: Any) -> Any:
    """A pandas frame with the labels and dtypes of `like`."""
    import pandas as pd

    place = {str(name): i for i, name in enumerate(like.columns)}
    kept = [place.get(name) for name in table.column_names]
    series = [
        column.to_pandas() if i is None else _pandas_series(column, like.dtypes.iloc[i])
        for column, i in zip(table.columns, kept, strict=True)
    ]
    frame = pd.concat(series, axis=1) if series else pd.DataFrame()
    if None in kept:  # the method made a column
        return frame.set_axis(table.column_names, axis=1)
    frame.columns = like.columns[kept]
    return frame


def _pandas_series(column: pa.ChunkedArray, dtype: Any) -> Any:
    import pandas as pd

    if _is_text(column) and dtype.kind in "iufbMm":
        return column.to_pandas()
    if isinstance(dtype, pd.CategoricalDtype):
        categories = column.to_pandas()
        texts = categories.cat.categories.astype(dtype.categories.dtype)
        return categories.cat.rename_categories(texts)
    if hasattr(dtype, "__from_arrow__"):
        return pd.Series(dtype.__from_arrow__(_plain(column)))
    if dtype.kind == "O":
        return pd.Series(_objects(column), dtype=object)
    if column.null_count and dtype.kind in "iub":
        # numpy integers and booleans have no missing value: the nullable twin keeps the type.
        twin = "boolean" if dtype.kind == "b" else dtype.name.replace("i", "I").replace("u", "U")
        return pd.Series(pd.array(column.to_pylist(), dtype=twin))
    return column.to_pandas().astype(dtype)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column if column.num_chunks else pa.chunked_array([pa.array([], column.type)])


def _objects(column: pa.ChunkedArray) -> Any:
    cells = column.to_pandas(date_as_object=True)
    if cells.dtype == object:
        return cells.to_numpy()
    return column.to_numpy() if cells.dtype.kind in "OTU" else cells.astype(object).to_numpy()


def _without_views(table: pa.Table) -> pa.Table:
    """Views as plain text: Arrow casts short texts to views without a buffer, and Polars crashes.

    Seen with pyarrow 21 and polars 2.1.
    """
    return pa.table([_without_view(column) for column in table.columns], table.column_names)


def _without_view(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string())
    listed = pa.types.is_dictionary(column.type)
    if not listed or not pa.types.is_string_view(column.type.value_type):
        return column
    words = pa.dictionary(column.type.index_type, pa.large_string(), column.type.ordered)
    chunks = [
        pa.DictionaryArray.from_arrays(
            chunk.indices, chunk.dictionary.cast(pa.large_string()), ordered=column.type.ordered
        )
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, words)


def dress_polars(table: pa.Table, schema: Mapping[str, Any]) -> Any:
    """A Polars frame with the types of `schema`; an Enum lists only the values that may occur."""
    import polars as pl

    frame = pl.DataFrame(_without_views(table))
    casts = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        target = dtype = schema.get(name, frame.schema[name])
        if _is_text(column) and (dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Boolean):
            continue
        if isinstance(dtype, pl.Enum):
            listed = column.chunk(0).dictionary if column.num_chunks else pa.array([], pa.string())
            target = pl.Enum(listed.cast(pa.string()).to_pylist())
        if frame.schema[name] != target:
            casts.append(pl.col(name).cast(target))
    return frame.with_columns(casts) if casts else frame


def dress_duckdb(table: pa.Table, types: Mapping[str, str]) -> Any:
    """A DuckDB relation on the default connection, with the given SQL types."""
    import duckdb

    relation = duckdb.from_arrow(table)
    parts = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        quoted = '"' + name.replace('"', '""') + '"'
        cast = f"CAST({quoted} AS {_duckdb_type(types[name], column)}) AS " if name in types else ""
        parts.append(f"{cast}{quoted}")
    return relation.project(", ".join(parts))


def _duckdb_type(type_: str, column: pa.ChunkedArray) -> str:
    if type_.startswith("ENUM") and pa.types.is_dictionary(column.type) and column.num_chunks:
        values = column.chunk(0).dictionary.cast(pa.string()).to_pylist()
        listed = ", ".join("'" + value.replace("'", "''") + "'" for value in values)
        return f"ENUM({listed})"
    # A column of UUIDs may hold the label "other", and one of numbers ranges.
    return "VARCHAR" if _is_text(column) and type_ != "JSON" else type_


def _is_text(column: pa.ChunkedArray) -> bool:
    """Whether these are words; where the original held numbers or dates, they are ranges."""
    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))
