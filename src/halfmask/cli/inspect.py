"""`halfmask inspect`: what is in a model file or a data file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import rich_click as click

from halfmask.cli.options import PLACE, as_json, file_options, reading
from halfmask.cli.printing import console, show_json, table
from halfmask.errors import BadInput
from halfmask.shown import number

if TYPE_CHECKING:
    from halfmask.data import Baskets, Column
    from halfmask.methods.baskets.model import BasketModel
    from halfmask.methods.generator.derivable import Findings
    from halfmask.methods.generator.model import GeneratorModel
    from halfmask.patterns.code_table import CodeTable, Pattern


@click.command()
@click.argument("file", type=PLACE)
@click.option(
    "--patterns",
    type=click.IntRange(min=0),
    metavar="N",
    default=20,
    show_default=True,
    help="How many patterns of a model are listed.",
)
@click.option("--unused", is_flag=True, help="List the patterns that no row uses, too.")
@click.option("--margins", is_flag=True, help="Show every count of a model that a release matches.")
@click.option(
    "--audit",
    is_flag=True,
    help="Check that no group of fewer rows than the minimum support follows from the counts of a "
    "model by arithmetic.",
)
@reading
@as_json
def inspect(**typed: Any) -> None:
    """Show what is in FILE: a model (*.json), or a table before it is published.

    Of a table only what tells nobody apart is shown: columns, types and numbers of values.
    """
    if str(typed["file"]).endswith(".json"):
        from halfmask.documents.model import load_any
        from halfmask.methods.baskets.model import BasketModel
        from halfmask.methods.private.noisy_model import NoisyModel
        from halfmask.methods.private_baskets.model import NoisyBaskets

        model = load_any(typed["file"])
        if isinstance(model, NoisyModel | NoisyBaskets):
            from halfmask.cli.private import show_private_model

            most, margins = typed["patterns"], typed["margins"]
            show_private_model(model, most, margins=margins, as_json=typed["as_json"])
        elif typed["audit"]:
            _show_audit(model, as_json=typed["as_json"])
        elif typed["margins"]:
            _show_margins(model, as_json=typed["as_json"])
        elif isinstance(model, BasketModel):
            _show_basket_model(model, typed)
        else:
            _show_model(model, typed)
        return
    from halfmask.data import Baskets
    from halfmask.io.given import Given

    for name, what in (("margins", "shows the counts of"), ("audit", "checks")):
        if typed[name]:
            raise BadInput(f"--{name} {what} a model (*.json); this is a file of data.")
    found = Given(typed["file"]).read(file_options(typed)).content
    if isinstance(found, Baskets):
        _show_baskets(found, as_json=typed["as_json"])
    else:
        _show_table(found, as_json=typed["as_json"])


def _show_audit(model: GeneratorModel | BasketModel, *, as_json: bool) -> None:
    """What follows about few rows from all that the model tells."""
    from halfmask.methods.baskets.derivable import derivable_baskets
    from halfmask.methods.baskets.model import BasketModel
    from halfmask.methods.generator.derivable import derivable

    if not isinstance(model, BasketModel) and model.of_sites:
        raise BadInput(
            "--audit checks the model of one table; this one was merged, and says nothing that "
            "does not follow from the models of the sites. Check each of these."
        )
    found = derivable_baskets(model) if isinstance(model, BasketModel) else derivable(model)
    ranks = None if isinstance(model, BasketModel) else model.schema.ranks
    correlations = 0 if ranks is None else len(ranks.pairs)
    if as_json:
        show_json(
            {
                "min_support": model.min_support,
                "rounded_to": model.base,
                "groups": found.groups,
                "equations": found.equations,
                "derivable": found.derivable,
                "open": found.open,
                "rank_correlations": correlations,
            }
        )
        return
    out = console()
    for sentence in _about_audit(model, found, correlations):
        out.print(sentence)
    lines = [(kind, number(count)) for kind, count in found.derivable.items()]
    if lines:
        out.print(table(None, ("derivable", "groups"), lines))


def _about_audit(
    model: GeneratorModel | BasketModel, found: Findings, correlations: int
) -> list[str]:
    """What the check of arithmetic found, in sentences."""
    from halfmask.methods.baskets.model import BasketModel

    floor, what = model.min_support, "baskets" if isinstance(model, BasketModel) else "rows"
    if floor == 1:
        return ["Minimum support 1: counts are exact, and there is no floor to check"]
    rounded = f"to multiples of {model.base:,}" if model.base > 1 else "not at all"
    pinned = f"{found.count or 'none'} of them {'is' if found.count == 1 else 'are'} pinned"
    first = (
        f"Counts are rounded {rounded}; {found.equations:,} sums bound {found.groups:,} groups "
        f"of {what}, and {pinned} to 1 to {floor - 1:,} {what}"
    )
    said = [first]
    if found.open:
        said.append(
            f"Not settled: {found.open:,} more. The model is too large to look at all its sums "
            f"together for each of them, and nothing was found that rules out so few {what}"
        )
    if correlations:
        said.append(
            f"{correlations:,} rank correlations are disclosed too, each a rounded sum over all "
            "rows; the check leaves them out"
        )
    return said


def _show_model(model: GeneratorModel, typed: dict[str, Any]) -> None:
    code_table = model.code_table
    if typed["as_json"]:
        more = {"min_support": model.min_support, "columns": {a.name: a.size for a in model.schema}}
        _show_as_json(code_table, more, unused=typed["unused"])
        return
    out = console()
    out.print(
        f"A model of {code_table.rows:,} rows, {len(model.schema)} columns, "
        f"{len(code_table.sets):,} patterns of two or more values, minimum support "
        f"{model.min_support:,}"
    )
    if model.margins is not None:
        out.print(
            f"A release meets {model.margins.cells:,} counts in {len(model.margins):,} tables"
            f"{_trees(model)}; --margins shows them"
        )
    show_patterns(out, code_table, typed["patterns"], unused=typed["unused"])


def _show_basket_model(model: BasketModel, typed: dict[str, Any]) -> None:
    code_table, lengths = model.code_table, model.lengths
    if typed["as_json"]:
        counted = dict(zip(lengths.values.tolist(), lengths.counts.tolist(), strict=True))
        counts = {"items": model.schema.n_items, "lengths": counted, "fresh": model.fresh}
        more = {"min_support": model.min_support, **counts}
        _show_as_json(code_table, more, unused=typed["unused"])
        return
    out = console()
    out.print(
        f"A model of {code_table.rows:,} baskets of {model.schema.n_items:,} items, "
        f"{len(code_table.sets):,} patterns of two or more items, minimum support "
        f"{model.min_support:,}"
        f"{f', counts rounded to multiples of {model.base}' if model.base > 1 else ''}"
    )
    if model.margins is not None:
        out.print(
            f"A release meets {len(model.wanted.targets):,} counts of up to "
            f"{model.margins.order} items and of lengths; {1 - model.fresh:.0%} of the steps that "
            "fill a basket follow a tie between items; --margins shows the counts"
        )
    show_patterns(out, code_table, typed["patterns"], unused=typed["unused"])


def _show_as_json(code_table: CodeTable, more: dict[str, Any], *, unused: bool) -> None:
    size = code_table.bits
    show_json(
        {
            "rows": code_table.rows,
            **more,
            "bits": {"database": size.database, "table": size.table, "total": size.total},
            "compression_ratio": code_table.compression_ratio,
            "unused": int((code_table.usages == 0).sum()),
            "patterns": [
                {"labels": p.labels, "usage": p.usage, "support": p.support}
                for p in _listed(code_table, unused=unused)
            ],
        }
    )


def show_patterns(out: Any, code_table: CodeTable, most: int, *, unused: bool = False) -> None:
    """The size of a code table, and its most used patterns."""
    idle, size = int((code_table.usages == 0).sum()), code_table.bits
    out.print(
        f"{size.total:,.0f} bits: {size.database:,.0f} for the rows and {size.table:,.0f} for the "
        f"table, {code_table.compression_ratio:.1%} of what single values take; {idle:,} "
        f"{'pattern is' if idle == 1 else 'patterns are'} used by no row"
        f"{' (--unused lists them)' if idle and not unused else ''}"
    )
    listed = _listed(code_table, unused=unused)
    rows = [
        (", ".join(p.labels), number(p.usage), number(p.support), _bits(p.bits))
        for p in listed[:most]
    ]
    out.print(table(None, ("pattern", "usage", "support", "bits"), rows))
    if len(listed) > most:
        out.print(f"and {len(listed) - most:,} more; --patterns N shows N of them")


def _listed(code_table: CodeTable, *, unused: bool) -> list[Pattern]:
    """Most used first; unused patterns, where they are wanted, last (single values never)."""
    listed = (p for p in code_table.patterns(unused=unused) if p.usage or len(p.items) > 1)
    return sorted(listed, key=lambda p: -p.usage)


def _show_margins(model: GeneratorModel | BasketModel, *, as_json: bool) -> None:
    """All that the model tells of the original beside its patterns."""
    rows, what = _disclosed(model)
    if as_json:
        show_json({"margins": rows})
        return
    out = console()
    if not rows:
        out.print("A release of this model meets no counts of the original")
        return
    met = sum(row["cell"] is not None for row in rows)
    out.print(f"A release meets {met:,} {what}")
    lines = [(str(r["table"]), str(r["cell"] or ""), f"{r['count']:,}") for r in rows]
    out.print(table(None, ("table", "cell", "count"), lines))


def _disclosed(model: GeneratorModel | BasketModel) -> tuple[list[dict[str, Any]], str]:
    """The lines of all counts, and in a few words what they are counts of."""
    from halfmask.methods.baskets.model import BasketModel

    if isinstance(model, BasketModel):
        rows: list[dict[str, Any]] = list(model.counts_met())
        smallest = min((row["count"] for row in rows), default=0)
        return rows, f"counts of the original, each of at least {smallest:,} baskets"
    margins = model.margins
    if margins is None:
        return [], ""
    return list(margins.to_rows(model.schema)), (
        f"counts in {len(margins):,} tables{_trees(model)} of the original, "
        f"{'estimated from models of sites, ' if margins.estimated else ''}each of at least "
        f"{margins.smallest or 0:,} rows; a line without a cell is the rest of its table"
    )


def _trees(model: GeneratorModel) -> str:
    target_trees = None if model.margins is None else model.margins.target_trees
    return "" if target_trees is None else f" and {len(target_trees.trees):,} trees"


def _bits(bits: float | None) -> str:
    return "–" if bits is None else f"{bits:.1f}"


def _show_table(columns: Sequence[Column], *, as_json: bool) -> None:
    from halfmask.data.coding.kinds import plan_each
    from halfmask.data.coding.spec import TableSpec

    plans = plan_each(columns, TableSpec(), floor=10)
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
        for column in columns
    ]
    rows = len(columns[0]) if columns else 0
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


def _show_baskets(baskets: Baskets, *, as_json: bool) -> None:
    rows = baskets.transactions
    described = {
        "baskets": len(baskets),
        "items": baskets.schema.n_items,
        "mean_length": len(rows.items) / max(1, len(rows)),
    }
    if as_json:
        show_json(described)
        return
    console().print(
        f"{described['baskets']:,} baskets of {described['items']:,} items, "
        f"{described['mean_length']:.2f} items each on average"
    )
