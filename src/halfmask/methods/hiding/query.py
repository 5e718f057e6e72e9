"""The query language of the basket index: `bread and not (milk or "olive oil")`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from halfmask.errors import BadInput


@dataclass(frozen=True, slots=True)
class Holds:
    """Baskets that hold this item."""

    name: str


@dataclass(frozen=True, slots=True)
class Not:
    """Baskets that the question inside does not find."""

    part: Query


@dataclass(frozen=True, slots=True)
class And:
    """Baskets that all parts find."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Baskets that some part finds."""

    parts: tuple[Query, ...]


Query: TypeAlias = Holds | Not | And | Or

_TOKEN = re.compile(
    r"""\s*(?:(?P<open>\()|(?P<close>\))|"(?P<quoted>[^"]*)"|(?P<word>[^\s()"]+))"""
)
_KEYWORDS = ("and", "or", "not")
_DEEPEST = 100
"""So many brackets and `not`s may stand inside each other."""


def parse_query(text: str) -> Query:
    """Read a question; `not` binds tightest, then `and`, then `or`.

    A name is a run of words, or anything in double quotes (needed for brackets and for items
    called and, or, not).

    >>> parse_query("bread and not (whole milk or tea)")
    And(parts=(Holds(name='bread'), Not(part=Or(parts=(Holds(name='whole milk'),
    Holds(name='tea'))))))
    """
    return _Parser(text).whole()


class _Parser:
    """Recursive descent over the tokens; a token is (kind, text)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.at = 0
        self.depth = 0

    def whole(self) -> Query:
        query = self.any_of()
        if self.at < len(self.tokens):
            raise self.trouble("an 'and' or 'or'")
        return query

    def any_of(self) -> Query:
        return self._joined("or", self.all_of, Or)

    def all_of(self) -> Query:
        return self._joined("and", self.one, And)

    def _joined(
        self, word: str, part: Callable[[], Query], join: Callable[[tuple[Query, ...]], Query]
    ) -> Query:
        parts = [part()]
        while self._next() == ("keyword", word):
            self.at += 1
            parts.append(part())
        return parts[0] if len(parts) == 1 else join(tuple(parts))

    def one(self) -> Query:
        kind, text = self._next()
        self.at += 1
        if (kind, text) == ("keyword", "not"):
            return Not(self._inside(self.one))
        if kind == "open":
            inside = self._inside(self.any_of)
            if self._next()[0] != "close":
                raise self.trouble("a closing bracket")
            self.at += 1
            return inside
        if kind == "name":
            return Holds(text)
        self.at -= 1
        raise self.trouble("an item")

    def _inside(self, part: Callable[[], Query]) -> Query:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise BadInput(
                f"The query nests more than {_DEEPEST} brackets and 'not's in each other; write "
                "it with fewer."
            )
        found = part()
        self.depth -= 1
        return found

    def _next(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def trouble(self, wanted: str) -> BadInput:
        kind, text = self._next()
        found = "its end" if kind == "end" else repr(text)
        return BadInput(f"The query {self.text!r} needs {wanted} where it has {found}.")


def _tokens(text: str) -> list[tuple[str, str]]:
    """Brackets, keywords and names; neighbouring words are one name."""
    tokens: list[tuple[str, str]] = []
    grows = False
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise BadInput(f"The query {text!r} has a double quote that is never closed.")
        position = match.end()
        word = match["word"]
        if word is None:
            kind = "open" if match["open"] else "close" if match["close"] else "name"
            tokens.append((kind, match["quoted"] if kind == "name" else match[0].strip()))
        elif word.lower() in _KEYWORDS:
            tokens.append(("keyword", word.lower()))
        elif grows:
            tokens[-1] = ("name", f"{tokens[-1][1]} {word}")
        else:
            tokens.append(("name", word))
        grows = word is not None and tokens[-1][0] == "name"
    return tokens
