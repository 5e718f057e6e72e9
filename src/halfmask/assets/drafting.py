"""Drafting: a first asset from the data, for the steward to edit.

The paper advises data mining to find what must hold. Three kinds of constraints are looked for
that hold in every row of the original: the range or the list of an attribute's values, functional
dependencies (a drug decides its diagnosis) and association rules (who is pregnant is female). No
value held by fewer rows than the minimum support is named.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from halfmask.assets.document import Kind
from halfmask.assets.values import read_label
from halfmask.data import Attribute, Baskets, Column, Encoding, Schema, Table
from halfmask.data.coding.kinds import plan_each
from halfmask.data.coding.spec import TableSpec
from halfmask.errors import BadInput
from halfmask.patterns.mining import Rule, mine, rules

MOST_LISTED = 30
"""Values that a constraint lists; a longer list is no help to a reader."""
MOST_IMPLICATIONS = 25
"""Constraints between attributes that a draft offers, those that most rows bear out."""
MOST_VALUES = 256
"""A column with more different values is no list of categories."""
CHANCE = 1e-3
"""A rule that independent attributes would show more often than this, among all rules looked at,
is luck."""


@dataclass(frozen=True, slots=True)
class Implication:
    """Rows with one of these values of `body` all hold `head_value`."""

    body: str
    values: tuple[str, ...]
    head: str
    head_value: str
    support: int


@dataclass(frozen=True, eq=False)
class Draft:
    """What was found: plain parts from which a file is written."""

    key: tuple[str, ...]
    kinds: Mapping[str, Kind]
    ranges: Mapping[str, tuple[str, str]]
    lists: Mapping[str, tuple[str, ...]]
    dependencies: tuple[tuple[Implication, ...], ...]
    """Functional dependencies, each as what every value of the deciding attribute implies."""
    rules: tuple[Implication, ...]
    notes: Mapping[str, str]
    """What to know about an attribute."""
    left_out: int
    """Rules and dependencies beyond those that a draft offers."""

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Attributes that constraints tie together, and at the end those that stand alone."""
        group = {name: {name} for name in self.kinds}
        ties = [(one.body, one.head) for part in (*self.dependencies, self.rules) for one in part]
        for body, head in ties:
            joined = group[body] | group[head]
            for name in joined:
                group[name] = joined
        order = list(self.kinds)
        together = dict.fromkeys(
            tuple(sorted(names, key=order.index)) for names in group.values() if len(names) > 1
        )
        alone = tuple(name for name, names in group.items() if len(names) == 1)
        return (*together, *((alone,) if alone else ()))


MOST_ITEMS = 20
"""Items of baskets that a draft takes as attributes: the most frequent ones."""


def item_columns(baskets: Baskets, *, min_support: int) -> list[Column]:
    """The most frequent items as columns: in the basket or not.

    >>> rows = Baskets.of([["milk", "tea"], ["tea"], ["milk"], ["tea"]] * 5 + [["rare"]])
    >>> [(c.name, c.counts.tolist()) for c in item_columns(rows, min_support=5)]
    [('tea', [6, 15]), ('milk', [11, 10])]
    """
    rows, counts = baskets.transactions, baskets.transactions.item_counts
    order = [i for i in np.argsort(-counts, kind="stable") if counts[i] >= min_support]
    if not order:
        raise BadInput(f"No item is held by {min_support:,} baskets, so none may be named.")
    found = []
    for item in order[:MOST_ITEMS]:
        index = np.zeros(len(rows), np.int32)
        index[rows.row_of[rows.items == item]] = 1
        found.append(Column(baskets.schema.names[item], ("false", "true"), index, "bool"))
    return found


def draft_asset(columns: Sequence[Column], *, min_support: int) -> Draft:
    """Look at the data and say what an asset could say.

    >>> sex, ill = ["f", "f", "m", "m"] * 25, ["yes", "no", "no", "no"] * 25
    >>> draft = draft_asset([Column.of("sex", sex), Column.of("ill", ill)], min_support=10)
    >>> [(rule.body, rule.values, rule.head, rule.head_value) for rule in draft.rules]
    [('sex', ('m',), 'ill', 'no'), ('ill', ('yes',), 'sex', 'f')]
    """
    key, rest = _key(columns)
    if not rest:
        raise BadInput(
            "Every column identifies rows, so there is nothing for an asset to describe."
        )
    unsuited = _unsuited(rest, min_support)
    suited = [column for column in rest if column.name not in unsuited]
    common = [column for column in suited if _most_held(column) >= min_support]
    found = _Mined.of(common, min_support) if len(common) > 1 else _Mined((), ())
    ranges, lists, rare = _domains(suited, min_support)
    unnamed = f"some values are held by fewer than {min_support:,} rows and are not named"
    return Draft(
        key=key,
        kinds={column.name: _kind(column) for column in rest},
        ranges=ranges,
        lists=lists,
        dependencies=found.dependencies[:MOST_IMPLICATIONS],
        rules=found.rules[:MOST_IMPLICATIONS],
        notes={**dict.fromkeys(rare, unnamed), **unsuited},
        left_out=max(0, len(found.dependencies) - MOST_IMPLICATIONS)
        + max(0, len(found.rules) - MOST_IMPLICATIONS),
    )


def _key(columns: Sequence[Column]) -> tuple[tuple[str, ...], list[Column]]:
    """The first column whose values tell all rows apart, and the other columns."""
    for column in columns:
        if len(column.labels) == len(column) > 1 and None not in column.labels:
            return (column.name,), [c for c in columns if c is not column]
    return (), list(columns)


