"""k^m-anonymity by generalisation (Terrovitis, Mamoulis & Kalnis, VLDB 2008).

Every set of up to m items that occurs must be held by at least k baskets. Items are replaced by
more general ones, the same everywhere: a cut through the hierarchy. The search is the paper's
Apriori-based one: sizes 1 to m in turn, each violation repaired by the cheapest generalisation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Assortment, Baskets, Claim, Itemset, Release, Transactions
from halfmask.errors import BadInput, TargetNotMet
from halfmask.methods.neighbours.hierarchy import Hierarchy
from halfmask.methods.neighbours.levels import Bits, Lines, population

__all__ = ["GeneralisedRelease", "generalise", "km_violations"]


def km_violations(baskets: Baskets, *, k: int, m: int) -> list[Itemset]:
    """The smallest sets of up to m items that occur in fewer than k baskets.

    >>> km_violations(Baskets.of(["ab", "ab", "ac", "ac", "bc"]), k=2, m=2)
    [(1, 2)]
    """
    rows = baskets.transactions
    items = np.flatnonzero(rows.item_counts).tolist()
    found = []
    for violations in _by_size(Lines.of(rows, items), k, m):
        found += [tuple(items[n] for n in itemset) for itemset in violations]
    return found


def _by_size(lines: Lines, k: int, m: int) -> Iterator[list[Itemset]]:
    """Violations of 1, 2, … m lines, as long as their parts are no violations."""
    supports = lines.supports
    yield [(n,) for n in np.flatnonzero((supports > 0) & (supports < k)).tolist()]
    kept: list[Itemset] = [(n,) for n in np.flatnonzero(supports >= k).tolist()]
    for _ in range(1, m):
        larger: list[Itemset] = []
        violations: list[Itemset] = []
        for found in lines.extensions(kept):
            good = found.supports >= k
            larger += [(*found.itemset, item) for item in found.items[good].tolist()]
            violations += [(*found.itemset, item) for item in found.items[~good].tolist()]
        kept = larger
        yield violations


@dataclass(frozen=True, eq=False)
class GeneralisedRelease(Release):
    """Baskets of more general items, and what every original item is published as."""

    data: Baskets
    became: tuple[str, ...] = field(kw_only=True, repr=False)


def generalise(baskets: Baskets, hierarchy: Hierarchy, *, k: int, m: int) -> GeneralisedRelease:
    """Publish k^m-anonymous baskets of generalised items; every basket stays.

    >>> baskets = Baskets.of([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"],
    ...     ["a1", "a2", "b2"]])
    >>> from halfmask.methods.neighbours import parse_hierarchy
    >>> groups = parse_hierarchy(["a1, a2 -> A", "b1, b2 -> B"], baskets.schema)
    >>> released = generalise(baskets, groups, k=2, m=2)
    >>> released.schema.names, round(released.record["ncp"], 5)
    (('A', 'b1', 'b2'), 0.22727)
    """
    if k < 1 or m < 1:
        raise BadInput(f"k and m are at least 1; asked for k = {k} and m = {m}.")
    if hierarchy.names[: hierarchy.n_items] != baskets.schema.names:
        raise BadInput("The hierarchy was made for other items than those of these baskets.")
    cut = _Cut(hierarchy, baskets.transactions)
    for size in range(1, m + 1):
        cut.repair(size, k)
    published = cut.publish()
    violations = len(km_violations(published, k=k, m=m))
    return GeneralisedRelease(
        data=published,
        kind="sanitised",
        method="km-anonymity",
        iso_class="generalization",
        claim=Claim(
            promise=f"{_no(violations)} set of up to {m} items occurs in fewer than {k} baskets",
            assumption=f"the attacker knows at most {m} items of a person",
            terms={"k": k, "m": m, "violations": violations},
        ),
        record={"k": k, "m": m, "ncp": cut.ncp(), "items_published": published.schema.n_items},
        became=cut.became(),
    )


def _no(count: int) -> str:
    return f"{count:,}" if count else "No"


@dataclass(eq=False)
class _Cut:
    """For each item the node that stands for it; nodes only ever move up."""

    hierarchy: Hierarchy
    rows: Transactions

    def __post_init__(self) -> None:
        self.node_of = np.arange(self.hierarchy.n_items)
        self.occurrences = self.rows.item_counts
        leaves = Lines.of(self.rows, range(self.hierarchy.n_items)).bits
        self._bits: dict[int, Bits] = dict(enumerate(leaves))

    def bits(self, node: int) -> Bits:
        """The rows that hold an item below a node."""
        if node not in self._bits:
            leaves = [self._bits[leaf] for leaf in self.hierarchy.leaves(node).tolist()]
            self._bits[node] = np.bitwise_or.reduce(leaves)
        return self._bits[node]

    def repair(self, size: int, k: int) -> None:
        """Generalise until no set of this size is held by fewer than k rows."""
        published = self.publish()
        nodes = np.array(list(dict.fromkeys(self.node_of.tolist())))
        lines = Lines.of(published.transactions, range(len(nodes)))
        *_, violations = _by_size(lines, k, size)
        for violation in violations:
            now = self._above(nodes[list(violation)])
            if self._support(now) < k:
                self._apply(self._cheapest(now, k))

    def _above(self, nodes: NDArray[np.int64]) -> tuple[int, ...]:
        """What stands now for nodes that may have moved up since."""
        leaves = [self.hierarchy.leaves(node)[0] for node in nodes.tolist()]
        return tuple(np.unique(self.node_of[leaves]).tolist())

    def _support(self, nodes: Sequence[int]) -> int:
        lines = np.stack([self.bits(node) for node in nodes])
        return int(population(np.bitwise_and.reduce(lines, axis=0)))

    def _cheapest(self, nodes: tuple[int, ...], k: int) -> tuple[int, ...]:
        """Of all generalisations held by k rows the one that loses least."""
        chains = [(node, *self.hierarchy.ancestors(node)) for node in nodes]
        choices = sorted(product(*chains), key=lambda choice: (self._loss(choice), choice))
        for choice in choices:
            if self._support(choice) >= k:
                return choice
        raise TargetNotMet(
            f"Even the most general items of this hierarchy occur together in fewer than {k} "
            "baskets; lower k or m, or give the hierarchy a common root."
        )

    def _loss(self, choice: tuple[int, ...]) -> float:
        """Σ occurrences × NCP of the items that these nodes would stand for."""
        return sum(
            float(self.occurrences[self.hierarchy.leaves(node)].sum()) * self.hierarchy.loss(node)
            for node in set(choice)
        )

    def _apply(self, choice: tuple[int, ...]) -> None:
        for node in choice:
            self.node_of[self.hierarchy.leaves(node)] = node

    def ncp(self) -> float:
        """Σ occurrences × NCP / Σ occurrences."""
        total = float(self.occurrences.sum())
        losses = np.array([self.hierarchy.loss(node) for node in self.node_of.tolist()])
        return float((self.occurrences * losses).sum() / total) if total else 0.0

    def became(self) -> tuple[str, ...]:
        """The published name of each item."""
        return tuple(self.hierarchy.names[node] for node in self.node_of.tolist())

    def publish(self) -> Baskets:
        """The baskets in the items of the cut, numbered by their first item."""
        nodes = list(dict.fromkeys(self.node_of.tolist()))
        number = {node: n for n, node in enumerate(nodes)}
        new_of_old = np.array([number[node] for node in self.node_of.tolist()], np.int64)
        rows, width = self.rows, max(len(nodes), 1)
        row_of = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))
        keys = np.unique(row_of * width + new_of_old[rows.items])
        offsets = np.searchsorted(keys, np.arange(len(rows) + 1) * width)
        schema = Assortment(tuple(self.hierarchy.names[node] for node in nodes))
        return Baskets(
            schema,
            Transactions(
                offsets.astype(np.int64), (keys % width).astype(np.int32), rows.weights, len(nodes)
            ),
        )
