"""Constraints: a closed grammar of tests and operators, three-valued as in SQL.

A test of a missing value is neither true nor false but unknown, and only what is false violates a
constraint (as in an SQL CHECK). Kleene's logic is arithmetic on FALSE < UNKNOWN < TRUE: `and` is
the smaller, `or` the greater, `not` the mirror image.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol, TypeAlias

import numpy as np
import re2
from numpy.typing import NDArray

from halfmask.assets.document import Kind, Operator
from halfmask.assets.values import Values

FALSE, UNKNOWN, TRUE = np.uint8(0), np.uint8(1), np.uint8(2)
Truth: TypeAlias = NDArray[np.uint8]
"""FALSE, UNKNOWN or TRUE for each row."""

ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_QUIET = re2.Options()
_QUIET.log_errors = False


class SqlPredicate(Protocol):
    """An SQL expression made ready: which attributes it reads, and whether rows satisfy it."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that the expression names."""
        ...

    def __call__(self, columns: Mapping[str, Values]) -> Truth:
        """The truth of the expression in every row."""
        ...


SqlCompiler: TypeAlias = Callable[[str, Mapping[str, Kind]], SqlPredicate]
"""Makes an SQL expression over attributes of these types ready, or refuses it."""


@dataclass(frozen=True, slots=True)
class ValueTest:
    """An attribute against a value: a comparison, `in` a list, `matches` a pattern, `holds`."""

    attribute: str
    relation: str
    value: Any

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attribute tested."""
        return (self.attribute,)

    def __str__(self) -> str:
        return f"{self.attribute} {self.relation} {_shown(self.value)}"

    def holds_for(self, value: Any) -> bool:
        """Whether a known value passes."""
        if self.relation in ORDERS:
            return bool(ORDERS[self.relation](value, self.value))
        if self.relation == "in":
            return value in self.value
        if self.relation == "matches":
            return matches(self.value, value)
        return bool(frozenset(self.value) <= value)


@dataclass(frozen=True, slots=True)
class RangeTest:
    """An attribute that lies between two values, both allowed."""

    attribute: str
    low: Any
    high: Any

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attribute tested."""
        return (self.attribute,)

    def __str__(self) -> str:
        return f"{_shown(self.low)} ≤ {self.attribute} ≤ {_shown(self.high)}"

    def holds_for(self, value: Any) -> bool:
        """Whether a known value passes."""
        return bool(self.low <= value <= self.high)


@dataclass(frozen=True, slots=True)
class PairTest:
    """Two attributes of the same row against each other."""

    attribute: str
    relation: str
    other: str

    @property
    def attributes(self) -> tuple[str, ...]:
        """Both."""
        return (self.attribute, self.other)

    def __str__(self) -> str:
        return f"{self.attribute} {self.relation} {self.other}"


@dataclass(frozen=True, slots=True)
class Sql:
    """An SQL expression, evaluated by whoever made it ready."""

    text: str
    predicate: SqlPredicate

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that the expression names."""
        return self.predicate.attributes

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Joined:
    """Expressions joined by an operator.

    >>> str(Joined("implies", (ValueTest("drug", "==", "insulin"), ValueTest("dose", "<=", 100))))
    'drug == insulin implies dose <= 100'
    """

    operator: Operator
    parts: tuple[Expression, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of all parts, each once."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.attributes))

    def __str__(self) -> str:
        shown = [f"({part})" if isinstance(part, Joined) else str(part) for part in self.parts]
        return f"not {shown[0]}" if self.operator == "not" else f" {self.operator} ".join(shown)


Expression: TypeAlias = ValueTest | RangeTest | PairTest | Sql | Joined


def truth(expression: Expression, columns: Mapping[str, Values]) -> Truth:
    """The truth of an expression in every row of these columns.

    >>> from halfmask.data import Column
    >>> doses = Values.of(Column.of("dose", ["40", "600", None]), "float")
    >>> truth(ValueTest("dose", "<=", 100), {"dose": doses}).tolist()  # true, false, unknown
    [2, 0, 1]
    """
    if isinstance(expression, Joined):
        return _joined(expression.operator, [truth(part, columns) for part in expression.parts])
    if isinstance(expression, Sql):
        return expression.predicate(columns)
    if isinstance(expression, PairTest):
        return _compared(expression, columns)
    values = columns[expression.attribute]
    of_label = [UNKNOWN if v is None else _known(expression.holds_for(v)) for v in values.values]
    return np.array(of_label, np.uint8)[values.index]


def _known(holds: bool) -> np.uint8:  # noqa: FBT001 - a truth value is the whole of it
    return TRUE if holds else FALSE


def _compared(expression: PairTest, columns: Mapping[str, Values]) -> Truth:
    """Row by row on ranks: exact for numbers and dates, without a table of all pairs of labels."""
    one, two = (columns[name] for name in expression.attributes)
    ordered = sorted({v for side in (one, two) for v in side.values if v is not None})
    rank = {value: place for place, value in enumerate(ordered)}
    ranks = [
        np.array([-1 if v is None else rank[v] for v in side.values], np.int64)[side.index]
        for side in (one, two)
    ]
    holds = ORDERS[expression.relation](ranks[0], ranks[1])
    known = (ranks[0] >= 0) & (ranks[1] >= 0)
    return np.where(known, np.where(holds, TRUE, FALSE), UNKNOWN).astype(np.uint8)


def _joined(operator_: Operator, parts: list[Truth]) -> Truth:
    """Kleene's tables."""
    if operator_ == "not":
        return _negated(parts[0])
    if operator_ == "and":
        return np.asarray(reduce(np.minimum, parts), np.uint8)
    if operator_ == "or":
        return np.asarray(reduce(np.maximum, parts), np.uint8)
    if operator_ == "implies":
        return np.maximum(_negated(parts[0]), parts[1])
    one, two = parts
    same = np.where(one == two, TRUE, FALSE)
    alike = np.where((one == UNKNOWN) | (two == UNKNOWN), UNKNOWN, same).astype(np.uint8)
    return alike if operator_ == "iff" else _negated(alike)


def _negated(part: Truth) -> Truth:
    return np.subtract(TRUE, part, dtype=np.uint8)


def _shown(value: Any) -> str:
    if isinstance(value, frozenset | tuple):
        return "[" + ", ".join(sorted(map(str, value))) + "]"
    return str(value)


def matches(pattern: str, text: str) -> bool:
    """Whether the whole of a text is what the pattern describes.

    An asset may come from elsewhere. RE2 has no pattern that takes ages on a short text; for that
    it has no look-around and no references to groups.

    >>> matches("[A-Z][0-9]+", "B12"), matches("a|b", "ab"), matches("(a+)+", "a" * 5_000 + "!")
    (True, False, False)
    """
    return re2.compile(pattern, options=_QUIET).fullmatch(text) is not None


def why_no_pattern(pattern: str) -> str | None:
    """What is wrong with a regular expression, if anything is.

    >>> why_no_pattern("a+"), why_no_pattern("a(")
    (None, 'missing ): a(')
    """
    try:
        re2.compile(pattern, options=_QUIET)
    except re2.error as problem:
        reason = problem.args[0]
        return reason.decode() if isinstance(reason, bytes) else str(reason)
    return None
