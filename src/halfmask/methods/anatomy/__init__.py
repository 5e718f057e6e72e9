"""Multi-dimension anatomy of baskets."""

from halfmask.methods.anatomy.anatomise import anatomise
from halfmask.methods.anatomy.columns import Clusterer, ItemColumns
from halfmask.methods.anatomy.eligibility import FeasibleColumn, Ineligible
from halfmask.methods.anatomy.release import AnatomisedRelease, Permuted, permute

__all__ = [
    "AnatomisedRelease",
    "Clusterer",
    "FeasibleColumn",
    "Ineligible",
    "ItemColumns",
    "Permuted",
    "anatomise",
    "permute",
]
