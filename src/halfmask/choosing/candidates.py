"""Candidates: methods with their settings, by the words in which a steward asks for them.

`generator:20` is the generator with its main setting at 20, `generator:20:laplace=0.1` sets another
one too; a bare name stands for the few settings that are worth a trial, and the name of a family
for all of its methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from halfmask.errors import BadInput, UnknownName

DataKind = Literal["table", "baskets"]
Need = Literal["patterns", "rules", "column"]
Setting = str | int | float

BOTH: tuple[DataKind, ...] = ("table", "baskets")


@dataclass(frozen=True)
class Method:
    """A method that can be tried: what it works on, what it needs, and how it can be set."""

    name: str
    family: str
    words: str
    """What it does, as the end of a sentence that starts with its name."""
    kinds: tuple[DataKind, ...]
    aligned: bool
    """Whether row i of the release is row i of the original."""
    settings: Mapping[str, type]
    """The settings by name, the main one first."""
    tried: tuple[Mapping[str, Setting], ...] = (MappingProxyType({}),)
    """The settings that a bare name stands for."""
    need: Need | None = None


def _hiding(name: str, family: str, words: str, need: Need = "patterns") -> Method:
    main: Mapping[str, type] = {"psi": float} if family == "sanitising" else {"margin": float}
    settings = {} if family == "rule-hiding" else main
    return Method(name, family, words, BOTH, aligned=True, settings=settings, need=need)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        method.name: method
        for method in (
            Method(
                "generator",
                "synthetic",
                "draws new rows from the patterns of the table",
                ("table",),
                aligned=False,
                settings={"min_support": int, "laplace": float, "search": str, "calibrate": int},
                tried=(
                    {"min_support": 5},
                    {"min_support": 20},
                    {"min_support": 80},
                    {"min_support": 20, "laplace": 1.0},
                    {"min_support": 20, "search": "slim"},
                    {"min_support": 20, "calibrate": 0},
                ),
            ),
            Method(
                "baskets",
                "synthetic",
                "draws new baskets from the patterns of the old ones",
                ("baskets",),
                aligned=False,
                settings={"min_support": int, "calibrate": int},
                tried=(
                    {"min_support": 5},
                    {"min_support": 20},
                    {"min_support": 80},
                    {"min_support": 20, "calibrate": 0},
                ),
            ),
            Method(
                "anatomy",
                "anatomy",
                "publishes parts of a row apart, tied by groups",
                BOTH,
                aligned=False,
                settings={"l": int},
                tried=({"l": 2}, {"l": 3}),
                need="column",
            ),
            Method(
                "distortion",
                "distortion",
                "flips every bit with a known probability",
                ("baskets",),
                aligned=True,
                settings={"keep": float},
                tried=({"keep": 0.99}, {"keep": 0.9}),
            ),
            Method(
                "coherence",
                "suppression",
                "takes out values until every pair of them is held by k rows or by none",
                BOTH,
                aligned=True,
                settings={"k": int, "p": int},
                tried=({"k": 2}, {"k": 5}),
            ),
            _hiding("naive", "sanitising", "takes all items of a pattern out of rows"),
            _hiding("minfia", "sanitising", "takes out the item that fewest rows hold"),
            _hiding("maxfia", "sanitising", "takes out the item that most rows hold"),
            _hiding("iga", "sanitising", "takes out an item that several patterns share"),
            _hiding("iga-greedy", "sanitising", "takes out the item that most patterns share"),
            _hiding("rra", "sanitising", "takes the items of a pattern out in turns"),
            _hiding("ra", "sanitising", "takes a random item of a pattern out"),
            _hiding("swa", "sanitising", "takes items out of short rows, window by window"),
            _hiding("1.a", "rule-hiding", "adds items to the left side of a rule", "rules"),
            _hiding("1.b", "rule-hiding", "takes items out of the right side of a rule", "rules"),
            _hiding("2.a", "rule-hiding", "takes items out of either side of a rule", "rules"),
            _hiding("2.b", "rule-hiding", "takes the most held item out of short rows"),
            _hiding("2.c", "rule-hiding", "takes the items out in turns, row by row"),
            _hiding("gih", "blocking", "makes items of a pattern unknown"),
            _hiding("cr", "blocking", "makes the right side of a rule unknown", "rules"),
            _hiding("cr2", "blocking", "makes the absence of the left side unknown", "rules"),
        )
    }
)
"""Every method that can be tried, in the order in which results list them."""

FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        family: tuple(m.name for m in METHODS.values() if m.family == family)
        for family in dict.fromkeys(m.family for m in METHODS.values())
    }
    | {
        "hiding": tuple(
            m.name
            for m in METHODS.values()
            if m.family in ("sanitising", "rule-hiding", "blocking")
        )
    }
)
"""Names that stand for several methods."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A method with its settings.

    >>> Candidate("generator", {"min_support": 20, "laplace": 0.1}).name
    'generator:20:laplace=0.1'
    """

    method: str
    settings: Mapping[str, Setting] = field(default_factory=dict)

    @property
    def about(self) -> Method:
        """What there is to know about the method."""
        if self.method not in METHODS:
            raise UnknownName("method", self.method, (*METHODS, *FAMILIES))
        return METHODS[self.method]

    @property
    def name(self) -> str:
        """The words that ask for this candidate."""
        main = next(iter(self.about.settings), None)
        words = [self.method]
        for key, value in sorted(self.settings.items(), key=lambda pair: pair[0] != main):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            words.append(text if key == main else f"{key}={text}")
        return ":".join(words)


@dataclass(frozen=True, slots=True)
class Unsuitable:
    """A method that is not tried, and why."""

    method: str
    reason: str


def candidates(
    asked: Sequence[str] | None, kind: DataKind, given: frozenset[Need]
) -> tuple[tuple[Candidate, ...], tuple[Unsuitable, ...]]:
    """The candidates asked for (all by default), and the methods that do not suit, with reasons.

    A method asked for by its own name must suit; one of a family, or of all, may fall away.

    >>> found, others = candidates(["generator:20", "blocking"], "table", frozenset())
    >>> [candidate.name for candidate in found], others[0].reason
    (['generator:20'], 'It hides patterns, and no sensitive patterns were given.')
    """
    found: dict[str, Candidate] = {}
    others: dict[str, Unsuitable] = {}
    for word in asked if asked is not None else METHODS:
        several = asked is None or (word in FAMILIES and word not in METHODS)
        for name in FAMILIES[word] if several and asked is not None else (word,):
            for candidate in _parse(name):
                reason = _why_not(candidate.about, kind, given)
                if reason is None:
                    found[candidate.name] = candidate
                elif several:
                    others[name] = Unsuitable(name, reason)
                else:
                    raise BadInput(f"The method {name!r} does not suit: {reason}")
    if not found:
        raise BadInput(
            f"No method suits: {'; '.join(f'{o.method}: {o.reason}' for o in others.values())}"
            if others
            else "No method was asked for; name one or more, such as --methods generator,iga."
        )
    return tuple(found.values()), tuple(others.values())


def _why_not(method: Method, kind: DataKind, given: frozenset[Need]) -> str | None:
    if kind not in method.kinds:
        return (
            f"It works on {method.kinds[0]}, and this is {'a table' if kind == 'table' else kind}."
        )
    if method.need == "column":
        lacking = kind == "table" and "column" not in given
        return "It separates a sensitive column, and none was named." if lacking else None
    if method.need is not None and method.need not in given:
        if method.need == "rules" and "patterns" in given:
            return "It hides rules (a -> b), and there is an itemset among the sensitive patterns."
        return "It hides patterns, and no sensitive patterns were given."
    return None


def _parse(word: str) -> tuple[Candidate, ...]:
    """The candidates that one word asks for."""
    name, *texts = [part.strip() for part in word.split(":")]
    method = Candidate(name).about
    if not texts:
        return tuple(Candidate(name, dict(settings)) for settings in method.tried)
    settings: dict[str, Setting] = {}
    main = next(iter(method.settings), None)
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            key, value = main or "", text
        if key not in method.settings:
            if not method.settings:
                raise BadInput(f"The method {name!r} has no settings; write {name!r} alone.")
            raise UnknownName(f"setting of {name!r}", key or text, tuple(method.settings))
        settings[key] = _typed(name, key, value, method.settings[key])
    return (Candidate(name, settings),)


def _typed(name: str, key: str, value: str, wanted: type) -> Setting:
    try:
        typed: Setting = wanted(value)
    except ValueError:
        words = {int: "a whole number", float: "a number"}[wanted]
        raise BadInput(f"{key} of {name!r} is {words}, not {value!r}.") from None
    return typed
