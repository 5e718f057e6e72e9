"""MST: noisy one-way counts, a tree of noisy two-way counts chosen privately, rows drawn from it.

The inference between the noisy counts is mbi's; choice, noise and drawing are written here.
[McKenna, Miklau & Sheldon: Winning the NIST Contest, 2021]
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

DELTA = 1e-9
ROUNDS = 1000
"""Steps of mbi's mirror descent."""
SAMPLERS = ("repaired", "mbi")
"""Our drawing, and the one that mbi offers by default."""

Codes = NDArray[np.int64]
Edge = tuple[int, int]


@dataclass(frozen=True)
class Measured:
    """The counts over some columns with Gaussian noise of this deviation."""

    columns: tuple[int, ...]
    counts: NDArray[np.float64]
    deviation: float


def release(codes: Codes, sizes: Sequence[int], typed: Namespace) -> Codes:
    """As many rows as the original has, by MST under (ε, 1e-9)-differential privacy.

    The values that a column can have and the number of rows are taken as known to everybody.
    """
    rng = np.random.default_rng(typed.seed)
    part = zero_concentrated(typed.epsilon, DELTA) / 3
    deviation = float(np.sqrt(len(sizes) / (2 * part)))
    singles = [_measure(codes, sizes, (at,), deviation, rng) for at in range(len(sizes))]
    merged = [_merged(one) for one in singles]
    codes = np.column_stack([key[codes[:, at]] for at, key in enumerate(merged)])
    fewer = [int(key.max()) + 1 for key in merged]
    singles = [_added_up(one, key) for one, key in zip(singles, merged, strict=True)]
    edges = _choose(codes, fewer, _estimate(fewer, singles), part, rng)
    deviation = float(np.sqrt(max(len(edges), 1) / (2 * part)))
    pairs = [_measure(codes, fewer, edge, deviation, rng) for edge in edges]
    model = _estimate(fewer, [*singles, *pairs])
    if typed.sampler == "mbi":
        drawn = _drawn_by_mbi(model, len(codes), len(fewer), typed.seed)
    else:
        drawn = draw(len(codes), len(fewer), edges, lambda *at: _counts(model, at), rng)
    return np.column_stack([_split_up(drawn[:, at], key, rng) for at, key in enumerate(merged)])


def zero_concentrated(epsilon: float, delta: float) -> float:
    """The largest ρ of zero-concentrated privacy that implies (ε, δ)-differential privacy.

    Every order α gives a bound on δ, so that a grid of orders errs on the safe side only.
    [Canonne, Kamath & Steinke: The Discrete Gaussian, 2020]

    >>> round(zero_concentrated(1.0, 1e-9), 4)
    0.015
    """
    order = 1 + np.geomspace(1e-2, 1e5, 20_000)
    at_least, at_most = 0.0, epsilon
    for _ in range(60):
        rho = (at_least + at_most) / 2
        log_delta = (order - 1) * (order * rho - epsilon) + order * np.log1p(-1 / order)
        safe = np.min(log_delta - np.log(order - 1)) <= np.log(delta)
        at_least, at_most = (rho, at_most) if safe else (at_least, rho)
    return at_least


def spanning_tree(
    gains: dict[Edge, float], columns: int, epsilon: float, rng: np.random.Generator
) -> list[Edge]:
    """A tree over all columns, each edge drawn by the exponential mechanism among those that join.

    >>> spanning_tree({(0, 1): 9.0, (0, 2): 1.0, (1, 2): 8.0}, 3, 1e6, np.random.default_rng(1))
    [(0, 1), (1, 2)]
    """
    part = list(range(columns))
    tree: list[Edge] = []
    while len(tree) < columns - 1:
        open_ = [edge for edge in gains if part[edge[0]] != part[edge[1]]]
        # The largest of scores with Gumbel noise is a draw from the exponential mechanism.
        scores = np.array([gains[edge] for edge in open_]) * epsilon / 2
        edge = open_[int(np.argmax(scores + rng.gumbel(size=len(open_))))]
        tree.append(edge)
        joined, gone = part[edge[0]], part[edge[1]]
        part = [joined if one == gone else one for one in part]
    return tree


def draw(
    rows: int,
    columns: int,
    edges: Sequence[Edge],
    counts: Callable[..., NDArray[np.float64]],
    rng: np.random.Generator,
) -> Codes:
    """Rows from a tree: a column's values are dealt out anew within each group of its parent.

    Each group gets the expected number of every value, rounded at random, in random order. Columns
    with the same parent are then independent within its groups, as the tree says they are.

    >>> even = lambda *columns: np.ones((3,) * len(columns))
    >>> apart = draw(900, 2, [(0, 1)], even, np.random.default_rng(1))
    >>> [np.bincount(column).tolist() for column in apart.T]
    [[300, 300, 300], [300, 300, 300]]
    """
    made = np.zeros((rows, columns), np.int64)
    made[:, 0] = _dealt(counts(0), rows, rng)
    reached, waiting = {0}, list(edges)
    while waiting:
        edge = next(one for one in waiting if reached & set(one))
        waiting.remove(edge)
        parent, child = edge if edge[0] in reached else edge[::-1]
        table = counts(parent, child)
        for value, row in enumerate(table):
            group = np.flatnonzero(made[:, parent] == value)
            made[group, child] = _dealt(row, len(group), rng)
        reached.add(child)
    return made


