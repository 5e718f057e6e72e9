"""What is said about columns, as the text of a schema file that reads back as the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halfmask.data.coding.spec import ColumnSpec, TableSpec
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
    for field in ("kind", "role"):
        if (word := getattr(said, field)) is not None:
            yield f"{field} = {_text(word)}"
    if said.bins is not None:
        yield f"bins = {said.bins if isinstance(said.bins, int) else _list(said.bins)}"
    if said.cut != "quantile":
        yield f"cut = {_text(said.cut)}"
    for field in ("target", "rare", "format", "step"):
        if (word := getattr(said, field)) is not None:
            yield f"{field} = {_text(word)}"
    for field in ("order", "missing", "values", "range"):
        if listed := getattr(said, field):
            yield f"{field} = {_list(listed)}"
    if said.groups:
        parts = (f"{_text(k, key=True)} = {_list(v)}" for k, v in said.groups.items())
        yield f"groups = {{ {', '.join(parts)} }}"
    if said.laplace_for:
        parts = (f"{_text(k, key=True)} = {float(v)!r}" for k, v in said.laplace_for.items())
        yield f"laplace = {{ {', '.join(parts)} }}"
    elif said.laplace is not None:
        yield f"laplace = {float(said.laplace)!r}"


def _list(texts: Sequence[str]) -> str:
    return f"[{', '.join(_text(text) for text in texts)}]"


def _text(text: str, *, key: bool = False) -> str:
    return quoted(text, key=key).replace("\x7f", "\\u007f")
