"""Attributes: the frequencies of values, and of pairs of them.

Positions: where a release lies between a copy of the original and independent columns.

People: what comes back of them, and what attacks on them gain.
"""

from __future__ import annotations

from dataclasses import dataclass

from halfmask.judging.attacks import ATTACKS, widened
from halfmask.measures import Reading, Readings
from halfmask.report.axis import per_cent
from halfmask.report.document import Document, Frequencies
from halfmask.report.drawing import HOLDOUT, INK, ORIGINAL, RELEASE, Chart, draw
from halfmask.report.words import details_of, share, short, title_of


def pairs(readings: Readings) -> str | None:
    """The pairs of attributes whose joint frequencies moved most."""
    details = details_of(readings, "marginals_2", "ten_worst")
    if details is None:
        return None
    worst = details["ten_worst"]

    def paint(chart: Chart) -> None:
        for line, pair in enumerate(reversed(worst)):
            chart.bar(line, pair["distance"], 0.3, RELEASE)
            label = short(" × ".join(pair["attributes"]), 40)
            words = f"{label}  {share(pair['distance'])}"
            chart.text((0, line + 0.22), words, aside=(2, 0), level="above")
        _lines_of_words(chart, -0.4, len(worst) - 0.15)
        chart.x.low, chart.x.ticks, chart.x.line = 0, (), False

    listing = ", ".join(f"{' and '.join(p['attributes'])} {share(p['distance'])}" for p in worst)
    return draw(
        "pairs",
        "The pairs of attributes whose joint frequencies moved most",
        f"{listing}.",
        paint,
        height=0.4 + 0.36 * len(worst),
    )


def attribute(found: Frequencies, number: int, document: Document) -> str | None:
    """How often each value of an attribute stands in the original and in the release."""
    totals = max(document.original_rows, 1), max(document.release.size, 1)
    lines = [
        (value.label, (value.original or 0) / totals[0], (value.release or 0) / totals[1])
        for value in found.values
    ]
    if not lines:
        return None

    top = max(max(original, release) for _, original, release in lines)

    def paint(chart: Chart) -> None:
        for line, (label, original, release) in enumerate(reversed(lines)):
            chart.bar(line, original, 0.19, ORIGINAL)
            chart.bar(line - 0.2, release, 0.19, RELEASE)
            chart.text((0, line + 0.14), short(label, 44), aside=(2, 0), level="above")
        _lines_of_words(chart, -0.4, len(lines) - 0.25)
        chart.x.low, chart.x.high = 0, top * 1.04 or 1
        chart.x.words, chart.x.most, chart.x.size, chart.x.line = per_cent, 4, 8.5, False

    listing = ", ".join(f"{label} {share(o)} and {share(r)}" for label, o, r in lines)
    return draw(
        f"attribute-{number}",
        f"{found.name}: original and release",
        f"Share of the rows in original and release: {listing}.",
        paint,
        height=0.45 + 0.4 * len(lines),
    )


def _lines_of_words(chart: Chart, low: float, high: float) -> None:
    """Lines that are named where they stand need no upright axis."""
    chart.y.low, chart.y.high, chart.y.ticks = low, high, ()


@dataclass(frozen=True, slots=True)
class _Position:
    """Where a reading lies when a copy is at 0 and independent columns are at 1."""

    title: str
    release: float
    holdout: float | None


def _position(reading: Reading) -> _Position | None:
    copy, independent = (reading.yardsticks.get(name) for name in ("copy", "independent"))
    if copy is None or independent is None or abs(independent - copy) < 0.01:
        return None
    holdout = reading.yardsticks.get("holdout")
    width = independent - copy
    return _Position(
        title_of(reading.name),
        (reading.value - copy) / width,
        None if holdout is None else (holdout - copy) / width,
    )


