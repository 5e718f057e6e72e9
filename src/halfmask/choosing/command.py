"""The command that publishes by the candidate chosen, as the declarations spell it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from halfmask.choosing.candidates import Candidate
from halfmask.choosing.selection import Selection


def recommended(choice: Selection, asked: Mapping[str, Any]) -> str:
    """What to type to publish the file by the candidate chosen.

    `asked` is what was asked of the choice: its file, asset, sensitive patterns, column, columns
    to drop, and seed.
    """
    thresholds = {
        "hide_support": choice.setup.hide_support,
        "hide_confidence": choice.setup.hide_confidence,
    }
    return publish_command(choice.best_candidate, asked, thresholds)


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
    wanted = {
        "sensitive": asked.get("column" if candidate.about.need == "column" else "sensitive"),
        "asset": asked.get("asset"),
    }
    found = {n: [v] for n, v in wanted.items() if n in declared and v}
    if "drop" in declared and asked.get("drop"):
        found["drop"] = list(asked["drop"])
    return found


def _spelled(value: Any) -> str:
    return repr(value) if isinstance(value, float) else str(value)
