"""Which anonymity a table has: k-anonymity, l-diversity, (α, k)-anonymity, t-closeness.

An attacker knows some attributes of a person and finds the rows that agree: a class. Each check
says how much the worst class of the table gives away. They describe a published table, not the
way it was made: a synthetic row belongs to nobody, however small its class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Table
from halfmask.errors import BadInput, NotMeasurable


@dataclass(frozen=True, slots=True)
class Anonymities:
    """What the worst class of a table gives away."""

    k: int
    """The smallest class."""
    alpha: float
    """The largest share that one sensitive value has in a class."""
    distinct_l: int
    """The fewest different sensitive values in a class."""
    entropy_l: float
    """The smallest effective number of sensitive values in a class: exp of its entropy."""
    t: float
    """The largest distance between the sensitive values of a class and those of the table."""


def anonymities(table: Table, known: Sequence[str], sensitive: str) -> Anonymities:
    """All checks at once, for an attacker who knows these attributes.

    >>> from halfmask.data import Attribute, Schema
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("flu", "hiv"))))
    >>> table = Table(schema, np.array([[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]]))
    >>> found = anonymities(table, ["sex"], "ill")
    >>> found.k, round(found.alpha, 3), found.distinct_l, round(found.t, 3)
    (2, 0.667, 2, 0.1)
    """
    return Anonymities(
        k_anonymity_of(table, known),
        alpha(table, known, sensitive),
        distinct_diversity(table, known, sensitive),
        entropy_diversity(table, known, sensitive),
        t_closeness(table, known, sensitive),
    )


def class_sizes(table: Table, known: Sequence[str]) -> NDArray[np.int64]:
    """The number of rows in each class of equal known values."""
    return np.bincount(_classes(table, known))


def k_anonymity_of(table: Table, known: Sequence[str]) -> int:
    """The size of the smallest class: every row is one of at least k (Samarati & Sweeney 1998)."""
    return int(class_sizes(table, known).min())


def alpha(table: Table, known: Sequence[str], sensitive: str) -> float:
    """The α of (α, k)-anonymity: how sure the best guess of a sensitive value is (Wong 2006)."""
    return float(_shares(table, known, sensitive).max())


def distinct_diversity(table: Table, known: Sequence[str], sensitive: str) -> int:
    """Distinct l-diversity: the fewest different sensitive values in a class."""
    return int((_counts(table, known, sensitive) > 0).sum(axis=1).min())


def entropy_diversity(table: Table, known: Sequence[str], sensitive: str) -> float:
    """Entropy l-diversity: exp(H) of the class with the smallest entropy H."""
    shares = _shares(table, known, sensitive)
    # H = -Σ p ln p, where an absent value adds nothing      [Machanavajjhala et al. 2006]
    entropy = -(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)
    return float(np.exp(entropy.min()))


def recursive_diversity(table: Table, known: Sequence[str], sensitive: str, *, l: int) -> float:  # noqa: E741
    """Recursive (c, l)-diversity holds for every c above this number.

    With the counts of a class in falling order it demands r1 < c · (r_l + … + r_m): the most
    frequent value is not too frequent among the others   [Machanavajjhala et al. 2006].
    """
    if l < 2:
        raise BadInput(f"Recursive diversity is defined for l of at least 2, not {l}.")
    counts = -np.sort(-_counts(table, known, sensitive), axis=1)
    tail = counts[:, l - 1 :].sum(axis=1)
    if (tail == 0).any():
        fewest = distinct_diversity(table, known, sensitive)
        raise NotMeasurable(
            f"A class has only {fewest} different values of {sensitive!r}, so no c makes it "
            f"recursively diverse for l = {l}."
        )
    return float((counts[:, 0] / tail).max())


def t_closeness(
    table: Table, known: Sequence[str], sensitive: str, *, ordered: bool | None = None
) -> float:
    """The largest earth mover's distance between a class and the table (Li et al. 2007).

    Between names all distances are equal, which is total variation; between numbers the distance
    is that of their ranks. `ordered` decides; by default the stored type does.
    """
    counts = _counts(table, known, sensitive)
    overall = counts.sum(axis=0) / counts.sum()
    gap = counts / counts.sum(axis=1, keepdims=True) - overall
    if ordered is None:
        ordered = table.schema[sensitive].storage.startswith(("int", "uint", "float", "double"))
    if not ordered:
        return float(np.abs(gap).sum(axis=1).max() / 2)
    steps = counts.shape[1] - 1
    return float(np.abs(np.cumsum(gap, axis=1)).sum(axis=1).max() / steps) if steps else 0.0


def _classes(table: Table, known: Sequence[str]) -> NDArray[np.int64]:
    """The class of every row; a cell left out is a value of its own."""
    if not len(table):
        raise NotMeasurable("The table has no rows, so it has no classes.")
    classes = np.zeros(len(table), np.int64)
    for name in known:
        position = table.schema.position(name)
        key = classes * (table.schema.attributes[position].size + 1)
        key += table.codes[:, position] + 1
        classes = np.unique(key, return_inverse=True)[1].astype(np.int64)
    return classes


def _counts(table: Table, known: Sequence[str], sensitive: str) -> NDArray[np.int64]:
    """Classes × sensitive values that occur."""
    if sensitive in known:
        raise BadInput(f"Column {sensitive!r} cannot be both sensitive and known.")
    classes = _classes(table, known)
    values = np.unique(table.codes[:, table.schema.position(sensitive)], return_inverse=True)[1]
    width = int(values.max()) + 1
    flat = np.bincount(classes * width + values, minlength=(int(classes.max()) + 1) * width)
    return flat.reshape(-1, width)


def _shares(table: Table, known: Sequence[str], sensitive: str) -> NDArray[np.float64]:
    counts = _counts(table, known, sensitive)
    shares: NDArray[np.float64] = counts / counts.sum(axis=1, keepdims=True)
    return shares
