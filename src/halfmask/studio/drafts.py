"""Drafts: tables on their way, with what the steward has said about them so far."""

from __future__ import annotations

import csv
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any, get_args

from halfmask.data.coding.cutting import Cut
from halfmask.data.coding.spec import KINDS, ROLES, ColumnSpec, RarePolicy, TableSpec
from halfmask.documents.schema import parse_schema
from halfmask.documents.schema_said import said_text
from halfmask.errors import BadInput
from halfmask.io.forms import FileOptions, split_name
from halfmask.methods import METHODS
from halfmask.methods.method import DataKind
from halfmask.studio.keeping import safe_name
from halfmask.studio.wire import Asked, Look

WORDS = {"kind": KINDS, "role": ROLES, "rare": get_args(RarePolicy), "cut": get_args(Cut)}
"""What may be chosen about a column."""
_LISTS = ("order", "missing", "values", "range")


@dataclass
class TableDraft:
    """One table, or baskets; everything said about it is kept until the page is closed."""

    place: str
    name: str
    reading: FileOptions = field(default_factory=FileOptions)
    schema: str = ""
    method: str = ""
    said: dict[str, str] = field(default_factory=dict)
    """Settings as they were typed, by name."""
    id: str = field(default_factory=lambda: secrets.token_hex(5))
    version: int = 1
    look: Look | None = None
    """What was seen last; None once something was changed."""

    @property
    def source(self) -> Asked:
        """What the process that looks is told."""
        support, rare = self.said.get("min_support", ""), self.said.get("rare_values", "")
        return Asked(self.place, self.reading, self.schema, _support(support), rare or "group")

    @property
    def stem(self) -> str:
        """The beginning of the names of files that belong to it."""
        return safe_name(split_name(Path(self.name).name)[0])

    @property
    def spec(self) -> TableSpec:
        """What is said about its columns."""
        return parse_schema(self.schema.encode(), "'schema'") if self.schema else TableSpec()

    def change(self, **said: Any) -> None:
        """Say something else; what was seen before may not hold any more."""
        for name, value in said.items():
            setattr(self, name, value)
        self.version += 1
        self.look = None

    def check_version(self, seen: str) -> None:
        """Refuse a form that was filled in before another tab changed the same."""
        if seen != str(self.version):
            raise BadInput(
                "This was changed in another tab or window meanwhile, so nothing was saved. Below "
                "is what holds now; change it once more if you still want to."
            )


def _support(text: str) -> float:
    try:
        found = float(text) if "." in text else int(text)
    except ValueError:
        return 10
    return found if found > 0 else 10


def methods_for(kind: DataKind) -> list[Any]:
    """The methods that publish such data, the usual one first."""
    return [method for method in METHODS.values() if kind in method.kinds]


def with_words(spec: TableSpec, names: Sequence[str], form: Mapping[str, Any]) -> str:
    """The schema with the kind and the role that a form says for each column.

    Fields are called `kind-3` and `role-3`, by the place of the column; an empty one is a guess.
    """
    said = dict(spec.columns)
    for place, name in enumerate(names):
        words = {word: str(form.get(f"{word}-{place}", "")) or None for word in ("kind", "role")}
        if f"kind-{place}" in form and any(getattr(spec.of(name), w) != words[w] for w in words):
            said[name] = replace(spec.of(name), **words)  # type: ignore[arg-type]  # checked there
    return said_text(replace(spec, columns=said))


def with_column(spec: TableSpec, name: str, form: Mapping[str, Any]) -> str:
    """The schema with everything that a form says about one column."""
    text = {key: str(value).strip() for key, value in form.items() if isinstance(value, str)}
    before = spec.of(name)
    said = ColumnSpec(
        kind=text.get("kind") or None,  # type: ignore[arg-type]  # checked by the class
        role=text.get("role") or None,  # type: ignore[arg-type]
        rare=text.get("rare") or None,  # type: ignore[arg-type]
        cut=text.get("cut") or "quantile",  # type: ignore[arg-type]
        bins=_bins(text.get("bins", "")),
        target=text.get("target") or None,
        format=text.get("format") or None,
        step=text.get("step") or None,
        groups=_groups(text.get("groups", "")),
        range=_range(text.get("range", "")),
        laplace=before.laplace,
        laplace_for=before.laplace_for,
        **{one: names_in(text.get(one, "")) for one in ("order", "missing", "values")},
    )
    return said_text(replace(spec, columns={**spec.columns, name: said}))


def as_form(said: ColumnSpec) -> dict[str, str]:
    """What is said about a column, as a form shows it."""
    found = {word: getattr(said, word) or "" for word in WORDS}
    found |= {one: getattr(said, one) or "" for one in ("target", "format", "step")}
    found |= {one: listed_in(getattr(said, one) or ()) for one in _LISTS}
    bins = said.bins
    found["bins"] = "" if bins is None else str(bins) if isinstance(bins, int) else listed_in(bins)
    found["groups"] = "\n".join(f"{k}: {listed_in(v)}" for k, v in said.groups.items())
    return found


def names_in(text: str) -> tuple[str, ...]:
    """Values with commas or line ends between; one that holds a comma stands in quotes.

    >>> names_in('north, "south, far"')
    ('north', 'south, far')
    """
    lines = csv.reader(text.splitlines(), skipinitialspace=True)
    return tuple(part.strip() for line in lines for part in line if part.strip())


def listed_in(names: Sequence[str]) -> str:
    """The same the other way round.

    >>> listed_in(("north", "south, far"))
    'north, "south, far"'
    """
    written = []
    for name in names:
        cell = StringIO()
        csv.writer(cell, lineterminator="").writerow([name])
        written.append(cell.getvalue())
    return ", ".join(written)


def _bins(text: str) -> int | tuple[str, ...] | None:
    if not text:
        return None
    parts = names_in(text)
    return int(parts[0]) if len(parts) == 1 and parts[0].isdigit() else parts


def _range(text: str) -> tuple[str, str] | None:
    parts = names_in(text)
    if not parts:
        return None
    if len(parts) != 2:
        raise BadInput("A range is the least and the largest value, such as 0, 120.")
    return parts[0], parts[1]


def _groups(text: str) -> dict[str, tuple[str, ...]]:
    found = {}
    for line in filter(str.strip, text.splitlines()):
        label, colon, values = line.partition(":")
        if not colon or not label.strip() or not names_in(values):
            raise BadInput("A group is written as its name, a colon and its values: north: SH, HH.")
        found[label.strip()] = names_in(values)
    return found
