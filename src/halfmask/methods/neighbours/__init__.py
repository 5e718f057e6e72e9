"""The models that the basket methods are compared with."""

from halfmask.methods.neighbours.coherence import (
    Coherence,
    Moles,
    find_moles,
    suppress_moles,
    suppressions,
)
from halfmask.methods.neighbours.hierarchy import Hierarchy, parse_hierarchy
from halfmask.methods.neighbours.km_anonymity import GeneralisedRelease, generalise, km_violations
from halfmask.methods.neighbours.table_anatomy import anatomise_table

__all__ = [
    "Coherence",
    "GeneralisedRelease",
    "Hierarchy",
    "Moles",
    "anatomise_table",
    "find_moles",
    "generalise",
    "km_violations",
    "parse_hierarchy",
    "suppress_moles",
    "suppressions",
]
