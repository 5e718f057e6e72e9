"""What `publish` and `measure` print: a few lines a steward reads in a minute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfmask.cli.printing import number, table
from halfmask.measures import Reading, Readings, Unmeasured

if TYPE_CHECKING:
    from halfmask.basket_publishing.publication import BasketPublication
    from halfmask.family_publishing.publication import FamilyPublication
    from halfmask.publishing.publication import Publication


AT_A_GLANCE = ("nas", "k_anonymity", "ds", "marginals_1", "marginals_2", "patterns_per_row")
"""The readings that the short summary shows, when they were measured."""

COLOURS = {"publish": "green", "look here": "yellow", "do not publish": "red"}


def show_publication(out: Any, published: Publication) -> None:
    """Rows, patterns, the readings at a glance, the verdict and the files."""
    code_table = published.model.learnt.code_table
    out.print(
        f"{code_table.rows:,} rows in, {int(published.release.size):,} rows out; "
        f"{len(code_table.sets):,} patterns, each held by at least "
        f"{published.model.learnt.settings.min_support:,} rows"
    )
    show_readings(out, _at_a_glance(published.readings), meanings=False)
    _show_verdict(out, published, published.remarks)


def show_family(out: Any, published: FamilyPublication) -> None:
    """Rows of each table, the readings at a glance, how children fit, the verdict and the files."""
    for name, part in published.tables.items():
        learnt = part.model.learnt
        out.print(
            f"{name}: {learnt.code_table.rows:,} rows learnt from, {int(part.release.size):,} "
            f"rows out; {len(learnt.code_table.sets):,} patterns, each held by at least "
            f"{learnt.min_support:,} rows",
            markup=False,
        )
        show_readings(out, _at_a_glance(part.readings), meanings=False)
    for name, readings in published.families.items():
        out.print(f"{published.parent} and {name}", markup=False)
        show_readings(out, readings, meanings=False)
    remarks = [f"{n}: {remark}" for n, t in published.tables.items() for remark in t.remarks]
    _show_verdict(out, published, (*published.remarks, *remarks))


def _at_a_glance(readings: Readings) -> Readings:
    return Readings(tuple(r for r in readings if r.name in AT_A_GLANCE))


def show_release(out: Any, published: BasketPublication) -> None:
    """Rows in and out, the readings, the verdict, the claim and the files."""
    out.print(f"{published.original_size:,} rows in, {len(published.baskets):,} rows out")
    show_readings(out, published.readings, meanings=False)
    _show_verdict(out, published, (str(published.release.claim), *published.remarks))


def _show_verdict(
    out: Any,
    published: Publication | BasketPublication | FamilyPublication,
    more: tuple[str, ...],
) -> None:
    from rich.text import Text

    verdict = published.verdict
    out.print(Text(f"{verdict.word.capitalize()}.", style=f"bold {COLOURS[verdict.word]}"))
    for sentence in (*verdict.reasons, *more):
        out.print(Text(f"  {sentence}"))
    for path in published.files:
        out.print(Text(f"  wrote {path}", style="dim"))


def show_readings(out: Any, readings: Readings, *, meanings: bool = True) -> None:
    """One line for each reading, with its yardsticks, and the blanks with their reasons."""
    columns = ("measure", "value", "better", "hold-out", "independent", "copy")
    measured = [r for r in readings if isinstance(r, Reading)]
    if measured:
        out.print(table(None, columns, [_line(reading) for reading in measured]))
    for reading in measured if meanings else ():
        out.print(f"  {reading.name}: {reading.meaning}", markup=False)
    for blank in readings:
        if isinstance(blank, Unmeasured):
            out.print(f"  {blank.name}: not measured. {blank.reason}", markup=False)


def _line(reading: Reading) -> tuple[str, ...]:
    value = number(reading.value)
    if not reading.exact:
        value += f" ({number(reading.low)} to {number(reading.high)})"
    yardsticks = (
        number(reading.yardsticks[name]) if name in reading.yardsticks else "–"
        for name in ("holdout", "independent", "copy")
    )
    return (reading.name, value, reading.better, *yardsticks)
