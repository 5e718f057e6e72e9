"""Zero-concentrated differential privacy: what parts cost, and what it means as (ε, δ).

A mechanism with ρ-zCDP [Bun & Steinke 2016] composes by adding: noise of standard deviation σ on
a table in which one row changes one count by 1 costs 1/(2σ²), an exponential mechanism with ε
costs ε²/8 [Cesar & Rogers 2021]. Its (ε, δ) is the least over the orders α of the Rényi divergence
[Canonne, Kamath & Steinke 2020, proposition 12].
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, isfinite, log, log1p, sqrt

from halfmask.errors import BadInput


def gaussian_rho(sigma: float, sensitivity: float = 1.0) -> float:
    """What noise costs on a table of which one row changes the counts by so much (as a length).

    >>> gaussian_rho(10.0)
    0.005
    """
    return sensitivity**2 / (2 * sigma**2)


def gaussian_sigma(rho: float, sensitivity: float = 1.0) -> float:
    """The noise that may be bought for ρ."""
    return sensitivity / sqrt(2 * rho)


def exponential_rho(epsilon: float) -> float:
    """What one choice by an exponential mechanism with ε costs."""
    return epsilon**2 / 8


def exponential_epsilon(rho: float) -> float:
    """The ε of a choice that may be bought for ρ."""
    return sqrt(8 * rho)


def delta_of(rho: float, epsilon: float) -> float:
    """The smallest δ for which ρ-zCDP gives (ε, δ), to the precision of a search over α."""
    if rho <= 0:
        return 0.0
    if epsilon < 0 or not isfinite(rho):
        return 1.0

    def log_delta(alpha: float) -> float:
        return (alpha - 1) * (alpha * rho - epsilon) + alpha * log1p(-1 / alpha) - log(alpha - 1)

    low, high = 1 + 1e-9, max(2.0, (epsilon + 1) / rho + 2)
    for _ in range(200):  # the logarithm is convex in α: golden section needs no more
        left, right = low + 0.382 * (high - low), low + 0.618 * (high - low)
        if log_delta(left) < log_delta(right):
            high = right
        else:
            low = left
    return min(1.0, exp(min(0.0, log_delta((low + high) / 2))))


def epsilon_of(rho: float, delta: float) -> float:
    """The smallest ε for which ρ-zCDP gives (ε, δ), never too small.

    >>> round(epsilon_of(0.015, 1e-9), 2)
    1.0
    """
    if rho <= 0:
        return 0.0
    high = rho + 2 * sqrt(rho * log(1 / delta))  # the plain bound of Bun and Steinke
    low = 0.0
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(rho, middle) <= delta else (middle, high)
    return high


def rho_of(epsilon: float, delta: float) -> float:
    """The largest ρ whose zCDP gives (ε, δ), never too large.

    >>> round(rho_of(1.0, 1e-9), 4)
    0.015
    """
    check_promise(epsilon, delta)
    low, high = 0.0, epsilon + 1.0  # α → 1 would need ρ ≤ ε for every small δ
    while high - low > 1e-12 * max(1e-3, low):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle, epsilon) <= delta else (low, middle)
    return low


def check_promise(epsilon: float, delta: float) -> None:
    """Refuse what no mechanism here can promise."""
    if not (0 < epsilon < inf):
        raise BadInput(f"epsilon is a number above 0, usually between 0.1 and 10, not {epsilon!r}.")
    if not (0 < delta < 1):
        raise BadInput(f"delta is between 0 and 1, usually 1e-9, not {delta!r}.")


def check_delta_for(delta: float, rows: float) -> None:
    """Refuse a δ that would allow to publish a person in full."""
    if delta * rows >= 1:
        raise BadInput(
            f"delta {delta:g} is not below 1 / rows ({1 / rows:.2g} for about {rows:,.0f} rows); "
            f"at most {0.01 / rows:.1g} promises something to everyone."
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """One part of what was spent: what for, its ρ, and its own share of δ."""

    part: str
    rho: float
    delta: float = 0.0


@dataclass(frozen=True, slots=True)
class BudgetLedger:
    """What may be spent, and what each part has spent; a part too dear is refused.

    >>> ledger = BudgetLedger(0.02).spend("single columns", 0.005)
    >>> round(ledger.left, 3), ledger.by_part()
    (0.015, {'single columns': 0.005})
    """

    rho: float
    entries: tuple[Entry, ...] = ()

    @property
    def spent(self) -> float:
        """All parts together."""
        return sum(entry.rho for entry in self.entries)

    @property
    def left(self) -> float:
        """What may still be spent."""
        return max(0.0, self.rho - self.spent)

    @property
    def delta(self) -> float:
        """What parts took of δ by themselves, beside the conversion of ρ."""
        return sum(entry.delta for entry in self.entries)

    def spend(self, part: str, rho: float, delta: float = 0.0) -> BudgetLedger:
        """The ledger with one more entry; sums of decimals may miss by a part in a billion."""
        if not (rho >= 0 and self.spent + rho <= self.rho * (1 + 1e-9)):
            raise BadInput(f"{part} would cost ρ = {rho:.3g}; only {self.left:.3g} is left.")
        return BudgetLedger(self.rho, (*self.entries, Entry(part, rho, delta)))

    def by_part(self) -> dict[str, float]:
        """What each part has spent in all, in the order in which they began."""
        sums: dict[str, float] = {}
        for entry in self.entries:
            sums[entry.part] = sums.get(entry.part, 0.0) + entry.rho
        return sums


def budget_of(epsilon: float, delta: float, rows_per_person: int = 1) -> BudgetLedger:
    """An empty ledger whose budget, for one row, keeps (ε, δ) for a person with so many rows.

    It is smaller by what sums of decimals may miss.
    """
    return BudgetLedger(rho_of(epsilon, delta) * (1 - 1e-8) / rows_per_person**2)
