"""Slim in plain Python: the definition that readers read and the oracle of the tests.

Source: Smets & Vreeken, "Slim: Directly Mining Descriptive Patterns" (2012). Candidates are the
unions of two elements of the present table that some rows use together. They are tried in the order
of an estimate of what they save; whether one stays is decided exactly, as in Krimp.

Three estimates: "estimate" is ours, it pays for the new set and the better of the first two enters;
"unpaid" is the article's; "authors" is that of the authors' program, with its slip.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, islice

from halfmask.patterns.code_table import Bits
from halfmask.patterns.krimp import Prune
from halfmask.patterns.slim import Gain
from reference.krimp import (
    Items,
    Rows,
    Usages,
    compare,
    cover,
    prune_as_authors,
    prune_repaired,
    size,
    usages,
)

LEADERS: Mapping[Gain, int] = {"estimate": 2, "unpaid": 1, "authors": 1}
"""How many of the most promising pairs are weighed before the best of them enters."""

_CLEARLY = 1e-6
"""Bits, well above rounding."""


@dataclass(frozen=True, slots=True)
class SlimResult:
    """A search: the sets in cover order, every usage, and how many pairs were tried and taken."""

    sets: tuple[Items, ...]
    usages: Usages
    size: Bits
    evaluated: int
    accepted: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Two elements, the more used first, and the rows that use both."""

    first: Items
    second: Items
    joint: int


@dataclass(frozen=True, slots=True)
class Table:
    """What the estimate looks at."""

    usage: Usages
    standard: Mapping[Items, float]
    """The standard code length of every element."""
    usage_sum: int
    elements: int
    """All elements, used or not."""


def lg(x: int) -> float:
    """log2 with lg 0 = 0."""
    return math.log2(x) if x > 0 else 0.0


def xlg(x: int) -> float:
    """X lg x."""
    return x * lg(x)


def database_gain(x: int, y: int, u: int, usage_sum: int) -> float:
    """Bits of database saved if u uses of both elements (used x and y times) become one code.

    >>> database_gain(4, 4, 4, usage_sum=8)
    8.0
    """
    return xlg(u) + xlg(x - u) - xlg(x) + xlg(y - u) - xlg(y) - xlg(usage_sum - u) + xlg(usage_sum)


def estimate(pair: Pair, table: Table, gain: Gain) -> float:
    """What the pair is expected to save in all, if its union took the place of both and no other.

    Δ L(D|CT) + Δ L(CT|D): the codes of both elements become longer, or fall away with their sets;
    "estimate" pays for the new set, "unpaid" (as the article's authors rank) does not.
    """
    if gain == "authors":
        return _estimate_of_authors(pair, table)
    x, y, u = table.usage[pair.first], table.usage[pair.second], pair.joint
    standard = table.standard[pair.first], table.standard[pair.second]
    own = xlg(u) + lg(u) + (_share(x, u, standard[0]) + _share(y, u, standard[1]))
    if gain == "estimate":
        own -= standard[0] + standard[1]
    after = table.elements + 1 - (x == u) - (y == u)
    s = table.usage_sum
    return own + (xlg(s) - xlg(s - u) + table.elements * lg(s) - after * lg(s - u))


def _share(usage: int, joint: int, standard: float) -> float:
    """What one of the two elements contributes."""
    left = usage - joint
    code = lg(usage) - lg(left) if left > 0 else lg(usage) - standard
    return xlg(left) - xlg(usage) - code


def _estimate_of_authors(pair: Pair, table: Table) -> float:
    """The authors' program: when the second element falls away, its term has the wrong sign."""
    x, y, u = table.usage[pair.first], table.usage[pair.second], pair.joint
    s, n = table.usage_sum, table.elements
    after = n + 1 - (x == u) - (y == u)
    growth = (
        -lg(u)
        + (lg(x) - lg(x - u) if x > u else lg(x) - table.standard[pair.first])
        + (lg(y) - lg(y - u) if y > u else -(lg(y) - table.standard[pair.second]))
        + after * lg(s - u)
        - n * lg(s)
    )
    return database_gain(x, y, u, s) - growth


def ranked_pairs(
    covers: Sequence[tuple[Sequence[Items], int]],
    elements: Sequence[Items],
    table: Table,
    *,
    gain: Gain,
    min_joint: int,
) -> list[Pair]:
    """The pairs worth a trial, most promising first; ties go by rank of usage, then cover order."""
    by_usage = sorted(elements, key=lambda x: -table.usage.get(x, 0))
    rank = {x: i for i, x in enumerate(by_usage)}
    joint: Counter[tuple[int, int]] = Counter()
    for used, weight in covers:
        for i, j in combinations(sorted(rank[x] for x in used), 2):
            joint[i, j] += weight
    keyed = []
    for (i, j), u in joint.items():
        pair = Pair(by_usage[i], by_usage[j], u)
        x, y = table.usage[pair.first], table.usage[pair.second]
        if u >= min_joint and database_gain(x, y, u, table.usage_sum) > 0:
            keyed.append((-estimate(pair, table, gain), i, j, pair))
    return [pair for *_, pair in sorted(keyed, key=lambda key: key[:3])]


