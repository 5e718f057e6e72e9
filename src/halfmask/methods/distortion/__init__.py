"""Distortion of baskets: known noise, counted through."""

from halfmask.methods.distortion.distort import DistortedRelease, distort
from halfmask.methods.distortion.mechanisms import (
    Alg2Literal,
    DeleteOnly,
    Emask,
    Frequent,
    Mask,
    MaskItems,
    Mechanism,
    Selective,
)

__all__ = [
    "Alg2Literal",
    "DeleteOnly",
    "DistortedRelease",
    "Emask",
    "Frequent",
    "Mask",
    "MaskItems",
    "Mechanism",
    "Selective",
    "distort",
]
