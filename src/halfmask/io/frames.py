"""Frames: any dataframe in, the caller's own kind of dataframe out.

Whatever speaks the Arrow PyCapsule interface is read (pandas, Polars, PyArrow, DuckDB relations,
and others that narwhals knows). A `FrameForm` remembers the kind and the types of a frame and none
of its rows, so a model may keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import narwhals as nw
import pyarrow as pa

from halfmask.data import Column, Table
from halfmask.errors import BadInput
from halfmask.io.columns import check_names, columns_of, table_to_arrow
from halfmask.io.native_frames import dress_duckdb, dress_pandas, dress_polars


@dataclass(frozen=True)
class FrameForm:
    """What a frame is apart from its rows: its library, its column names and their types."""

    kind: str
    dress: Callable[[pa.Table], Any]
    """Makes an Arrow table into a frame of this form."""


ARROW = FrameForm("pyarrow", lambda table: table)
"""The form of an Arrow table: what comes out when nobody said otherwise."""


def to_columns(frame: Any) -> list[Column]:
    """The columns of any dataframe, dictionary-encoded.

    >>> import polars
    >>> [column.storage for column in to_columns(polars.DataFrame({"a": [1], "b": [True]}))]
    ['int64', 'bool']
    """
    return columns_of(to_arrow(frame))


def to_arrow(frame: Any) -> pa.Table:
    """Any dataframe as an Arrow table; the index of a pandas frame is not part of it."""
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        frame = frame.to_native()
    if isinstance(frame, pa.Table):
        return frame
    if nw.dependencies.is_pandas_dataframe(frame):
        return _from_pandas(frame)
    if nw.dependencies.is_polars_lazyframe(frame):
        frame = frame.collect()
    if nw.dependencies.is_duckdb_relation(frame):
        return frame.to_arrow_table()
    if hasattr(frame, "__arrow_c_stream__") or isinstance(frame, pa.RecordBatch):
        return _from_capsule(frame)
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
    """PyArrow itself, a library that narwhals can build, or Arrow for all others."""
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
    >>> frame = polars.DataFrame({"age": [30, None], "sex": ["f", "m"]})
    >>> columns = to_columns(frame)
    >>> from_table(Encoding.fit(columns).encode(columns), like=frame).equals(frame)
    True
    """
    form = like if isinstance(like, FrameForm) else form_of(like)
    return form.dress(table_to_arrow(table))


def frame_of_rows(rows: Sequence[Mapping[str, Any]], *, like: FrameForm) -> Any:
    """A new small frame (a listing, not the caller's table) of the same library as `like`.

    >>> frame_of_rows([{"name": "nas", "value": 0.5}], like=ARROW).num_rows
    1
    """
    arrow = pa.Table.from_pylist([dict(row) for row in rows])
    library = like.kind.removeprefix("narwhals ").split()[0]
    if library == "pyarrow":
        return arrow
    if library == "duckdb":
        import duckdb

        return duckdb.from_arrow(arrow)
    backend: Any = library
    return nw.from_arrow(arrow, backend=backend).to_native()
