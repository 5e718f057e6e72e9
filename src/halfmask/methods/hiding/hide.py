"""Hide sensitive patterns: index, edit, publish, and count again before claiming anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from halfmask.data import Assortment, Baskets, Claim, Release
from halfmask.data.release import Fact, IsoClass
from halfmask.errors import BadInput
from halfmask.methods.hiding.blocked import BlockedBaskets
from halfmask.methods.hiding.blocking import Block
from halfmask.methods.hiding.edits import Cell, Edits, apply, undo
from halfmask.methods.hiding.index import Index
from halfmask.methods.hiding.outcome import Outcome, recount
from halfmask.methods.hiding.rules import HideRules
from halfmask.methods.hiding.sanitise import Sanitise, SlidingWindow
from halfmask.methods.hiding.sensitive import Sensitive
from halfmask.randomness import Randomness

Algorithm: TypeAlias = Sanitise | SlidingWindow | HideRules | Block

ALGORITHMS: Mapping[str, Callable[..., Algorithm]] = MappingProxyType(
    {
        "naive": partial(Sanitise, "naive"),
        "minfia": partial(Sanitise, "minfia"),
        "maxfia": partial(Sanitise, "maxfia"),
        "iga": partial(Sanitise, "iga"),
        "iga-greedy": partial(Sanitise, "iga-greedy"),
        "rra": partial(Sanitise, "rra"),
        "ra": partial(Sanitise, "ra"),
        "swa": SlidingWindow,
        "1.a": partial(HideRules, "1.a"),
        "1.b": partial(HideRules, "1.b"),
        "2.a": partial(HideRules, "2.a"),
        "2.b": partial(HideRules, "2.b"),
        "2.c": partial(HideRules, "2.c"),
        "gih": partial(Block, "gih"),
        "cr": partial(Block, "cr"),
        "cr2": partial(Block, "cr2"),
    }
)
"""Every algorithm under the name the literature gives it; the rest are its settings."""


@dataclass(frozen=True, eq=False)
class Hidden:
    """A release, and beside it what only the steward may see: the edits and the outcomes."""

    release: Release
    edits: Edits
    outcomes: tuple[Outcome, ...]

    @property
    def succeeded(self) -> bool:
        """Whether every sensitive pattern is hidden in the published rows."""
        return all(outcome.hidden for outcome in self.outcomes)

    def undo(self) -> Baskets:
        """The original, restored from the release and the edits."""
        data = self.release.data
        if isinstance(data, BlockedBaskets) and isinstance(data.schema, Assortment):
            return Baskets(data.schema, undo(self.edits, data.marked))
        if isinstance(data, Baskets):
            return Baskets(data.schema, undo(self.edits, data.transactions))
        raise BadInput("Only published baskets can be restored.")


def hide(
    baskets: Baskets,
    sensitive: Sensitive,
    algorithm: Algorithm | None = None,
    *,
    randomness: Randomness,
    below: int | None = None,
) -> Hidden:
    """Publish the baskets without the sensitive patterns.

    An itemset counts as hidden where fewer than `below` rows hold it; unless that is said, where as
    many rows lost it as the algorithm was asked to take it from.

    It protects against a reader who mines the release with the thresholds given; the sensitive
    patterns are in no part of the release, nor is the list of edits.

    >>> from halfmask.methods.hiding.sensitive import parse_sensitive
    >>> baskets = Baskets.of(["abcd", "abc", "abd", "acd", "abc", "bd"])
    >>> secrets = parse_sensitive("a, b, d", baskets.schema)
    >>> hidden = hide(baskets, secrets, Sanitise("maxfia"), randomness=Randomness(1))
    >>> hidden.succeeded, hidden.release.support([(0, 1, 3)]).tolist(), len(hidden.edits)
    (True, [0.0], 2)
    >>> print(hidden.release.claim)
    The 1 sensitive pattern is hidden, provided that the reader mines this release alone and the
    list of sensitive patterns was complete.
    """
    algorithm = algorithm or Sanitise()
    if (baskets.transactions.weights != 1).any():
        raise BadInput("Hiding edits single baskets, and these are merged into weighted ones.")
    if not len(sensitive):
        raise BadInput("The list of sensitive patterns is empty; there is nothing to hide.")
    index = Index.of(baskets)
    targets = algorithm.targets(index, sensitive)
    edits = algorithm.edits(baskets.transactions, index, sensitive, randomness.child("hiding"))
    marked = apply(edits, baskets.transactions)
    published: Baskets | BlockedBaskets
    if isinstance(algorithm, Block):
        published = BlockedBaskets(baskets.schema, marked.certain, marked.unknown)
    else:
        published = Baskets(baskets.schema, marked.certain)
    if below is not None and isinstance(algorithm, Sanitise | SlidingWindow):
        targets = tuple(replace(target, support_below=below) for target in targets)
    outcomes = recount(published, targets)
    return Hidden(_release(published, algorithm, edits, outcomes), edits, outcomes)


def _release(
    published: Baskets | BlockedBaskets,
    algorithm: Algorithm,
    edits: Edits,
    outcomes: Sequence[Outcome],
) -> Release:
    hidden, total = sum(outcome.hidden for outcome in outcomes), len(outcomes)
    adds = isinstance(algorithm, HideRules) and algorithm.strategy == "1.a"
    iso_class: IsoClass = "randomization" if adds else "suppression"
    record: dict[str, Fact] = {
        "algorithm": _name(algorithm),
        "cells_removed": edits.count(Cell.OUT),
        "cells_added": edits.count(Cell.IN),
        "cells_unknown": edits.count(Cell.UNKNOWN),
        "rows_changed": edits.rows_changed,
    }
    return Release(
        data=published,
        kind="sanitised",
        method="hiding",
        iso_class=iso_class,
        claim=_claim(hidden, total, algorithm),
        record=record,
        notes=_notes(hidden, total, algorithm),
    )


def _name(algorithm: Algorithm) -> str:
    if isinstance(algorithm, Sanitise):
        return algorithm.victim
    return "swa" if isinstance(algorithm, SlidingWindow) else algorithm.strategy


def _claim(hidden: int, total: int, algorithm: Algorithm) -> Claim:
    """What was found by counting again; the patterns themselves are named nowhere."""
    patterns = "pattern is" if total == 1 else "patterns are"
    share = "The" if hidden == total else f"{hidden} of the"
    sure = (
        " from a reader who assumes nothing about unknown cells"
        if isinstance(algorithm, Block)
        else ""
    )
    return Claim(
        promise=f"{share} {total} sensitive {patterns} hidden{sure}",
        assumption="the reader mines this release alone and the list of sensitive patterns was "
        "complete",
        terms={"patterns": total, "hidden": hidden, **_settings(algorithm)},
    )


def _settings(algorithm: Algorithm) -> dict[str, Fact]:
    """The thresholds a checker needs to count again."""
    if isinstance(algorithm, Sanitise | SlidingWindow):
        return {"psi": algorithm.psi}
    terms: dict[str, Fact] = {
        "min_support": algorithm.min_support,
        "min_confidence": algorithm.min_confidence,
    }
    return {**terms, "margin": algorithm.margin} if isinstance(algorithm, Block) else terms


def _notes(hidden: int, total: int, algorithm: Algorithm) -> tuple[str, ...]:
    notes = []
    if hidden < total:
        why = f"{_name(algorithm)} ran out of rows that it may edit. Use another algorithm or "
        why += "weaker thresholds."
        if isinstance(algorithm, Sanitise | SlidingWindow):
            why = "a share of their rows was allowed to keep them (--disclosure)."
        left = total - hidden
        notes.append(f"{left} of the {total} sensitive patterns can still be found: {why}")
    if isinstance(algorithm, Block) and algorithm.strategy != "cr2" and not algorithm.decoys:
        notes.append(
            "Only present items were made unknown, so a reader may infer that every unknown "
            "cell held the item; decoys prevent that."
        )
    if isinstance(algorithm, HideRules) and algorithm.strategy == "1.a":
        notes.append(
            "Items were added to baskets, so rules may appear that the original does not have."
        )
    return tuple(notes)
