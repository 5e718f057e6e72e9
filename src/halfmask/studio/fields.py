"""Fields: the settings of a method as a form shows them, and what was typed as their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halfmask.errors import BadInput
from halfmask.methods import METHODS, Method
from halfmask.methods.settings import Setting
from halfmask.publishing.job import options_of
from halfmask.report.words import setting_label
from halfmask.studio.drafts import names_in
from halfmask.studio.folders import Folders

ELSEWHERE = frozenset({
    "schema", "categorical", "drop",  # said with the columns
    "output", "force", "external_report", "edit_log",  # every run has a folder of its own
    "reading",  # said when the file is opened
    "key", "orphans",  # of several tables
})  # fmt: skip
"""Options that are no question here."""
FIRST = (
    "epsilon", "min_support", "l", "k", "keep", "hide", "hierarchy", "sensitive", "target",
    "hide_together", "holdout", "nas_at_most",
)  # fmt: skip
"""What is asked before the rest, where the method has it."""
TITLES = {
    "privacy": "More about privacy",
    "quality": "More about quality",
    "output": "What goes out",
    "columns": "Rare values",
    "files": "Files",
    "running": "Running",
}
PLAIN = {
    "epsilon": "Privacy budget ε",
    "l": "Guesses spread over (ℓ)",
    "k": "People who must agree (k)",
    "keep": "Chance that a cell stays unchanged",
    "hide": "Patterns to hide",
    "hierarchy": "How items may be generalised",
    "target": "Column that readers will predict",
    "hide_together": "Pairs never learnt together",
    "holdout": "Share of rows held back",
    "nas_at_most": "Largest anonymity score (NAS)",
    "sensitive": "Sensitive column",
}
COSTS = {
    "min_support": "A higher one protects more and keeps less: rare values and combinations go "
    "first.",
    "epsilon": "A smaller ε promises more and adds more noise; small groups drown in it first.",
    "target": "Some time, and a few more counts of the original are matched.",
    "hide_together": "Readers will find the two columns nearly unrelated.",
    "nas_at_most": "The minimum support is raised until it is met, so less is kept; if nothing "
    "reaches it, the release is refused.",
    "sensitive": "A few seconds: attacks that guess it are measured.",
}
"""What a setting costs, in a sentence."""
_SEVERAL = ("names", "pairs", "assignments", "lines")
"""Forms of which several lines may be typed."""


@dataclass(frozen=True, slots=True)
class Field:
    """One setting in a form."""

    setting: Setting
    text: str
    columns: tuple[str, ...] = ()
    """Names to choose from, where it is a column."""

    @property
    def label(self) -> str:
        """What it is called."""
        return PLAIN.get(self.setting.name, setting_label(self.setting.name))

    @property
    def help(self) -> str:
        """The help of its declaration, with words instead of options of the command line."""
        return in_words(self.setting.help)

    @property
    def cost(self) -> str:
        """What it costs."""
        return COSTS.get(self.setting.name, "")

    @property
    def many(self) -> bool:
        """Whether several lines may be typed."""
        return self.setting.form in (*_SEVERAL, "item columns")

    @property
    def default(self) -> str:
        """What holds when nothing is typed."""
        given = self.setting.default
        plain = isinstance(given, int | float | str) and not isinstance(given, bool)
        return str(given) if plain and given != "" else ""

    @property
    def step(self) -> str:
        """How finely a number is typed."""
        return "1" if self.setting.form == "whole" else "any"


def in_words(text: str) -> str:
    """A help text without the spelling of the command line.

    >>> in_words("fewer than --min-support rows")
    'fewer than “minimum support” rows'
    """

    def word(found: re.Match[str]) -> str:
        name = found[1].replace("-", "_")
        return f"“{setting_label(name).lower()}”"

    plain = re.sub(r"(?<![\w-])-([a-z])\b", r"\1", text)
    return re.sub(r"--([a-z][a-z-]*[a-z])", word, plain).replace("; repeat for more", "")


def fields_of(
    method: type[Method], said: Mapping[str, str], columns: Sequence[str]
) -> tuple[list[Field], dict[str, list[Field]]]:
    """What is asked first, and the rest by group."""
    budget = "epsilon" in method.declared()
    shown = {
        name: Field(one, said.get(name, ""), tuple(columns) if one.metavar == "COLUMN" else ())
        for name, one in options_of(method).items()
        if name not in ELSEWHERE and one.form != "object"
    }
    asked = [name for name in FIRST if not (budget and name in ("min_support", "nas_at_most"))]
    first = [shown[name] for name in asked if name in shown]
    first += [f for n, f in shown.items() if f.setting.required and n not in asked]
    rest: dict[str, list[Field]] = {title: [] for title in TITLES.values()}
    for field in shown.values():
        if field not in first:
            rest[TITLES[field.setting.group]].append(field)
    return first, {title: fields for title, fields in rest.items() if fields}


def values_of(method: str, said: Mapping[str, str], folders: Folders) -> dict[str, Any]:
    """What was typed, as keywords of `halfmask.publish`; nothing typed is nothing said."""
    found = {}
    for name, one in options_of(METHODS[method]).items():
        text = said.get(name, "").strip()
        if name in ELSEWHERE or one.form == "object" or not text:
            continue
        value = _value(one, text, folders)
        if value != one.default:
            found[name] = value
    return found


def _value(one: Setting, text: str, folders: Folders) -> Any:
    """The value of one setting; what cannot be one is refused in a sentence."""
    if one.form == "file":
        return folders.source(text)
    try:
        return _READERS.get(one.form, str)(text)
    except ValueError:
        label = PLAIN.get(one.name, setting_label(one.name))
        raise BadInput(f"{label}: {text[:40]!r} is not what is asked for. {one.help}") from None


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _support(text: str) -> float:
    return float(text) if "." in text else int(text)


def _order(text: str) -> Any:
    return text if text in ("random", "columns") else list(names_in(text))


def _item_columns(text: str) -> Any:
    return int(text) if text.isdigit() else [list(names_in(line)) for line in _lines(text)]


def _pair(line: str) -> list[str]:
    parts = names_in(line)
    if len(parts) != 2:
        raise ValueError
    return list(parts)


def _assignment(line: str) -> tuple[str, float]:
    name, _, number = line.rpartition("=")
    return name.strip(), float(number)


_READERS: Mapping[str, Callable[[str], Any]] = {
    "whole": int,
    "number": float,
    "support": _support,
    "flag": bool,
    "names": _lines,
    "pairs": lambda text: [_pair(line) for line in _lines(text)],
    "assignments": lambda text: dict(map(_assignment, _lines(text))),
    "order": _order,
    "item columns": _item_columns,
}
"""How what is typed becomes a value, by the form of the setting; other forms are texts."""
