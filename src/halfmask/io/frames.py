"""Frames: any dataframe in, the caller's own kind of dataframe out.

Whatever speaks the Arrow PyCapsule interface is read (pandas, Polars, PyArrow, DuckDB relations,
and others that narwhals knows). A `FrameForm` remembers the kind and the types of a frame and none
of its rows, so a model may keep it, and what each library needs beyond Arrow to get its own types
back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.errors import BadArray, BadInput
from halfmask.io.columns import check_names, table_to_arrow


@dataclass(frozen=True)
class FrameForm:
    """What a frame is apart from its rows: its library, its column names and their types."""

    kind: str
    dress: Callable[[pa.Table], Any]
    """Makes an Arrow table into a frame of this form."""


ARROW = FrameForm("pyarrow", lambda table: table)
"""The form of an Arrow table: what comes out when nobody said otherwise."""


def to_arrow(frame: Any) -> pa.Table:
    """Any dataframe as an Arrow table; the index of a pandas frame is not part of it."""
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        frame = frame.to_native()
    if isinstance(frame, pa.Table):
        return frame
    if nw.dependencies.is_pandas_dataframe(frame):
        return _from_pandas(frame)
    if isinstance(frame, np.ndarray):
        return _from_array(frame)
    if nw.dependencies.is_polars_lazyframe(frame):
        frame = frame.collect()
    if nw.dependencies.is_duckdb_relation(frame):
        return frame.to_arrow_table()
    if hasattr(frame, "__arrow_c_stream__") or isinstance(frame, pa.RecordBatch):
        return _from_capsule(frame)
    if type(frame).__module__.startswith("scipy.sparse"):
        raise BadArray("Sparse data is not supported; give baskets, or a dense array (toarray).")
    try:
        return nw.from_native(frame, eager_only=True).to_arrow()
    except TypeError:
        raise BadInput(
            f"A {type(frame).__name__} is not a dataframe that halfmask can read; give a "
            "pandas, Polars or PyArrow table, a DuckDB relation or a file path."
        ) from None


def _from_capsule(frame: Any) -> pa.Table:
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    try:
        return pa.table(frame)
    except (pa.ArrowException, TypeError):
        raise BadInput(
            f"A {type(frame).__name__} holds one column, not a table; give a dataframe."
        ) from None


def _from_pandas(frame: Any) -> pa.Table:
    check_names([str(name) for name in frame.columns], "The table")
    arrays = []
    for position, name in enumerate(frame.columns):
        try:
            arrays.append(pa.array(frame.iloc[:, position], from_pandas=True))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            raise BadInput(
                f"Column {str(name)!r} mixes values of different types; convert them to one "
                "type (astype), or leave the column out."
            ) from None
    return pa.table(arrays, names=[str(name) for name in frame.columns])


def _from_array(array: NDArray[Any]) -> pa.Table:
    """A NumPy array, whose columns scikit-learn would call x0, x1, …; NaN is the missing value.

    >>> _from_array(np.array([[1, 2]])).to_pylist()
    [{'x0': 1, 'x1': 2}]
    """
    _check_array(array)
    columns = {f"x{place}": column for place, column in enumerate(array.T)}
    try:
        return pa.table({n: pa.array(c, from_pandas=True) for n, c in columns.items()})
    except (pa.ArrowException, TypeError, ValueError):
        raise BadArray(
            "A column of the array mixes values of different types; give a dataframe."
        ) from None


def _check_array(array: NDArray[Any]) -> None:
    """Refuse what is no table, in words that scikit-learn's users know."""
    if array.dtype.kind == "c":
        raise BadArray("Complex data not supported; give numbers or texts.")
    if array.ndim != 2 or array.dtype.kind not in "biufOU":
        raise BadArray(
            f"An array of {array.ndim} dimensions of type {array.dtype} is not a table; give one "
            "of two dimensions with numbers or texts. Reshape your data, or give a dataframe."
        )
    for size, what in zip(array.shape, ("sample", "feature"), strict=True):
        if not size:
            raise BadArray(f"0 {what}(s) (shape={array.shape}) while a minimum of 1 is required.")


def dress_array(table: pa.Table, dtype: np.dtype[Any]) -> NDArray[Any]:
    """An Arrow table as a NumPy array."""
    columns = [column.to_numpy(zero_copy_only=False) for column in table.columns]
    return np.column_stack(columns).astype(dtype)


def form_of(frame: Any) -> FrameForm:
    """The form of a frame: its kind and types without its rows."""
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        inner = form_of(frame.to_native())
        return FrameForm(f"narwhals {inner.kind}", lambda table: nw.from_native(inner.dress(table)))
    if nw.dependencies.is_pandas_dataframe(frame):
        return FrameForm("pandas", partial(dress_pandas, like=frame.iloc[:0].copy()))
    if nw.dependencies.is_polars_dataframe(frame):
        return FrameForm("polars", partial(dress_polars, schema=frame.schema))
    if nw.dependencies.is_polars_lazyframe(frame):
        schema = frame.collect_schema()
        return FrameForm("polars lazy", lambda table: dress_polars(table, schema).lazy())
    if nw.dependencies.is_duckdb_relation(frame):
        types = {name: str(type_) for name, type_ in zip(frame.columns, frame.types, strict=True)}
        return FrameForm("duckdb", partial(dress_duckdb, types=types))
    return _other_form(frame)


def _other_form(frame: Any) -> FrameForm:
    """NumPy, PyArrow itself, a library that narwhals can build, or Arrow for all others."""
    if isinstance(frame, np.ndarray):
        return FrameForm("numpy", partial(dress_array, dtype=frame.dtype))
    if isinstance(frame, pa.RecordBatch):
        return FrameForm("pyarrow batch", lambda table: table.combine_chunks().to_batches()[0])
    if not isinstance(frame, pa.Table):
        known = nw.from_native(frame, eager_only=True, pass_through=True)
        if isinstance(known, nw.DataFrame):
            backend = known.implementation
            return FrameForm(
                str(backend.value),
                lambda table: nw.from_arrow(table, backend=backend).to_native(),
            )
    return ARROW


def from_table(table: Table, *, like: Any) -> Any:
    """The rows as a frame of the same kind as `like` (a frame or its `FrameForm`).

    Names, order and types are those of `like`; a category that no longer occurs is not listed.

    >>> import polars
    >>> from halfmask.data import Encoding
    >>> from halfmask.io.columns import columns_of
    >>> frame = polars.DataFrame({"age": [30, None], "sex": ["f", "m"]})
    >>> columns = columns_of(to_arrow(frame))
    >>> from_table(Encoding.fit(columns).encode(columns), like=frame).equals(frame)
    True
    """
    form = like if isinstance(like, FrameForm) else form_of(like)
    return form.dress(table_to_arrow(table))


def frame_of_rows(rows: Sequence[Mapping[str, Any]], *, like: FrameForm) -> Any:
    """A new small frame (a listing, not the caller's table) of the same library as `like`.

    NumPy has no columns with names, so that a listing is an Arrow table there.

    >>> frame_of_rows([{"name": "nas", "value": 0.5}], like=ARROW).num_rows
    1
    """
    arrow = pa.Table.from_pylist([dict(row) for row in rows])
    library = like.kind.removeprefix("narwhals ").split()[0]
    if library in ("pyarrow", "numpy"):
        return arrow
    if library == "duckdb":
        import duckdb

        return duckdb.from_arrow(arrow)
    backend: Any = library
    return nw.from_arrow(arrow, backend=backend).to_native()


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
