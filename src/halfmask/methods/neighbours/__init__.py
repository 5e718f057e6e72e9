"""The models that the basket methods are compared with."""

from halfmask.methods.neighbours.anatomize import AnatomizedTable, anatomize
from halfmask.methods.neighbours.coherence import (
    Coherence,
    Moles,
    find_moles,
    suppress_moles,
    suppressions,
)
from halfmask.methods.neighbours.hierarchy import Hierarchy, parse_hierarchy
from halfmask.methods.neighbours.km_anonymity import generalise, km_violations

__all__ = [
    "AnatomizedTable",
    "Coherence",
    "Hierarchy",
    "Moles",
    "anatomize",
    "find_moles",
    "generalise",
    "km_violations",
    "parse_hierarchy",
    "suppress_moles",
    "suppressions",
]
