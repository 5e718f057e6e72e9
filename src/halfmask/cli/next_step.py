"""The next step after a choice: the command that publishes by the method chosen.

A choice can fall on a method that no command publishes by; then the best that has one is named.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from halfmask.choosing.candidates import Candidate, DataKind
from halfmask.choosing.selection import Selection

WHY_NOT: Mapping[DataKind, str] = {
    "table": "publish does not edit the cells of a table",
    "baskets": "its thresholds were those of the test databases, not of the file",
}
PUBLISHED: Mapping[DataKind, str] = {"table": "generator", "baskets": "baskets,distortion"}
"""Methods that can always be published, for a second choice."""


def next_steps(choice: Selection, typed: Mapping[str, Any]) -> list[str]:
    """What to do now, in lines; the last of them is a command."""
    kind = choice.setup.kind
    candidates = {tried.candidate.name: tried.candidate for tried in choice.tried}
    for place in choice.decisive.places:
        command = publish_command(candidates[place.name], kind, typed)
        if command is not None and place.name == choice.best:
            return [f"Next: {command}"]
        if command is not None:
            found = f"Of those ranked, {place.name} is the best that can be published."
            return [f"{_no_command(choice.best, kind)} {found}", f"Next: {command}"]
    again = [typed["file"], "--asset", typed["asset"], "--methods", PUBLISHED[kind]]
    return [
        f"{_no_command(choice.best, kind)} Choose among methods that can be published.",
        f"Next: {shlex.join(['halfmask', 'choose', *again, *_dropped(typed)])}",
    ]


def _no_command(name: str, kind: DataKind) -> str:
    return f"No command publishes by {name}: {WHY_NOT[kind]}."


def _dropped(typed: Mapping[str, Any]) -> list[str]:
    return [word for name in typed.get("drop") or () for word in ("--drop", name)]


def publish_command(candidate: Candidate, kind: DataKind, typed: Mapping[str, Any]) -> str | None:
    """What to type to publish the file by this candidate; nothing where no command does it.

    >>> typed = {"file": "patients.csv", "asset": "health.yaml", "column": None}
    >>> publish_command(Candidate("generator", {"min_support": 80}), "table", typed)
    'halfmask publish patients.csv --min-support 80 --asset health.yaml'
    """
    words = _of_table(candidate, typed) if kind == "table" else _of_baskets(candidate, typed)
    return None if words is None else shlex.join(["halfmask", "publish", typed["file"], *words])


def _of_table(candidate: Candidate, typed: Mapping[str, Any]) -> list[str] | None:
    settings = candidate.settings
    if candidate.method == "generator":
        return [*_options(settings), "--asset", typed["asset"], *_dropped(typed)]
    if candidate.method == "anatomy":
        method = ["--method", "table-anatomy", "-l", str(settings["l"])]
        return [
            *method, "--sensitive", typed["column"], "--on-ineligible", "suppress",
            *_dropped(typed),
        ]  # fmt: skip
    return None  # no command edits the cells of a table


def _of_baskets(candidate: Candidate, typed: Mapping[str, Any]) -> list[str] | None:
    settings, family = candidate.settings, candidate.about.family
    if candidate.method in ("baskets", "distortion"):
        return ["--method", candidate.method, *_options(settings)]
    if candidate.method == "anatomy":
        level = ["--method", "anatomy", "-l", str(settings["l"])]
        return [*level, "--columns", "10", "--on-ineligible", "merge_columns"]
    if candidate.method == "coherence":
        known = str(settings.get("p", 2))
        return ["--method", "coherence", "-k", str(settings["k"]), "--known", known]
    hiding = ["--method", "hiding", "--algorithm", candidate.method]
    hiding += ["--sensitive", typed["sensitive"]]
    if family == "sanitising":
        return [*hiding, "--disclosure", str(settings["psi"])] if "psi" in settings else None
    if typed["hide_support"] is None or typed["hide_confidence"] is None:
        return None  # the thresholds were those of the test databases, not of the file
    thresholds = {"min_support": typed["hide_support"], "min_confidence": typed["hide_confidence"]}
    return [*hiding, *_options(thresholds | dict(settings))]


def _options(settings: Mapping[str, Any]) -> list[str]:
    return [
        w for key, value in settings.items() for w in (f"--{key.replace('_', '-')}", str(value))
    ]
