"""An item hierarchy: which items may be published under a common, more general name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Assortment
from halfmask.errors import BadInput
from halfmask.methods.names import read_names


@dataclass(frozen=True)
class Hierarchy:
    """A forest over the items: the items are its leaves and numbered as in their list.

    >>> fruit = Hierarchy.of({"apple": "fruit", "pear": "fruit", "bread": "food",
    ...     "fruit": "food"}, Assortment(("apple", "bread", "pear")))
    >>> [fruit.names[node] for node in fruit.ancestors(0)]
    ['fruit', 'food']
    >>> fruit.leaves(fruit.ancestors(0)[0]).tolist()
    [0, 2]
    """

    names: tuple[str, ...]
    """Names of the nodes: the items first, then the groups."""
    parents: tuple[int, ...]
    """The node above each node; -1 above a root."""
    n_items: int

    @classmethod
    def of(cls, parent_of: Mapping[str, str], schema: Assortment) -> Hierarchy:
        """A hierarchy from the name above each name."""
        _check_covers(parent_of, schema)
        _check_no_circle(parent_of)
        items = set(schema.names)
        groups = dict.fromkeys(parent_of.values())
        taken = sorted(items & set(groups))
        if taken:
            raise BadInput(f"{taken[0]!r} is an item, and the hierarchy also uses it as a group.")
        names = schema.names + tuple(groups)
        number = {name: n for n, name in enumerate(names)}
        above = tuple(number[parent_of[name]] if name in parent_of else -1 for name in names)
        return cls(names, above, schema.n_items)

    def ancestors(self, node: int) -> tuple[int, ...]:
        """The nodes above, nearest first."""
        above = []
        while (node := self.parents[node]) >= 0:
            above.append(node)
        return tuple(above)

    @cached_property
    def _leaves(self) -> dict[int, NDArray[np.int64]]:
        below: dict[int, list[int]] = {}
        for leaf in range(self.n_items):
            for node in (leaf, *self.ancestors(leaf)):
                below.setdefault(node, []).append(leaf)
        return {node: np.array(leaves, np.int64) for node, leaves in below.items()}

    def leaves(self, node: int) -> NDArray[np.int64]:
        """The items that a node stands for."""
        return self._leaves[node]

    @cached_property
    def depth(self) -> int:
        """How many levels lie above the lowest item."""
        return max((len(self.ancestors(leaf)) for leaf in range(self.n_items)), default=0)

    def lift(self, item: str | None, shown: str | None) -> float:
        """How far up an item was taken when it is shown under another name, as a share of `depth`.

        1 where that name does not lie above the item: then another item is shown.

        >>> towns = {"Rome": "south", "Lodi": "north", "south": "Italy", "north": "Italy"}
        >>> italy = Hierarchy.of(towns, Assortment(("Lodi", "Rome")))
        >>> [italy.lift("Rome", name) for name in ("Rome", "south", "Italy", "north")]
        [0.0, 0.5, 1.0, 1.0]
        """
        if item == shown:
            return 0.0
        if item is None or item not in self.names[: self.n_items]:
            return 1.0
        above = [self.names[node] for node in self.ancestors(self.names.index(item))]
        return (above.index(shown) + 1) / self.depth if shown in above else 1.0

    def loss(self, node: int) -> float:
        """NCP: nothing for an item, the share of all items it stands for otherwise."""
        return 0.0 if node < self.n_items else len(self.leaves(node)) / self.n_items


def parse_hierarchy(text: str | Iterable[str], schema: Assortment) -> Hierarchy:
    r"""Read a hierarchy, one group a line: `apple, pear -> fruit`, and `fruit, bread -> food`.

    >>> parse_hierarchy("apple, pear -> fruit", Assortment(("apple", "pear"))).names
    ('apple', 'pear', 'fruit')
    """
    parent_of: dict[str, str] = {}
    for number, names, group in hierarchy_lines(text):
        for name in names:
            if parent_of.setdefault(name, group) != group:
                raise BadInput(f"Line {number} of the hierarchy puts {name!r} into a second group.")
    return Hierarchy.of(parent_of, schema)


def hierarchy_lines(text: str | Iterable[str]) -> Iterator[tuple[int, list[str], str]]:
    """The number of each line that says something, the names before its arrow, and the group."""
    for number, line in enumerate(text.splitlines() if isinstance(text, str) else text, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            sides = read_names(line)
        except BadInput as trouble:
            raise BadInput(f"Line {number} of the hierarchy: {trouble}") from None
        if len(sides) != 2 or len(sides[1]) != 1:
            raise BadInput(
                f"Line {number} of the hierarchy: write 'a, b -> group', with one name after "
                "the arrow."
            )
        yield number, sides[0], sides[1][0]


def _check_covers(parent_of: Mapping[str, str], schema: Assortment) -> None:
    lacking = [name for name in schema.names if name not in parent_of]
    if lacking:
        shown = ", ".join(map(repr, lacking[:3])) + (", …" if len(lacking) > 3 else "")
        raise BadInput(
            f"The hierarchy lacks {len(lacking)} of the {schema.n_items} items ({shown}); put "
            "every item into a group."
        )


def _check_no_circle(parent_of: Mapping[str, str]) -> None:
    safe: set[str] = set()
    for start in parent_of:
        path: list[str] = []
        name: str | None = start
        while name is not None and name not in safe:
            if name in path:
                circle = " -> ".join([*path[path.index(name) :], name])
                raise BadInput(f"The hierarchy goes in a circle: {circle}.")
            path.append(name)
            name = parent_of.get(name)
        safe.update(path)
