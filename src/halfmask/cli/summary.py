"""What `publish` and `measure` print: a few lines a steward reads in a minute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from halfmask.cli.printing import table
from halfmask.measures import Reading, Readings, Unmeasured
from halfmask.measures.readings import cells_of
from halfmask.shown import number

if TYPE_CHECKING:
    from halfmask.cli.next_steps import NextStep
    from halfmask.publishing.publication import Publication, PublishedTable


AT_A_GLANCE = (
    "nas", "k_anonymity", "ds", "marginals_1", "marginals_2", "patterns_per_row", "tracing",
    "tracing_tree", "tracing_model",
)  # fmt: skip
"""The readings that the short summary shows, when they were measured."""

AGAINST_PEOPLE = (
    "quality", "to other people", "a second sample", "to the original", "better", "independent",
)  # fmt: skip
"""What is read against people who were held back."""

COLOURS = {"publish": "green", "do not publish": "red"}
"""Of the verdict; between the two it is yellow."""


def show_publication(out: Any, published: Publication) -> None:
    """Rows of each table, the readings at a glance, the verdict and the files."""
    for name, part in published.tables.items():
        rows = f"{name}: {_rows(part, 'rows learnt from')}" if published.is_family else _rows(part)
        out.print(rows, markup=False)
        glance = _at_a_glance(part.readings) if _drawn(part) else part.readings
        show_readings(out, glance, meanings=False)
    for name, readings in published.families.items():
        out.print(f"{next(iter(published.tables))} and {name}", markup=False)
        show_readings(out, readings, meanings=False)
    _show_verdict(out, published, _remarks(published))


def _drawn(part: PublishedTable) -> bool:
    """Whether the rows were drawn from the patterns of a table."""
    return part.made.is_drawn


def _rows(part: PublishedTable, before: str = "rows in") -> str:
    """Rows in and out, and the patterns between."""
    size, out = round(part.made.original.size), round(part.release.size)
    if not _drawn(part):
        return f"{size:,} {before}, {out:,} rows out"
    code_table = part.made.model.code_table
    return (
        f"{size:,} {before}, {out:,} rows out; {len(code_table.sets):,} patterns, each "
        f"held by at least {part.made.model.min_support:,} rows"
    )


def _remarks(published: Publication) -> tuple[str, ...]:
    """What to read before publishing: of one table its claim too, unless it is a model's."""
    if published.is_family:
        own = (f"{n}: {remark}" for n, t in published.tables.items() for remark in t.remarks)
        return (*published.remarks, *own)
    first = published.first
    plain = _drawn(first) and "epsilon" not in first.release.claim.terms
    claim = () if plain else (str(first.release.claim),)
    return (*claim, *published.remarks)


def _at_a_glance(readings: Readings) -> Readings:
    return Readings(tuple(r for r in readings if r.name in AT_A_GLANCE))


def _show_verdict(out: Any, published: Publication, more: tuple[str, ...]) -> None:
    from rich.text import Text

    verdict = published.verdict
    out.print(Text(f"{verdict.headline}.", style=f"bold {COLOURS.get(verdict.word, 'yellow')}"))
    for sentence in (*verdict.reasons, *more):
        out.print(Text(f"  {sentence}"))
    for path in published.files:
        out.print(Text(f"  wrote {path}", style="dim"))


def show_next(out: Any, steps: Sequence[NextStep]) -> None:
    """What may be typed next, each command on one line however long it is."""
    from rich.text import Text

    if steps:
        out.print(Text("Next", style="bold"))
    for step in steps:
        out.print(Text(f"  # {step.why}", style="dim"), soft_wrap=True)
        out.print(Text(f"  {step.command}"), soft_wrap=True)


def show_readings(out: Any, readings: Readings, *, meanings: bool = True) -> None:
    """One line for each reading, with its yardsticks, and the blanks with their reasons."""
    measured = [r for r in readings if isinstance(r, Reading)]
    against = [r for r in measured if r.against_holdout is not None]
    if against:
        out.print(table(None, AGAINST_PEOPLE, [_against_people(reading) for reading in against]))
    others = [r for r in measured if r not in against]
    if others:
        columns = ("measure", "value", "better", "hold-out", "independent", "copy")
        out.print(table(None, columns, [cells_of(reading) for reading in others]))
    for sentence in (*_supports(measured), *_draws(measured)):
        out.print(f"  {sentence}", markup=False)
    for reading in measured if meanings else ():
        out.print(f"  {reading.name}: {reading.meaning}", markup=False)
    for blank in readings:
        if isinstance(blank, Unmeasured):
            out.print(f"  {blank.name}: not measured. {blank.reason}", markup=False)


def _supports(measured: Sequence[Reading]) -> list[str]:
    """At which support each reading was mined, where it was."""
    found: dict[int, list[str]] = {}
    for reading in measured:
        support = reading.details.get("min_support")
        if support is not None:
            found.setdefault(support, []).append(reading.name)
    return [f"minimum support {n:,}: {', '.join(names)}" for n, names in sorted(found.items())]


def _draws(measured: Sequence[Reading]) -> list[str]:
    """Mean and standard deviation over several draws, where there are several."""
    lines = []
    for reading in measured:
        draws = reading.details.get("draws")
        if draws is None or draws["sd"] is None:
            continue
        line = f"{draws['count']} draws: {reading.name} {draws['mean']:.4g} ± {draws['sd']:.2g}"
        if "of_mean_sizes" in draws:
            line += f" (of averaged sizes, as in the papers: {draws['of_mean_sizes']:.4g})"
        lines.append(line)
    return lines


def _against_people(reading: Reading) -> tuple[str, ...]:
    """Quality: to people first, beside a second sample of them, then to the original."""
    numbers = (reading.against_holdout, reading.second_sample, reading.value)
    chance = reading.yardsticks.get("independent")
    led = ("–" if one is None else number(one) for one in numbers)
    return (reading.name, *led, reading.better, "–" if chance is None else number(chance))
