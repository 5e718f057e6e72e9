"""The promise of a private release in plain words, and as terms for machines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import exp
from typing import ClassVar, Protocol

from halfmask.data.release import Claim, Fact
from halfmask.methods.private.accounting import BudgetLedger, epsilon_of
from halfmask.patterns.code_table import CodeTable


class Accounted(Protocol):
    """A noisy log, as far as its promise is concerned."""

    @property
    def epsilon(self) -> float:
        """What is promised."""

    @property
    def delta(self) -> float:
        """The probability with which it may fail."""

    @property
    def ledger(self) -> BudgetLedger:
        """What was spent, for one row."""

    @property
    def seeded(self) -> bool:
        """Whether the noise came from a seed: then nothing is promised."""


class PromisedModel(ABC):
    """A model that is a function of a noisy log, of a table or of baskets."""

    advice: ClassVar[str] = (
        "raise epsilon, declare domains, or leave columns out, so that more of the budget goes to "
        "the others"
    )
    """What to do where few relations were kept."""
    rows_per_person: int
    guessed: tuple[str, ...]
    """What was read off the data: columns by their kinds."""

    @property
    @abstractmethod
    def account(self) -> Accounted:
        """What was asked, and what it cost."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """The number of rows or baskets of the original, as noisy counts say it."""

    @property
    @abstractmethod
    def noise(self) -> float:
        """The standard deviation of the noise of a count, of the first tables."""

    @property
    @abstractmethod
    def code_table(self) -> CodeTable:
        """Patterns to read, of rows that were drawn."""

    @property
    @abstractmethod
    def claim(self) -> Claim:
        """What is promised to every person, and on which assumption."""

    @cached_property
    def epsilon_spent(self) -> float:
        """The ε of what was asked, which is no more than what was promised."""
        return spent_epsilon(self.account, self.rows_per_person)

    @property
    def shares(self) -> Mapping[str, float]:
        """Which share of the budget each part took."""
        ledger = self.account.ledger
        return {part: rho / ledger.rho for part, rho in ledger.by_part().items()}


def likelier(epsilon: float, before: float = 0.5) -> float:
    """How probable something becomes to somebody who thought it so probable before, at most.

    >>> round(likelier(1.0), 3), round(likelier(1.0, 0.01), 3)
    (0.731, 0.027)
    """
    odds = exp(min(epsilon, 700.0)) * before / (1 - before)
    return odds / (1 + odds)


def spent_epsilon(log: Accounted, rows_per_person: int = 1) -> float:
    """The ε of what was really spent, for a person with so many rows."""
    left = log.delta - log.ledger.delta
    return epsilon_of(log.ledger.spent * rows_per_person**2, left) if left > 0 else log.epsilon


def claim_of(
    log: Accounted,
    rows_per_person: int,
    guessed: Sequence[str] = (),
    *,
    unit: tuple[str, str] = ("row", "table"),
    person: str = "",
) -> Claim:
    """What a release of this log promises to every person, and on which assumption.

    A person is in the data with so many of a `unit`, or, where a word says so, as something else.
    """
    one, whole = unit
    terms: dict[str, Fact] = {
        "differential_privacy": not log.seeded,
        "epsilon": log.epsilon,
        "delta": log.delta,
        "rho": log.ledger.spent * rows_per_person**2,
        "rows_per_person": rows_per_person,
        "neighbours": f"one person's {one}s added or removed",
    }
    rows = f"one {one}" if rows_per_person == 1 else f"{rows_per_person:,} {one}s"
    known = "names of the columns" if not guessed else "names and kinds of the columns"
    secret = f", and the {known} are no secret" if one == "row" else ""
    if log.seeded:
        promise = (
            "Nothing is promised, because the noise was drawn from a seed (it would be "
            f"differential privacy with ε = {log.epsilon:g} and δ = {log.delta:g})"
        )
        return Claim(promise, "nobody relies on this release", terms)
    return Claim(
        f"Differential privacy with ε = {log.epsilon:g} and δ = {log.delta:g}: whether a person "
        f"is in the {whole} or not makes no possible release more than "
        f"{_times(log.epsilon)} times as probable, whatever else an attacker knows",
        f"a person is {person}, and the {known} are no secret"
        if person
        else f"nobody has more than {rows} in the {whole}{secret}",
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
