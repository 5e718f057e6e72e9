"""The door: files, dataframes and models, in and out."""

from halfmask.io.baskets import from_baskets, to_baskets
from halfmask.io.files import BasketFile, TableFile, read, save, write
from halfmask.io.forms import FileForm, FileOptions, form_for
from halfmask.io.frames import FrameForm, form_of, from_table, to_columns
from halfmask.io.writing import Outputs, check_free

__all__ = [
    "BasketFile",
    "FileForm",
    "FileOptions",
    "FrameForm",
    "Outputs",
    "TableFile",
    "check_free",
    "form_for",
    "form_of",
    "from_baskets",
    "from_table",
    "read",
    "save",
    "to_baskets",
    "to_columns",
    "write",
]
