"""Hiding as a method: which patterns, by which algorithm, below which thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from halfmask.data import Baskets, Countable, Table
from halfmask.data.release import Check, Outcome
from halfmask.errors import BadInput, UnknownName
from halfmask.methods.basket_settings import BasketMethod
from halfmask.methods.hiding.blocked import BlockedBaskets
from halfmask.methods.hiding.edits import log_lines
from halfmask.methods.hiding.hide import ALGORITHMS, Algorithm, Hidden, hide
from halfmask.methods.hiding.sensitive import Sensitive, parse_sensitive, sensitive_lines
from halfmask.methods.method import OF_BASKETS, OF_TABLES, DataKind, Lines, Made, Need, Variant
from halfmask.methods.names import as_baskets, as_table
from halfmask.methods.settings import setting
from halfmask.run import Run

SANITISING = ("naive", "minfia", "maxfia", "iga", "iga-greedy", "rra", "ra", "swa")
BLOCKING = ("gih", "cr", "cr2")
BY_THRESHOLD = tuple(name for name in ALGORITHMS if name not in SANITISING)
OWN = ("cells_changed", "misses_cost", "artifactual", "hiding_failure", "side_effects")

_OWNERS: Mapping[str, tuple[str, ...]] = {
    "disclosure": SANITISING,
    "hide_confidence": BY_THRESHOLD,
    "margin": BLOCKING,
    "decoys": BLOCKING,
    "window": ("swa",),
    "conflict_order": tuple(name for name in SANITISING if name != "swa"),
}
"""The algorithms that listen to a setting."""


def _variant(name: str, family: str, words: str, need: Need = "patterns") -> Variant:
    dials = {"sanitising": ("disclosure",), "blocking": ("margin",)}.get(family, ())
    return Variant(name, family, words, dials=dials, fixed={"algorithm": name}, need=need)


@dataclass(kw_only=True, eq=False)
class Hiding(BasketMethod):
    """Take given patterns out of reach; everything else stays as it is."""

    name: ClassVar[str] = "hiding"
    summary: ClassVar[str] = (
        "The original rows with few changes; protects the patterns listed and nothing else."
    )
    kinds: ClassVar[tuple[DataKind, ...]] = ("baskets", "table")
    listens: ClassVar[frozenset[str]] = frozenset({"edit_log"})
    measures: ClassVar = {
        "baskets": (*OF_BASKETS, *OWN, "misclassification"),
        "table": (*OF_TABLES, *OWN, "misclassification"),
    }
    aligned: ClassVar[bool] = True
    variants: ClassVar[tuple[Variant, ...]] = (
        _variant("naive", "sanitising", "takes all items of a pattern out of rows"),
        _variant("minfia", "sanitising", "takes out the item that fewest rows hold"),
        _variant("maxfia", "sanitising", "takes out the item that most rows hold"),
        _variant("iga", "sanitising", "takes out an item that several patterns share"),
        _variant("iga-greedy", "sanitising", "takes out the item that most patterns share"),
        _variant("rra", "sanitising", "takes the items of a pattern out in turns"),
        _variant("ra", "sanitising", "takes a random item of a pattern out"),
        _variant("swa", "sanitising", "takes items out of short rows, window by window"),
        _variant("1.a", "rule-hiding", "adds items to the left side of a rule", "rules"),
        _variant("1.b", "rule-hiding", "takes items out of the right side of a rule", "rules"),
        _variant("2.a", "rule-hiding", "takes items out of either side of a rule", "rules"),
        _variant("2.b", "rule-hiding", "takes the most held item out of short rows"),
        _variant("2.c", "rule-hiding", "takes the items out in turns, row by row"),
        _variant("gih", "blocking", "makes items of a pattern unknown"),
        _variant("cr", "blocking", "makes the right side of a rule unknown", "rules"),
        _variant("cr2", "blocking", "makes the absence of the left side unknown", "rules"),
    )

    hide: Sequence[str] = setting(
        (),
        'A pattern to hide, "a, b" for an itemset or "a -> b" for a rule (items of a table are '
        "column=value); repeat for more.",
        form="names", group="privacy", metavar="PATTERN",
    )  # fmt: skip
    sensitive: str = setting(
        "",
        "A file that lists the patterns to hide, one per line.",
        form="lines", group="privacy", metavar="FILE",
    )  # fmt: skip
    algorithm: str = setting(
        "iga",
        f"The algorithm that edits the rows. Sanitising: {', '.join(SANITISING)}; threshold: "
        f"{', '.join(BY_THRESHOLD)}.",
        group="privacy",
        metavar="NAME",
    )
    disclosure: float | None = setting(
        None,
        "Sanitising: the share of supporting rows allowed to keep the pattern; 0 unless "
        "--hide-support is given.",
        form="number", least=0, most=1, group="privacy", metavar="SHARE",
    )  # fmt: skip
    hide_support: float | None = setting(
        None,
        "A pattern counts as hidden below this support, as rows or a share of them; by "
        "default --min-support for the threshold algorithms.",
        form="support", group="privacy",
    )  # fmt: skip
    hide_confidence: float | None = setting(
        None,
        "A rule also counts as hidden below this confidence (threshold algorithms).",
        form="number", above=0, most=1, group="privacy", metavar="SHARE",
    )  # fmt: skip
    margin: float | None = setting(
        None,
        "Blocking: go this much below the thresholds for safety.",
        form="number", least=0, most=1, group="privacy", metavar="SHARE",
    )  # fmt: skip
    decoys: float | None = setting(
        None,
        "Blocking: false unknown cells for each true one, so that an unknown cell proves nothing.",
        form="number", least=0, group="privacy", metavar="N",
    )  # fmt: skip
    conflict_order: str | None = setting(
        None,
        "Sanitising: whether the rows that hold few sensitive patterns are edited first "
        "(ascending) or those that hold many; by default each algorithm's own.",
        choices=("ascending", "descending"), group="privacy",
    )  # fmt: skip
    window: int | None = setting(
        None,
        "swa: how many rows the sliding window holds.",
        form="whole", least=1, group="running", metavar="ROWS",
    )  # fmt: skip

    @property
    def writes(self) -> tuple[str, ...]:
        """The unknown cells of a blocking algorithm."""
        return ("unknown",) if self.algorithm in BLOCKING else ()

    @property
    def tables_needed(self) -> bool:
        """Which cells are unknown stands in a table of its own."""
        return self.algorithm in BLOCKING

    def make(self, data: Any, run: Run) -> Made:
        """The edited rows; where something could not be hidden, the check says so and refuses."""
        if not self.hide and not self.sensitive.strip():
            raise BadInput(
                "The method hiding needs a pattern to hide: name it (--hide), or a file with a "
                "pattern on each line (--sensitive)."
            )
        baskets, table, encoding = self.as_items(data)
        secrets = parse_sensitive("\n".join([self.sensitive, *self.hide]), baskets.schema)
        floor = self.min_support if self.hide_support is None else self.hide_support
        patterns = secrets.below(floor, self.hide_confidence)
        hidden = hide(
            baskets,
            secrets,
            self._algorithm(baskets, secrets),
            randomness=run.randomness,
            below=int(patterns.floor(baskets.size)),
        )
        release = hidden.release
        blocked = release.data if isinstance(release.data, BlockedBaskets) else None
        certain = Baskets(baskets.schema, blocked.certain) if blocked is not None else release.data
        assert isinstance(certain, Baskets)  # noqa: S101 - what hiding publishes
        unknown = None if blocked is None else blocked.unknown
        rows = certain if table is None else as_table(table, certain, unknown)
        return Made(
            release,
            data if table is None else table,
            rows,
            _counted(release.data, table, rows),
            (_hidden_check(hidden, asked_for=bool(self.disclosure)), _persons_check()),
            risk=0.0,
            tables={} if blocked is None else {"unknown": lambda: _unknown_lines(blocked)},
            secrets=patterns,
            log=lambda: log_lines(hidden.edits, baskets.schema),
            encoding=encoding,
            evaluated=blocked if table is None else rows,
        )

    def _algorithm(self, baskets: Baskets, secrets: Sensitive) -> Algorithm:
        if self.algorithm not in ALGORITHMS:
            raise UnknownName("hiding algorithm", self.algorithm, ALGORITHMS)
        for name, owners in _OWNERS.items():
            if getattr(self, name) is not None and self.algorithm not in owners:
                raise BadInput(
                    f"{name} is not a setting of the algorithm {self.algorithm}; it is for "
                    f"{', '.join(owners)}."
                )
        new = ALGORITHMS[self.algorithm]
        if self.algorithm in SANITISING:
            said = {"window": self.window, "conflict_order": self.conflict_order}
            more = {name: value for name, value in said.items() if value is not None}
            return new(psi=self._shares(baskets, secrets), **more)
        given = {"margin": self.margin, "decoys": self.decoys}
        return new(
            min_support=self.min_support if self.hide_support is None else self.hide_support,
            **({} if self.hide_confidence is None else {"min_confidence": self.hide_confidence}),
            **{name: value for name, value in given.items() if value is not None},
        )

    def _shares(self, baskets: Baskets, secrets: Sensitive) -> float | tuple[float, ...]:
        """Of the rows that hold each pattern, the share that may keep it."""
        if self.disclosure is not None or self.hide_support is None:
            return self.disclosure or 0.0
        supports = baskets.support(secrets.all_itemsets)
        share = isinstance(self.hide_support, float)
        floor = self.hide_support * baskets.size if share else self.hide_support
        most = max(np.ceil(floor - 1e-9) - 1, 0)  # just below the threshold
        return tuple(np.minimum(most / np.maximum(supports, 1), 1.0).tolist())

    @classmethod
    def for_trial(cls, settings: Any, secrets: Any, database: Table | Baskets) -> Self:
        """Told which patterns to hide, and below which thresholds."""
        rows = as_baskets(database) if isinstance(database, Table) else database
        lines = sensitive_lines(secrets.sensitive, rows.schema)
        given = dict(settings)
        sanitising = given["algorithm"] in SANITISING
        if not sanitising or "disclosure" not in given:
            given["hide_support"] = secrets.min_support
        if not sanitising and secrets.min_confidence is not None:
            given["hide_confidence"] = secrets.min_confidence
        return cls(hide=lines, **given)


def _counted(published: Countable, table: Table | None, rows: Table | Baskets) -> Countable:
    """What answers for supports: of a table its rows, or its items where some are unknown."""
    if table is None:
        return published
    if isinstance(published, BlockedBaskets):
        return replace(published, schema=table.schema)
    return rows


def _unknown_lines(data: BlockedBaskets) -> Lines:
    """The unknown cells, in a table of their own."""
    names = data.schema.names
    cells = ((n, item) for n, row in enumerate(data.unknown, 1) for item in row)
    return [("basket", "item"), *((str(n), names[item]) for n, item in cells)]


def _hidden_check(hidden: Hidden, *, asked_for: bool) -> Check:
    """Whether a miner finds none of them; what a steward allowed to stay is for review."""
    if not hidden.succeeded:
        outcome: Outcome = "review" if asked_for else "missed"
        return Check("Patterns hidden", outcome, hidden.release.notes[0])
    count = len(hidden.outcomes)
    found = "the pattern is" if count == 1 else f"all {count} patterns are"
    return Check("Patterns hidden", "passed", f"Recounted in the release, {found} hidden.")


def _persons_check() -> Check:
    sentence = (
        "Hiding protects the patterns listed, not people: all other rows and items are those "
        "of the original."
    )
    return Check("Persons", "review", sentence)
