"""A log-linear model of coded rows, fitted to tables that were counted with errors.

One estimator serves two promises: counts with noise (differential privacy) and counts of a sample
(shrinkage). It knows integer codes only: no names, files or frames.
"""

from halfmask.methods.loglinear.consistent import consistent
from halfmask.methods.loglinear.fit import FitSettings, FittedPool, chosen_rows, fit, released
from halfmask.methods.loglinear.observations import Observation, Observations, combined
from halfmask.methods.loglinear.start import drawn_from_tree, tied_pairs
from halfmask.methods.loglinear.tables import TableSet, count_cells

__all__ = [
    "FitSettings",
    "FittedPool",
    "Observation",
    "Observations",
    "TableSet",
    "chosen_rows",
    "combined",
    "consistent",
    "count_cells",
    "drawn_from_tree",
    "fit",
    "released",
    "tied_pairs",
]
