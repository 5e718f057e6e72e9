"""YAML (and so JSON) as plain values that remember on which line they stood.

Booleans, numbers and null are those of YAML 1.2: `no` and `on` are words, and so is `007`. Tags,
which could ask for objects, and anchors that would unfold into more than they say are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from halfmask.errors import BadInput

Path = tuple[str | int, ...]

MOST_NODES = 100_000
"""An asset of a thousand attributes has ten thousand; more is a mistake or a trap."""

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {
    "true": True, "false": False, "null": None, "~": None, "": None,
    ".inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan"),
}  # fmt: skip
_PLAIN_TAGS = {
    f"tag:yaml.org,2002:{kind}"
    for kind in ("str", "int", "float", "bool", "null", "seq", "map", "timestamp", "merge", "value")
}


@dataclass(frozen=True, eq=False)
class MarkedText:
    """A document: its plain value, and for every place in it the line and what was written."""

    value: Any
    lines: dict[Path, int] = field(default_factory=dict)
    written: dict[Path, str] = field(default_factory=dict)
    """The text of every scalar, before it was read as a number or a truth value."""

    def line(self, path: Path) -> int:
        """The line of a place, or of the nearest place around it."""
        around = (path[:n] for n in range(len(path), -1, -1))
        return next((self.lines[one] for one in around if one in self.lines), 1)


def read_marked(text: str, where: str) -> MarkedText:
    r"""Read a document; what is no YAML is refused with its line.

    >>> found = read_marked("a: 1\nb: [yes, 007]", "x.yaml")
    >>> found.value, found.line(("b", 1))
    ({'a': 1, 'b': ['yes', '007']}, 2)
    """
    try:
        node = yaml.compose(_without_tabs(text), Loader=yaml.SafeLoader)
        return _Unfolding(where).document(node)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        place = f", line {mark.line + 1}" if mark is not None else ""
        said = " ".join(part for part in (problem.context, problem.problem) if part)
        raise BadInput(f"{where}{place}: not readable as YAML ({said}).") from None
    except yaml.YAMLError:
        raise BadInput(f"{where} holds characters that no YAML file may hold.") from None
    except RecursionError:
        raise BadInput(f"{where} is nested too deeply.") from None


def _without_tabs(text: str) -> str:
    """JSON may be indented with tabs and YAML may not; elsewhere in JSON no tab can stand."""
    return text.replace("\t", "  ") if text.lstrip().startswith("{") else text


class _Unfolding:
    """The walk from nodes to values, with the places it has seen."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.lines: dict[Path, int] = {}
        self.written: dict[Path, str] = {}
        self.nodes = 0

    def document(self, node: yaml.Node | None) -> MarkedText:
        value = None if node is None else self._value(node, ())
        return MarkedText(value, self.lines, self.written)

    def _value(self, node: yaml.Node, path: Path) -> Any:
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise self._bad(line, f"the file unfolds into more than {MOST_NODES:,} values")
        if node.tag not in _PLAIN_TAGS:
            raise self._bad(line, f"the tag {node.tag!r} has no meaning here")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(one, (*path, i)) for i, one in enumerate(node.value)]
        self.written[path] = _whole(node.value)
        return _scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        read: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise self._bad(line, "a name is a single word or number")
            name = _whole(key.value)
            if name in read:
                first = self.lines[(*path, name)]
                raise self._bad(line, f"{name!r} is given a second time, after line {first}")
            self.lines[(*path, name)] = line
            read[name] = self._value(value, (*path, name))
        return read

    def _bad(self, line: int, sentence: str) -> BadInput:
        return BadInput(f"{self.where}, line {line}: {sentence}.")


def _scalar(node: yaml.ScalarNode) -> Any:
    text = _whole(node.value)
    if node.style is not None:  # quoted, or a block: text whatever it looks like
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def _whole(text: str) -> str:
    """Characters that JSON writes as two halves made one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
