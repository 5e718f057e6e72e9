"""`halfmask inspect`: what is in a model file or a data file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from halfmask.cli.options import file_options, reading
from halfmask.cli.printing import console, number, show_json, table
from halfmask.errors import BadInput

if TYPE_CHECKING:
    from halfmask.io.files import TableFile
    from halfmask.methods.generator import GeneratorModel

__all__ = ["inspect"]


@click.command()
@click.argument("file")
@click.option("--patterns", type=click.IntRange(min=0), default=20, show_default=True)
@click.option("--margins", is_flag=True, help="Of a model: every count that a release meets.")
@click.option("--json", "as_json", is_flag=True, help="Print for machines.")
@reading
def inspect(**typed: Any) -> None:
    """Show what is in FILE: a model (*.json), or a table before it is published.

    Of a table only what tells nobody apart is shown: columns, types and numbers of values.
    """
    if str(typed["file"]).endswith(".json"):
        from halfmask.io.models import load

        model = load(typed["file"])
        if typed["margins"]:
            _show_margins(model, as_json=typed["as_json"])
        else:
            _show_model(model, typed["patterns"], as_json=typed["as_json"])
        return
    from halfmask.io.files import BasketFile, read

    if typed["margins"]:
        raise BadInput("--margins shows the counts of a model (*.json); this is a file of data.")
    options = file_options(typed)
    found = read(typed["file"], options)
    if isinstance(found, BasketFile):
        _show_baskets(found, as_json=typed["as_json"])
    else:
        _show_table(found, as_json=typed["as_json"])


def _show_model(model: GeneratorModel, most: int, *, as_json: bool) -> None:
    code_table = model.code_table
    listed = sorted(code_table.patterns(), key=lambda p: -p.usage)
    if as_json:
        show_json(
            {
                "rows": code_table.rows,
                "min_support": model.min_support,
                "columns": {a.name: a.size for a in model.schema},
                "patterns": [
                    {"labels": p.labels, "usage": p.usage, "support": p.support} for p in listed
                ],
            }
        )
        return
    out = console()
    out.print(
        f"A model of {code_table.rows:,} rows, {len(model.schema)} columns, "
        f"{len(code_table.sets):,} patterns of two or more values, minimum support "
        f"{model.min_support:,}"
    )
    if model.margins is not None:
        out.print(
            f"A release meets {model.margins.cells:,} counts in {len(model.margins):,} tables; "
            "--margins shows them"
        )
    rows = [
        (", ".join(p.labels), number(p.usage), number(p.support), _bits(p.bits))
        for p in listed[:most]
    ]
    out.print(table(None, ("pattern", "usage", "support", "bits"), rows))
    if len(listed) > most:
        out.print(f"and {len(listed) - most:,} more; --patterns N shows N of them")


def _show_margins(model: GeneratorModel, *, as_json: bool) -> None:
    """All that the model tells of the original beside its patterns."""
    told = model.margins
    rows = [] if told is None else list(told.to_rows(model.schema))
    if as_json:
        show_json({"margins": rows})
        return
    out = console()
    if told is None or not rows:
        out.print("A release of this model meets no counts of the original")
        return
    out.print(
        f"A release meets {told.cells:,} counts in {len(told):,} tables of the original, each of "
        f"at least {told.smallest:,} rows; a line without a cell is the rest of its table"
    )
    lines = [(str(r["table"]), str(r["cell"] or ""), f"{r['count']:,}") for r in rows]
    out.print(table(None, ("table", "cell", "count"), lines))


def _bits(bits: float | None) -> str:
    return "–" if bits is None else f"{bits:.1f}"


def _show_table(found: TableFile, *, as_json: bool) -> None:
    from halfmask.data.kinds import plan_each
    from halfmask.data.spec import TableSpec

    plans = plan_each(found.columns, TableSpec(), floor=10)
    described = [
        {
            "column": column.name,
            "type": column.storage,
            "values": sum(label is not None for label in column.labels),
            "missing": int(column.counts[[label is None for label in column.labels]].sum()),
            "kind": plans[column.name].kind,
            "fate": plans[column.name].fate,
            "reason": plans[column.name].reason,
        }
        for column in found.columns
    ]
    rows = len(found.columns[0]) if found.columns else 0
    if as_json:
        show_json({"rows": rows, "columns": described})
        return
    out = console()
    out.print(f"A table of {rows:,} rows and {len(described)} columns")
    lines = [
        (
            str(d["column"]),
            str(d["type"]),
            f"{d['values']:,}",
            f"{d['missing']:,}",
            f"{d['kind']}{', left out' if d['fate'] == 'drop' else ''}: {d['reason']}",
        )
        for d in described
    ]
    out.print(table(None, ("column", "type", "values", "missing", "taken as"), lines))


def _show_baskets(found: Any, *, as_json: bool) -> None:
    rows = found.baskets.transactions
    described = {
        "baskets": len(found.baskets),
        "items": found.baskets.schema.n_items,
        "mean_length": len(rows.items) / max(1, len(rows)),
    }
    if as_json:
        show_json(described)
        return
    console().print(
        f"{described['baskets']:,} baskets of {described['items']:,} items, "
        f"{described['mean_length']:.2f} items each on average"
    )
