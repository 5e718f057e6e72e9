"""Comparing: the settings and readings of several runs as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halfmask.judging.attacks import ATTACKS
from halfmask.report.words import gain, number, setting_label, share, title_of
from halfmask.studio.fields import PLAIN
from halfmask.studio.keeping import KeptRun

READINGS = (
    "tracing", "tracing_tree", "nas", "nas_excess", "unique_excess", "marginals_1", "marginals_2",
    "item_frequencies", "pair_frequencies", "ds", "propensity", "learning",
)  # fmt: skip
"""What is compared, where it was measured."""


@dataclass(frozen=True, slots=True)
class ComparedLine:
    """One setting or reading across all runs."""

    label: str
    cells: tuple[str, ...]
    best: tuple[bool, ...] = ()
    note: str = ""

    @property
    def differs(self) -> bool:
        """Whether the runs are not all the same here."""
        return len(set(self.cells)) > 1


@dataclass(frozen=True, slots=True)
class SideBySide:
    """All lines of a comparison."""

    settings: tuple[ComparedLine, ...]
    readings: tuple[ComparedLine, ...]
    people: tuple[ComparedLine, ...]


def compared(runs: Sequence[KeptRun], summaries: Mapping[str, Any]) -> SideBySide:
    """The runs side by side."""
    names = dict.fromkeys(name for run in runs for name in run.said)
    settings = [ComparedLine("Table", tuple(run.name for run in runs)),
                ComparedLine("Method", tuple(run.method for run in runs))]  # fmt: skip
    settings += [
        ComparedLine(PLAIN.get(n, setting_label(n)), tuple(_short(run.said.get(n)) for run in runs))
        for n in names
    ]
    read = [{r["name"]: r for r in summaries[run.id].get("readings", [])} for run in runs]
    alike = len({run.name for run in runs}) == 1  # of two tables none is the better
    return SideBySide(
        tuple(settings),
        tuple(
            _line(n, read, "value", alike=alike) for n in READINGS if any(n in one for one in read)
        ),
        tuple(
            _line(n, read, "against_holdout", alike=alike)
            for n in READINGS
            if any(one.get(n, {}).get("against_holdout") is not None for one in read)
        ),
    )


def _short(text: str | None) -> str:
    if not text:
        return "–"
    line = ", ".join(text.split("\n"))
    return line if len(line) <= 60 else f"{line[:59]}…"


def _line(name: str, read: Sequence[Mapping[str, Any]], key: str, *, alike: bool) -> ComparedLine:
    """A reading of each run; of one table the best is marked, unless all are the same."""
    found = [one[name].get(key) if name in one else None for one in read]
    first = next(one[name] for one in read if name in one)
    better, unit = first.get("better"), first.get("unit")
    known = [value for value in found if value is not None]
    top = None
    if alike and len(set(known)) > 1 and better in ("lower", "higher"):
        top = min(known) if better == "lower" else max(known)
    written = gain if name in ATTACKS else share if unit == "share" else number
    cells = tuple("–" if v is None else written(v) for v in found)
    note = f"{better} is better" if better in ("lower", "higher") else ""
    return ComparedLine(
        title_of(name), cells, tuple(v is not None and v == top for v in found), note
    )
