"""What must not be found: sensitive itemsets and rules, read from plain text.

One a line: `beer, crisps` is an itemset, `beer, crisps -> nappies` a rule. Blank lines and lines
that start with # are skipped; a name with a comma or an arrow in it stands in double quotes.

The numbers a steward gives to a hiding method, checked where they come in.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from halfmask.data import Assortment, Itemset
from halfmask.data.secrets import SecretPatterns
from halfmask.errors import BadInput, HalfmaskError, UnknownName
from halfmask.methods.names import read_names


@dataclass(frozen=True, slots=True, order=True)
class SensitiveRule:
    """If a basket holds `lhs`, it holds `rhs` too."""

    lhs: Itemset
    rhs: Itemset

    def __post_init__(self) -> None:
        if not self.lhs or not self.rhs:
            raise BadInput("A rule needs at least one item on each side of its arrow.")
        if set(self.lhs) & set(self.rhs):
            raise BadInput("The two sides of a rule must not share an item.")

    @property
    def itemset(self) -> Itemset:
        """All items of the rule: the itemset that generates it."""
        return tuple(sorted(self.lhs + self.rhs))


@dataclass(frozen=True, slots=True)
class Sensitive:
    """The itemsets and rules to hide, in the order given, each once."""

    itemsets: tuple[Itemset, ...] = ()
    rules: tuple[SensitiveRule, ...] = ()

    def __post_init__(self) -> None:
        if any(not itemset for itemset in self.itemsets):
            raise BadInput("A sensitive itemset holds at least one item.")
        object.__setattr__(
            self, "itemsets", tuple(dict.fromkeys(tuple(sorted(set(z))) for z in self.itemsets))
        )
        object.__setattr__(self, "rules", tuple(dict.fromkeys(self.rules)))

    def __len__(self) -> int:
        return len(self.itemsets) + len(self.rules)

    def below(self, support: float | None, confidence: float | None) -> SecretPatterns:
        """The patterns with the thresholds from which on they count as found."""
        rules = tuple((rule.lhs, rule.rhs) for rule in self.rules)
        return SecretPatterns(rules, self.itemsets, support, confidence)

    @property
    def all_itemsets(self) -> tuple[Itemset, ...]:
        """The itemsets, and those that generate the rules: without them no rule either."""
        return tuple(dict.fromkeys(self.itemsets + tuple(r.itemset for r in self.rules)))


def parse_sensitive(text: str | Iterable[str], schema: Assortment) -> Sensitive:
    r"""Read the sensitive patterns of a file, or of any lines.

    >>> schema = Assortment(("beer", "crisps", "nappies"))
    >>> parse_sensitive("crisps, beer\nbeer -> nappies", schema)
    Sensitive(itemsets=((0, 1),), rules=(SensitiveRule(lhs=(0,), rhs=(2,)),))
    """
    lines = text.splitlines() if isinstance(text, str) else text
    itemsets: list[Itemset] = []
    rules: list[SensitiveRule] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            sides = [_itemset(side, schema) for side in read_names(line)]
            if len(sides) == 1:
                itemsets.append(sides[0])
            else:
                rules.append(SensitiveRule(*sides))
        except UnknownName:
            raise
        except HalfmaskError as trouble:
            raise BadInput(f"Line {number} of the sensitive patterns: {trouble}") from None
    if not itemsets and not rules:
        raise BadInput("The list of sensitive patterns is empty; there is nothing to hide.")
    return Sensitive(tuple(itemsets), tuple(rules))


def sensitive_lines(sensitive: Sensitive, schema: Assortment) -> tuple[str, ...]:
    """The patterns as lines that `parse_sensitive` reads again.

    >>> schema = Assortment(("beer", "crisps, salted"))
    >>> sensitive_lines(Sensitive(rules=(SensitiveRule((0,), (1,)),)), schema)
    ('beer -> "crisps, salted"',)
    """

    def named(items: Itemset) -> str:
        names = (schema.names[item] for item in items)
        return ", ".join(f'"{n}"' if "," in n or "->" in n else n for n in names)

    itemsets = (named(itemset) for itemset in sensitive.itemsets)
    return (*itemsets, *(f"{named(rule.lhs)} -> {named(rule.rhs)}" for rule in sensitive.rules))


def _itemset(names: list[str], schema: Assortment) -> Itemset:
    return tuple(sorted({schema.item(name) for name in names}))


SLACK = 1e-9
"""Thresholds are shares of counts; this absorbs the rounding of their product."""


def check_share(name: str, value: float) -> None:
    """Refuse a share outside [0, 1].

    >>> check_share("disclosure threshold", 1.5)
    Traceback (most recent call last):
    halfmask.errors.BadInput: The disclosure threshold lies between 0 and 1, not at 1.5.
    """
    if not 0 <= value <= 1:
        raise BadInput(f"The {name} lies between 0 and 1, not at {value:g}.")


def min_count(min_support: float, size: float) -> int:
    """A minimum support as a number of rows: a whole number is one, a fraction is a share.

    >>> min_count(0.5, 6), min_count(2, 6), min_count(1 / 3, 6)
    (3, 2, 2)
    """
    if isinstance(min_support, int) and not isinstance(min_support, bool):
        if min_support < 1:
            raise BadInput(f"A minimum support is at least one row, not {min_support}.")
        return min_support
    check_share("minimum support as a share", min_support)
    return max(math.ceil(min_support * size - SLACK), 1)


def rows_to_edit(rows: int, psi: float) -> int:
    """How many of the rows that hold a pattern lose it when a share ψ may keep it.

    >>> rows_to_edit(10, 0.0), rows_to_edit(10, 0.25), rows_to_edit(10, 1.0)
    (10, 8, 0)
    """
    return math.ceil(rows * (1 - psi) - SLACK)
