"""Secrets: what a release must not show, and when it counts as hidden.

Sensitive patterns are itemsets and rules over items; a table's items are `column=value`. A pattern
is found when its support and, for a rule, its confidence reach the thresholds of a miner.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from halfmask.data import Baskets, Countable, Itemset, Table
from halfmask.data.secrets import SecretPatterns, Supports
from halfmask.errors import BadInput
from halfmask.methods.hiding.sensitive import Sensitive, SensitiveRule
from halfmask.methods.method import Need
from halfmask.methods.names import as_baskets
from halfmask.patterns.mining import mine, rules

HALF_THE_SUPPORT, MOST_CONFIDENCE = 0.5, 0.75
"""Without thresholds of the steward's: below half of the smallest support, or three quarters of
the smallest confidence, that the sensitive patterns have."""

TELLING = 1.2
"""A rule worth hiding makes its right side so much likelier than it is."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Sensitive patterns with a miner's thresholds, and the column that an attacker wants.

    >>> secrets = Secrets(Sensitive(rules=(SensitiveRule((0,), (1,)),)), 0.4, 0.6)
    >>> rows = Baskets.of(["ab", "ab", "a", "b"])
    >>> secrets.found(rows.support, rows.size)
    1
    >>> replace(secrets, min_confidence=0.7).found(rows.support, rows.size)
    0
    """

    sensitive: Sensitive = field(default_factory=Sensitive)
    min_support: float | None = None
    """A share of the rows."""
    min_confidence: float | None = None
    column: str | None = None
    hierarchy: str = ""
    """The text of the hierarchy by which items may be generalised."""

    def __post_init__(self) -> None:
        for name, share in (("support", self.min_support), ("confidence", self.min_confidence)):
            if share is not None and not 0 < share <= 1:
                raise BadInput(
                    f"The minimum {name} of a sensitive pattern is a share above 0 and up to 1, "
                    f"not {share:g}."
                )

    def __len__(self) -> int:
        return len(self.sensitive)

    @property
    def given(self) -> frozenset[Need]:
        """What there is to protect, in the words of what a method needs."""
        names: set[Need] = set()
        if len(self.sensitive):
            names.add("patterns")
        if self.sensitive.rules and not self.sensitive.itemsets:
            names.add("rules")
        if self.column is not None:
            names.add("column")
        if self.hierarchy:
            names.add("hierarchy")
        return frozenset(names)

    def over(self, old: Table | Baskets, new: Table | Baskets) -> Secrets:
        """The same patterns in the items of another database; those it cannot form are gone."""
        names, item_of = _labels(old), {name: n for n, name in enumerate(_labels(new))}
        place = [item_of.get(name) for name in names]

        def moved(items: Itemset) -> Itemset | None:
            found = [place[item] for item in items]
            return None if None in found else tuple(sorted(n for n in found if n is not None))

        itemsets = [z for z in map(moved, self.sensitive.itemsets) if z is not None]
        sides = [(moved(rule.lhs), moved(rule.rhs)) for rule in self.sensitive.rules]
        rules_ = tuple(SensitiveRule(a, b) for a, b in sides if a is not None and b is not None)
        return replace(self, sensitive=Sensitive(tuple(itemsets), rules_))

    def found(self, support: Supports, size: float) -> int:
        """How many of the patterns a miner finds among these rows."""
        return int(self.patterns.found(support, size).sum())

    @property
    def patterns(self) -> SecretPatterns:
        """The patterns as they are counted."""
        return self.sensitive.below(self.min_support, self.min_confidence)

    @property
    def as_rules(self) -> tuple[SensitiveRule, ...]:
        """The rules, and of each itemset those with one item on the right."""
        return self.sensitive.rules + tuple(
            SensitiveRule(tuple(i for i in itemset if i != head), (head,))
            for itemset in self.sensitive.itemsets
            if len(itemset) > 1
            for head in itemset
        )


def _labels(database: Table | Baskets) -> tuple[str, ...]:
    return (as_baskets(database) if isinstance(database, Table) else database).schema.names


def with_thresholds(secrets: Secrets, database: Countable) -> Secrets:
    """The secrets with thresholds: those given, else some that leave work to do."""
    if not len(secrets):
        return secrets
    patterns = secrets.patterns
    wholes, lefts = database.support(patterns.wholes), database.support(patterns.lefts)
    if not wholes.min() > 0:
        raise BadInput(
            f"{int((wholes <= 0).sum())} of the {len(wholes)} sensitive patterns do not occur in "
            "the test database, so there is nothing to hide; leave them out."
        )
    support, confidence = secrets.min_support, secrets.min_confidence
    if support is None:
        support = max(HALF_THE_SUPPORT * float(wholes.min()), 1.0) / database.size
    if confidence is None and secrets.sensitive.rules:
        own = (wholes / lefts)[: len(secrets.sensitive.rules)]
        confidence = MOST_CONFIDENCE * float(own.min())
    return replace(secrets, min_support=support, min_confidence=confidence)


def draw_secrets(database: Baskets, like: Secrets, *, at_least: int = 3) -> Secrets:
    """Secrets for a database that has other items: as many rules or itemsets, no two of one item.

    The literature hides rules of disjoint itemsets; these are taken from the most held ones down.

    >>> rows = Baskets.of([["beer", "crisps"]] * 30 + [["tea", "milk"]] * 20 + [["beer"]] * 9)
    >>> like = Secrets(Sensitive(rules=(SensitiveRule((0,), (1,)),)))
    >>> drawn = draw_secrets(rows, like, at_least=2)
    >>> [(rule.lhs, rule.rhs) for rule in drawn.sensitive.rules]
    [((1,), (0,)), ((3,), (2,))]
    """
    wanted = max(len(like), at_least)
    rows, size = database.transactions, database.size
    floor = max(round(0.25 * len(database)), 2)
    while True:
        found = rules(mine(rows, min_support=floor, max_length=3), min_confidence=0.5)
        telling = [r for r in found if r.confidence > TELLING * rows.item_counts[r.head] / size]
        chosen = _disjoint([(rule.body, (rule.head,)) for rule in telling], wanted)
        if len(chosen) >= wanted or floor == 2:
            break
        floor = max(floor // 2, 2)
    if not chosen:
        raise BadInput("The generic database has no rule that could be hidden.")
    if like.sensitive.itemsets and not like.sensitive.rules:
        sensitive = Sensitive(itemsets=tuple(rule.itemset for rule in chosen))
    else:
        sensitive = Sensitive(rules=tuple(chosen))
    return with_thresholds(Secrets(sensitive), database)


def _disjoint(found: list[tuple[Itemset, Itemset]], wanted: int) -> list[SensitiveRule]:
    taken: set[int] = set()
    chosen: list[SensitiveRule] = []
    for left, right in found:
        if len(chosen) < wanted and not taken & {*left, *right}:
            chosen.append(SensitiveRule(left, right))
            taken |= {*left, *right}
    return chosen
