"""The page of a choice: which method to take, and every candidate beside the others.

Its pictures: growth of time, candidates as points, lacks side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from halfmask.choosing.preselection import Tried
from halfmask.choosing.ranking import FORMS, LACKS, Place, Ranking
from halfmask.choosing.selection import Choice
from halfmask.report.axis import per_cent
from halfmask.report.drawing import INK, ORIGINAL, QUIET, RELEASE, Chart, draw
from halfmask.report.html import embedded, pictures, render
from halfmask.report.shapes import Level
from halfmask.report.words import number, share, short

Rank = Literal["best", "kept", "other"]
FALLEN = "#c3cad1"


def choice_page(choice: Choice) -> bytes:
    """One self-contained page: no network, no script; the same selection, the same bytes."""
    return render(
        "choice.html.j2",
        {"number": number, "share": _share, "seconds": _seconds, "growth": _exponent},
        selection=choice,
        setup=choice.setup,
        forms=FORMS,
        charts=pictures(_charts(choice)),
        machine=embedded(choice.to_dict()),
        failure="Still found" if choice.setup.patterns else "Rare rows",
    )


def _share(value: float | None) -> str:
    return "–" if value is None else share(value)


def _seconds(value: float) -> str:
    """CPU time with as many digits as it deserves.

    >>> _seconds(0.00314), _seconds(0.42), _seconds(12.3)
    ('3.1 ms', '0.42 s', '12 s')
    """
    if value < 0.1:
        return f"{1000 * value:.2g} ms"
    return f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"


def _exponent(tried: Tried) -> str:
    growth = None if tried.general is None else tried.general.growth
    if growth is None:
        return "–"
    return f"{growth.exponent:.2f} ({growth.low:.2f} to {growth.high:.2f})".replace("-", "−")


def _charts(choice: Choice) -> dict[str, str | None]:
    """All pictures by name, as SVG elements."""
    drawn = {"growth": _growth(choice), "general": _general(choice)}
    for ranking in choice.rankings:
        drawn[f"{ranking.form}_scores"] = _scores(ranking)
        drawn[f"{ranking.form}_lacks"] = _lacks(ranking)
        for one, other in ((0, 1), (0, 2)):
            name = f"{ranking.form}_{LACKS[other]}"
            drawn[name] = _pareto(name, ranking, one, other)
    return drawn


@dataclass(frozen=True, slots=True)
class _Point:
    label: str
    x: float
    y: float
    rank: Rank


def _growth(choice: Choice) -> str | None:
    lines = [
        (t.candidate.name, t.general.growth, t.kept)
        for t in choice.tried
        if t.general is not None and t.general.growth is not None
    ]
    if not lines:
        return None

    def paint(chart: Chart) -> None:
        for name, growth, kept in sorted(lines, key=lambda line: line[2]):
            best = name == choice.best
            colour = RELEASE if best else INK if kept else FALLEN
            path = [(n, 1000 * s) for n, s in zip(growth.sizes, growth.seconds, strict=True)]
            layer = 3 if best else 2 if kept else 1
            faint = 1 if best or not kept else 0.55
            chart.line(path, colour, 2.2 if best else 1.2, opacity=faint, layer=layer)
            chart.marks(path if kept else (), "o", 3.5, colour, layer=layer)
        sizes = choice.setup.sizes
        chart.x.log = chart.y.log = chart.x.grid = True
        chart.x.label, chart.y.label = "rows", "CPU time (ms)"
        chart.x.ticks = (sizes[0], sizes[len(sizes) // 2], sizes[-1])
        chart.x.words = chart.y.words = lambda value: f"{value:,g}"

    listing = "; ".join(f"{name} grows as rows to the {g.exponent:.2f}" for name, g, _ in lines)
    return draw("growth", "CPU time over the number of rows", f"{listing}.", paint)


def _general(choice: Choice) -> str | None:
    points = [
        _Point(
            t.candidate.name,
            t.general.release.dissimilarity,
            t.general.release.privacy,
            "best" if t.candidate.name == choice.best else "kept" if t.kept else "other",
        )
        for t in choice.tried
        if t.general is not None
        and t.general.release.dissimilarity is not None
        and t.general.release.privacy is not None
    ]
    listing = "; ".join(f"{p.label} {p.x:.1%} moved, privacy {p.y:.1%}" for p in points)

    def paint(chart: Chart) -> None:
        _scatter(chart, points)
        chart.x.words = chart.y.words = per_cent
        chart.x.label, chart.y.label = "items moved (coarse data quality)", "level of privacy"

    return (
        draw("general", "Privacy against coarse quality", f"{listing}.", paint) if points else None
    )


def _pareto(name: str, ranking: Ranking, one: int, other: int) -> str | None:
    points = [
        _Point(p.name, p.lacks[one], p.lacks[other], _rank(p, ranking)) for p in ranking.places
    ]
    if len({p.x for p in points}) < 2 or len({p.y for p in points}) < 2:
        return None  # on one line there is nothing to weigh
    listing = "; ".join(f"{p.label} {p.x:.4g} and {p.y:.4g}" for p in points)

    def paint(chart: Chart) -> None:
        _scatter(chart, points)
        chart.x.label, chart.y.label = f"{LACKS[one]} lack", f"{LACKS[other]} lack"
        chart.x.most = chart.y.most = 5

    title = f"{LACKS[one].capitalize()} lack against {LACKS[other]} lack"
    return draw(name, title, f"{listing}.", paint)


def _rank(place: Place, ranking: Ranking) -> Rank:
    return "best" if place is ranking.best else "kept" if place.pareto else "other"


def _scatter(chart: Chart, points: Sequence[_Point]) -> None:
    """Points by rank; those that matter are named, points in one place by one label."""
    looks = {"other": ("o", 6.0, FALLEN), "kept": ("s", 6.0, INK), "best": ("*", 12.0, RELEASE)}
    for rank, look in looks.items():
        chart.marks([(p.x, p.y) for p in points if p.rank == rank], *look)
    chart.x.grid, chart.x.room, chart.y.room = True, 0.09, 0.12
    middle = (min(p.x for p in points) + max(p.x for p in points)) / 2
    for names, x, y, rank in _together([p for p in points if p.rank != "other"], points):
        right = x > middle
        chart.text(
            (x, y),
            short(", ".join(names), 34),
            aside=(-7 if right else 7, 3),
            anchor="end" if right else "start",
            level="above",
            size=8.5,
            colour=RELEASE if rank == "best" else INK,
            bold=rank == "best",
        )


def _together(
    chosen: Sequence[_Point], every: Sequence[_Point]
) -> list[tuple[list[str], float, float, Rank]]:
    """Labels of points that lie in about the same place, the best first."""
    width = max(p.x for p in every) - min(p.x for p in every) or 1.0
    height = max(p.y for p in every) - min(p.y for p in every) or 1.0
    found: list[tuple[list[str], float, float, Rank]] = []
    for point in sorted(chosen, key=lambda p: p.rank != "best"):
        for names, x, y, _ in found:
            if abs(x - point.x) < 0.12 * width and abs(y - point.y) < 0.07 * height:
                names.append(point.label)
                break
        else:
            found.append(([point.label], point.x, point.y, point.rank))
    return found


def _figure(value: float) -> str:
    return number(float(f"{value:.2g}"))


def _scores(ranking: Ranking) -> str:
    places = ranking.places

    def paint(chart: Chart) -> None:
        for line, place in enumerate(reversed(places)):
            rank = _rank(place, ranking)
            colour = {"best": RELEASE, "kept": INK, "other": ORIGINAL}[rank]
            best = rank == "best"
            chart.line([(0, line), (1, line)], "#e3e7eb", 1, layer=1)
            chart.line([(place.low, line), (place.high, line)], colour, 2.4)
            chart.marks([(place.score, line)], "*" if best else "s", 10 if best else 5, colour)
            name = short(place.name, 40)
            chart.text((0, line + 0.2), name, level="above", colour=colour, bold=best)
        chart.x.low, chart.x.high, chart.y.line = -0.06, 1.06, False
        chart.y.low, chart.y.high, chart.y.ticks = -0.6, len(places) - 0.15, ()
        chart.x.ticks, chart.x.names = (0, 1), ("best\nin everything", "worst\nin everything")

    listing = "; ".join(f"{p.name} {p.score:.3f}, {p.low:.3f} to {p.high:.3f}" for p in places)
    return draw(
        f"{ranking.form}-scores",
        "Weighted score of each candidate, with its range over the test databases",
        f"{listing}.",
        paint,
        height=0.8 + 0.4 * len(places),
    )


def _end_of_axis(chart: Chart, place: tuple[float, float], value: float, level: Level) -> None:
    chart.text(place, _figure(value), level=level, size=8.5, colour=QUIET, anchor="middle")


def _lacks(ranking: Ranking) -> str | None:
    """Parallel coordinates: an axis for each lack, a line for each candidate."""
    places = ranking.places
    if len(places) < 2:
        return None
    ends = [(min(p.lacks[n] for p in places), max(p.lacks[n] for p in places)) for n in range(3)]

    def height(place: Place, axis: int) -> float:
        low, high = ends[axis]
        return (place.lacks[axis] - low) / (high - low) if high > low else 0.0

    def paint(chart: Chart) -> None:
        chart.no_frame()
        for axis, (low, high) in enumerate(ends):
            chart.line([(axis, 0), (axis, 1)], "#aab2ba", 1, layer=1)
            _end_of_axis(chart, (axis, -0.05), low, "below")
            if high != low:
                _end_of_axis(chart, (axis, 1.05), high, "above")
        for place in reversed(places):
            rank = _rank(place, ranking)
            heights = [height(place, axis) for axis in range(3)]
            look = {"best": (RELEASE, 2.6), "kept": (INK, 1.3), "other": (FALLEN, 1.2)}[rank]
            layer = 4 if rank == "best" else 2
            chart.line(enumerate(heights), *look, layer=layer)
            chart.marks(enumerate(heights), "o", 4.5, look[0], layer=layer)
        ends_of = [_Point(p.name, 2, height(p, 2), _rank(p, ranking)) for p in places]
        for names, _, y, rank in _together([p for p in ends_of if p.rank != "other"], ends_of):
            colour = RELEASE if rank == "best" else INK
            chart.text((2.08, y), short(", ".join(names), 20), size=8.5, colour=colour)
        chart.x.low, chart.x.high, chart.y.low, chart.y.high = -0.25, 3.0, -0.2, 1.18
        chart.x.ticks, chart.x.names = range(3), LACKS

    listing = "; ".join(
        f"{p.name} {', '.join(f'{name} {v:.4g}' for name, v in zip(LACKS, p.lacks, strict=True))}"
        for p in places
    )
    return draw(f"{ranking.form}-lacks", "The three lacks of each candidate", f"{listing}.", paint)
