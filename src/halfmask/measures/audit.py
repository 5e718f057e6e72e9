"""Audit: what a method tells about one planted person, from many runs with and without that person.

The attack: somebody knows the method, all other rows, and everything about one person, the canary.
She runs the method many times with the canary and many times without, learns from one half of the
runs which releases come with the canary, and says it of the other half. Under (ε, δ)-differential
privacy no test has

    P(called | in) > e^ε P(called | not in) + δ,   or the same for "not called | not in"

so what she achieves bounds ε from below:

    ε ≥ ln((P(called | in) − δ) / P(called | not in)),   and the same for the rows not called

with both shares taken at the unfavourable ends of their exact (Clopper–Pearson) intervals. Score,
threshold and which of the two bounds is read are fixed on the first half, so that the bound holds
with 95 % confidence. A bound above a promised ε refutes the promise; one below proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.errors import BadInput
from halfmask.measures.cells import CellsOfRows, sets_of_columns
from halfmask.measures.confidence import Interval, clopper_pearson
from halfmask.randomness import Randomness

FEWEST_RUNS = 40
MOST_SETS = 120
"""Sets of one to three columns in which releases are compared with the canary."""

MOST_CELLS = 1_000_000

R = TypeVar("R")
W = TypeVar("W")


@dataclass(frozen=True, slots=True)
class Audit:
    """What the attacker achieved on the runs that she did not learn from."""

    epsilon: float
    """The method's ε is at least this, with 95 % confidence; 0 when nothing was shown."""
    delta: float
    called: Interval
    """The share of runs with the canary that were called so, with its exact 95 % interval."""
    alarms: Interval
    """The share of runs without it that were called so all the same."""
    runs: int
    """All runs, half with the canary and half without; half of either were learnt from."""

    @property
    def most(self) -> float:
        """The bound if every call had been right: no more can be shown with so many runs."""
        tested = self.runs // 4
        right = (clopper_pearson(tested, tested), clopper_pearson(0, tested))
        return max(epsilon_at_least(*right, self.delta))

    def refutes(self, epsilon: float) -> bool:
        """Whether a promise of this ε cannot be true."""
        return self.epsilon > epsilon

    def to_dict(self) -> dict[str, Any]:
        """The result in plain types, ready for JSON."""
        return asdict(self)


def epsilon_at_least(called: Interval, alarms: Interval, delta: float = 0.0) -> tuple[float, float]:
    """The two lower bounds on ε: by the runs called, and by the runs not called.

    All of 50 runs with the canary were called and none of 50 without:

    >>> bounds = epsilon_at_least(clopper_pearson(50, 50), clopper_pearson(0, 50))
    >>> [round(bound, 3) for bound in bounds]
    [2.57, 2.57]
    """
    return (
        _log_ratio(called.low - delta, alarms.high),
        _log_ratio(1 - alarms.high - delta, 1 - called.low),
    )


def _log_ratio(above: float, below: float) -> float:
    return max(0.0, math.log(above / below)) if above > 0 else 0.0


