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

from halfmask.data import Assortment, Baskets, Claim, Itemset, Release, Transactions
from halfmask.errors import BadInput, TargetNotMet
from halfmask.methods.suppression.hierarchy import Hierarchy
from halfmask.methods.suppression.levels import Bits, Lines, occurring_pairs, population


def km_violations(baskets: Baskets, *, k: int, m: int) -> list[Itemset]:
    """The smallest sets of up to m items that occur in fewer than k baskets.

    >>> km_violations(Baskets.of(["ab", "ab", "ac", "ac", "bc"]), k=2, m=2)
    [(1, 2)]
    """
    return [itemset for found in _by_size(baskets.transactions, k, m) for itemset in found]


def _by_size(rows: Transactions, k: int, m: int) -> Iterator[list[Itemset]]:
    """Violations of 1, 2, … m items, as long as their parts are no violations."""
    supports = rows.item_counts
    yield [(n,) for n in np.flatnonzero((supports > 0) & (supports < k)).tolist()]
    if m == 1:
        return
    kept: list[Itemset] = []
    violations: list[Itemset] = []
    for found in occurring_pairs(rows.with_items(supports >= k)):
        good = found.supports >= k
        violations += zip(found.first[~good].tolist(), found.second[~good].tolist(), strict=True)
        if m > 2:
            kept += zip(found.first[good].tolist(), found.second[good].tolist(), strict=True)
    yield violations
    lines = Lines.of(rows, range(rows.n_items)) if m > 2 else None
    for _ in range(2, m):
        assert lines is not None  # noqa: S101 - made above
        larger: list[Itemset] = []
        violations = []
        for extended in lines.extensions(kept):
            good = extended.supports >= k
            larger += [(*extended.itemset, item) for item in extended.items[good].tolist()]
            violations += [(*extended.itemset, item) for item in extended.items[~good].tolist()]
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
    >>> from halfmask.methods.suppression.hierarchy import parse_hierarchy
    >>> groups = parse_hierarchy(["a1, a2 -> A", "b1, b2 -> B"], baskets.schema)
    >>> released = generalise(baskets, groups, k=2, m=2)
    >>> released.schema.names, round(released.record["ncp"], 5)
    (('A', 'b1', 'b2'), 0.22727)
    """
    if k < 1 or m < 1:
        raise BadInput(f"k and m are at least 1; asked for k = {k} and m = {m}.")
    if hierarchy.names[: hierarchy.n_items] != baskets.schema.names:
        raise BadInput("The hierarchy is for other items than these baskets have.")
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
        record={
            "k": k,
            "m": m,
            "ncp": cut.ncp(),
            "coarse_quality": cut.coarse_quality(),
            "items_published": published.schema.n_items,
        },
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
        order = np.argsort(self.rows.items, kind="stable")
        starts = np.cumsum(self.occurrences)[:-1]
        self._holders = np.split(self.rows.row_of[order], starts) if self.hierarchy.n_items else []
        self._bits: dict[int, Bits] = {}
        self._losses: dict[int, float] = {}

    def coarse_quality(self) -> float:
        """Formula (8) of Bertino and Nai Fovino: 1 less the mean height of a cell, of the depth."""
        names, total = self.hierarchy.names, self.occurrences.sum()
        lifts = [
            self.hierarchy.lift(names[item], names[int(node)])
            for item, node in enumerate(self.node_of)
        ]
        return 1.0 - float((self.occurrences * lifts).sum() / total) if total else 1.0

    def bits(self, node: int) -> Bits:
        """The rows that hold an item below a node."""
        if node not in self._bits:
            flags = np.zeros(64 * ((len(self.rows) + 63) // 64), bool)
            for leaf in self.hierarchy.leaves(node).tolist():
                flags[self._holders[leaf]] = True
            self._bits[node] = np.packbits(flags).view(np.uint64)
        return self._bits[node]

    def repair(self, size: int, k: int) -> None:
        """Generalise until no set of this size is held by fewer than k rows."""
        published = self.publish()
        nodes = np.array(list(dict.fromkeys(self.node_of.tolist())))
        *_, violations = _by_size(published.transactions, k, size)
        below = [int(self.hierarchy.leaves(node)[0]) for node in nodes.tolist()]
        node_of = self.node_of.tolist()
        fine: set[tuple[int, ...]] = set()  # nodes only move up, so what is fine stays fine
        for violation in violations:
            # What stands now for nodes that may have moved up since.
            now = tuple(sorted({node_of[below[n]] for n in violation}))
            if now in fine:
                continue
            if self._support(now) < k:
                self._apply(self._cheapest(now, k))
                node_of = self.node_of.tolist()
            else:
                fine.add(now)

    def _support(self, nodes: Sequence[int]) -> int:
        lines = self.bits(nodes[0])
        for node in nodes[1:]:
            lines = lines & self.bits(node)
        return int(population(lines))

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
        return sum(self._loss_of(node) for node in set(choice))

    def _loss_of(self, node: int) -> float:
        if node not in self._losses:
            occurrences = float(self.occurrences[self.hierarchy.leaves(node)].sum())
            self._losses[node] = occurrences * self.hierarchy.loss(node)
        return self._losses[node]

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
        cells = np.unique(rows.row_of * width + new_of_old[rows.items])
        schema = Assortment(tuple(self.hierarchy.names[node] for node in nodes))
        return Baskets(schema, Transactions.of_cells(cells, rows.weights, len(nodes)))
