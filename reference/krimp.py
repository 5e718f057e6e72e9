"""Krimp in plain Python: the definition that readers read and the oracle of the tests.

Nothing here is fast and everything is literal: a table is a list of itemsets in cover order, every
candidate is judged by covering the whole database anew. Sources: Siebes, Vreeken & van Leeuwen,
"Item Sets That Compress" (2006); Vreeken, van Leeuwen & Siebes, "Krimp" (2011).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from halfmask.patterns.code_table import Bits
from halfmask.patterns.krimp import Prune

Items = frozenset[int]
Rows = Sequence[tuple[Items, int]]
"""Rows with their weights: a row of weight 3 stands for three equal rows."""
Usages = Mapping[Items, int]


@dataclass(frozen=True, slots=True)
class Step:
    """One candidate and what became of it."""

    candidate: tuple[int, ...]
    usage: int
    """The usage it would have."""
    size: Bits
    """The sizes it would give."""
    accepted: bool


@dataclass(frozen=True, slots=True)
class Result:
    """A finished search: the sets in cover order, every usage (also of single items)."""

    sets: tuple[Items, ...]
    usages: Usages
    size: Bits
    accepted: int


def frequent(
    rows: Rows, min_support: int, *, closed: bool = False, max_length: int | None = None
) -> list[tuple[tuple[int, ...], int]]:
    """All frequent itemsets with their supports, in candidate order.

    The order is support descending, length descending, then lexicographic on the item numbers.

    >>> frequent([(frozenset({0, 1}), 2), (frozenset({1}), 1)], min_support=2)
    [((1,), 3), ((0, 1), 2), ((0,), 2)]
    """
    support: Counter[tuple[int, ...]] = Counter()
    for items, weight in rows:
        for length in range(1, min(len(items), max_length or len(items)) + 1):
            for itemset in combinations(sorted(items), length):
                support[itemset] += weight
    found = {itemset: n for itemset, n in support.items() if n >= min_support}
    if closed:
        found = {
            itemset: n
            for itemset, n in found.items()
            if not any(n == m and set(itemset) < set(other) for other, m in support.items())
        }
    return sorted(found.items(), key=lambda pair: (-pair[1], -len(pair[0]), pair[0]))


def cover(items: Items, sets: Sequence[Items]) -> Iterator[Items]:
    """The elements that cover a row: sets in cover order as they still fit, then single items.

    >>> [sorted(x) for x in cover(frozenset("abcd"), [frozenset("ab"), frozenset("bc")])]
    [['a', 'b'], ['c'], ['d']]
    """
    left = items
    for candidate in sets:
        if candidate <= left:
            yield candidate
            left = left - candidate
    yield from (frozenset({item}) for item in sorted(left))


def usages(rows: Rows, sets: Sequence[Items]) -> Counter[Items]:
    """How many rows use each element of the table; elements without use are not listed."""
    count: Counter[Items] = Counter()
    for items, weight in rows:
        for element in cover(items, sets):
            count[element] += weight
    return count


def code_lengths(usage: Usages) -> dict[Items, float]:
    """l(X) = -log2(usage(X) / S), S the sum of all usages; elements without use have no code."""
    total = sum(usage.values())
    return {x: -math.log2(u / total) for x, u in usage.items() if u > 0}


def size(usage: Usages, counts: Mapping[int, int]) -> Bits:
    """Both sizes; `counts` are the item counts that define the standard code.

    L(D|CT) = Σ usage(X) · l(X) and L(CT|D) = Σ (st(X) + l(X)), both over used elements, with
    st(X) = Σ over i in X of -log2(count(i) / sum of all counts).
    """
    lengths = code_lengths(usage)
    cells = sum(counts.values())
    standard = {i: -math.log2(n / cells) if n > 0 else 0.0 for i, n in counts.items()}
    return Bits(
        math.fsum(usage[x] * bits for x, bits in lengths.items()),
        math.fsum(bits + sum(standard[i] for i in x) for x, bits in lengths.items()),
    )


def compare(new: Usages, old: Usages, counts: Mapping[int, int]) -> int:
    """-1 when the table with usages `new` gives the smaller total, 1 when the larger, 0 at a tie.

    Floating point decides unless the totals almost agree; then whole numbers do. The total is a
    sum of whole multiples of logarithms of whole numbers, so 2 ** total is a fraction.
    """
    difference = size(new, counts).total - size(old, counts).total
    if abs(difference) > 1e-6:
        return 1 if difference > 0 else -1
    powers = _powers(new, counts)
    powers.subtract(_powers(old, counts))
    above = math.prod(int(base**power) for base, power in powers.items() if power > 0)
    below = math.prod(int(base**-power) for base, power in powers.items() if power < 0)
    return int(above > below) - int(above < below)


def _powers(usage: Usages, counts: Mapping[int, int]) -> Counter[int]:
    """The total as {b: p}, meaning Σ p · log2(b)."""
    used = {x: u for x, u in usage.items() if u > 0}
    powers: Counter[int] = Counter({sum(used.values()): sum(used.values()) + len(used)})
    for x, u in used.items():
        powers[u] -= u + 1
        powers[sum(counts.values())] += len(x)
        for item in x:
            powers[counts[item]] -= 1
    return powers


def search(
    rows: Rows, candidates: Sequence[tuple[tuple[int, ...], int]], prune: Prune = "none"
) -> Iterator[tuple[Step, list[Items]]]:
    """Every step of the search, each with the table after it.

    A candidate enters behind the sets of its own length; it stays when the total falls strictly.
    """
    counts: Counter[int] = Counter()
    for items, weight in rows:
        counts.update(dict.fromkeys(items, weight))
    table: list[Items] = []
    old = usages(rows, table)
    for itemset, _ in candidates:
        x = frozenset(itemset)
        if len(x) < 2:
            continue
        place = sum(len(y) >= len(x) for y in table)
        larger = [*table[:place], x, *table[place:]]
        new = usages(rows, larger)
        accepted = compare(new, old, counts) < 0
        step = Step(itemset, new[x], size(new, counts), accepted)
        if accepted:
            table = larger
            if prune == "repaired":
                table = prune_repaired(rows, table, new, old, counts)
            elif prune == "authors":
                table = prune_as_authors(rows, table, place, old, counts)
            old = usages(rows, table)
        yield step, list(table)


def krimp(
    rows: Rows, candidates: Sequence[tuple[tuple[int, ...], int]], prune: Prune = "none"
) -> Result:
    """The table that the search ends with.

    >>> ab, cd = frozenset("ab"), frozenset("cd")
    >>> found = krimp([(ab | cd, 5), (ab, 3)], [(("a", "b"), 8), (("c", "d"), 5)])
    >>> [sorted(x) for x in found.sets], found.accepted
    ([['a', 'b'], ['c', 'd']], 2)
    """
    table: list[Items] = []
    accepted = 0
    for step, table in search(rows, candidates, prune):  # noqa: B007 - the last table is the answer
        accepted += step.accepted
    usage = usages(rows, table)
    counts: Counter[int] = Counter()
    for items, weight in rows:
        counts.update(dict.fromkeys(items, weight))
    return Result(tuple(table), usage, size(usage, counts), accepted)


def prune_repaired(
    rows: Rows, table: list[Items], new: Usages, old: Usages, counts: Mapping[int, int]
) -> list[Items]:
    """Drop sets that lost usage and no longer pay, least used first, in cover order when equal.

    After a deletion every set whose usage fell because of it is looked at (again).
    """
    usage: Usages = new
    queue = [x for x in table if new.get(x, 0) < old.get(x, 0)]
    while queue:
        queue.sort(key=lambda x: (usage.get(x, 0), table.index(x)))
        x = queue.pop(0)
        rest = [y for y in table if y != x]
        without = usages(rows, rest)
        if compare(without, usage, counts) > 0:
            continue
        fallen = [y for y in rest if without.get(y, 0) < usage.get(y, 0)]
        table, usage = rest, without
        queue += [y for y in fallen if y not in queue]
    return table


def prune_as_authors(
    rows: Rows, table: list[Items], place: int, old: Usages, counts: Mapping[int, int]
) -> list[Items]:
    """The authors' program to the letter, with the three slips that its tables show.

    The queue starts in cover order, not by usage; the sort of the rest makes each pass one place
    later instead of ending one earlier; the set that moved into the place of a deleted one is not
    looked at.
    """
    usage: Usages = usages(rows, table)
    queue = [x for x in table[place + 1 :] if usage.get(x, 0) < old.get(x, 0)]
    while queue:
        x = queue.pop(0)
        index = table.index(x)
        rest = [y for y in table if y != x]
        if usage.get(x, 0) == 0:
            table = rest
            continue
        without = usages(rows, rest)
        if compare(without, usage, counts) > 0:
            continue
        _incomplete_bubble_sort(queue, without)
        for y in rest[index + 1 :]:
            if without.get(y, 0) < usage.get(y, 0) and y not in queue:
                larger = (q for q, z in enumerate(queue) if without.get(z, 0) > without.get(y, 0))
                queue.insert(next(larger, len(queue)), y)
        table, usage = rest, without
    return table


def _incomplete_bubble_sort(queue: list[Items], usage: Usages) -> None:
    for start in range(len(queue) - 1):
        swapped = False
        for b in range(start, len(queue) - 1):
            if usage.get(queue[b], 0) > usage.get(queue[b + 1], 0):
                queue[b], queue[b + 1] = queue[b + 1], queue[b]
                swapped = True
        if not swapped:
            break
