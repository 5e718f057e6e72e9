"""`halfmask merge`: one model of several sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from halfmask.cli.options import PLACE, output, printing, writing
from halfmask.cli.printing import console, show_json

if TYPE_CHECKING:
    from halfmask.methods.generator.model import GeneratorModel


@click.command()
@click.argument("models", type=PLACE, nargs=-1, required=True)
@output("Where the merged model goes.", required=True)
@writing
@printing
def merge(**typed: Any) -> None:
    """Make one model of the MODELS of several sites; no row of any site is needed.

    The sites learn with the same columns, and with the same bins for numbers and dates.
    """
    from halfmask.documents.model import load, save
    from halfmask.io.writing import check_free
    from halfmask.methods.generator.merge import merge as run

    check_free(typed["output"], force=typed["force"], read=typed["models"])
    sites = [load(path) for path in typed["models"]]
    merged = run(sites)
    save(merged, typed["output"], force=typed["force"])
    margins = merged.margins
    facts = {
        "rows": merged.code_table.rows,
        "patterns": len(merged.code_table),
        "min_support": merged.min_support,
        "margins": 0 if margins is None else len(margins),
        "trees": 0
        if margins is None or margins.target_trees is None
        else len(margins.target_trees.trees),
    }
    notices = _notices(sites, merged)
    if typed["as_json"]:
        show_json({**facts, "notices": notices, "files": [typed["output"]]})
    elif not typed["quiet"]:
        console().print(
            f"{facts['rows']:,} rows of {len(typed['models'])} sites, {facts['patterns']:,} "
            f"patterns, each held by at least {facts['min_support']:,} rows of one site; "
            f"{facts['margins']:,} tables of counts and {facts['trees']:,} trees about a target, "
            "estimated from rows that each site's model drew",
            *notices,
            sep="\n",
            markup=False,
        )


def _notices(sites: list[GeneratorModel], merged: GeneratorModel) -> list[str]:
    """What sites told of and the result does not."""
    if merged.margins is None:
        bare = sum(site.margins is None for site in sites)
        return [f"No counts are met, because {bare:,} of the models were learnt without any."]
    targets = {site.settings.calibration.target for site in sites}
    if len(targets) < 2:
        return []
    named = ", ".join(sorted(repr(target) for target in targets if target is not None))
    return [f"No target is described by trees, because not all sites have the same ({named})."]
