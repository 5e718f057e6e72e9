"""An attacker with a model file, a pencil and a solver: which small groups follow from it?

It knows the file and how counts are rounded, nothing of the code that wrote it. Every count is an
unknown between two bounds, every sum an equation. A group is found out where no solution of all
equations in whole numbers gives it 0 rows, and none gives it `floor` rows or more. HiGHS is asked
first for solutions that clear many groups at once, then for each that is left.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

ABSENT = "(no value)"


@dataclass(frozen=True, slots=True)
class Rounding:
    """What a told count says about the true one."""

    floor: int
    base: int

    @property
    def least(self) -> int:
        """The smallest number that is told of a group."""
        return self.base * (self.floor // self.base + 1) if self.base > 1 else self.floor

    def bounds(self, told: int) -> tuple[int, int]:
        return max(told - self.base + 1, 0), told + self.base - 1

    @property
    def most_untold(self) -> int:
        """What a cell that is not told can have at most."""
        return self.least - 1


@dataclass
class System:
    """Unknown counts with their bounds, and equations between them."""

    floor: int
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    kind: dict[int, str] = field(default_factory=dict)
    """Of each unknown that is a group of rows, what kind of group."""
    equations: list[dict[int, int]] = field(default_factory=list)
    """Coefficients of sums that are 0."""
    named: dict[object, int] = field(default_factory=dict)

    def unknown(self, low: float, high: float, kind: str | None = None) -> int:
        self.low.append(low)
        self.high.append(high)
        if kind:
            self.kind[len(self.low) - 1] = kind
        return len(self.low) - 1

    def of(self, name: object, low: float, high: float, kind: str | None = None) -> int:
        """The unknown of this name; what is known of it twice holds both times."""
        if name not in self.named:
            self.named[name] = self.unknown(low, high, kind)
        n = self.named[name]
        self.low[n], self.high[n] = max(self.low[n], low), min(self.high[n], high)
        return n

    def add(self, whole: list[int], parts: list[int]) -> None:
        equation: Counter[int] = Counter(whole)
        equation.subtract(parts)
        self.equations.append({n: c for n, c in equation.items() if c})

    def rest(self, whole: int, parts: list[int], kind: str) -> int:
        """What the parts leave of the whole."""
        n = self.unknown(0, self.high[whole], kind)
        self.add([whole], [*parts, n])
        return n

    def derived(self) -> dict[str, int]:
        """How many groups of each kind are found out."""
        return dict(Counter(self.kind[n] for n in self.found()))

    def found(self) -> list[int]:
        """The groups that have between 1 and `floor - 1` rows in every solution."""
        left = set(self.kind)
        self._solve = _Solver(self)
        for sign in (1, -1) * 4:
            if left:
                left -= self._cleared(self._solve(dict.fromkeys(left, sign), gap=0.5), left)
        for n in sorted(left):
            for sign in (1, -1):
                if n in left:
                    left -= self._cleared(self._solve({n: sign}), left)
        return sorted(left)

    def _cleared(self, solution: np.ndarray, groups: set[int]) -> set[int]:
        return {n for n in groups if solution[n] == 0 or solution[n] >= self.floor}


class _Solver:
    def __init__(self, system: System) -> None:
        lines = [(r, n, c) for r, e in enumerate(system.equations) for n, c in e.items()]
        rows, columns, values = np.array(lines).T if lines else np.zeros((3, 0), int)
        shape = (len(system.equations), len(system.low))
        self.matrix = csr_array((values.astype(float), (rows, columns)), shape=shape)
        self.bounds = np.stack([system.low, system.high], axis=1).astype(float)

    def __call__(self, goal: dict[int, int], gap: float = 0.0) -> np.ndarray:
        """Whole numbers that solve all equations, with a goal nearly as small as can be."""
        cost = np.zeros(len(self.bounds))
        cost[list(goal)] = list(goal.values())
        found = milp(
            cost,
            integrality=np.ones(len(cost)),
            bounds=Bounds(*self.bounds.T),
            constraints=LinearConstraint(self.matrix, 0, 0),
            options={"mip_rel_gap": gap},
        )
        assert found.x is not None, f"the counts contradict each other: {found.message}"
        whole = np.round(found.x)
        assert not (self.matrix @ whole).any(), "what HiGHS found is no solution"
        return whole


def read_model(path: Path) -> dict:
    """What stands in a model file."""
    return json.loads(path.read_text())["model"]


def system_of(model: dict) -> System:
    """Everything that a model file says, as unknowns and equations."""
    return _Reader(model).system


def basket_system_of(model: dict) -> System:
    """Everything that a model file of baskets says: sets, those who hold a part only, usages."""
    return _BasketReader(model).system


class _BasketReader:
    """Names of groups: sets of items that all hold."""

    def __init__(self, model: dict) -> None:
        self.model, self.floor = model, model["min_support"]
        self.system = System(self.floor)
        self.rounding = Rounding(self.floor, model.get("base", 1))
        for item in model["items"]:
            self._tell([item["name"]], item["support"], anyway=True)
        for pattern in model["patterns"]:
            self._tell(pattern["items"], pattern["support"], anyway=True)
        for margin in model.get("margins") or []:
            known = frozenset(margin["items"]) in self.system.named
            self._tell(margin["items"], margin["count"], anyway=known)
        self.groups = dict(self.system.named)
        for group in self.groups:
            self._differences(group)
        self._usages()
        self._lengths()

    def _bounds(self, count: int, *, anyway: bool) -> tuple[int, int]:
        low, high = self.rounding.bounds(count)
        low = 0 if anyway and count == self.rounding.least else low
        return max(low, self.floor), high

    def _tell(self, items: list[str], count: int, *, anyway: bool) -> None:
        self.system.of(frozenset(items), *self._bounds(count, anyway=anyway), "set")

    def _differences(self, group: frozenset) -> None:
        n = self.groups[group]
        for part in (group - {item} for item in group):
            if part in self.groups:
                self.system.rest(self.groups[part], [n], "a part without the whole")
        for one, other in combinations(sorted(group), 2):
            known = [group - {one, other}, group - {one}, group - {other}]
            if all(part in self.groups for part in known):
                whole, *parts = (self.groups[part] for part in known)
                left = self.system.unknown(0, 10**12, "neither of two")
                self.system.add([whole, n], [*parts, left])

    def _usages(self) -> None:
        covering: defaultdict[str, list[int]] = defaultdict(list)
        for pattern in self.model["patterns"]:
            n = self.system.unknown(*self.rounding.bounds(pattern["usage"]), "usage")
            support = self.groups[frozenset(pattern["items"])]
            self.system.rest(support, [n], "support without usage")
            for item in pattern["items"]:
                covering[item].append(n)
        for item in self.model["items"]:
            n = self.system.unknown(*self.rounding.bounds(item["usage"]), "usage")
            name = item["name"]
            self.system.add([self.groups[frozenset([name])]], [n, *covering[name]])

    def _lengths(self) -> None:
        everyone = self.system.unknown(self.model["rows"], self.model["rows"])
        told = (self._bounds(count, anyway=True) for _, count in self.model["lengths"])
        self.system.add([everyone], [self.system.unknown(*ends, "length") for ends in told])


class _Reader:
    """Names of groups: a set of (column, value) that all hold; `where` of a branch; usages."""

    def __init__(self, model: dict) -> None:
        settings = model["settings"]
        base = model.get("rounded", {"base": 1})["base"]
        self.floor = settings["min_support"]
        self.rounding = Rounding(self.floor, base)
        self.model = model
        self.system = System(self.floor)
        self.sizes = {c["name"]: len(c["values"]) for c in model["columns"]}
        self.everyone = self.system.of(frozenset(), model["rows"], model["rows"])
        self.told = {frozenset(): self.everyone}
        self._columns()
        self._patterns()
        for margin in model.get("margins") or []:
            self._cells(margin)
        self._differences()
        for margin in model.get("margins") or []:
            self._hidden_cells(margin)
        for tree in model.get("trees") or []:
            self._tree(tree)
        self._usages()

    def _tell(self, group: frozenset, count: int, kind: str, *, anyway: bool = False) -> int:
        """A group whose count is told, so that at least `floor` rows hold it.

        What is told `anyway` has the smallest number also where chance would have it below.
        """
        low, high = self.rounding.bounds(count)
        low = 0 if anyway and count == self.rounding.least else low
        n = self.system.of(group, max(low, self.floor), high, kind)
        self.told[group] = n
        return n

    def _columns(self) -> None:
        for column in self.model["columns"]:
            name, parts = column["name"], []
            for value, count in zip(column["values"], column["supports"], strict=True):
                parts.append(self._tell(frozenset([(name, value)]), count, "value", anyway=True))
            self.told[frozenset([(name, ABSENT)])] = self.system.named[
                frozenset([(name, ABSENT)])
            ] = self.system.rest(self.everyone, parts, "rows without a value of a column")
            bins = column.get("bins")
            for value, within in zip(parts, bins["parts"] if bins else [], strict=False):
                low_high = [self.rounding.bounds(p[2]) if p[2] else (0, 0) for p in within]
                inside = [self.system.unknown(*b, "part of a bin") for b in low_high]
                self.system.add([value], inside)
            if bins and "clock" in bins:
                told = (self.rounding.bounds(rows) for _, _, rows, _ in bins["clock"] if rows)
                clock = [self.system.unknown(*ends, "part of a day") for ends in told]
                self.system.add(parts, [*clock, self.system.unknown(0, self.model["rows"])])

    def _patterns(self) -> None:
        for pattern in self.model["patterns"]:
            items = frozenset(pattern["items"].items())
            self._tell(items, pattern["support"], "pattern", anyway=True)

    def _cells(self, margin: dict) -> None:
        names = margin["attributes"]
        parts = [
            self._tell(frozenset(zip(names, values, strict=True)), count, "cell")
            for values, count in margin["cells"]
        ]
        low, high = self.rounding.bounds(margin["remainder"])
        parts.append(self.system.unknown(low, high, "remainder"))
        kind = "rows without a value of a table"
        if len(names) == 1:
            absent = self.told[frozenset([(names[0], ABSENT)])]
            self.system.add([self.everyone], [*parts, absent])
        else:
            self.system.rest(self.everyone, parts, kind)

    def _differences(self) -> None:
        """X without its told X ∪ {y}, column by column; X without y and z; X without more."""
        children: defaultdict[tuple, list[int]] = defaultdict(list)
        groups = {g: n for g, n in self.told.items() if ABSENT not in {v for _, v in g}}
        for group, n in groups.items():
            for item in group:
                whole = group - {item}
                if whole and whole in groups:
                    children[whole, item[0]].append(n)
        for (whole, _), parts in children.items():
            self.system.rest(groups[whole], parts, "X without X ∪ {y}")
        for group, n in groups.items():
            for one, other in combinations(sorted(group, key=str), 2):
                parts = [group - {one}, group - {other}]
                whole = group - {one, other}
                if whole and all(part in groups for part in [*parts, whole]):
                    left = self.system.unknown(0, self.floor * 10**9, "X without y, z")
                    self.system.add([groups[whole], n], [*(groups[part] for part in parts), left])
        self._without_more(groups)

    def _without_more(self, groups: dict) -> None:
        for small, large in ((a, b) for a in groups for b in groups if a and a < b):
            if len(large) > len(small) + 1:
                self.system.rest(groups[small], [groups[large]], "X without more")

    def _hidden_cells(self, margin: dict) -> None:
        """The cells of a two-way table that are not told, and the sums along both of its sides."""
        names = margin["attributes"]
        if len(names) != 2:
            return
        values = {
            name: [*(v for c in self.model["columns"] if c["name"] == name for v in c["values"])]
            for name in names
        }
        cells: dict[tuple, int] = {}
        told = {tuple(v) for v, _ in margin["cells"]}
        joined = self._may_be_joined(margin)
        for pair in (
            (a, b) for a in [*values[names[0]], ABSENT] for b in [*values[names[1]], ABSENT]
        ):
            group = frozenset(zip(names, pair, strict=True))
            if pair in told or group in self.told:
                cells[pair] = self.told[group]
            elif ABSENT in pair or joined:
                cells[pair] = self.system.of(group, 0, 10**12, "hidden cell")
            else:
                cells[pair] = self.system.of(group, 0, self.rounding.most_untold, "hidden cell")
        for side, name in enumerate(names):
            for value in [*values[name], ABSENT]:
                parts = [n for pair, n in cells.items() if pair[side] == value]
                self.system.add([self.told[frozenset([(name, value)])]], parts)

    def _may_be_joined(self, margin: dict) -> bool:
        """Whether a cell of enough rows may be in the remainder, to keep that from being small."""
        counts = [count for _, count in margin["cells"]]
        smallest = self.rounding.bounds(min(counts))[1] if counts else 10**12
        return self.rounding.bounds(margin["remainder"])[0] <= self.floor - 1 + smallest

    def _tree(self, tree: dict) -> None:
        """The values of the target at each leaf, their rests, and what all leaves make together."""
        target = self.model["settings"]["calibration"]["target"]
        few, every, leaves = [], [], defaultdict(list)
        for branch in tree["branches"]:
            where = frozenset((name, sign, value) for name, sign, value in branch["where"])
            items = frozenset((name, value) for name, sign, value in where if sign == "=")
            plain = len(items) == len(where)
            parts = []
            for value, count in branch["counts"]:
                group = items | {(target, value)} if plain else ("leaf", where, value)
                low, high = self.rounding.bounds(count)
                n = self.system.of(group, max(low, self.floor), high, "leaf")
                leaves[value].append(n)
                parts.append(n)
                self.told[group] = n
            parts.append(self._rest_of_a_leaf(branch["others"]))
            few += [parts[-1]] if branch["others"] is None else []
            every += parts
            if plain and items in self.told:
                without = self.system.unknown(0, self.model["rows"])
                self.system.add([self.told[items]], [*parts, without])
                absent = self.told[frozenset([(target, ABSENT)])]
                self.system.add([absent], [without, self.system.unknown(0, self.model["rows"])])
        low, high = self.rounding.bounds(tree["few"])
        self.system.add([self.system.unknown(low, high, "few")], few)
        self.system.rest(self.everyone, every, "outside of leaves")
        for value, parts in leaves.items():
            self.system.rest(self.told[frozenset([(target, value)])], parts, "outside of leaves")

    def _rest_of_a_leaf(self, others: int | None) -> int:
        if others is not None:
            ends = self.rounding.bounds(others)
        elif self.rounding.base == 1:
            ends = 1, self.floor - 1
        else:
            ends = 0, self.rounding.most_untold
        return self.system.unknown(*ends, "rest of a leaf")

    def _usages(self) -> None:
        """Every cell of the original is covered once."""
        covering: defaultdict[tuple, list[int]] = defaultdict(list)
        for pattern in self.model["patterns"]:
            items = frozenset(pattern["items"].items())
            n = self.system.unknown(*self.rounding.bounds(pattern["usage"]), "usage")
            self.system.rest(self.told[items], [n], "support without usage")
            for item in items:
                covering[item].append(n)
        for column in self.model["columns"]:
            for value, usage in zip(column["values"], column["usages"], strict=True):
                item = (column["name"], value)
                n = self.system.unknown(*self.rounding.bounds(usage), "usage")
                self.system.add([self.told[frozenset([item])]], [n, *covering[item]])
