"""l-diversity: how many sensitive values the rows have that share the known attributes.

The attack: somebody knows a person's key attributes, finds the release rows that have them, and
reads off the sensitive attribute. Where all agree nothing is left to guess (homogeneity).

    l         = the fewest distinct sensitive values among rows of one key
    entropy l = exp of the smallest entropy of the sensitive values of one key

[Machanavajjhala, Gehrke, Kifer & Venkatasubramaniam, 2006] Rows drawn anew are nobody's, so that a
small l is an argument about how varied they are and no disclosure by itself. Worked by hand: two
keys of two rows each, one with the values a and b, one with a and a.

>>> import numpy as np
>>> diversity(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 0]))[0].tolist()
[2, 1]
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import NotMeasurable
from halfmask.measures.comparison import Comparison
from halfmask.measures.measure import Estimate, Measure
from halfmask.measures.privacy.disclosure import key_columns
from halfmask.measures.side import Side


def diversity(
    groups: NDArray[np.intp], values: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """For each group the number of its distinct values, and their entropy in nats."""
    several = int(values.max(initial=0)) + 2  # a missing value, -1, is a value too
    pairs, counts = np.unique(groups * several + values + 1, return_counts=True)
    of_pair, rows = pairs // several, np.bincount(groups)
    shares = counts / rows[of_pair]
    entropy = np.bincount(of_pair, -shares * np.log(shares), minlength=len(rows))
    return np.bincount(of_pair, minlength=len(rows)).astype(np.int64), entropy.astype(np.float64)


def _compute(comparison: Comparison) -> Estimate:
    if comparison.sensitive is None:
        raise NotMeasurable("No sensitive attribute was named.")
    found = _of_side(comparison, comparison.release_side)
    original = _of_side(comparison, comparison.original_side)
    details = {
        "target": comparison.sensitive,
        "keys": [comparison.names[c] for c in key_columns(comparison)],
        **{name: value for name, value in found.items() if name != "l"},
        "of_original": original,
    }
    return Estimate(found["l"], details=details)


def _of_side(comparison: Comparison, side: Side) -> dict[str, float]:
    of_row = side.tally_of(key_columns(comparison)).of_row
    target = comparison.schema.position(comparison.sensitive or "")
    distinct, entropy = diversity(of_row, side.table.codes[:, target].astype(np.int64))
    return {
        "l": float(distinct.min()),
        "entropy_l": float(np.exp(entropy.min())),
        "mean_l_of_a_row": float(distinct[of_row].mean()),
        "rows_with_one_value": float((distinct[of_row] == 1).mean()),
    }


L_DIVERSITY = Measure(
    name="l_diversity",
    room="privacy",
    better="higher",
    unit="values",
    meaning="The fewest different sensitive values among release rows with the same key "
    "attributes; at 1 some key has a single value.",
    how="Counts of distinct keys and their sensitive values; entropy l, the mean over rows, and "
    "the same of the original are in the details.",
    cost="0.6 s",
    compute=_compute,
    default=False,
)
