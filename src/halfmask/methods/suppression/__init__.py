"""The models that the basket methods are compared with."""

from halfmask.methods.anatomy.table import anatomise_table
from halfmask.methods.suppression.coherence import (
    Coherence,
    Moles,
    find_moles,
    suppress_moles,
    suppressions,
)
from halfmask.methods.suppression.hierarchy import Hierarchy, parse_hierarchy
from halfmask.methods.suppression.km_anonymity import GeneralisedRelease, generalise, km_violations

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
