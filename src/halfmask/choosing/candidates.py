"""Candidates: methods with their settings, by the words in which a steward asks for them.

`generator:20` is the generator with its main setting at 20, `generator:20:laplace=0.1` sets another
one too; a bare name stands for the few settings that are worth a trial, and the name of a family,
or of a method that is tried in several ways, for all of them. What can be tried is what the methods
declare in `variants`.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from halfmask.data import Baskets, Table
from halfmask.errors import BadInput, UnknownName
from halfmask.methods import METHODS, Method
from halfmask.methods.method import DataKind, Need, Variant
from halfmask.methods.settings import Setting

Value = str | int | float


def variants() -> dict[str, tuple[type[Method], Variant]]:
    """Every way in which a method is tried, by name, in the order in which results list them."""
    return {v.name: (method, v) for method in METHODS.values() for v in method.variants}


def families() -> dict[str, tuple[str, ...]]:
    """Names that stand for several candidates: those of families, and of methods."""
    found: dict[str, list[str]] = {}
    for name, (method, variant) in variants().items():
        for group in dict.fromkeys((variant.family, method.name)):
            found.setdefault(group, []).append(name)
    return {group: tuple(names) for group, names in found.items()}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A method with its settings.

    >>> Candidate("generator", {"min_support": 20, "laplace": 0.1}).name
    'generator:20:laplace=0.1'
    """

    variant: str
    settings: Mapping[str, Value] = field(default_factory=dict)

    @property
    def method(self) -> type[Method]:
        """The method that is tried."""
        return self._found[0]

    @property
    def about(self) -> Variant:
        """In which way it is tried."""
        return self._found[1]

    @property
    def _found(self) -> tuple[type[Method], Variant]:
        known = variants()
        if self.variant not in known:
            raise UnknownName("method", self.variant, [*known, *families()])
        return known[self.variant]

    @property
    def name(self) -> str:
        """The words that ask for this candidate."""
        main = next(iter(self.about.dials), None)
        words = [self.variant]
        for key, value in sorted(self.settings.items(), key=lambda pair: pair[0] != main):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            words.append(text if key == main else f"{key}={text}")
        return ":".join(words)

    def set_up(self, secrets: Any, database: Table | Baskets) -> Method:
        """The method as `publish` would have it, told what must not show in this database."""
        settings = {**self.about.fixed, **self.settings}
        return self.method.for_trial(settings, secrets, database)


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
    known, groups = variants(), families()
    found: dict[str, Candidate] = {}
    others: dict[str, Unsuitable] = {}
    for word in asked if asked is not None else known:
        suits = word in known and kind in known[word][0].kinds
        alone = suits or groups.get(word) == (word,)
        several = asked is None or (word in groups and not alone)
        for name in groups[word] if several and asked is not None else (word,):
            for candidate in _parse(name):
                reason = _why_not(candidate, kind, given)
                if reason is None:
                    found[candidate.name] = candidate
                elif several:
                    others[name] = Unsuitable(name, reason)
                else:
                    raise BadInput(f"The method {name!r} is not suitable: {reason}")
    if not found:
        raise BadInput(
            "No method is suitable: "
            f"{'; '.join(f'{o.method}: {o.reason}' for o in others.values())}"
            if others
            else "No method was named; name one or more, such as --methods generator,iga."
        )
    return tuple(found.values()), tuple(others.values())


def _why_not(candidate: Candidate, kind: DataKind, given: frozenset[Need]) -> str | None:
    kinds, need = candidate.method.kinds, candidate.about.need
    if kind not in kinds:
        works = "tables" if kinds[0] == "table" else kinds[0]
        return f"It works on {works}, and this is {'a table' if kind == 'table' else kind}."
    if need == "column" and "column" not in given:
        return "It publishes a sensitive column separately, and none was named."
    if need == "hierarchy" and "hierarchy" not in given:
        return "It generalises items by a hierarchy, and none was given."
    if need in ("patterns", "rules") and need not in given:
        if need == "rules" and "patterns" in given:
            return "It hides rules (a -> b), and there is an itemset among the sensitive patterns."
        return "It hides patterns, and no sensitive patterns were given."
    return None


