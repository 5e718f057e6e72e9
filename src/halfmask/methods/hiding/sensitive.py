"""What must not be found: sensitive itemsets and rules, read from plain text.

One a line: `beer, crisps` is an itemset, `beer, crisps -> nappies` a rule. Blank lines and lines
that start with # are skipped; a name with a comma or an arrow in it stands in double quotes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from halfmask.data import Assortment, Itemset
from halfmask.errors import BadInput, HalfmaskError, UnknownName
from halfmask.methods.name_lists import read_names

__all__ = ["Sensitive", "SensitiveRule", "parse_sensitive"]


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


def _itemset(names: list[str], schema: Assortment) -> Itemset:
    return tuple(sorted({schema.item(name) for name in names}))
