"""Selection: what the three steps found, as data that a page or a machine can read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from halfmask import __version__
from halfmask.choosing.candidates import Candidate, Unsuitable, publish_command
from halfmask.choosing.databases import Generic
from halfmask.choosing.preselection import Thresholds, Tried
from halfmask.choosing.ranking import FORMS, LACKS, LackWeights, Place, Ranking, listed
from halfmask.io.forms import PathLike
from halfmask.io.writing import write_bytes
from halfmask.measures.measure import plain
from halfmask.methods.method import DataKind


@dataclass(frozen=True, slots=True)
class Setup:
    """What was asked, and on what it was tried."""

    kind: DataKind
    generic: Generic
    generic_rows: int
    sizes: tuple[int, ...]
    test_rows: int
    draws: int
    """How many test databases were drawn."""
    patterns: int
    """How many sensitive patterns are to be hidden; they themselves are written nowhere."""
    hide_support: float | None
    """Below this share of the rows a pattern counts as hidden."""
    hide_confidence: float | None
    min_support: int
    thresholds: Thresholds
    weights: LackWeights
    informations: tuple[str, ...]
    """The aggregate informations of the asset by name."""


@dataclass(frozen=True, eq=False)
class Choice:
    """Which method to take, why, and every candidate through the three steps."""

    setup: Setup
    tried: tuple[Tried, ...]
    unsuitable: tuple[Unsuitable, ...]
    rankings: tuple[Ranking, ...]
    """Rows paired first, if any candidate keeps its rows; then all by their distributions."""

    @property
    def kept(self) -> tuple[Tried, ...]:
        """The candidates that step 1 kept."""
        return tuple(tried for tried in self.tried if tried.kept)

    @property
    def decisive(self) -> Ranking:
        """Rows paired decide when every candidate keeps its rows; else distributions do."""
        everybody = len(self.rankings[-1].places)
        return next(r for r in self.rankings if len(r.places) == everybody)

    @property
    def best(self) -> str:
        """The candidate to take, by name."""
        return self.decisive.best.name

    @property
    def best_candidate(self) -> Candidate:
        """The candidate to take, with its settings."""
        return next(t.candidate for t in self.tried if t.candidate.name == self.best)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why, in sentences: what fell, what decides, and what each ranking says."""
        weights = self.setup.weights
        found = [self._preselected()]
        if len(self.rankings) > 1 and self.decisive is self.rankings[-1]:
            found.append(
                "Some candidates keep their rows and some do not. Comparing row by row and "
                "comparing distributions give different numbers, so there are two rankings; "
                "only the one by distribution includes every candidate, and it decides."
            )
        found += [f"Ranked {FORMS[r.form]}: {r.reason(weights)}" for r in self.rankings]
        return tuple(found)

    def _preselected(self) -> str:
        names = [tried.candidate.name for tried in self.kept]
        tried = f"{len(self.tried)} candidates were" if self.tried[1:] else "One candidate was"
        left = "1 is" if len(names) == 1 else f"{len(names)} are"
        how = "within the thresholds" if self.setup.thresholds.given else "dominated by no other"
        return f"{tried} tried on the generic database; {left} {how}: {listed(names)}."

    def command(self, asked: Mapping[str, Any]) -> str:
        """What to type to publish by the candidate chosen.

        `asked` is what was asked of the choice: its file, asset, sensitive patterns, column,
        columns to drop, and seed.
        """
        setup = self.setup
        thresholds = {
            "hide_support": setup.hide_support,
            "hide_confidence": setup.hide_confidence,
        }
        return publish_command(self.best_candidate, asked, thresholds)

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain types; nothing in it was counted in the original."""
        whole = {
            "best": self.best,
            "reasons": list(self.reasons),
            "setup": self.setup,
            "candidates": [_tried(tried) for tried in self.tried],
            "unsuitable": self.unsuitable,
            "rankings": [
                {
                    "form": ranking.form,
                    "decides": ranking is self.decisive,
                    "clear": ranking.clear,
                    "places": [_place(place) for place in ranking.places],
                }
                for ranking in self.rankings
            ],
        }
        found: dict[str, Any] = plain(msgspec.to_builtins(whole))
        return found

    def to_json(self) -> str:
        """Everything for machines."""
        document = {"halfmask": __version__, **self.to_dict()}
        return msgspec.json.format(msgspec.json.encode(document)).decode()

    def page(self) -> str:
        """The comparison as one HTML page that loads nothing."""
        from halfmask.choosing.page import choice_page  # draws, which takes a while to load

        return choice_page(self).decode()

    def save(self, path: PathLike, *, force: bool = False) -> None:
        """Write the page (.html) or the JSON (any other name)."""
        content = self.page() if str(path).endswith((".html", ".htm")) else self.to_json() + "\n"
        write_bytes(path, content.encode(), force=force)


def _tried(tried: Tried) -> dict[str, Any]:
    general = tried.general
    return {
        "name": tried.candidate.name,
        "method": tried.candidate.method.name,
        "settings": dict(tried.candidate.settings),
        "keeps_rows": tried.candidate.method.aligned,
        "kept": tried.kept,
        "fell": tried.fell,
        "general": general,
    }


def _place(place: Place) -> dict[str, Any]:
    return {
        "name": place.name,
        "score": place.score,
        "score_low": place.low,
        "score_high": place.high,
        "pareto": place.pareto,
        **{f"{name}_lack": lack for name, lack in zip(LACKS, place.lacks, strict=True)},
    }
