"""Choose the tables worth measuring, one after the other, where the model is most wrong.

As AIM does [McKenna, Mullins, Sheldon & Miklau 2022], with a pool in the place of a junction tree,
one price for all tables, and a score that says what measuring a table would mend: a table of three
columns also mends its pairs, which are part of many others. Scores are whole numbers and are never
told, only the choice is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from halfmask.data.rows import Rows
from halfmask.errors import BadInput
from halfmask.methods.loglinear import TableSet
from halfmask.methods.loglinear.tables import Columns
from halfmask.methods.private import accounting
from halfmask.methods.private.accounting import BudgetLedger
from halfmask.methods.private.candidates import Candidates, SelectSettings
from halfmask.methods.private.counts import counts_of, sizes_of
from halfmask.methods.private.log import LeafTable, Measurement, NoisyLog, PoolSettings
from halfmask.methods.private.mechanisms import (
    RandomBits,
    choose,
    discrete_gaussian,
    usable_variance,
)
from halfmask.methods.private.model import PrivateModel
from halfmask.methods.private.trees import Grower, grow
from halfmask.run import Progress

NOISE_AT_MOST = 0.05
"""Noise of a larger share of the rows leaves nothing to learn from."""
STEPS = 1000
"""Progress is told in so many parts of the budget."""
ROWS, SINGLES = "number of rows", "single columns"
CHOOSING, MEASURING = "choosing tables", "measuring tables"
ROWS_SHARE = 0.01
"""Of the budget, to know about how many rows there are before the rest is divided."""


@dataclass(frozen=True, slots=True)
class _Price:
    """What a table costs at present: the noise of its counts, and the ε of choosing it."""

    sigma: float
    epsilon: float

    @classmethod
    def of(cls, rho: float, measuring: float) -> _Price:
        sigma = accounting.gaussian_sigma(measuring * rho)
        return cls(sigma, accounting.exponential_epsilon((1 - measuring) * rho))

    @property
    def rho(self) -> float:
        return accounting.gaussian_rho(self.sigma) + accounting.exponential_rho(self.epsilon)


def ask_rows(rows: int, ledger: BudgetLedger, bits: RandomBits) -> tuple[float, BudgetLedger]:
    """About how many rows there are: this decides how many tables the budget is divided among."""
    variance = usable_variance(accounting.gaussian_sigma(ROWS_SHARE * ledger.left))
    ledger = ledger.spend(ROWS, accounting.gaussian_rho(float(variance) ** 0.5))
    return max(1.0, float(rows + discrete_gaussian(variance, 1, bits)[0])), ledger


def learn(  # noqa: PLR0913 - the table, the promise, and how to keep it
    rows: Rows,
    *,
    epsilon: float,
    delta: float = 1e-9,
    select: SelectSettings | None = None,
    pool: PoolSettings | None = None,
    bits: RandomBits | None = None,
    key: int | None = None,
    ledger: BudgetLedger | None = None,
    about_rows: float | None = None,
    progress: Progress | None = None,
) -> tuple[NoisyLog, PrivateModel]:
    """Ask a coded table within (ε, δ) and return the noisy log, with the model that it gives.

    `ledger` is what was spent already, out of a budget that keeps the same promise, and
    `about_rows` what `ask_rows` said, where it was asked. When `progress` says stop, the model is
    that of the tables so far and the rest of the budget is not spent.
    """
    settings, pool = select or SelectSettings(), pool or PoolSettings()
    bits = bits or RandomBits()
    key = bits.word() if key is None else key
    if not len(rows) or not len(rows.schema):
        raise BadInput("A coded table has at least one row and one column.")
    ledger = ledger or accounting.budget_of(epsilon, delta)
    search = _Search(rows, settings, pool, bits, key)
    if about_rows is None:
        about_rows, ledger = ask_rows(len(rows), ledger, bits)
    search.begin(ledger, about_rows)
    accounting.check_delta_for(delta, search.model.total)
    check_enough(search.model.total, search.price.sigma, epsilon)
    first = search.left
    while search.affordable() and (progress is None or progress(*search.done_of(first))):
        search.round()
    leaves = search.leaves()
    log = NoisyLog(
        search.sizes,
        epsilon,
        delta,
        search.ledger,
        pool,
        key,
        tuple(search.steps),
        leaves=leaves,
        seeded=bits.seeded,
    )
    return log, search.model


def check_enough(rows: float, sigma: float, epsilon: float) -> None:
    """Refuse a table of which the noise would leave nothing; both figures are noisy themselves."""
    if sigma <= NOISE_AT_MOST * rows:
        return
    times = 1.2 * sigma / (NOISE_AT_MOST * max(rows, 1.0))  # chance may go the other way
    raise BadInput(
        f"The table is too small for an epsilon of {epsilon:g}: of about {max(rows, 0):,.0f} rows "
        f"every count would be off by about {sigma:,.0f}. An epsilon of {times * epsilon:.2g}, "
        f"about {times * max(rows, 1.0):,.0f} rows, or fewer columns (--drop) would do."
    )


class _Search:
    """One search through the candidates; it alone holds the truth."""

    def __init__(
        self,
        rows: Rows,
        settings: SelectSettings,
        pool: PoolSettings,
        bits: RandomBits,
        key: int,
    ) -> None:
        self.rows, self.sizes = rows, sizes_of(rows)
        self.settings, self.pool, self.bits, self.key = settings, pool, bits, key
        self.candidates = Candidates.of(rows, settings, key)
        columns = self.candidates.tables.columns
        self.truths = dict(
            zip(columns, self.candidates.tables.split(self.candidates.truth), strict=True)
        )
        singles = TableSet(self.sizes, [(c,) for c in range(len(self.sizes))])
        self.truths |= dict(
            zip(singles.columns, singles.split(counts_of(rows, singles)), strict=True)
        )
        self.at_once = min(settings.at_once, len(columns))
        self.steps: list[tuple[Measurement, ...]] = []

    def begin(self, ledger: BudgetLedger, about_rows: float) -> None:
        """Set the tree's part aside and measure single columns, each at the price of a table."""
        self.ledger = ledger
        tree = self.settings.tree
        self.apart = 0.0
        if self.settings.target is not None and tree is not None:
            whole = about_rows / accounting.gaussian_sigma(ledger.left)
            self.apart = tree.share_of(whole) * ledger.left
        clarity = about_rows / accounting.gaussian_sigma(self.left)
        tables = self.settings.tables_to_measure(len(self.sizes), clarity)
        self.price = _Price.of(self.left / tables, self.settings.measuring)
        singles = [self.measure((c,), SINGLES) for c in range(len(self.sizes))]
        self.steps.append(tuple(singles))
        self.model = PrivateModel.of(self.sizes, singles, self.pool, self.key)

    def affordable(self) -> bool:
        """Whether more is left than what rounding of the noise left over."""
        return self.left > 0.01 * self.price.rho

    def done_of(self, first: float) -> tuple[int, int]:
        """How much of what could be spent on tables is spent."""
        return round(STEPS * (1 - self.left / first)) if first > 0 else STEPS, STEPS

    @property
    def left(self) -> float:
        """What may still be spent on tables."""
        return self.ledger.left - self.apart

    def leaves(self) -> LeafTable | None:
        """The tree of the target, for what was set aside."""
        if not self.apart or self.settings.tree is None or self.settings.target is None:
            return None
        model, target = self.model, self.settings.target
        grower = Grower(self.rows, model.pool, self.sizes, target, model.total, self.bits)
        rho = self.ledger.left * (1 - 1e-9)
        table, self.ledger = grow(grower, self.ledger, rho, self.settings.tree)
        return table

    def round(self) -> None:
        """Choose and measure some tables, and fit the model to them."""
        self._spend_the_rest_if_little()
        scores = self.candidates.scores(self.model, self.price.sigma)
        chosen: list[int] = []
        tables: list[Measurement] = []
        while len(chosen) < self.at_once and self.left >= self.price.rho * 0.999999:
            number = self.choose(scores, chosen)
            chosen.append(number)
            tables.append(self.measure(self.candidates.tables.columns[number], MEASURING))
        self.steps.append(tuple(tables))
        self.model = self.model.measured(tables)

    def choose(self, scores: Sequence[int], taken: Sequence[int]) -> int:
        """One candidate by the exponential mechanism, none twice in a round."""
        epsilon = Fraction(floor(self.price.epsilon * 10**9), 10**9)
        self.ledger = self.ledger.spend(CHOOSING, accounting.exponential_rho(self.price.epsilon))
        open_ones = [k for k in range(len(scores)) if k not in taken]
        picked = choose(
            [scores[k] for k in open_ones],
            sensitivity=self.candidates.sensitivity,
            epsilon=epsilon,
            bits=self.bits,
        )
        return open_ones[picked.index]

    def measure(self, columns: Columns, part: str) -> Measurement:
        """The counts of a table with noise, paid for."""
        variance = usable_variance(self.price.sigma)
        self.ledger = self.ledger.spend(part, accounting.gaussian_rho(float(variance) ** 0.5))
        truth = self.truths[columns]
        noise = discrete_gaussian(variance, len(truth), self.bits)
        return Measurement(columns, truth + noise, variance)

    def _spend_the_rest_if_little(self) -> None:
        """When it is not enough for two rounds, this one takes it all."""
        if self.left < 2 * self.price.rho * self.at_once:
            self.price = _Price.of(self.left * (1 - 1e-9) / self.at_once, self.settings.measuring)