def positions(readings: Readings, room: str) -> str | None:
    """Every measure of a room on a line from a copy to independent columns."""
    found = [
        position
        for reading in readings.measured
        if reading.room == room
        and reading.name not in ATTACKS
        and reading.better != "neither"
        and not reading.details.get("diagnostic_only")
        and (position := _position(reading)) is not None
    ]
    if not found:
        return None
    sentence = "; ".join(f"{p.title} {share(p.release)}" for p in found)

    def paint(chart: Chart) -> None:
        for line, position in enumerate(reversed(found)):
            chart.line([(0, line), (1, line)], "#d5dade", 1.4, layer=1)
            if position.holdout is not None:
                _mark(chart, position.holdout, line, ("D", 5.2, HOLDOUT))
            _mark(chart, position.release, line, ("o", 7.4, RELEASE))
            chart.text((0, line + 0.23), short(position.title, 44), level="above")
        _lines_of_words(chart, -0.6, len(found) - 0.2)
        chart.x.low, chart.x.high, chart.y.line = -0.09, 1.09, False
        chart.x.ticks, chart.x.names = (0, 1), ("copy of\nthe original", "independent\ncolumns")

    return draw(
        f"position-{room}",
        f"{room.capitalize()}: the release between a copy and independent columns",
        f"From a copy at 0 % to independent columns at 100 %: {sentence}.",
        paint,
        height=0.9 + 0.42 * len(found),
    )


def _mark(chart: Chart, x: float, line: int, look: tuple[str, float, str]) -> None:
    """A mark on the scale; beyond its ends an arrowhead points to where it would be."""
    shape = "<" if x < -0.05 else ">" if x > 1.05 else look[0]
    chart.marks([(min(max(x, -0.05), 1.05), line)], shape, look[1], look[2])


def levels(readings: Readings) -> str | None:
    """The share of the original's rows found in the release, by how many persons share them."""
    details = details_of(readings, "nas", "levels", "share_per_level")
    if details is None:
        return None
    shared_by, found = details["levels"][:40], details["share_per_level"][:40]

    def paint(chart: Chart) -> None:
        path = list(zip(shared_by, found, strict=True))
        chart.line(path, RELEASE, 1.4)
        chart.marks(path, "o", 4, RELEASE)
        chart.y.low, chart.y.high, chart.y.words = -0.03, 1.05, per_cent
        chart.x.whole, chart.x.label = True, "people who share the row"
        chart.y.label = "found in the release"

    listing = ", ".join(f"{share(y)} at {x:,}" for x, y in zip(shared_by, found, strict=True))
    return draw(
        "levels",
        "Share of the original's rows found, by how many people share them",
        f"Share found: {listing}.",
        paint,
    )


def attacks(readings: Readings) -> str | None:
    """What each attack gains over the same attack on rows held back, with its intervals."""
    found = [r for name in ATTACKS if (r := readings.taken(name))]
    if not found:
        return None
    reaches = [widened(attack, len(found)) for attack in found]

    def paint(chart: Chart) -> None:
        chart.upright(0, INK, 1)
        for line, (attack, (low, high)) in enumerate(zip(found[::-1], reaches[::-1], strict=True)):
            proven = low > 0
            colour = HOLDOUT if proven else RELEASE
            chart.line([(low, line), (high, line)], colour, 1)
            chart.line([(attack.low, line), (attack.high, line)], colour, 3)
            chart.marks([(attack.value, line)], "D" if proven else "o", 6, colour)
            words = short(title_of(attack.name), 44)
            chart.text((0, line + 0.2), words, aside=(3, 0), level="above", edge=True)
        reach = max(0.1, *(abs(end) for ends in reaches for end in ends)) * 1.1
        chart.x.low, chart.x.high, chart.x.most, chart.y.line = -reach, reach, 5, False
        _lines_of_words(chart, -0.6, len(found) - 0.2)
        chart.x.label = "gain over the same attack on held-out rows"

    listing = "; ".join(
        f"{title_of(a.name)} {a.value:.3f}, from {a.low:.3f} to {a.high:.3f}, "
        f"together with the others from {low:.3f} to {high:.3f}"
        for a, (low, high) in zip(found, reaches, strict=True)
    )
    return draw(
        "attacks",
        "What each attack gains over chance, with 95 % intervals",
        f"{listing}.",
        paint,
        height=0.8 + 0.42 * len(found),
    )
