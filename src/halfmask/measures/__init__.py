"""What a release kept and what it gave away, each number with its meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count

from halfmask.errors import NotCountable, NotMeasurable, UnknownName
from halfmask.measures.comparison import Comparison
from halfmask.measures.hiding import HIDDEN_PATTERNS
from halfmask.measures.measure import Estimate, Measure, Reading, Unmeasured
from halfmask.measures.privacy.amplification import AMPLIFICATION, PRIVACY_LOSS, VALUE_INTERVALS
from halfmask.measures.privacy.bit_privacy import BIT_PRIVACY
from halfmask.measures.privacy.closest_record import CLOSEST_RECORD
from halfmask.measures.privacy.column_attack import COLUMN_ATTACK, GROUP_ATTACK, MATCHING_BUCKETS
from halfmask.measures.privacy.disclosure import ATTRIBUTE_DISCLOSURE, IDENTITY_DISCLOSURE
from halfmask.measures.privacy.exact_rows import COPIED_ROWS, UNIQUE_EXCESS, UNIQUE_FOUND
from halfmask.measures.privacy.inference import INFERENCE, SENSITIVE_GUESS
from halfmask.measures.privacy.item_disclosure import FAKE_RECORDS, ITEM_DISCLOSURE
from halfmask.measures.privacy.l_diversity import L_DIVERSITY
from halfmask.measures.privacy.linkability import K_ANONYMITY, LINKABILITY
from halfmask.measures.privacy.membership import MEMBERSHIP, MEMBERSHIP_UNIQUE
from halfmask.measures.privacy.nas import NAS, NAS_EXCESS, Anonymity, anonymity, expected_nas
from halfmask.measures.privacy.singling_out import SINGLING_OUT
from halfmask.measures.privacy.tracing import TRACING, TRACING_MODEL, TRACING_TREE
from halfmask.measures.quality.baskets import BASKET_LENGTHS, GENERALISATION
from halfmask.measures.quality.dissimilarity import (
    DISSIMILARITY,
    DISSIMILARITY_REFERENCE,
    CrossSizes,
    cross_sizes,
)
from halfmask.measures.quality.frequencies import ITEM_FREQUENCIES, PAIR_FREQUENCIES
from halfmask.measures.quality.learning import LEARNING
from halfmask.measures.quality.marginals import MARGINALS, WORST_REGION
from halfmask.measures.quality.misclassification import MISCLASSIFICATION
from halfmask.measures.quality.patterns import PATTERNS_KEPT, PATTERNS_PER_ROW
from halfmask.measures.quality.propensity import PROPENSITY
from halfmask.measures.quality.rules_kept import RULES_KEPT
from halfmask.measures.quality.support_difference import SUPPORT_DIFFERENCE, SUPPORTS_MOVED
from halfmask.measures.readings import Readings, side_by_side
from halfmask.run import together

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
    SUPPORTS_MOVED,
    RULES_KEPT,
    LEARNING,
    PROPENSITY,
    MISCLASSIFICATION,
    PATTERNS_PER_ROW,
    *HIDDEN_PATTERNS,
    NAS,
    NAS_EXCESS,
    COPIED_ROWS,
    UNIQUE_FOUND,
    UNIQUE_EXCESS,
    K_ANONYMITY,
    L_DIVERSITY,
    FAKE_RECORDS,
    COLUMN_ATTACK,
    MATCHING_BUCKETS,
    GROUP_ATTACK,
    ITEM_DISCLOSURE,
    BIT_PRIVACY,
    AMPLIFICATION,
    VALUE_INTERVALS,
    PRIVACY_LOSS,
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


_LONGEST = ("ds", "patterns_kept", "tracing", "tracing_tree")
"""Begun first, so that no thread waits for one of them at the end."""


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
    done = count(1)

    def read(measure: Measure) -> Reading | Unmeasured:
        found = _read(measure, comparison, yardsticks)
        if progress is not None:
            progress(next(done), len(asked))
        return found

    order = sorted(range(len(asked)), key=lambda n: asked[n].name not in _LONGEST)
    tasks = [partial(read, asked[n]) for n in order]
    found = dict(zip(order, together(tasks, comparison.threads), strict=True))
    return Readings(tuple(found[n] for n in range(len(asked))))


def _read(measure: Measure, comparison: Comparison, yardsticks: bool) -> Reading | Unmeasured:  # noqa: FBT001
    try:
        return measure.read(comparison, yardsticks=yardsticks)
    except (NotMeasurable, NotCountable) as blank:
        return Unmeasured(measure.name, str(blank), measure.room)
