"""The promise of a private release as a report says it, and the report that may go out with it.

Of a private release even a rounded reading of the original would tell what the budget did not pay
for, so the external form holds nothing but the promise, the ledger and what was drawn.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from halfmask.judging.private import promise_verdict
from halfmask.judging.verdict import Verdict
from halfmask.measures import Readings
from halfmask.methods.private.promise import PromisedModel, in_words


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """What one part of the work took of the budget."""

    part: str
    rho: float
    share: float


@dataclass(frozen=True, slots=True)
class PromisePart:
    """What the page of a private release says of its guarantee; all of it may be told outside."""

    epsilon: float
    delta: float
    spent: float
    """The ε of what was really asked."""
    rho: float
    rows: int
    """Of the original, as noisy counts say."""
    noise: float
    """The standard deviation of a noisy count."""
    words: tuple[str, ...]
    lines: tuple[LedgerLine, ...]
    guessed: tuple[str, ...]
    outside: Verdict
    """The verdict as far as it rests on the promise alone."""
    seeded: bool = False
    total: str = ""
    """What all releases of the same table come to."""

    @classmethod
    def of(cls, model: PromisedModel, total: str = "") -> PromisePart:
        """What there is to say of a model."""
        log, spent = model.account, model.account.ledger.by_part()
        return cls(
            epsilon=log.epsilon,
            delta=log.delta,
            spent=model.epsilon_spent,
            rho=log.ledger.spent * model.rows_per_person**2,
            rows=model.rows,
            noise=model.noise,
            words=() if log.seeded else in_words(log.epsilon, log.delta),
            lines=tuple(LedgerLine(p, r, model.shares[p]) for p, r in spent.items()),
            guessed=model.guessed,
            outside=promise_verdict(model),
            seeded=log.seeded,
            total=total,
        )

    def to_dict(self) -> dict[str, Any]:
        """The same for machines."""
        found = asdict(self)
        del found["outside"]
        return found


def external_private(document: Any) -> Any:
    """The report of a private release without anything that was read off the original."""
    promise: PromisePart = document.promise
    release = replace(document.release, notes=())
    return replace(
        document,
        verdict=promise.outside,
        remarks=(),
        release=release,
        original_rows=promise.rows,
        held_back=0,
        readings=Readings(()),
        trade_off=(),
        dials=(),
        epsilons=(),
        margins=(),
        frequencies=(),
        rare_values=(),
        lacks=None,
        external=True,
        machine={
            "form": "external",
            "verdict": promise.outside.word,
            "reasons": list(promise.outside.reasons),
            "release_file": None
            if document.release_file is None
            else asdict(document.release_file),
            "kind": release.kind,
            "method": release.method,
            "iso_class": release.iso_class,
            "claim": str(release.claim),
            "terms": dict(release.claim.terms),
            "record": dict(release.record),
            "promise": promise.to_dict(),
        },
    )
