"""A small clinic with something to hide in it, and an evaluation that needs no asset file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halfmask.choosing.trial import Lacks, digest_of, run_trial
from halfmask.data import Attribute, Baskets, Schema, Table
from halfmask.methods.hiding.blocked import BlockedBaskets

__all__ = ["RULES", "Here", "clinic_table", "plain_lacks"]

RULES = "illness=malaria, sex=f -> drug=quinine\nillness=tb, ward=north -> drug=rifampicin"


def clinic_table(rows: int, seed: int) -> Table:
    """Patients whose drug follows their illness, more or less."""
    rng = np.random.default_rng(seed)
    schema = Schema(
        (
            Attribute("sex", ("f", "m")),
            Attribute("ward", ("north", "south", "west")),
            Attribute("illness", ("diabetes", "malaria", "tb")),
            Attribute("drug", ("insulin", "quinine", "rifampicin")),
            Attribute("age", ("20", "40", "60")),
        )
    )
    illness = (rng.choice(3, rows, p=[0.4, 0.3, 0.3]) + 1) % 3
    drug = np.where(rng.random(rows) < 0.8, illness, rng.integers(3, size=rows))
    parts = [rng.integers(2, size=rows), rng.integers(3, size=rows), illness, drug]
    return Table(schema, np.column_stack([*parts, rng.integers(3, size=rows)]))


def _plain_lacks(original, release, form) -> Lacks:
    """Changed and missing cells, or the distance of the columns' distributions; nothing else."""
    if isinstance(original, Baskets):
        if isinstance(release, BlockedBaskets):
            return Lacks(0.0, len(release.unknown.items) / len(original.transactions.items), 0.0)
        before, after = original.transactions.item_counts, release.transactions.item_counts
        moved = np.abs(before / len(original) - after / len(release)).sum()
        return Lacks(float(moved), 0.0, 0.0)
    if form == "free":
        names = original.schema.names
        pairs = [(original.marginal([n]) / len(original), release.marginal([n])) for n in names]
        return Lacks(float(sum(np.abs(a - b / len(release)).sum() for a, b in pairs)), 0.0, 0.0)
    changed, missing = original.codes != release.codes, release.codes < 0
    return Lacks(float((changed & ~missing).mean()), float((changed & missing).mean()), 0.0)


class PlainLacks:
    """The same as an evaluation; it enforces nothing, since it has no asset."""

    asset = None
    __call__ = staticmethod(_plain_lacks)


plain_lacks = PlainLacks()


@dataclass(frozen=True, eq=False)
class Here:
    """The plain bench: one trial after the other, in this process, nothing kept."""

    databases: list
    evaluate: object = None

    def run(self, trials, what):  # noqa: ARG002 - a bench is told the step
        """Run them."""
        by_digest = {digest_of(database): database for database in self.databases}
        return [run_trial(trial, by_digest[trial.database], self.evaluate) for trial in trials]
