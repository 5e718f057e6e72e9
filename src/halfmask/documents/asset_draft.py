"""Asset drafts: what was found in the data as a YAML file with comments for the steward."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import msgspec

from halfmask.assets.drafting import Draft, Implication, short_name
from halfmask.assets.values import read_label

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
_HEADER = """\
# An asset: what matters in {source}, for whoever decides how to publish it.
# This is a draft that `halfmask asset init` made from the data. Edit it from the top down:
#   1. Which information matters? Give each a name and a weight, split or join them.
#   2. What must hold in it? Delete constraints that hold by accident, add those you know.
#   3. Which attributes matter in it? aw is what a changed value costs, cw what a missing one does.
# A constraint may also be SQL:  my_rule: {{expr: "dose <= 100 OR drug <> 'insulin'"}}
# Then:  halfmask asset check THIS.yaml {source}
"""


def draft_text(draft: Draft, source: str, *, min_support: int) -> str:
    """The draft as it stands in a file; it can be read back as it is."""
    return "\n".join(
        [_HEADER.format(source=source), *_relation(draft), *_asset(draft, min_support)]
    )


def _relation(draft: Draft) -> Iterator[str]:
    yield "relation:"
    if draft.key:
        yield f"  key: {_flow(list(draft.key))}"
    else:
        yield "  key: []  # no column identifies all rows"
    yield "  attributes:"
    for name, kind in draft.kinds.items():
        note = f"  # {draft.notes[name]}" if name in draft.notes else ""
        yield f"    {_flow(name)}: {{type: {kind}}}{note}"
    yield '  null_tokens: []  # what means a missing value besides an empty cell, such as ["?"]'
    yield ""


def _asset(draft: Draft, min_support: int) -> Iterator[str]:
    yield "asset:"
    for number, group in enumerate(draft.groups, 1):
        tied = len(group) > 1 and any(one.body in group for one in _implied(draft))
        about = f"about_{short_name(group[0])}" if tied else "other_attributes"
        yield f"  - name: {_flow(f'{about}_{number}')}"
        yield "    weight: 1.0"
        yield "    attributes:"
        for name in group:
            yield f"      {_flow(name)}: {{aw: 1.0, cw: 1.0}}"
        yield from _constraints(draft, group, min_support)
    if draft.left_out:
        yield f"# {draft.left_out:,} more hold in the data; the best supported are listed."
    yield ""


def _implied(draft: Draft) -> list[Implication]:
    return [one for part in (*draft.dependencies, draft.rules) for one in part]


def _constraints(draft: Draft, group: tuple[str, ...], min_support: int) -> Iterator[str]:
    tests = _Tests(draft)
    for name in group:
        tests.add_domain(name)
    joined = list(_joined(draft, group, tests))
    if tests.listed:
        yield "    simple:"
        for name, form in tests.listed.items():
            yield f"      {name}: {_flow(form)}"
    if joined:
        yield f"    complex:  # values that fewer than {min_support:,} rows hold are not named"
        for name, body, comment in joined:
            yield f"      # {comment}"
            yield f"      {name}: {_flow(body)}"


def _joined(
    draft: Draft, group: tuple[str, ...], tests: _Tests
) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Dependencies and rules of a group as complex constraints, each with a comment."""
    for found in draft.dependencies:
        body, head = found[0].body, found[0].head
        if body in group:
            parts = [{"op": "implies", "args": tests.of(one)} for one in found]
            form = {"op": "and", "args": parts} if len(parts) > 1 else parts[0]
            yield tests.name(body, "decides", head), form, f"{body} decides {head}"
    for one in draft.rules:
        if one.body in group:
            form = {"op": "implies", "args": tests.of(one)}
            comment = f"holds in all {one.support:,} rows that it is about"
            yield tests.name(one.body, "tells", one.head), form, comment


class _Tests:
    """The simple constraints of one information, each test once and each name once."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.listed: dict[str, dict[str, Any]] = {}
        self.taken: set[str] = set()
        self.known: dict[tuple[str, tuple[str, ...]], str] = {}

    def name(self, *words: str) -> str:
        """A name that is not taken yet."""
        base = short_name(*words)
        tried = (base if n == 1 else f"{base}_{n}" for n in count(1))
        name = next(name for name in tried if name not in self.taken)
        self.taken.add(name)
        return name

    def add_domain(self, attribute: str) -> None:
        """The range or the list of an attribute's values, if it can be named."""
        if attribute in self.draft.ranges:
            bounds = [self._typed(attribute, b) for b in self.draft.ranges[attribute]]
            expr = {"attr": attribute, "between": bounds}
            self.listed[self.name("range", attribute)] = {"expr": expr, "weight": 0.5}
        elif attribute in self.draft.lists:
            expr = {"attr": attribute, "cmp": "in", "value": list(self.draft.lists[attribute])}
            self.listed[self.name("known", attribute)] = {"expr": expr, "weight": 0.5}

    def of(self, one: Implication) -> list[str]:
        """The names of the two tests of an implication; tests not there yet are added."""
        return [self._test(one.body, one.values), self._test(one.head, (one.head_value,))]

    def _test(self, attribute: str, values: tuple[str, ...]) -> str:
        if (attribute, values) not in self.known:
            typed = [self._typed(attribute, value) for value in values]
            alone = len(typed) == 1
            test = {"cmp": "==", "value": typed[0]} if alone else {"cmp": "in", "value": typed}
            name = self.name(attribute, "is", values[0] if alone else "group")
            self.listed[name] = {"expr": {"attr": attribute, **test}}
            self.known[attribute, values] = name
        return self.known[attribute, values]

    def _typed(self, attribute: str, label: str) -> Any:
        """A label as it is written in the file."""
        kind = self.draft.kinds[attribute]
        if kind == "int":
            return int(read_label("int", label))
        if kind == "float":
            return float(label)
        return read_label("bool", label) if kind == "bool" else label


def _flow(value: Any) -> str:
    """A value on one line; text that could be taken for something else is quoted."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(one) for one in value) + "]"
    if isinstance(value, str):
        plain = _WORD.fullmatch(value) and value.lower() not in _RESERVED
        return value if plain else msgspec.json.encode(value).decode()
    return str(value).lower() if isinstance(value, bool) else repr(value)