def _parse(word: str) -> tuple[Candidate, ...]:
    """The candidates that one word asks for."""
    name, *texts = [part.strip() for part in word.split(":")]
    about = Candidate(name).about
    if not texts:
        return tuple(Candidate(name, dict(settings)) for settings in about.tried)
    settings: dict[str, Value] = {}
    main = next(iter(about.dials), None)
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            key, value = main or "", text
        if key not in about.dials:
            if not about.dials:
                raise BadInput(f"The method {name!r} has no settings; write {name!r} alone.")
            raise UnknownName(f"setting of {name!r}", key or text, about.dials)
        settings[key] = _typed(name, Candidate(name).method.declared()[key], value)
    return (Candidate(name, settings),)


def _typed(name: str, setting: Setting, text: str) -> Value:
    """The value of a setting as it is declared."""
    try:
        if setting.form in ("whole", "item columns"):
            value: Value = int(text)
        elif setting.form == "support":
            value = float(text) if "." in text else int(text)
        elif setting.form == "number":
            value = float(text)
        else:
            value = text
    except ValueError:
        words = "a whole number" if setting.form in ("whole", "support") else "a number"
        raise BadInput(f"{setting.name} of {name!r} is {words}, not {text!r}.") from None
    setting.check(value)
    return value


def publish_command(
    candidate: Candidate, asked: Mapping[str, Any], thresholds: Mapping[str, Any] | None = None
) -> str:
    """The command of one candidate; an option is written as its setting declares it.

    >>> asked = {"file": "patients.csv", "asset": "health.yaml"}
    >>> publish_command(Candidate("generator", {"min_support": 80}), asked)
    'halfmask publish patients.csv --min-support 80 --asset health.yaml'
    """
    method = candidate.method
    settings = {**candidate.about.fixed, **candidate.settings}
    declared = method.declared()
    given = _thresholds(settings, declared, thresholds or {})
    words = ["halfmask", "publish", str(asked["file"])]
    words += [] if method.name == "generator" else ["--method", method.name]
    for name, value in {**settings, **given}.items():
        words += [declared[name].flag, _spelled(value)]
    for name, said in _of_steward(candidate, asked).items():
        for value in said:
            words += [declared[name].flag, str(value)]
    if asked.get("seed") is not None:
        words += ["--seed", str(asked["seed"])]
    return shlex.join(words)


def _thresholds(
    settings: Mapping[str, Any], declared: Mapping[str, Any], thresholds: Mapping[str, Any]
) -> dict[str, Any]:
    """How far hiding goes: to a share that was said, or below the thresholds of the choice."""
    if "algorithm" not in settings or "disclosure" in settings:
        return {}
    from halfmask.methods.hiding.method import SANITISING

    used = ("hide_support",) if settings["algorithm"] in SANITISING else tuple(thresholds)
    known = {name: thresholds[name] for name in used if name in declared}
    return {name: value for name, value in known.items() if value is not None}


def _of_steward(candidate: Candidate, asked: Mapping[str, Any]) -> dict[str, list[Any]]:
    """What the steward said to `choose` that the method listens to."""
    declared = candidate.method.declared()
    wanted = {name: asked.get(name) for name in ("sensitive", "asset", "hierarchy")}
    if candidate.about.column is not None:
        wanted[candidate.about.column] = asked.get("column")
    found = {n: [v] for n, v in wanted.items() if n in declared and v}
    if "drop" in declared and asked.get("drop"):
        found["drop"] = list(asked["drop"])
    return found


def _spelled(value: Any) -> str:
    return repr(value) if isinstance(value, float) else str(value)
