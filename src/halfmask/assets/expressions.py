"""Expressions as they are written in an asset file, read into tests of typed values."""

from __future__ import annotations

from typing import Any

from halfmask.assets.asset import BadAsset, Path, Relation
from halfmask.assets.constraints import (
    ORDERS,
    Expression,
    PairTest,
    RangeTest,
    Sql,
    SqlCompiler,
    ValueTest,
    why_no_pattern,
)
from halfmask.assets.document import ExpressionForm, Kind, Scalar
from halfmask.assets.values import KINDS, read_label
from halfmask.errors import BadInput

_LONGEST_PATTERN = 200
"""Characters of a regular expression: enough for codes and dates, too few for a trap."""


def read_expression(
    form: ExpressionForm | str, relation: Relation, path: Path, compile_sql: SqlCompiler | None
) -> Expression:
    """The expression at this place of the file; text is SQL."""
    if isinstance(form, str):
        return _sql(form, relation, path, compile_sql)
    kind = _kind(form.attr, relation, (*path, "attr"))
    if form.between is not None:
        if form.cmp is not None or form.value is not None or form.other is not None:
            raise BadAsset(path, "A test has 'between', or 'cmp' with 'value' or 'other'.")
        return _range(form.attr, kind, form.between, (*path, "between"))
    if form.cmp is None or (form.value is None) == (form.other is None):
        raise BadAsset(path, "A test needs 'between', or 'cmp' with one of 'value' and 'other'.")
    if form.other is not None:
        return _pair(form, kind, relation, path)
    return _test(form.attr, kind, form.cmp, form.value, path)


def _sql(text: str, relation: Relation, path: Path, compile_sql: SqlCompiler | None) -> Expression:
    if compile_sql is None:
        raise BadAsset(path, "An SQL expression needs DuckDB to evaluate it, and there is none.")
    kinds: dict[str, Kind] = {name: form.type for name, form in relation.attributes.items()}
    try:
        return Sql(text, compile_sql(text, kinds))
    except BadInput as trouble:
        raise BadAsset(path, str(trouble)) from None


def _kind(name: str, relation: Relation, path: Path) -> Kind:
    if name not in relation.attributes:
        raise BadAsset.unknown(path, "attribute", name, list(relation.attributes))
    return relation.attributes[name].type


def _range(name: str, kind: Kind, bounds: tuple[Scalar, Scalar], path: Path) -> RangeTest:
    _check_ordered(name, kind, path)
    low, high = (_typed(kind, name, bound, path) for bound in bounds)
    if high < low:
        raise BadAsset(path, "The lower bound comes first, and the upper one is not below it.")
    return RangeTest(name, low, high)


def _pair(form: ExpressionForm, kind: Kind, relation: Relation, path: Path) -> PairTest:
    assert form.other is not None  # noqa: S101 - the caller looked
    assert form.cmp is not None  # noqa: S101 - the caller looked
    other = _kind(form.other, relation, (*path, "other"))
    if form.cmp not in ORDERS:
        raise BadAsset((*path, "cmp"), f"Two attributes are compared by {', '.join(ORDERS)}.")
    numbers = {"int", "float"}
    if kind != other and not {kind, other} <= numbers:
        raise BadAsset(
            path, f"{form.attr!r} is {KINDS[kind]} and {form.other!r} is {KINDS[other]}."
        )
    _check_ordered(form.attr, kind, path)
    return PairTest(form.attr, form.cmp, form.other)


def _test(name: str, kind: Kind, relation: str, value: Any, path: Path) -> ValueTest:
    at = (*path, "value")
    if (relation == "holds") != (kind == "set"):
        raise BadAsset((*path, "cmp"), "'holds' tests a set of items and nothing else.")
    if relation in ("in", "holds"):
        listed = value if isinstance(value, tuple) else (value,) if relation == "holds" else None
        if not listed:
            raise BadAsset(at, f"{relation!r} needs a list of values, such as [a, b].")
        inner: Kind = "str" if kind == "set" else kind
        return ValueTest(name, relation, frozenset(_typed(inner, name, v, at) for v in listed))
    if isinstance(value, tuple):
        raise BadAsset(at, f"{relation!r} takes one value; a list goes with 'in'.")
    if relation == "matches":
        return ValueTest(name, relation, _pattern(name, kind, value, at))
    if relation not in ("==", "!="):
        _check_ordered(name, kind, (*path, "cmp"))
    return ValueTest(name, relation, _typed(kind, name, value, at))


def _pattern(name: str, kind: Kind, value: Any, path: Path) -> str:
    if kind != "str":
        raise BadAsset(path, f"'matches' is for text, and {name!r} is {KINDS[kind]}.")
    if not isinstance(value, str) or len(value) > _LONGEST_PATTERN:
        raise BadAsset(path, f"A pattern is text of at most {_LONGEST_PATTERN} characters.")
    if (reason := why_no_pattern(value)) is not None:
        raise BadAsset(
            path,
            f"The pattern is not a regular expression (without look-around and references): "
            f"{reason}.",
        )
    return value


def _check_ordered(name: str, kind: Kind, path: Path) -> None:
    if kind in ("bool", "set"):
        raise BadAsset(path, f"{name!r} is {KINDS[kind]}, which has no order.")


def _typed(kind: Kind, name: str, value: Scalar, path: Path) -> Any:
    """A value of the file as the attribute's type."""
    if kind == "str" and not isinstance(value, str):
        raise BadAsset(path, f"{name!r} is text; put the value in quotes.")
    label = str(value).lower() if isinstance(value, bool) else str(value)
    try:
        if isinstance(value, bool) and kind != "bool":
            raise ValueError(label)
        return read_label(kind, label)
    except ValueError:
        raise BadAsset(path, f"{name!r} is {KINDS[kind]}, and {value!r} is not.") from None
