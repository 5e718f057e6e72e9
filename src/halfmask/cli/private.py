"""What commands print of private releases, and how they draw from their models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfmask.cli.printing import console, show_json, table
from halfmask.errors import BadInput

if TYPE_CHECKING:
    from halfmask.data import Release
    from halfmask.data.coding.filling import Filling
    from halfmask.methods.private.noisy_model import NoisyModel
    from halfmask.randomness import Randomness


def draw_private(
    model: NoisyModel, typed: dict[str, Any], rows: int, randomness: Randomness
) -> tuple[Release, Filling]:
    """Rows of a private model, as they are to be written."""
    from halfmask.estimators import filled

    for option in ("calibrate", "asset"):
        if typed[option] is not None:
            raise BadInput(f"--{option} is not for the model of a private release.")
    release = model.sample(rows, randomness=randomness)
    return release, filled(release, randomness)


def show_private_model(model: NoisyModel, most: int, *, margins: bool, as_json: bool) -> None:
    """The promise, the ledger, the noisy tables and the patterns."""
    if as_json:
        show_json(_described(model, margins=margins))
        return
    from halfmask.cli.inspect import show_patterns
    from halfmask.methods.private.promise import claim_of, in_words

    out, log = console(), model.log
    out.print(
        f"A private model of about {model.rows:,} rows and {len(model.schema)} columns: "
        f"{sum(map(len, log.steps)):,} tables with noise, {len(model.code_table.sets):,} patterns "
        "of rows drawn from them"
    )
    out.print(str(claim_of(log, model.rows_per_person, model.guessed)), markup=False)
    for sentence in () if log.seeded else in_words(log.epsilon, log.delta):
        out.print(f"  {sentence}", markup=False)
    lines = [
        (part, f"{rho:.3g}", f"{rho / log.ledger.rho:.1%}")
        for part, rho in log.ledger.by_part().items()
    ]
    out.print(table("What was spent", ("part", "ρ", "share"), lines))
    if margins:
        told = model.cells()
        cells = [(c["table"], c["cell"], f"{c['count']:,}", f"{c['sigma']:.1f}") for c in told]
        out.print(table(None, ("table", "cell", "noisy count", "noise"), cells))
        return
    tables = [(t["table"], f"{t['cells']:,}", f"{t['sigma']:.1f}") for t in _tables(model)]
    title = "Tables, in the order in which they were asked"
    out.print(table(title, ("table", "cells", "noise"), tables))
    show_patterns(out, model.code_table, most)


def _tables(model: NoisyModel) -> list[dict[str, Any]]:
    names = model.schema.names
    found = [
        {
            "table": " × ".join(names[c] for c in each.columns),
            "cells": len(each.counts),
            "sigma": float(each.variance) ** 0.5,
        }
        for step in model.log.steps
        for each in step
    ]
    leaves = model.log.leaves
    if leaves is not None:
        found.append(
            {
                "table": f"{names[leaves.target]} along a tree of {len(leaves.counts):,} leaves",
                "cells": int(leaves.counts.size),
                "sigma": float(leaves.variance) ** 0.5,
            }
        )
    return found


def _described(model: NoisyModel, *, margins: bool) -> dict[str, Any]:
    log = model.log
    listed = sorted(model.code_table.patterns(), key=lambda p: -p.usage)
    return {
        "rows": model.rows,
        "epsilon": log.epsilon,
        "delta": log.delta,
        "epsilon_spent": model.epsilon_spent,
        "rows_per_person": model.rows_per_person,
        "seeded": log.seeded,
        "ledger": {"rho": log.ledger.rho, "spent": log.ledger.by_part()},
        "columns": {a.name: a.size for a in model.schema},
        "tables": _tables(model),
        **({"cells": model.cells()} if margins else {}),
        "patterns": [{"labels": p.labels, "usage": p.usage, "support": p.support} for p in listed],
    }
