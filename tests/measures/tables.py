"""Small tables the tests of the measures share."""

from __future__ import annotations

import numpy as np

from halfmask.data import Attribute, Schema, Table


def schema_of(*sizes: int) -> Schema:
    """Attributes A0, A1, … with the given numbers of values."""
    return Schema(
        tuple(Attribute(f"A{i}", tuple(f"v{j}" for j in range(s))) for i, s in enumerate(sizes))
    )


def letters(text: str, domains: tuple[str, ...] = ("AB", "CD", "EF")) -> Table:
    """Rows written as in the papers: `letters("ACE ACE BDF")`."""
    schema = Schema(tuple(Attribute(domain, tuple(domain)) for domain in domains))
    rows = [
        [domain.index(c) for domain, c in zip(domains, word, strict=True)] for word in text.split()
    ]
    return Table(schema, np.array(rows, np.int32).reshape(-1, len(domains)))


def dependent(rows: int, rng: np.random.Generator, columns: int = 6) -> Table:
    """A table with real relations: each column leans on the one before it."""
    sizes = [3 + i % 3 for i in range(columns)]
    codes = np.empty((rows, columns), np.int32)
    codes[:, 0] = rng.choice(sizes[0], rows, p=[0.6, 0.3, 0.1])
    for c in range(1, columns):
        follow = rng.random(rows) < 0.75
        fresh = np.minimum(rng.geometric(0.45, rows) - 1, sizes[c] - 1)
        codes[:, c] = np.where(follow, codes[:, c - 1] % sizes[c], fresh)
    return Table(schema_of(*sizes), codes)


def noisy(table: Table, share: float, rng: np.random.Generator) -> Table:
    """The same rows with this share of the cells replaced by a random value."""
    codes = table.codes.copy()
    for c, attribute in enumerate(table.schema):
        hit = rng.random(len(table)) < share
        codes[hit, c] = rng.integers(attribute.size, size=int(hit.sum()))
    return Table(table.schema, codes)