def _unsuited(columns: Sequence[Column], min_support: int) -> dict[str, str]:
    """Columns whose values are no categories, and why; no constraint on them is looked for."""
    plans = plan_each(columns, TableSpec(), floor=min_support)
    found = {name: plan.reason for name, plan in plans.items() if plan.fate in ("drop", "key")}
    many = [c for c in columns if c.name not in found and len(c.labels) > MOST_VALUES]
    return {**found, **{c.name: f"{len(c.labels):,} different values" for c in many}}


def _most_held(column: Column) -> int:
    """The rows that hold the most frequent value."""
    counts = zip(column.labels, column.counts.tolist(), strict=True)
    return max((rows for label, rows in counts if label is not None), default=0)


def _kind(column: Column) -> Kind:
    if column.kind == "number":
        known = [label for label in column.labels if label is not None]
        return "int" if all(_reads("int", label) for label in known) else "float"
    if column.kind == "truth":
        return "bool"
    moments = column.kind == "moment" and all(_reads("date", x) for x in column.labels if x)
    return "date" if moments else "str"


def _reads(kind: Kind, label: str) -> bool:
    try:
        read_label(kind, label)
    except ValueError:
        return False
    return True


def _domains(
    columns: Iterable[Column], min_support: int
) -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, ...]], list[str]]:
    """Ranges of numbers and lists of words, and the columns with values too rare to name."""
    ranges, lists, rare = {}, {}, []
    for column in columns:
        counts = dict(zip(column.labels, column.counts.tolist(), strict=True))
        known = [label for label in column.labels if label is not None]
        kind = _kind(column)
        if not known or any(counts[label] < min_support for label in known):
            rare.append(column.name)
        elif kind in ("int", "float"):
            ordered = sorted(known, key=lambda label: read_label("float", label))
            ranges[column.name] = ordered[0], ordered[-1]
        elif kind == "str" and len(known) <= MOST_LISTED:
            lists[column.name] = tuple(sorted(known))
    return ranges, lists, rare


@dataclass(frozen=True, slots=True)
class _Mined:
    """Dependencies and rules that hold in every row, the best supported first."""

    dependencies: tuple[tuple[Implication, ...], ...]
    rules: tuple[Implication, ...]

    @classmethod
    def of(cls, columns: Sequence[Column], min_support: int) -> _Mined:
        """The rules between values of two columns that have no exception."""
        table = Encoding.fit(columns, min_support=min_support).encode(columns)
        raw = Encoding.fit(columns).encode(columns)
        tried = table.schema.n_items * (len(columns) - 1)
        dependencies, loose = [], []
        for (body, head), found in _implications(table, columns, min_support).items():
            if _decides(raw, body, head):
                dependencies.append(found)
            else:
                loose += [one for one in found if _is_no_luck(one, table, tried)]
        dependencies.sort(key=lambda found: -sum(one.support for one in found))
        return cls(tuple(dependencies), tuple(sorted(loose, key=lambda one: -one.support)))


def _implications(
    table: Table, columns: Sequence[Column], min_support: int
) -> dict[tuple[str, str], tuple[Implication, ...]]:
    """For two attributes what values of one imply about the other, like consequences together."""
    schema = table.schema
    pairs = mine(table.transactions, min_support=min_support, max_length=2)
    constant = {name for name in schema.names if (table.marginal([name]) > 0).sum() < 2}
    of_head: dict[tuple[str, int], list[Rule]] = {}
    for rule in rules(pairs, min_confidence=1.0):
        [body] = rule.body
        names = [_held_value(item, schema, columns) for item in (body, rule.head)]
        if None not in names and _attribute(rule.head, schema).name not in constant:
            of_head.setdefault((_attribute(body, schema).name, rule.head), []).append(rule)
    found: dict[tuple[str, str], tuple[Implication, ...]] = {}
    for (body_name, head), alike in of_head.items():
        values = tuple(str(_value(rule.body[0], schema)) for rule in alike)
        head_name = _attribute(head, schema).name
        if len(values) <= MOST_LISTED:
            support = sum(rule.support for rule in alike)
            one = Implication(body_name, values, head_name, str(_value(head, schema)), support)
            found[body_name, head_name] = (*found.get((body_name, head_name), ()), one)
    return found


def _attribute(item: int, schema: Schema) -> Attribute:
    return schema.attributes[int(schema.domains[item])]


def _value(item: int, schema: Schema) -> str | None:
    place = int(schema.domains[item])
    return schema.attributes[place].values[item - int(schema.offsets[place])]


def _held_value(item: int, schema: Schema, columns: Sequence[Column]) -> str | None:
    """The value of an item, unless it is missing or stands for a group of rare values."""
    value = _value(item, schema)
    held = columns[int(schema.domains[item])].labels
    return value if value in held else None


def _decides(raw: Table, body: str, head: str) -> bool:
    """Whether every value of `body`, rare ones too, goes with one value of `head`."""
    counts = raw.marginal([body, head])
    return bool(((counts > 0).sum(axis=1) <= 1).all())


def _is_no_luck(one: Implication, table: Table, tried: int) -> bool:
    """Whether independent attributes would hardly ever show the rule.

    If a share s of all rows holds the head, all of n rows do by chance with probability s^n.
    """
    share = float(table.marginal([one.head])[table.schema[one.head].code(one.head_value)])
    return one.support * math.log(share / len(table)) < math.log(CHANCE / tried)


def short_name(*words: Any) -> str:
    """A name for a constraint from the words it is about.

    >>> short_name("sex", "ill (acute)")
    'sex_ill_acute'
    """
    joined = "_".join(str(word) for word in words)
    return re.sub(r"\W+", "_", joined).strip("_") or "constraint"
