"""What a release kept and what it gave away, each number with its meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from halfmask.errors import NotCountable, NotMeasurable, UnknownName
from halfmask.measures.base import Estimate, Reading, Unmeasured
from halfmask.measures.basket_lengths import BASKET_LENGTHS
from halfmask.measures.bit_privacy import BIT_PRIVACY
from halfmask.measures.closest_record import CLOSEST_RECORD
from halfmask.measures.column_attack import COLUMN_ATTACK
from halfmask.measures.comparison import Comparison
from halfmask.measures.copied_rows import COPIED_ROWS
from halfmask.measures.disclosure import ATTRIBUTE_DISCLOSURE, IDENTITY_DISCLOSURE
from halfmask.measures.dissimilarity import DISSIMILARITY, CrossSizes, cross_sizes
from halfmask.measures.dissimilarity_reference import DISSIMILARITY_REFERENCE
from halfmask.measures.fake_records import FAKE_RECORDS
from halfmask.measures.generalisation import GENERALISATION
from halfmask.measures.group_attack import GROUP_ATTACK
from halfmask.measures.hidden_patterns import HIDDEN_PATTERNS
from halfmask.measures.inference import INFERENCE, SENSITIVE_GUESS
from halfmask.measures.item_disclosure import ITEM_DISCLOSURE
from halfmask.measures.item_frequencies import ITEM_FREQUENCIES
from halfmask.measures.k_anonymity import K_ANONYMITY
from halfmask.measures.learning import LEARNING
from halfmask.measures.linkability import LINKABILITY
from halfmask.measures.marginals import MARGINALS
from halfmask.measures.measure import Measure
from halfmask.measures.membership import MEMBERSHIP, MEMBERSHIP_UNIQUE
from halfmask.measures.nas import NAS, Anonymity, anonymity, expected_nas
from halfmask.measures.nas_excess import NAS_EXCESS
from halfmask.measures.pair_frequencies import PAIR_FREQUENCIES
from halfmask.measures.pattern_sets import PATTERNS_KEPT
from halfmask.measures.patterns_per_row import PATTERNS_PER_ROW
from halfmask.measures.privacy.tracing import TRACING, TRACING_MODEL, TRACING_TREE
from halfmask.measures.propensity import PROPENSITY
from halfmask.measures.readings import Readings, side_by_side
from halfmask.measures.rules_kept import RULES_KEPT
from halfmask.measures.singling_out import SINGLING_OUT
from halfmask.measures.support_difference import SUPPORT_DIFFERENCE
from halfmask.measures.unique_rows import UNIQUE_EXCESS, UNIQUE_FOUND
from halfmask.measures.worst_region import WORST_REGION

__all__ = [
    "MEASURES",
    "Anonymity",
    "Comparison",
    "CrossSizes",
    "Estimate",
    "Measure",
    "Reading",
    "Readings",
    "Unmeasured",
    "anonymity",
    "compare",
    "cross_sizes",
    "expected_nas",
    "measure_named",
    "side_by_side",
]

MEASURES: tuple[Measure, ...] = (
    *MARGINALS,
    ITEM_FREQUENCIES,
    PAIR_FREQUENCIES,
    BASKET_LENGTHS,
    GENERALISATION,
    DISSIMILARITY,
    DISSIMILARITY_REFERENCE,
    WORST_REGION,
    PATTERNS_KEPT,
    SUPPORT_DIFFERENCE,
    RULES_KEPT,
    LEARNING,
    PROPENSITY,
    PATTERNS_PER_ROW,
    *HIDDEN_PATTERNS,
    NAS,
    NAS_EXCESS,
    COPIED_ROWS,
    UNIQUE_FOUND,
    UNIQUE_EXCESS,
    K_ANONYMITY,
    FAKE_RECORDS,
    COLUMN_ATTACK,
    GROUP_ATTACK,
    ITEM_DISCLOSURE,
    BIT_PRIVACY,
    IDENTITY_DISCLOSURE,
    ATTRIBUTE_DISCLOSURE,
    SENSITIVE_GUESS,
    MEMBERSHIP,
    MEMBERSHIP_UNIQUE,
    TRACING,
    TRACING_TREE,
    TRACING_MODEL,
    SINGLING_OUT,
    LINKABILITY,
    INFERENCE,
    CLOSEST_RECORD,
)
"""All measures, quality first."""


def measure_named(name: str) -> Measure:
    """The measure of this name.

    >>> measure_named("nas").better
    'lower'
    """
    for measure in MEASURES:
        if measure.name == name:
            return measure
    raise UnknownName("measure", name, [measure.name for measure in MEASURES])


def compare(
    comparison: Comparison,
    names: Sequence[str] | None = None,
    *,
    yardsticks: bool = True,
    progress: Callable[[int, int], object] | None = None,
) -> Readings:
    """Read the default measures, or those named; a blank says why it is one.

    >>> import numpy as np
    >>> from halfmask.data import Attribute, Schema, Table
    >>> from halfmask.randomness import Randomness
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> original = Table(schema, np.array([[0, 1], [0, 0], [1, 0], [1, 0]]))
    >>> release = Table(schema, np.array([[0, 1], [1, 1], [1, 0], [0, 1]]))
    >>> readings = compare(Comparison(original, release, randomness=Randomness(1)))
    >>> readings["marginals_1"].value, readings["nas"].yardsticks["copy"]
    (0.25, 1.0)
    """
    if names is None:
        asked = [measure for measure in MEASURES if measure.default]
    else:
        asked = [measure_named(name) for name in names]
    found = []
    for number, measure in enumerate(asked, 1):
        found.append(_read(measure, comparison, yardsticks))
        if progress is not None:
            progress(number, len(asked))
    return Readings(tuple(found))


def _read(measure: Measure, comparison: Comparison, yardsticks: bool) -> Reading | Unmeasured:  # noqa: FBT001
    try:
        return measure.read(comparison, yardsticks=yardsticks)
    except (NotMeasurable, NotCountable) as blank:
        return Unmeasured(measure.name, str(blank), measure.room)