@dataclass
class _Search:
    """The table while it grows."""

    rows: Rows
    items: Sequence[Items]
    """All single items, in the order of their ranks."""
    counts: Mapping[int, int]
    sets: list[Items]
    usage: Usages

    def table(self) -> Table:
        cells = sum(self.counts.values())
        single = {i: lg(cells) - lg(n) if n else 0.0 for i, n in self.counts.items()}
        elements = [*self.sets, *self.items]
        standard = {x: sum((single[i] for i in sorted(x)), 0.0) for x in elements}
        return Table(self.usage, standard, sum(self.usage.values()), len(elements))

    def pairs(self, *, gain: Gain, min_joint: int) -> list[Pair]:
        covers = [(list(cover(row, self.sets)), weight) for row, weight in self.rows]
        return ranked_pairs(
            covers, [*self.sets, *self.items], self.table(), gain=gain, min_joint=min_joint
        )

    def usages_with(self, x: Items, larger: list[Items]) -> Counter[Items]:
        """Only rows that contain the newcomer can be covered in another way."""
        touched = [(row, weight) for row, weight in self.rows if x <= row]
        new = Counter(self.usage)
        new.subtract(usages(touched, self.sets))
        new.update(usages(touched, larger))
        return +new

    def with_set(self, x: Items) -> list[Items]:
        """The table with the set behind the others of its length."""
        place = sum(len(y) >= len(x) for y in self.sets)
        return [*self.sets[:place], x, *self.sets[place:]]

    def saving(self, x: Items, min_gain: float) -> float | None:
        """The bits that the set saves, if it pays."""
        new = self.usages_with(x, self.with_set(x))
        saved = size(self.usage, self.counts).total - size(new, self.counts).total
        pays = saved > min_gain if min_gain > 0 else compare(new, self.usage, self.counts) < 0
        return saved if pays else None

    def take(self, x: Items, prune: Prune) -> None:
        """Let the set into the table and prune."""
        larger, old = self.with_set(x), self.usage
        new = self.usages_with(x, larger)
        if prune == "repaired":
            larger = prune_repaired(self.rows, larger, new, old, self.counts)
        elif prune == "authors":
            larger = prune_as_authors(self.rows, larger, larger.index(x), old, self.counts)
        self.sets = larger
        self.usage = new if prune == "none" else usages(self.rows, larger)


def _trials(
    search: _Search,
    *,
    gain: Gain,
    min_support: int,
    max_length: int | None,
    forbidden: Collection[tuple[int, int]],
) -> Iterator[Items]:
    """Unions of this round, in order, without those that may not enter."""
    # Ours asks the floor of the rows that hold both, theirs also of the rows that use both.
    joint = 1 if gain == "estimate" else min_support
    for pair in search.pairs(gain=gain, min_joint=joint):
        x = pair.first | pair.second
        if sum(weight for row, weight in search.rows if x <= row) < min_support:
            continue
        hidden = any(a in x and b in x for a, b in forbidden)
        if not hidden and len(x) <= (max_length or len(x)):
            yield x


def _best(search: _Search, sets: Sequence[Items], min_gain: float) -> Items | None:
    """The set that saves most, the first of nearly equal ones; none when none pays."""
    best, most = None, 0.0
    for x in sets:
        saved = search.saving(x, min_gain)
        if saved is not None and (best is None or saved > most + _CLEARLY):
            best, most = x, saved
    return best


def slim(  # noqa: PLR0913 - the settings of the search
    rows: Rows,
    n_items: int,
    *,
    min_support: int = 1,
    prune: Prune = "none",
    gain: Gain = "estimate",
    min_gain: float = 0.0,
    max_length: int | None = None,
    forbidden: Collection[tuple[int, int]] = (),
    rounds: int | None = None,
) -> SlimResult:
    """The table that the search ends with, or the one after so many rounds.

    >>> found = slim([(frozenset({0, 1, 2}), 5), (frozenset({0, 1}), 3)], n_items=3)
    >>> [sorted(x) for x in found.sets], found.accepted
    ([[0, 1, 2], [0, 1]], 2)
    """
    counts = Counter(dict.fromkeys(range(n_items), 0))
    for row, weight in rows:
        counts.update(dict.fromkeys(row, weight))
    single = [frozenset({i}) for i in range(n_items)]
    search = _Search(rows, single, counts, [], usages(rows, []))
    trials = partial(
        _trials,
        search,
        gain=gain,
        min_support=min_support,
        max_length=max_length,
        forbidden=forbidden,
    )
    evaluated = accepted = 0
    while rounds is None or accepted < rounds:
        waiting = trials()
        leading = list(islice(waiting, LEADERS[gain]))
        x = _best(search, leading, min_gain)
        evaluated += len(leading)
        while x is None and (tried := next(waiting, None)) is not None:
            evaluated += 1
            x = _best(search, [tried], min_gain)
        if x is None:
            break
        search.take(x, prune)
        accepted += 1
    return SlimResult(
        tuple(search.sets), search.usage, size(search.usage, counts), evaluated, accepted
    )
