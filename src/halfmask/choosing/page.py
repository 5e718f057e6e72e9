"""The page of a choice: which method to take, and every candidate beside the others.

Its pictures: growth of time, candidates as points, lacks side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from halfmask.choosing.preselection import Tried
from halfmask.choosing.ranking import FORMS, LACKS, Place, Ranking
from halfmask.choosing.selection import Choice
from halfmask.report.drawing import INK, ORIGINAL, QUIET, RELEASE, draw, plain_axes
from halfmask.report.html import embedded, pictures, render
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

    def paint(axes: Any) -> None:
        plain_axes(axes, grid="both")
        for name, growth, kept in sorted(lines, key=lambda line: line[2]):
            best = name == choice.best
            colour = RELEASE if best else INK if kept else FALLEN
            axes.plot(
                growth.sizes,
                [1000 * s for s in growth.seconds],
                color=colour,
                linewidth=2.2 if best else 1.2,
                alpha=1 if best or not kept else 0.55,
                marker="o" if kept else None,
                markersize=3,
                zorder=3 if best else 2 if kept else 1,
            )
        axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="CPU time (ms)")
        _plain_ticks(axes, choice.setup.sizes)

    listing = "; ".join(f"{name} grows as rows to the {g.exponent:.2f}" for name, g, _ in lines)
    return draw("growth", "CPU time over the number of rows", f"{listing}.", paint)


def _plain_ticks(axes: Any, sizes: Sequence[int]) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    axes.xaxis.set_major_locator(FixedLocator([sizes[0], sizes[len(sizes) // 2], sizes[-1]]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:,g}")


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

    def paint(axes: Any) -> None:
        _scatter(axes, points)
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:g} %")
        axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:g} %")
        axes.set_xlabel("items moved (coarse data quality)")
        axes.set_ylabel("level of privacy")

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

    def paint(axes: Any) -> None:
        _scatter(axes, points)
        axes.set_xlabel(f"{LACKS[one]} lack")
        axes.set_ylabel(f"{LACKS[other]} lack")
        axes.locator_params(nbins=5)

    title = f"{LACKS[one].capitalize()} lack against {LACKS[other]} lack"
    return draw(name, title, f"{listing}.", paint)


def _rank(place: Place, ranking: Ranking) -> Rank:
    return "best" if place is ranking.best else "kept" if place.pareto else "other"


def _scatter(axes: Any, points: Sequence[_Point]) -> None:
    """Points by rank; those that matter are named, points in one place by one label."""
    plain_axes(axes, grid="both")
    looks = {
        "other": {"c": FALLEN, "s": 34, "marker": "o"},
        "kept": {"c": INK, "s": 40, "marker": "s"},
        "best": {"c": RELEASE, "s": 150, "marker": "*"},
    }
    for rank, look in looks.items():
        chosen = [p for p in points if p.rank == rank]
        axes.scatter(
            [p.x for p in chosen],
            [p.y for p in chosen],
            edgecolors="white",
            linewidths=0.7,
            zorder=2 + list(looks).index(rank),
            clip_on=False,
            **look,
        )
    axes.margins(x=0.09, y=0.12)
    for names, x, y, rank in _together([p for p in points if p.rank != "other"], points):
        left, right = axes.get_xlim()
        right_half = x - left > 0.55 * (right - left)
        axes.annotate(
            short(", ".join(names), 34),
            (x, y),
            xytext=(-7 if right_half else 7, 6),
            ha="right" if right_half else "left",
            textcoords="offset points",
            fontsize=8.5,
            color=RELEASE if rank == "best" else INK,
            fontweight="bold" if rank == "best" else "normal",
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

    def paint(axes: Any) -> None:
        for line, place in enumerate(reversed(places)):
            rank = _rank(place, ranking)
            colour = {"best": RELEASE, "kept": INK, "other": ORIGINAL}[rank]
            axes.plot([0, 1], [line, line], color="#e3e7eb", linewidth=1, zorder=1)
            axes.plot([place.low, place.high], [line, line], color=colour, linewidth=2.4)
            axes.plot([place.score], [line], "*" if rank == "best" else "s", color=colour,
                markersize=10 if rank == "best" else 5, clip_on=False)  # fmt: skip
            axes.text(0, line + 0.2, short(place.name, 40), va="bottom", fontsize=9, color=colour,
                fontweight="bold" if rank == "best" else "normal")  # fmt: skip
        axes.set(xlim=(-0.06, 1.06), ylim=(-0.6, len(places) - 0.15), yticks=[])
        axes.set_xticks([0, 1], ["best\nin everything", "worst\nin everything"])
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0, pad=6)

    listing = "; ".join(f"{p.name} {p.score:.3f}, {p.low:.3f} to {p.high:.3f}" for p in places)
    return draw(
        f"{ranking.form}-scores",
        "Weighted score of each candidate, with its range over the test databases",
        f"{listing}.",
        paint,
        height=0.8 + 0.4 * len(places),
    )


def _lacks(ranking: Ranking) -> str | None:
    """Parallel coordinates: an axis for each lack, a line for each candidate."""
    places = ranking.places
    if len(places) < 2:
        return None
    ends = [(min(p.lacks[n] for p in places), max(p.lacks[n] for p in places)) for n in range(3)]

    def height(place: Place, axis: int) -> float:
        low, high = ends[axis]
        return (place.lacks[axis] - low) / (high - low) if high > low else 0.0

    def paint(axes: Any) -> None:
        for axis, (low, high) in enumerate(ends):
            axes.plot([axis, axis], [0, 1], color="#aab2ba", linewidth=1, zorder=1)
            for y, value, side in ((0.0, low, "top"), (1.0, high, "bottom")):
                if value != low or not y:
                    axes.text(axis, y + (0.05 if y else -0.05), _figure(value), ha="center",
                        va=side, fontsize=8.5, color=QUIET)  # fmt: skip
        for place in reversed(places):
            rank = _rank(place, ranking)
            heights = [height(place, axis) for axis in range(3)]
            look = {"best": (RELEASE, 2.6), "kept": (INK, 1.3), "other": (FALLEN, 1.2)}[rank]
            axes.plot(range(3), heights, color=look[0], linewidth=look[1], marker="o",
                markersize=4, clip_on=False, zorder=4 if rank == "best" else 2)  # fmt: skip
        ends_of = [_Point(p.name, 2, height(p, 2), _rank(p, ranking)) for p in places]
        for names, _, y, rank in _together([p for p in ends_of if p.rank != "other"], ends_of):
            axes.text(2.08, y, short(", ".join(names), 20), va="center", fontsize=8.5,
                color=RELEASE if rank == "best" else INK)  # fmt: skip
        axes.set(xlim=(-0.25, 3.0), ylim=(-0.2, 1.18), yticks=[])
        axes.set_xticks(range(3), LACKS)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0, pad=6)

    listing = "; ".join(
        f"{p.name} {', '.join(f'{name} {v:.4g}' for name, v in zip(LACKS, p.lacks, strict=True))}"
        for p in places
    )
    return draw(f"{ranking.form}-lacks", "The three lacks of each candidate", f"{listing}.", paint)
