"""Model bins: how the values of a column lie in its bins, as a document and back, checked."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from halfmask.data.coding.bins import Bins, Part
from halfmask.data.coding.calendar import Layout
from halfmask.data.coding.scale import Scale
from halfmask.documents.model_document import BinsDocument, ColumnDocument
from halfmask.errors import BadInput
from halfmask.io.storage import storage_type, to_values

_LARGEST = 2**62


def bins_document(bins: Bins) -> BinsDocument:
    """The bins as a file says them."""
    scale, layout = bins.scale, bins.scale.layout
    return BinsDocument(
        parts=[[_line(part) for part in bin_] for bin_ in bins.bins],
        codes=list(bins.codes),
        decimals=scale.decimals,
        fixed=scale.fixed,
        layout=None if layout is None else (layout.day, layout.between, layout.end, layout.padded),
        unit=scale.unit,
        comma=scale.comma,
        clock=[] if bins.clock is None else [_line(part) for part in bins.clock.bins[0]],
    )


def _line(part: Part) -> tuple[int, int, int, int]:
    return part.low, part.high, part.rows, part.step


def bins_of(column: ColumnDocument) -> Bins:
    """The bins in a document; every value that could be drawn from them can be written."""
    document = column.bins
    assert document is not None  # noqa: S101 - the caller looked
    layout = None if document.layout is None else Layout(*document.layout)
    scale = Scale(document.decimals, document.fixed, layout, document.unit, document.comma)
    parts = [part for bin_ in document.parts for part in bin_]
    if any(abs(tick) > _LARGEST for low, high, *_ in parts for tick in (low, high)):
        raise BadInput(f"Column {column.name!r} has a bin beyond all numbers.")
    bins = tuple(tuple(Part(*part) for part in bin_) for bin_ in document.parts)
    clock = tuple(Part(*part) for part in document.clock)
    times = Bins(scale.clock, (clock,)) if clock else None
    found = Bins(scale, bins, tuple(document.codes), times)
    ends = np.array([tick for low, high, *_ in parts for tick in (low, high)], np.int64)
    try:
        type_ = storage_type(column.storage)
        value_type = type_.value_type if pa.types.is_dictionary(type_) else type_
        texts = scale.texts(ends if times is None else ends * scale.per_day)
        to_values([*texts, *document.codes], value_type)
    except (pa.ArrowException, ValueError, OverflowError):
        raise BadInput(
            f"Column {column.name!r} has a bin with values that cannot be written."
        ) from None
    return found


def check_bins(column: ColumnDocument, floor: int) -> None:
    """Refuse bins that tell of fewer rows than they may, or whose rows do not add up."""
    if column.bins is None:
        return
    if any(0 < rows < floor for _, _, rows, _ in column.bins.clock):
        raise BadInput(
            f"Column {column.name!r} of the model has an hour that fewer than {floor:,} rows hold."
        )
    for support, bin_ in zip(column.supports, column.bins.parts, strict=False):
        rows = [part[2] for part in bin_]
        if sum(rows) != support:
            raise BadInput(f"The parts of a bin of column {column.name!r} do not add up.")
        if any(0 < n < floor for n in rows):
            raise BadInput(
                f"Column {column.name!r} of the model has a part of a bin that fewer than "
                f"{floor:,} rows hold."
            )
