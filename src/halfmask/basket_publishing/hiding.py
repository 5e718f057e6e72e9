"""Hiding as settings: which patterns, by which algorithm, below which thresholds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from halfmask.basket_publishing.made import Lines, Made
from halfmask.basket_publishing.methods import rows_of
from halfmask.data import Baskets
from halfmask.errors import BadInput, TargetNotMet, UnknownName
from halfmask.judging.tradeoff import Run
from halfmask.judging.verdict import Check
from halfmask.methods.hiding import (
    ALGORITHMS,
    Algorithm,
    BlockedBaskets,
    Hidden,
    hide,
    log_lines,
    parse_sensitive,
)

SANITISING = ("naive", "minfia", "maxfia", "iga", "iga-greedy", "rra", "ra", "swa")
BLOCKING = ("gih", "cr", "cr2")
BY_THRESHOLD = tuple(name for name in ALGORITHMS if name not in SANITISING)


@dataclass(frozen=True, slots=True)
class Hiding:
    """Take given patterns out of reach; everything else stays as it is.

    `sensitive` is the text of the list, one pattern a line. Sanitising algorithms leave a share
    `disclosure` of its rows with each pattern; the others push patterns below a miner's thresholds,
    and blocking a `margin` below them, with so many `decoys` for each cell made unknown. `window`
    is the number of rows that swa looks at together.
    """

    sensitive: str = field(repr=False)
    algorithm: str = "iga"
    disclosure: float | None = None
    min_support: float = 10
    min_confidence: float | None = None
    margin: float | None = None
    decoys: float | None = None
    window: int | None = None

    @property
    def writes(self) -> tuple[str, ...]:
        """The unknown cells of a blocking algorithm."""
        return ("unknown",) if self.algorithm in BLOCKING else ()

    def make(self, baskets: Baskets, run: Run) -> Made:
        """The edited rows; what could not be hidden is not published."""
        algorithm = self._algorithm()
        secrets = parse_sensitive(self.sensitive, baskets.schema)
        hidden = hide(baskets, secrets, algorithm, randomness=run.randomness)
        release = hidden.release
        if not hidden.succeeded:
            raise TargetNotMet(f"{release.notes[0]} Nothing was written.")
        blocked = release.data if isinstance(release.data, BlockedBaskets) else None
        return Made(
            release,
            rows_of(release) if blocked is None else Baskets(blocked.schema, blocked.certain),
            release.data,
            (_hidden_check(hidden), _persons_check()),
            risk=0.0,
            own_measures=(
                "cells_changed", "misses_cost", "artifactual", "hiding_failure", "side_effects",
            ),
            tables={} if blocked is None else {"unknown": lambda: _unknown_lines(blocked)},
            secrets=secrets.all_itemsets,
            log=lambda: log_lines(hidden.edits, baskets.schema),
        )  # fmt: skip

    def _algorithm(self) -> Algorithm:
        if self.algorithm not in ALGORITHMS:
            raise UnknownName("hiding algorithm", self.algorithm, ALGORITHMS)
        given: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("disclosure", "min_confidence", "margin", "decoys", "window")
            if getattr(self, name) is not None
        }
        owners = {
            "disclosure": SANITISING,
            "min_confidence": BY_THRESHOLD,
            "margin": BLOCKING,
            "decoys": BLOCKING,
            "window": ("swa",),
        }
        for name in given:
            if self.algorithm not in owners[name]:
                raise BadInput(
                    f"The algorithm {self.algorithm} takes no {_WORDS[name]}; that is for "
                    f"{', '.join(owners[name])}."
                )
        if self.algorithm not in SANITISING:
            return ALGORITHMS[self.algorithm](min_support=self.min_support, **given)
        psi = given.pop("disclosure", 0.0)
        return ALGORITHMS[self.algorithm](psi=psi, **given)


_WORDS = {
    "disclosure": "disclosure threshold",
    "min_confidence": "minimum confidence",
    "margin": "safety margin",
    "decoys": "decoys",
    "window": "window",
}


def _unknown_lines(data: BlockedBaskets) -> Lines:
    """The unknown cells, in a table of their own."""
    names = data.schema.names
    cells = ((n, item) for n, row in enumerate(data.unknown, 1) for item in row)
    return [("basket", "item"), *((str(n), names[item]) for n, item in cells)]


def _hidden_check(hidden: Hidden) -> Check:
    count = len(hidden.outcomes)
    found = "the pattern is" if count == 1 else f"all {count} patterns are"
    return Check("Patterns hidden", "passed", f"Counted again in the release, {found} hidden.")


def _persons_check() -> Check:
    sentence = (
        "Hiding protects the patterns listed and no person: all other rows and items are those of "
        "the original."
    )
    return Check("Persons", "look here", sentence)
