"""Target trees in plain Python: the map for readers and the oracle of the tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log, sqrt

Rows = Sequence[Sequence[int]]


@dataclass
class PlainTree:
    """A node: the split with the nodes for yes and no, or a leaf without one."""

    rows: list[int]
    drawn: list[int]
    distance: float = 0.0
    freedom: float = 0.0
    best: tuple[float, int, int] | None = None
    """What the best split would bring, its column and its value."""
    asked: tuple[int, int] | None = None
    below: list[PlainTree] = field(default_factory=list)

    def leaves(self) -> list[tuple[tuple[int, int, bool], ...]]:
        """The splits and answers on the path to each leaf."""
        if self.asked is None:
            return [()]
        yes, no = self.below
        return [((*self.asked, True), *path) for path in yes.leaves()] + [
            ((*self.asked, False), *path) for path in no.leaves()
        ]


def few_of(expected: float, floor: int) -> float:
    """What is expected, as far as it is few."""
    return min(max(expected, 1.0), max(1.0, floor - 1.0))


def distance(
    counts: Sequence[int], expected: Sequence[float], floor: int
) -> tuple[float, float, bool]:
    """χ² of what is told, its degrees of freedom, and whether something is told."""
    pairs = list(zip(counts, expected, strict=True))
    told = float(sum(c for c, _ in pairs if c >= floor))
    told_expected = sum(e for c, e in pairs if c >= floor)
    rest = sum(c for c, _ in pairs if c < floor)
    rest_expected = sum(e for c, e in pairs if c < floor)
    if not (told > 0 or rest >= floor):
        return 0.0, 0.0, False
    if told_expected + rest_expected <= 0:
        return 0.0, 0.0, True
    others = float(rest)
    if 0 < rest < floor:
        scaled = rest_expected * told / told_expected if told_expected > 0 else 1.0
        others = few_of(scaled, floor)
    mass = (told + others) / (told_expected + rest_expected)
    terms = [(float(c), e * mass) for c, e in pairs if c >= floor] + [
        (others, rest_expected * mass)
    ]
    value = sum(2 * (c - e) ** 2 / (c + e) for c, e in terms if c + e > 0)
    freedom = len(terms) - 2.0 + (others > 0 or rest_expected * mass >= 1)
    return value, max(freedom, 0.0), True


def plain_tree(  # noqa: C901, PLR0913 - one recipe with its small steps inside; what to grow from, and the limits
    rows: Rows,
    classes: Sequence[int],
    drawn: Rows,
    shares: Sequence[Sequence[float]],
    sizes: Sequence[int],
    *,
    floor: int,
    leaves: int,
    caution: float,
) -> PlainTree:
    """A tree grown where the shares of the drawn rows are wrong, the best split first.

    >>> rows = [[0], [1]] * 30
    >>> tree = plain_tree(rows, [0, 1] * 30, rows, [[0.5, 0.5]] * 60, [2], floor=5, leaves=4,
    ...                   caution=1)
    >>> tree.leaves()
    [((0, 0, True),), ((0, 0, False),)]
    """
    n_classes = len(shares[0])
    scale = len(rows) / len(drawn)

    def line(node: PlainTree) -> tuple[list[int], list[float]]:
        counts, expected = [0] * n_classes, [0.0] * n_classes
        for r in node.rows:
            counts[classes[r]] += 1
        for r in node.drawn:
            for k in range(n_classes):
                expected[k] += shares[r][k] * scale
        return counts, expected

    def cut(node: PlainTree, column: int, value: int) -> list[PlainTree]:
        return [
            PlainTree(
                [r for r in node.rows if (rows[r][column] == value) is answer],
                [r for r in node.drawn if (drawn[r][column] == value) is answer],
            )
            for answer in (True, False)
        ]

    def looked_at(node: PlainTree) -> PlainTree:
        node.distance, node.freedom, _ = distance(*line(node), floor)
        for column, size in enumerate(sizes):
            for value in range(size if size > 1 else 0):
                sides = [distance(*line(side), floor) for side in cut(node, column, value)]
                gain = sum(side[0] for side in sides) - node.distance
                if all(side[2] for side in sides) and (node.best is None or gain > node.best[0]):
                    node.best = (gain, column, value)
        return node

    root = looked_at(PlainTree(list(range(len(rows))), list(range(len(drawn)))))
    ends = [root]
    while len(ends) < leaves:
        open_ends = [node for node in ends if node.best is not None]
        if not open_ends:
            break
        node = max(open_ends, key=lambda end: end.best[0] if end.best else 0.0)
        assert node.best is not None  # noqa: S101 - only those were looked at
        node.asked = node.best[1:]
        node.below = [looked_at(side) for side in cut(node, *node.asked)]
        ends = [end for end in ends if end is not node] + node.below
    _prune(root, caution * log(max(sum(size for size in sizes if size > 1), 1)))
    return root


def _prune(node: PlainTree, each: float) -> tuple[float, float, int]:
    """Take back splits that together bring no more than the luckiest ones would by chance.

    A χ² exceeds f + 2√(f·t) + 2t with a probability of at most exp(-t) [Laurent & Massart 2000];
    of q splits k can be asked in q^k paths, so t is k times `each`, which is log q if the bound
    is taken as it is. The distance and the freedom below come back, and how many splits are
    left.
    """
    if node.asked is None:
        return node.distance, node.freedom, 0
    found = [_prune(side, each) for side in node.below]
    value, below = sum(side[0] for side in found), sum(side[1] for side in found)
    splits = 1 + sum(side[2] for side in found)
    freedom = max(below - node.freedom, 1.0)
    luck = freedom + 2 * sqrt(freedom * splits * each) + 2 * splits * each
    if value - node.distance > luck:
        return value, below, splits
    node.asked, node.below = None, []
    return node.distance, node.freedom, 0


@dataclass(frozen=True)
class PlainLeaf:
    """What is told at a leaf: a count for each value or none, and the rest or none if few."""

    told: Sequence[int | None]
    rest: int | None


def plain_fit(  # noqa: PLR0913 - what to fit to what
    leaf_of: Sequence[Sequence[int]],
    leaves: Sequence[Sequence[PlainLeaf]],
    few: Sequence[int],
    shares: Sequence[Sequence[float]],
    *,
    floor: int,
    size: float,
    rounds: int,
) -> list[list[float]]:
    """Shares of rows whose leaf in tree t is `leaf_of[t][row]`, fitted to what is told.

    >>> leaf = PlainLeaf([30, 10], 0)
    >>> plain_fit([[0, 0]], [[leaf]], [0], [[0.5, 0.5]] * 2, floor=5, size=40, rounds=1)
    [[0.75, 0.25], [0.75, 0.25]]
    """
    fitted = [list(row) for row in shares]
    scale = size / len(fitted)
    for _ in range(rounds):
        for of_row, told, together in zip(leaf_of, leaves, few, strict=True):
            sums = [[0.0] * len(fitted[0]) for _ in told]
            for leaf, row in zip(of_row, fitted, strict=True):
                if leaf >= 0:
                    sums[leaf] = [
                        s + share * scale for s, share in zip(sums[leaf], row, strict=True)
                    ]
            factors = _factors(told, sums, together, floor)
            for n, leaf in enumerate(of_row):
                if leaf >= 0:
                    row = [max(s * f, 1e-12) for s, f in zip(fitted[n], factors[leaf], strict=True)]
                    fitted[n] = [share / sum(row) for share in row]
    return fitted


def _factors(
    told: Sequence[PlainLeaf], sums: Sequence[Sequence[float]], together: int, floor: int
) -> list[list[float]]:
    """What leaves the number of rows in each leaf alone and brings its shares to what is told."""
    untold = [
        sum(s for s, count in zip(found, leaf.told, strict=True) if count is None)
        for leaf, found in zip(told, sums, strict=True)
    ]
    small = sum(u for u, leaf in zip(untold, told, strict=True) if leaf.rest is None)
    ratio = together / small if small > 0 else 0.0
    factors = []
    for leaf, found, other in zip(told, sums, untold, strict=True):
        rest = few_of(ratio * other, floor) if leaf.rest is None else float(leaf.rest)
        of_rest = rest / other if other > 0 else 0.0
        wanted = [
            of_rest * s if count is None else float(count)
            for s, count in zip(found, leaf.told, strict=True)
        ]
        usable = sum(found) > 0 and sum(wanted) > 0
        factors.append(
            [
                min(max(w / sum(wanted) * sum(found) / s, 0.1), 10.0) if usable and s > 0 else 1.0
                for w, s in zip(wanted, found, strict=True)
            ]
        )
    return factors