def _dealt(weights: NDArray[np.float64], rows: int, rng: np.random.Generator) -> Codes:
    """Values in random order, each as often as expected but for a rounding without bias."""
    weights = np.maximum(weights, 0.0)
    if not weights.sum() > 0:
        weights = np.ones_like(weights)
    upto = np.cumsum(weights) / weights.sum() * rows
    upto[-1] = rows
    times = np.diff(np.floor(upto + rng.random()), prepend=0).astype(np.int64)
    return rng.permutation(np.repeat(np.arange(len(weights)), times))


def _measure(
    codes: Codes,
    sizes: Sequence[int],
    columns: tuple[int, ...],
    deviation: float,
    rng: np.random.Generator,
) -> Measured:
    exact = _exact(codes, sizes, columns)
    return Measured(columns, exact + rng.normal(0, deviation, exact.shape), deviation)


def _exact(codes: Codes, sizes: Sequence[int], columns: tuple[int, ...]) -> NDArray[np.float64]:
    shape = tuple(sizes[at] for at in columns)
    flat = np.ravel_multi_index(tuple(codes[:, at] for at in columns), shape)
    return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape).astype(float)


def _merged(single: Measured) -> Codes:
    """A new code for every value; values that drown in the noise share the last one.

    >>> _merged(Measured((0,), np.array([90.0, 1.0, 50.0, -4.0]), 2.0)).tolist()
    [0, 2, 1, 2]
    """
    common = single.counts >= 3 * single.deviation
    return np.where(common, np.cumsum(common) - 1, common.sum())


def _added_up(single: Measured, key: Codes) -> Measured:
    """The counts by new code; the shared one is noisier, and mbi is told the quadratic mean."""
    counts = np.bincount(key, weights=single.counts).astype(float)
    wider = float(np.sqrt(len(key) / len(counts)))
    return Measured(single.columns, counts, single.deviation * wider)


def _split_up(column: Codes, key: Codes, rng: np.random.Generator) -> Codes:
    """The values behind new codes; values that shared one are as probable as each other."""
    order = np.argsort(key, kind="stable")
    first = np.searchsorted(key[order], column)
    size = np.searchsorted(key[order], column, side="right") - first
    return order[first + (rng.random(len(column)) * size).astype(np.int64)]


def _choose(
    codes: Codes, sizes: Sequence[int], model: Any, budget: float, rng: np.random.Generator
) -> list[Edge]:
    """The tree whose pairs the independent model gets most wrong, in rows; one row changes it by 1.

    A draw of the exponential mechanism with parameter ε costs ε²/8.
    """
    expected = [_counts(model, (at,)) for at in range(len(sizes))]
    gains = {
        (a, b): float(
            np.abs(
                _exact(codes, sizes, (a, b))
                - np.outer(expected[a], expected[b]) / expected[a].sum()
            ).sum()
        )
        for a, b in combinations(range(len(sizes)), 2)
    }
    epsilon = float(np.sqrt(8 * budget / max(len(sizes) - 1, 1)))
    return spanning_tree(gains, len(sizes), epsilon, rng)


def _estimate(sizes: Sequence[int], measured: Sequence[Measured]) -> Any:
    """The model of greatest entropy near the noisy counts, by mbi."""
    import jax

    jax.config.update("jax_enable_x64", True)  # noqa: FBT003 - jax's way to say it
    from mbi import Domain, LinearMeasurement, estimation

    domain = Domain([f"c{at}" for at in range(len(sizes))], list(sizes))
    known = [
        LinearMeasurement(one.counts.ravel(), tuple(f"c{at}" for at in one.columns), one.deviation)
        for one in measured
    ]
    if hasattr(estimation, "MirrorDescent"):
        return estimation.MirrorDescent().estimate(domain, known, iters=ROUNDS)
    return estimation.mirror_descent(domain, known, iters=ROUNDS)  # before mbi 2


def _counts(model: Any, columns: tuple[int, ...]) -> NDArray[np.float64]:
    found = model.project(tuple(f"c{at}" for at in columns))
    return np.asarray(found.datavector(flatten=False), np.float64)


def _drawn_by_mbi(model: Any, rows: int, columns: int, seed: int) -> Codes:
    np.random.seed(seed)  # noqa: NPY002 - it draws from the global stream
    data = model.synthetic_data(rows).to_dict()
    return np.column_stack([np.asarray(data[f"c{at}"], np.int64) for at in range(columns)])
