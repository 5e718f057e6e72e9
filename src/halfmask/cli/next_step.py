"""The next step after a choice: the command that publishes by the method chosen."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from halfmask.choose.framework.candidates import Candidate, DataKind

__all__ = ["publish_command"]


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
        return [*_options(settings), "--asset", typed["asset"]]
    if candidate.method == "anatomy":
        method = ["--method", "table-anatomy", "-l", str(settings["l"])]
        return [*method, "--sensitive", typed["column"], "--on-ineligible", "suppress"]
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
