"""`halfmask merge`: one model of several sites."""

from __future__ import annotations

from typing import Any

import click

from halfmask.cli.options import writing
from halfmask.cli.printing import console, show_json

__all__ = ["merge"]


@click.command()
@click.argument("models", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", required=True, help="Where the merged model goes.")
@click.option("--json", "as_json", is_flag=True, help="Print the result for machines.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@writing
def merge(**typed: Any) -> None:
    """Make one model of the MODELS of several sites; no row of any site is needed.

    The sites learn with the same columns, and with the same bins for numbers and dates.
    """
    from halfmask.io.models import load, save
    from halfmask.io.writing import check_free
    from halfmask.methods.merging import merge as run

    check_free(typed["output"], force=typed["force"], read=typed["models"])
    merged = run([load(path) for path in typed["models"]])
    save(merged, typed["output"], force=typed["force"])
    facts = {
        "rows": merged.code_table.rows,
        "patterns": len(merged.code_table),
        "min_support": merged.min_support,
        "margins": 0 if merged.margins is None else len(merged.margins),
    }
    if typed["as_json"]:
        show_json({**facts, "files": [typed["output"]]})
    elif not typed["quiet"]:
        console().print(
            f"{facts['rows']:,} rows of {len(typed['models'])} sites, {facts['patterns']:,} "
            f"patterns, each held by at least {facts['min_support']:,} rows of one site; "
            f"{facts['margins']:,} tables of counts that all sites tell",
            markup=False,
        )
