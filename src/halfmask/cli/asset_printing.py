"""What `halfmask asset` prints: an asset, and what a release lacks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfmask.cli.printing import number, table

if TYPE_CHECKING:
    from halfmask.assets.asset import Asset
    from halfmask.assets.lacks import Evaluation, Lack, Violations


def show_asset(out: Any, found: Asset) -> None:
    """Every information with its weights and what must hold in it."""
    for information in found.informations:
        out.print(f"{information.name} (weight {information.weight:g})", markup=False)
        attributes = [
            (w.attribute, number(w.accuracy), number(w.completeness))
            for w in information.attributes
        ]
        out.print(table(None, ("attribute", "accuracy", "completeness"), attributes))
        tested = [(c.name, number(c.weight), str(c.expression)) for c in information.tested]
        if tested:
            out.print(table(None, ("constraint", "weight", "must hold"), tested))


def show_evaluation(out: Any, evaluation: Evaluation) -> None:
    """The rows, then the lacks of the asset, each information, attribute and constraint."""
    rows = evaluation.rows
    if evaluation.form == "aligned":
        out.print(
            f"{rows.compared:,} keys: {rows.changed:,} rows changed, {rows.missing:,} missing, "
            f"{rows.ghosts:,} that the original does not have"
        )
    else:
        out.print(
            f"{rows.original:,} rows against {rows.release:,}: no row corresponds to any, so "
            "distributions are compared"
        )
    lacks = [("asset", "", evaluation), *((i.information, number(i.weight), i)
                                          for i in evaluation.informations)]  # fmt: skip
    listed = [
        (name, weight, *(_lack(getattr(one, lack)) for lack in
         ("accuracy", "completeness", "consistency")))
        for name, weight, one in lacks
    ]  # fmt: skip
    columns = ("information", "weight", "accuracy lack", "completeness lack", "consistency lack")
    out.print(table("Lacks (of 1 in brackets)", columns, listed))
    for information in evaluation.informations:
        attributes = [
            (a.attribute, number(a.accuracy), number(a.completeness), number(a.consistency))
            for a in information.attributes
        ]
        names = ("attribute", "accuracy", "completeness", "consistency")
        out.print(table(information.information, names, attributes))
        if information.constraints:
            out.print(table(None, _VIOLATIONS, [_line(v) for v in information.constraints]))
    for note in evaluation.notes:
        out.print(f"  {note}", markup=False)


_VIOLATIONS = ("constraint", "before", "after", "broken rows", "induced", "repaired")


def _lack(lack: Lack) -> str:
    return f"{number(lack.raw)} ({number(lack.normalised)})"


def _line(violations: Violations) -> tuple[str, ...]:
    induced, repaired = (
        "–" if count is None else number(count)
        for count in (violations.induced, violations.repaired)
    )
    return (
        violations.constraint,
        f"{violations.before:.2%}",
        f"{violations.after:.2%}",
        number(violations.absolute),
        induced,
        repaired,
    )
