"""What commands print of private releases, and how they draw from their models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfmask.cli.printing import console, show_json, table
from halfmask.errors import BadInput

if TYPE_CHECKING:
    from halfmask.data import Release
    from halfmask.methods.private.noisy_model import NoisyModel
    from halfmask.methods.private_baskets.model import NoisyBaskets
    from halfmask.randomness import Randomness

NO_TABLE = "Baskets go to a file such as .dat, .basket.csv or .parquet."


def draw_private(
    model: NoisyModel | NoisyBaskets,
    typed: dict[str, Any],
    rows: int | None,
    randomness: Randomness,
) -> tuple[Release, Any]:
    """A draw from a private model, and its rows as they are to be written."""
    from halfmask.data import Baskets
    from halfmask.estimators import filled
    from halfmask.io.addresses import is_address

    for option in ("calibrate", "asset"):
        if typed[option] is not None:
            raise BadInput(f"--{option} is not for the model of a private release.")
    release = model.sample(rows, randomness=randomness)
    if not isinstance(release.data, Baskets):
        return release, filled(release, randomness)
    if is_address(typed["output"]):
        raise BadInput(NO_TABLE)
    return release, release.data


def show_private_model(
    model: NoisyModel | NoisyBaskets, most: int, *, margins: bool, as_json: bool
) -> None:
    """The promise, the ledger, the noisy tables and the patterns."""
    if as_json:
        show_json(_described(model, margins=margins))
        return
    from halfmask.cli.inspect import show_patterns
    from halfmask.methods.private.promise import in_words

    out, log = console(), model.account
    out.print(
        f"{_headline(model)}, {len(model.code_table.sets):,} patterns of what was drawn from them"
    )
    out.print(str(model.claim), markup=False)
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


def _headline(model: NoisyModel | NoisyBaskets) -> str:
    from halfmask.methods.private_baskets.model import NoisyBaskets

    if isinstance(model, NoisyBaskets):
        return (
            f"A private model of about {model.rows:,} baskets of {len(model.log.names):,} items, "
            f"of each basket {model.log.most:,} items at most: {len(model.log.pairs):,} pairs with "
            "noise"
        )
    return (
        f"A private model of about {model.rows:,} rows and {len(model.schema)} columns: "
        f"{sum(map(len, model.log.steps)):,} tables with noise"
    )


def _tables(model: NoisyModel | NoisyBaskets) -> list[dict[str, Any]]:
    from halfmask.methods.private_baskets.model import NoisyBaskets

    if isinstance(model, NoisyBaskets):
        log = model.log
        asked = {"lengths": log.lengths, "single items": log.items, "pairs measured": log.together}
        return [
            {"table": name, "cells": len(each.counts), "sigma": each.sigma}
            for name, each in asked.items()
        ]
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


def _described(model: NoisyModel | NoisyBaskets, *, margins: bool) -> dict[str, Any]:
    log = model.account
    listed = sorted(model.code_table.patterns(), key=lambda p: -p.usage)
    return {
        "rows": model.rows,
        "epsilon": log.epsilon,
        "delta": log.delta,
        "epsilon_spent": model.epsilon_spent,
        "rows_per_person": model.rows_per_person,
        "seeded": log.seeded,
        "ledger": {"rho": log.ledger.rho, "spent": log.ledger.by_part()},
        **_kept(model),
        "tables": _tables(model),
        **({"cells": model.cells()} if margins else {}),
        "patterns": [{"labels": p.labels, "usage": p.usage, "support": p.support} for p in listed],
    }


def _kept(model: NoisyModel | NoisyBaskets) -> dict[str, Any]:
    """What the model knows by name."""
    from halfmask.methods.private_baskets.model import NoisyBaskets

    if isinstance(model, NoisyBaskets):
        return {"items": len(model.log.names), "items_per_basket": model.log.most}
    return {"columns": {a.name: a.size for a in model.schema}}
