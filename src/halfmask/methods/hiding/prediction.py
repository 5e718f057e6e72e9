"""How many baskets a rule hiding algorithm will edit, before it does (Verykios et al. 2004).

With c = support of the rule, b = support of its left side, and the thresholds minsup, minconf:

    1.a          ⌊c / minconf − b⌋ + 1
    1.b          min(⌊c − minconf · b⌋ + 1,  c − minsup + 1)
    2.b, 2.c     c − minsup + 1

The article rounds 1.b up instead, which is one short when the difference is a whole number. The
numbers hold for one pattern alone: an edit that touches two sensitive rules makes them too high.
"""

from __future__ import annotations

import math

from halfmask.data import Baskets, Itemset
from halfmask.errors import BadInput
from halfmask.methods.hiding.rules import HideRules
from halfmask.methods.hiding.sensitive import SLACK, SensitiveRule, min_count


def predicted_edits(
    baskets: Baskets, pattern: Itemset | SensitiveRule, algorithm: HideRules
) -> int:
    """The number of baskets that will be edited to hide one pattern; 0 if it is hidden already.

    >>> baskets = Baskets.of(["abc", "abc", "abc", "ab", "a", "ac"])
    >>> predicted_edits(baskets, SensitiveRule((0, 2), (1,)), HideRules("1.b", 2, 0.7))
    1
    """
    whole = pattern.itemset if isinstance(pattern, SensitiveRule) else pattern
    count = int(baskets.support([whole])[0])
    surplus = max(count - min_count(algorithm.min_support, baskets.size) + 1, 0)
    if not algorithm.by_confidence:
        return surplus
    if not isinstance(pattern, SensitiveRule) or algorithm.min_confidence is None:
        raise BadInput(f"Strategy {algorithm.strategy} hides rules, and this is an itemset.")
    if algorithm.strategy == "2.a":
        raise BadInput("How many baskets 2.a edits depends on which side its victims come from.")
    left, confidence = int(baskets.support([pattern.lhs])[0]), algorithm.min_confidence
    if not surplus or not left or count / left < confidence - SLACK:
        return 0
    if algorithm.strategy == "1.b":
        return min(math.floor(count - confidence * left + SLACK) + 1, surplus)
    if not confidence:
        raise BadInput("No left side is large enough to bring a confidence below 0.")
    return math.floor(count / confidence - left + SLACK) + 1
