"""The article in plain Python: slow, short, and what the kernels are tested against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import prod

Items = frozenset[str]
Bucket = list[int]
Values = Sequence[Sequence[Items]]


def _shares(rows: Sequence[Items], one: str, other: str) -> tuple[Fraction, Fraction, Fraction]:
    n = len(rows)
    both = sum(one in row and other in row for row in rows)
    return (
        Fraction(both, n),
        Fraction(sum(one in row for row in rows), n),
        Fraction(sum(other in row for row in rows), n),
    )


def phi_squared_cell(rows: Sequence[Items], one: str, other: str) -> Fraction:
    """Equation (4): the cell of both present alone.

    >>> phi_squared_cell([frozenset("ab"), frozenset("a"), frozenset("c")], "a", "b")
    Fraction(1, 18)
    """
    f11, fi, fj = _shares(rows, one, other)
    return (f11 - fi * fj) ** 2 / (fi * fj)


def phi_squared_full(rows: Sequence[Items], one: str, other: str) -> Fraction:
    """Equation (3) for two binary items: the sum over all four cells."""
    f11, fi, fj = _shares(rows, one, other)
    cells = [
        (f11, fi, fj),
        (fi - f11, fi, 1 - fj),
        (fj - f11, 1 - fi, fj),
        (1 - fi - fj + f11, 1 - fi, 1 - fj),
    ]
    return sum(((f - a * b) ** 2 / (a * b) for f, a, b in cells if a * b), Fraction(0))


def total_distance(distances: Sequence[Sequence[float]], medoids: Iterable[int]) -> float:
    """The sum over all objects of the distance to the nearest medoid."""
    chosen = list(medoids)
    return sum(min(distances[m][o] for m in chosen) for o in range(len(distances)))


def swap_medoids(distances: Sequence[Sequence[float]], start: Sequence[int]) -> list[int]:
    """Take the first object that improves on its best medoid, until a whole round finds none."""
    medoids = list(start)
    unchanged, candidate = 0, 0
    while unchanged < len(distances):
        unchanged += 1
        if candidate not in medoids:
            tries = [[*medoids[:i], candidate, *medoids[i + 1 :]] for i in range(len(medoids))]
            best = min(tries, key=lambda t: total_distance(distances, t))
            if total_distance(distances, best) < total_distance(distances, medoids):
                medoids, unchanged = best, 0
        candidate = (candidate + 1) % len(distances)
    return sorted(medoids)


def column_values(rows: Sequence[Items], columns: Sequence[Items]) -> list[list[Items]]:
    """t[Cj] = t ∩ Cj for every row and column."""
    return [[row & column for column in columns] for row in rows]


def _keeps(values: Values, bucket: Bucket, level: Fraction, *, exempt: bool) -> bool:
    columns = zip(*(values[i] for i in bucket), strict=True)
    for column in columns:
        counts = Counter(value for value in column if value or not exempt)
        if counts and max(counts.values()) * level > len(bucket):
            return False
    return True


def close_buckets(
    values: Values,
    level: Fraction,
    order: Iterable[int],
    *,
    min_bucket: int = 1,
    exempt: bool = False,
) -> tuple[list[Bucket], Bucket]:
    """Figure 2, lines 1-9: the buckets closed in one scan, and the rows of the open one."""
    closed: list[Bucket] = []
    opened: Bucket = []
    for row in order:
        opened = [*opened, row]
        if len(opened) >= min_bucket and _keeps(values, opened, level, exempt=exempt):
            closed.append(opened)
            opened = []
    return closed, opened


def place_leftovers(  # noqa: PLR0913 - as settle
    values: Values,
    buckets: Sequence[Bucket],
    leftovers: Bucket,
    level: Fraction,
    *,
    exempt: bool = False,
    passes: int | None = None,
) -> tuple[list[Bucket], Bucket]:
    """Lines 10-12, rows and buckets in the order given; the article makes a single pass.

    Further passes, until nobody moves, place rows for which others have made room.
    """
    placed = [list(bucket) for bucket in buckets]
    moved, made = True, 0
    while moved and made != passes:
        moved, waiting = False, leftovers
        made += 1
        leftovers = []
        for row in waiting:
            room = (b for b in placed if _keeps(values, [*b, row], level, exempt=exempt))
            bucket = next(room, None)
            if bucket is None:
                leftovers.append(row)
            else:
                bucket.append(row)
                moved = True
    return placed, leftovers


def expected_support(
    values: Values, columns: Sequence[Items], buckets: Sequence[Bucket], itemset: Items
) -> Fraction:
    """E[cnt(X)] = Σ_B |B| · Π_j #{t ∈ B : X ∩ Cj ⊆ t[Cj]} / |B|."""
    total = Fraction(0)
    for bucket in buckets:
        shares = [
            Fraction(sum((itemset & column) <= values[i][j] for i in bucket), len(bucket))
            for j, column in enumerate(columns)
        ]
        total += len(bucket) * prod(shares)
    return total
