"""Anatomy for tables (Xiao & Tao, VLDB 2006): who, and separately what, tied by group numbers.

The sensitive column leaves the table. Rows are put into groups in which no sensitive value is
held twice; published are the other columns with the group, and for each group its values.
"""

from __future__ import annotations

import heapq
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Claim, Release, Schema, SeparatedTable, Table
from halfmask.data.table import ABSENT
from halfmask.errors import BadInput, TargetNotMet
from halfmask.randomness import Randomness


def anatomise_table(
    table: Table,
    *,
    sensitive: str,
    l: int,  # noqa: E741 - the model is called l-diversity
    randomness: Randomness,
    ineligible: Literal["refuse", "suppress"] = "refuse",
) -> Release:
    """Publish a table so that nobody's sensitive value is guessed with more than 1/l.

    A value held by more than one row in l makes that impossible, and a row without a value fits
    no group: then refuse, or suppress such rows and say how many.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("flu", "hiv"))))
    >>> table = Table(schema, np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))
    >>> release = anatomise_table(table, sensitive="ill", l=2, randomness=Randomness(1))
    >>> release.support([(2,)]).tolist()
    [2.0]
    """
    position = table.schema.position(sensitive)
    if l < 1:
        raise BadInput(f"l is at least 1, not {l}.")
    if ineligible not in ("refuse", "suppress"):
        raise BadInput(f"Ineligible tables are refused or rows suppressed, not {ineligible!r}.")
    if not len(table):
        raise BadInput("The table has no rows, so there is nothing to put into groups.")
    codes = table.codes[:, position]
    present = np.flatnonzero(codes != ABSENT)
    if len(present) < len(codes) and ineligible == "refuse":
        raise BadInput(
            f"Rows without a value of {sensitive!r} belong to no group; suppress them, or keep "
            "its rare values."
        )
    rng = randomness.child("table anatomy")
    kept = present[_eligible_rows(codes[present], l, rng, refuse=ineligible == "refuse")]
    members = _groups(kept, codes, l, rng)
    order = np.concatenate([rng.permutation(group) for group in members]).astype(np.int64)
    groups = np.repeat(np.arange(len(members)), [len(group) for group in members])
    attribute = table.schema.attributes[position]
    counts = np.zeros((len(members), attribute.size), np.int64)
    np.add.at(counts, (groups, codes[order]), 1)
    others = Schema(tuple(a for a in table.schema if a.name != sensitive))
    known = Table(others, np.delete(table.codes[order], position, axis=1))
    data = SeparatedTable(known, groups, attribute, counts, position)
    return _release(data, l, len(table) - len(order))


def _release(data: SeparatedTable, l: int, suppressed: int) -> Release:  # noqa: E741
    worst = data.largest_share
    return Release(
        data=data,
        kind="anatomised",
        method="table anatomy",
        iso_class="anatomization",
        claim=Claim(
            promise="The sensitive value of a person is guessed with a probability of at most "
            f"{worst:.3g}",
            assumption="the attacker knows the other columns of a person and nothing of the "
            "sensitive one",
            terms={"l": l, "probability": worst},
        ),
        record={"groups": len(data.counts), "rows_suppressed": suppressed},
    )


def _eligible_rows(
    codes: NDArray[np.int32],
    l: int,  # noqa: E741
    rng: np.random.Generator,
    *,
    refuse: bool,
) -> NDArray[np.int64]:
    """All rows if no value is held by more than one in l, else so many that none is."""
    counts = np.bincount(codes, minlength=1)
    allowed = counts.copy()
    while l * allowed.max() > allowed.sum():  # fewer rows allow less of each: settle step by step
        allowed = np.minimum(allowed, allowed.sum() // l)
        if not allowed.any():
            break
    lost = int(counts.sum() - allowed.sum())
    if (lost and refuse) or not allowed.any():
        rows, most = max(len(codes), 1), max(int(counts.max()), 1)
        raise BadInput(
            f"Groups of {l} different values are impossible: one sensitive value is held by "
            f"{most / rows:.0%} of the rows, where {l}-diversity allows at most {1 / l:.0%}; "
            f"ask for l = {rows // most}, or suppress rows."
        )
    shuffled = rng.permutation(len(codes))
    kept = np.concatenate(
        [shuffled[codes[shuffled] == value][:count] for value, count in enumerate(allowed)]
    )
    return np.sort(kept)


def _groups(
    rows: NDArray[np.int64],
    codes: NDArray[np.int32],
    l: int,  # noqa: E741
    rng: np.random.Generator,
) -> list[list[int]]:
    """Groups of l different values, taken from the l most frequent ones; the rest is spread."""
    waiting: dict[int, list[int]] = {}
    for row in rng.permutation(rows).tolist():
        waiting.setdefault(int(codes[row]), []).append(row)
    heap = [(-len(found), value) for value, found in waiting.items()]
    heapq.heapify(heap)
    groups: list[list[int]] = []
    while len(heap) >= l:
        largest = [heapq.heappop(heap) for _ in range(l)]
        groups.append([waiting[value].pop() for _, value in largest])
        for size, value in largest:
            if size + 1:
                heapq.heappush(heap, (size + 1, value))
    for row in [row for found in waiting.values() for row in found]:
        _place(row, codes, groups, rng)
    return groups


def _place(
    row: int, codes: NDArray[np.int32], groups: list[list[int]], rng: np.random.Generator
) -> None:
    """Put a left-over row into a random group that lacks its value."""
    for number in rng.permutation(len(groups)).tolist():
        if all(codes[other] != codes[row] for other in groups[number]):
            groups[number].append(row)
            return
    raise TargetNotMet("A row is left that fits no group.")  # eligibility rules this out