def audit(  # noqa: PLR0913 - what is attacked, with what, how often
    rows: Table,
    canary: NDArray[np.int32],
    make: Callable[[Table, int], R],
    features: Callable[[R], NDArray[np.float64]],
    *,
    randomness: Randomness,
    runs: int = 200,
    delta: float = 0.0,
    instead: NDArray[np.int32] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Audit:
    """Run `make(rows, seed)` with the canary and without it, and bound ε from below.

    `features` says what the attacker looks at in a release (`agreement` for tables). Without the
    canary the row `instead` stands in its place, or none does.
    """
    worlds = (rows if instead is None else _with(rows, instead), _with(rows, canary))
    return audit_worlds(
        worlds, make, features, randomness=randomness, runs=runs, delta=delta, progress=progress
    )


def audit_worlds(  # noqa: PLR0913 - idem
    worlds: tuple[W, W],
    make: Callable[[W, int], R],
    features: Callable[[R], NDArray[np.float64]],
    *,
    randomness: Randomness,
    runs: int = 200,
    delta: float = 0.0,
    progress: Callable[[int, int], object] | None = None,
) -> Audit:
    """The same for any kind of data; of the two worlds the second has the canary."""
    if runs < FEWEST_RUNS or runs % 4:
        raise BadInput(f"An audit takes a multiple of 4 runs, {FEWEST_RUNS} or more, not {runs}.")
    if not 0 <= delta < 1:
        raise BadInput(f"δ is at least 0 and below 1, not {delta}.")
    seen: tuple[list[NDArray[np.float64]], ...] = ([], [])
    for run in range(runs):
        world = run % 2  # in turn: what drifts over the runs drifts in both
        release = make(worlds[world], randomness.key(f"audit run {run}"))
        seen[world].append(np.asarray(features(release), np.float64).ravel())
        if progress is not None:
            progress(run + 1, runs)
    return _judge(np.stack(seen[0]), np.stack(seen[1]), delta)


def _with(rows: Table, row: NDArray[np.int32]) -> Table:
    return Table(rows.schema, np.vstack([rows.codes, np.asarray(row, np.int32)]))


def _judge(out: NDArray[np.float64], inside: NDArray[np.float64], delta: float) -> Audit:
    """Learn on the first half of the runs of either kind, judge on the second."""
    half = len(out) // 2
    first = (out[:half], inside[:half])
    directions = _directions(*first)
    rules = [_best_threshold(first[0] @ w, first[1] @ w, delta) for w in directions]
    best = max(range(len(rules)), key=lambda place: rules[place].bound)
    weights, rule = directions[best], rules[best]
    calls = [int((world[half:] @ weights > rule.threshold).sum()) for world in (inside, out)]
    called, alarms = (clopper_pearson(calls[i], len(out) - half) for i in range(2))
    epsilon = epsilon_at_least(called, alarms, delta)[rule.place]
    return Audit(epsilon, delta, called, alarms, 2 * len(out))


def _directions(out: NDArray[np.float64], inside: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Scores to choose from: all features together, the best few of them, and the best alone.

    Each feature weighs what it differs between the kinds, by its variance within them. A row that
    is copied shows in one feature, which the noise of all the others would hide.
    """
    spread = out.var(axis=0) + inside.var(axis=0)
    floor = max(float(spread.mean()), 1e-12) * 1e-6
    gap = inside.mean(axis=0) - out.mean(axis=0)
    weights = np.asarray(gap / (spread + floor), np.float64)
    order = np.argsort(-np.abs(gap) / np.sqrt(spread + floor), kind="stable")
    found = [weights]
    for few in (10, 1):
        chosen = np.zeros_like(weights)
        chosen[order[:few]] = weights[order[:few]]
        found.append(chosen)
    return found


@dataclass(frozen=True, slots=True)
class _Rule:
    bound: float
    """What it brings on the runs learnt from."""
    threshold: float
    place: int
    """Which of the two bounds is read."""


def _best_threshold(out: NDArray[np.float64], inside: NDArray[np.float64], delta: float) -> _Rule:
    """The threshold, and which of the two bounds, that bring most on the runs learnt from."""
    levels = np.unique(np.concatenate([out, inside]))
    middles = (levels[:-1] + levels[1:]) / 2 if len(levels) > 1 else levels
    found = []
    for threshold in middles.tolist():
        calls = [int((world > threshold).sum()) for world in (inside, out)]
        shares = [clopper_pearson(n, len(out)) for n in calls]
        bounds = epsilon_at_least(shares[0], shares[1], delta)
        found += [(bound, threshold, place) for place, bound in enumerate(bounds)]
    return _Rule(*max(found))


def agreement(
    canary: NDArray[np.int32], table: Table, randomness: Randomness
) -> Callable[[Table], NDArray[np.float64]]:
    """Features of a released table: the share of rows that agree with the canary in each set.

    The sets are of one to three columns (up to 120, chosen at random), and all columns together.
    """
    rng = randomness.child("audit columns")
    sets = sets_of_columns(table.schema, ways=3, most=MOST_SETS, most_cells=MOST_CELLS, rng=rng)
    cells = CellsOfRows(table.schema, sets)
    ours = cells.of(Table(table.schema, np.asarray(canary, np.int32)[None, :]))

    def features(release: Table) -> NDArray[np.float64]:
        whole = (release.codes == canary).all(axis=1).mean()
        return np.append((cells.of(release) == ours).mean(axis=1), whole)

    return features
