"""The library's front door: dataframes in, the same kind of dataframe out."""

from halfmask.api.generator import Generator
from halfmask.api.measuring import Measured, measure
from halfmask.api.model import Model, Streamed, filled
from halfmask.io.given import columns_of, form_or_none

__all__ = [
    "Generator",
    "Measured",
    "Model",
    "Streamed",
    "columns_of",
    "filled",
    "form_or_none",
    "measure",
]
