"""An index on disk: the inverted file of a database, asked again without building it.

A NumPy archive of four plain arrays (no pickle): the names of the items as JSON, the offsets of
their lists, the lists of rows, and the number of rows. It tells who holds what, as the original
does: it stays where the original stays.
"""

from __future__ import annotations

import io
import zipfile

import msgspec
import numpy as np
from numpy.typing import NDArray

from halfmask.data import Assortment
from halfmask.errors import BadInput
from halfmask.io.forms import PathLike
from halfmask.io.sources import read_bytes
from halfmask.io.writing import write_bytes
from halfmask.methods.hiding.index import Index

SUFFIX = ".index"
_PARTS = ("names", "offsets", "rows", "size")


def save_index(index: Index, path: PathLike, *, force: bool = False) -> None:
    """Write an index, whole or not at all."""
    names = [index.schema.label(item) for item in range(index.schema.n_items)]
    content = io.BytesIO()
    np.savez(
        content,
        names=np.frombuffer(msgspec.json.encode(names), np.uint8),
        offsets=index.offsets,
        rows=index.rows.astype(np.int32 if index.n_rows < 2**31 else np.int64),
        size=np.array(index.n_rows),
    )
    write_bytes(path, content.getvalue(), force=force)


def load_index(path: PathLike) -> Index:
    """Read an index; a damaged or foreign file is refused."""
    try:
        with np.load(io.BytesIO(read_bytes(path)), allow_pickle=False) as archive:
            names, offsets, rows, size = (archive[part] for part in _PARTS)
        listed = msgspec.json.decode(names.tobytes(), type=list[str])
        index = Index(
            Assortment(tuple(listed)),
            offsets.astype(np.int64),
            rows.astype(np.int64),
            int(size),
        )
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile, msgspec.DecodeError):
        raise BadInput(
            f"{str(path)!r} is not an index that `halfmask index build` wrote, or it is damaged."
        ) from None
    _check(index, index.offsets, index.rows, str(path))
    return index


def _check(index: Index, offsets: NDArray[np.int64], rows: NDArray[np.int64], name: str) -> None:
    """Lists that fit the names, of increasing numbers of rows that there are."""
    sound = (
        offsets.shape == (index.schema.n_items + 1,)
        and rows.ndim == 1
        and offsets[0] == 0
        and offsets[-1] == len(rows)
        and bool((np.diff(offsets) >= 0).all())
    )
    if sound and len(rows):
        rising = np.diff(rows) > 0
        starts = offsets[1:-1]
        rising[starts[(starts > 0) & (starts < len(rows))] - 1] = True
        sound = bool(rising.all()) and rows.min() >= 0 and rows.max() < index.n_rows
    if not sound:
        raise BadInput(f"{name!r} is damaged: its lists of rows do not fit each other.")
