"""What is said about columns, as the text of a schema file that reads back as the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from halfmask.data.coding.spec import NOTHING_SAID, ColumnSpec, TableSpec
from halfmask.documents.schema import quoted


def said_text(spec: TableSpec) -> str:
    """The schema file that says this and nothing else.

    >>> print(said_text(TableSpec({"age": ColumnSpec(kind="number", bins=("18", "65"))})))
    [columns.age]
    kind = "number"
    bins = ["18", "65"]
    """
    lines: list[str] = []
    if spec.missing:
        lines.append(f"missing = {_list(spec.missing)}")
    if spec.hide_together:
        pairs = ", ".join(_list(pair) for pair in spec.hide_together)
        lines.append(f"hide_together = [{pairs}]")
    for name, said in spec.columns.items():
        if fields := list(_fields(said)):
            lines += [*([""] if lines else []), f"[columns.{_text(name, key=True)}]", *fields]
    return "\n".join(lines) + "\n" if lines else ""


def _fields(said: ColumnSpec) -> Iterator[str]:
    for field in ("kind", "role", "bins", "cut", "target", "rare", "format", "step", "order",
                  "missing", "values", "range", "groups", "laplace", "laplace_for"):  # fmt: skip
        value = getattr(said, field)
        if value is not None and value != getattr(NOTHING_SAID, field):
            yield f"{field.removesuffix('_for')} = {_written(value)}"


def _written(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        parts = (f"{_text(key, key=True)} = {_written(one)}" for key, one in value.items())
        return f"{{ {', '.join(parts)} }}"
    return _list(value) if isinstance(value, Sequence) else repr(value)


def _list(texts: Sequence[str]) -> str:
    return f"[{', '.join(_text(text) for text in texts)}]"


def _text(text: str, *, key: bool = False) -> str:
    return quoted(text, key=key).replace("\x7f", "\\u007f")
