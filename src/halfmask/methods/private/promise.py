"""The promise of a private release in plain words, and as terms for machines."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from halfmask.data.release import Claim, Fact
from halfmask.methods.private.accounting import epsilon_of
from halfmask.methods.private.log import NoisyLog


def likelier(epsilon: float, before: float = 0.5) -> float:
    """How probable something becomes to somebody who thought it so probable before, at most.

    >>> round(likelier(1.0), 3), round(likelier(1.0, 0.01), 3)
    (0.731, 0.027)
    """
    odds = exp(min(epsilon, 700.0)) * before / (1 - before)
    return odds / (1 + odds)


def spent_epsilon(log: NoisyLog, rows_per_person: int = 1) -> float:
    """The ε of what was really spent, for a person with so many rows."""
    left = log.delta - log.ledger.delta
    return epsilon_of(log.ledger.spent * rows_per_person**2, left) if left > 0 else log.epsilon


def claim_of(log: NoisyLog, rows_per_person: int, guessed: Sequence[str]) -> Claim:
    """What a release of this log promises to every person, and on which assumption."""
    terms: dict[str, Fact] = {
        "differential_privacy": not log.seeded,
        "epsilon": log.epsilon,
        "delta": log.delta,
        "rho": log.ledger.spent * rows_per_person**2,
        "rows_per_person": rows_per_person,
        "neighbours": "one person's rows added or removed",
    }
    rows = "one row" if rows_per_person == 1 else f"{rows_per_person:,} rows"
    known = "names of the columns" if not guessed else "names and kinds of the columns"
    if log.seeded:
        promise = (
            "Nothing is promised, because the noise was drawn from a seed (it would be "
            f"differential privacy with ε = {log.epsilon:g} and δ = {log.delta:g})"
        )
        return Claim(promise, "nobody relies on this release", terms)
    return Claim(
        f"Differential privacy with ε = {log.epsilon:g} and δ = {log.delta:g}: whether a person "
        "is in the table or not makes no possible release more than "
        f"{_times(log.epsilon)} times as probable, whatever else an attacker knows",
        f"nobody has more than {rows} in the table, and the {known} are no secret",
        terms,
    )


def _times(epsilon: float) -> str:
    factor = exp(min(epsilon, 700.0))
    return f"{factor:.3g}" if factor < 1e6 else f"{factor:.0e}"


def in_words(epsilon: float, delta: float) -> tuple[str, ...]:
    """What ε and δ mean for one person, as a person says it.

    >>> print(in_words(0.5, 1e-9)[2])
    With a probability of 1e-09 at most the bound does not hold.
    """
    half, rare, tenth = (100 * likelier(epsilon, p) for p in (0.5, 0.01, 0.1))
    odds = (
        "Somebody who would bet even money (50 %) that a person is in the table, or has a certain "
        f"illness, cannot come to more than {half:.3g} % by this release; from 1 % she comes to "
        f"{rare:.2g} % at most, from 10 % to {tenth:.2g} %."
    )
    general = (
        "What she can learn about people in general, for instance that smokers fall ill, she can "
        "also say of a person who is not in the table; no method prevents that."
    )
    return odds, general, f"With a probability of {delta:g} at most the bound does not hold."
