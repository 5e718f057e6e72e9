"""Charts: one function for each picture of the report; none when there is nothing to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halfmask.measures import Reading, Readings
from halfmask.report.document import Document
from halfmask.report.drawing import HOLDOUT, INK, ORIGINAL, QUIET, RELEASE, draw, plain_axes
from halfmask.report.frequencies import Frequencies
from halfmask.report.words import ATTACKS, share, short, title_of

__all__ = ["charts"]

MOST_ATTRIBUTES = 24
"""Attributes with a picture; more would make the page heavy, and the tables hold them all."""


def charts(document: Document) -> dict[str, str]:
    """All pictures of a document by name, as SVG elements."""
    pictures = {
        "quality": _positions(document.readings, "quality"),
        "privacy": _positions(document.readings, "privacy"),
        "trade_off": _trade_off(document),
        "against": _against(document),
        "levels": _levels(document.readings),
        "differences": _differences(document.readings),
        "beyond": _beyond(document.readings),
        "pairs": _pairs(document.readings),
        "attacks": _attacks(document.readings),
    }
    for number, found in enumerate(document.frequencies[:MOST_ATTRIBUTES]):
        pictures[f"attribute_{number}"] = _attribute(found, number, document)
    return {name: picture for name, picture in pictures.items() if picture}


def _get(readings: Readings, name: str) -> Reading | None:
    return readings.get(name) if name in readings.names else None


def _details(readings: Readings, name: str, *needed: str) -> Mapping[str, Any] | None:
    reading = _get(readings, name)
    if reading is None or any(key not in reading.details for key in needed):
        return None
    return reading.details


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


def _positions(readings: Readings, room: str) -> str | None:
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

    def paint(axes: Any) -> None:
        for line, position in enumerate(reversed(found)):
            axes.plot([0, 1], [line, line], color="#d5dade", linewidth=1.4, zorder=1)
            if position.holdout is not None:
                _mark(axes, position.holdout, line, {"c": HOLDOUT, "marker": "D", "s": 26})
            _mark(axes, position.release, line, {"c": RELEASE, "marker": "o", "s": 52})
            axes.text(0, line + 0.23, short(position.title, 44), va="bottom", fontsize=9)
        axes.set(xlim=(-0.09, 1.09), ylim=(-0.6, len(found) - 0.2), yticks=[])
        axes.set_xticks([0, 1], ["copy of\nthe original", "independent\ncolumns"])
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0, pad=6)

    return draw(
        f"position-{room}",
        f"{room.capitalize()}: the release between a copy and independent columns",
        f"From a copy at 0 % to independent columns at 100 %: {sentence}.",
        paint,
        height=0.9 + 0.42 * len(found),
    )


def _mark(axes: Any, x: float, line: int, look: Mapping[str, Any]) -> None:
    """A mark on the scale; beyond its ends an arrowhead points to where it would be."""
    shape = "<" if x < -0.05 else ">" if x > 1.05 else look["marker"]
    place = min(max(x, -0.05), 1.05)
    axes.scatter(
        [place], [line], zorder=3, edgecolors="white", linewidths=0.8, **{**look, "marker": shape}
    )


def _trade_off(document: Document) -> str | None:
    points = document.trade_off
    if len(points) < 2:
        return None
    here = min(points, key=lambda point: abs(point.min_support - document.min_support))
    levels, scores = [p.min_support for p in points], [p.nas for p in points]

    def paint(axes: Any) -> None:
        plain_axes(axes)
        axes.plot(levels, scores, color=RELEASE, marker="o", markersize=3.5, linewidth=1.6)
        axes.plot(
            [here.min_support],
            [here.nas],
            "o",
            markersize=11,
            markerfacecolor="none",
            markeredgecolor=INK,
            markeredgewidth=1.6,
        )
        axes.annotate(
            "this release",
            (here.min_support, here.nas),
            xytext=(10, 10),
            textcoords="offset points",
            fontsize=9,
        )
        axes.set_xscale("log")
        axes.set_ylim(0, max(0.05, *scores) * 1.22)
        _plain_log_ticks(axes, levels)
        axes.set_xlabel("minimum support (rows)")
        axes.set_ylabel("expected NAS")

    listing = ", ".join(f"{p.nas:.2f} at {p.min_support:,}" for p in points)
    return draw(
        "trade-off",
        "Expected anonymity score over the minimum support",
        f"The score to expect: {listing}. This release: {here.min_support:,}.",
        paint,
    )


def _against(document: Document) -> str | None:
    points = [(p.bits_lost, p) for p in document.trade_off if p.bits_lost is not None]
    if len(points) < 2:
        return None
    lost, scores = [bits for bits, _ in points], [p.nas for _, p in points]
    here = min(points, key=lambda point: abs(point[1].min_support - document.min_support))

    def paint(axes: Any) -> None:
        plain_axes(axes, grid="both")
        axes.plot(lost, scores, color=RELEASE, marker="o", markersize=3.5, linewidth=1.6)
        axes.plot([here[0]], [here[1].nas], "o", ms=11, mfc="none", mec=INK, mew=1.6, clip_on=False)
        for bits, point in points[2::3]:
            axes.annotate(
                f"{point.min_support:,}",
                (bits, point.nas),
                xytext=(7, 4),
                textcoords="offset points",
                fontsize=8.5,
                color=QUIET,
            )
        axes.set_xlim(-0.04 * max(lost), max(lost) * 1.12 or 1)
        axes.set_ylim(0, max(0.05, *scores) * 1.22)
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
        axes.set_xlabel("bits lost")
        axes.set_ylabel("expected NAS")

    listing = ", ".join(f"{share(b)} and {p.nas:.2f} at {p.min_support:,}" for b, p in points)
    return draw(
        "against",
        "Expected anonymity score against the bits lost",
        f"Bits lost and score by minimum support: {listing}.",
        paint,
    )


def _plain_log_ticks(axes: Any, levels: Sequence[int]) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    step = max(1, (len(levels) + 4) // 5)
    axes.xaxis.set_major_locator(FixedLocator(levels[::step]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))


def _levels(readings: Readings) -> str | None:
    details = _details(readings, "nas", "levels", "share_per_level")
    if details is None:
        return None
    levels, found = details["levels"][:40], details["share_per_level"][:40]

    def paint(axes: Any) -> None:
        plain_axes(axes)
        axes.plot(levels, found, color=RELEASE, marker="o", markersize=4, linewidth=1.4)
        axes.set_ylim(-0.03, 1.05)
        axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f} %")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel("persons who share the row")
        axes.set_ylabel("found in the release")

    listing = ", ".join(f"{share(y)} at {x:,}" for x, y in zip(levels, found, strict=True))
    return draw(
        "levels",
        "Share of the original's rows found, by how many persons share them",
        f"Share found: {listing}.",
        paint,
    )


def _differences(readings: Readings) -> str | None:
    details = _details(readings, "support_difference", "histogram", "histogram_edges")
    if details is None:
        return None
    edges, heights = details["histogram_edges"], details["histogram"]

    def paint(axes: Any) -> None:
        plain_axes(axes)
        axes.stairs(heights, edges, fill=True, color=RELEASE, alpha=0.85)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:+.1f} %" if x else "0")
        axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f} %")
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel("support in the release less support in the original")
        axes.set_ylabel("share of the patterns")

    peak = max(range(len(heights)), key=lambda i: heights[i])
    return draw(
        "differences",
        "How far the supports of common patterns moved",
        f"The most common difference lies between {100 * edges[peak]:.2f} and "
        f"{100 * edges[peak + 1]:.2f} per cent of the rows, for {share(heights[peak])} of "
        "the patterns.",
        paint,
    )


def _beyond(readings: Readings) -> str | None:
    details = _details(readings, "support_difference", "deltas", "share_beyond_delta")
    if details is None:
        return None
    deltas, beyond = details["deltas"], details["share_beyond_delta"]

    def paint(axes: Any) -> None:
        plain_axes(axes)
        axes.plot(deltas, beyond, color=RELEASE, marker="o", markersize=4, linewidth=1.6)
        axes.set_xscale("log")
        axes.set_ylim(-0.03, 1.05)
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:g} %")
        axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f} %")
        axes.set_xlabel("δ, share of the rows")
        axes.set_ylabel("patterns that moved by more than δ")

    listing = ", ".join(f"{share(y)} beyond {x:.2%}" for x, y in zip(deltas, beyond, strict=True))
    return draw(
        "beyond", "Share of patterns whose support moved by more than δ", f"{listing}.", paint
    )


def _pairs(readings: Readings) -> str | None:
    details = _details(readings, "marginals_2", "ten_worst")
    if details is None:
        return None
    worst = details["ten_worst"]

    def paint(axes: Any) -> None:
        for line, pair in enumerate(reversed(worst)):
            axes.barh(line, pair["distance"], height=0.3, color=RELEASE)
            label = short(" × ".join(pair["attributes"]), 40)
            axes.text(
                0, line + 0.22, f"{label}  {share(pair['distance'])}", va="bottom", fontsize=9
            )
        axes.set(yticks=[], xticks=[], ylim=(-0.4, len(worst) - 0.15))
        axes.spines[["top", "right", "bottom"]].set_visible(False)

    listing = ", ".join(f"{' and '.join(p['attributes'])} {share(p['distance'])}" for p in worst)
    return draw(
        "pairs",
        "The pairs of attributes whose joint frequencies moved most",
        f"{listing}.",
        paint,
        height=0.4 + 0.36 * len(worst),
    )


def _attacks(readings: Readings) -> str | None:
    found = [r for name in ATTACKS if (r := _get(readings, name)) is not None]
    if not found:
        return None

    def paint(axes: Any) -> None:
        axes.axvline(0, color=INK, linewidth=1)
        for line, attack in enumerate(reversed(found)):
            colour = HOLDOUT if attack.low > 0 else RELEASE
            axes.plot(
                [attack.low, attack.high],
                [line, line],
                color=colour,
                linewidth=2.2,
                solid_capstyle="butt",
            )
            axes.plot(
                [attack.value], [line], "D" if attack.low > 0 else "o", color=colour, markersize=6
            )
            axes.text(
                0.01,
                line + 0.2,
                short(title_of(attack.name), 44),
                va="bottom",
                fontsize=9,
                transform=axes.get_yaxis_transform(),
            )
        reach = max(0.1, *(max(abs(a.low), abs(a.high)) for a in found)) * 1.1
        axes.set(xlim=(-reach, reach), ylim=(-0.6, len(found) - 0.2), yticks=[])
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0, pad=5)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel("gain over the same attack on rows held back")

    listing = "; ".join(
        f"{title_of(a.name)} {a.value:.3f}, from {a.low:.3f} to {a.high:.3f}" for a in found
    )
    return draw(
        "attacks",
        "What each attack gains over luck, with 95 % intervals",
        f"{listing}.",
        paint,
        height=0.8 + 0.42 * len(found),
    )


def _attribute(found: Frequencies, number: int, document: Document) -> str | None:
    totals = max(document.original_rows, 1), max(document.release.size, 1)
    lines = [
        (value.label, (value.original or 0) / totals[0], (value.release or 0) / totals[1])
        for value in found.values
    ]
    if not lines:
        return None

    def paint(axes: Any) -> None:
        for line, (label, original, release) in enumerate(reversed(lines)):
            axes.barh(line, original, height=0.19, color=ORIGINAL)
            axes.barh(line - 0.2, release, height=0.19, color=RELEASE)
            axes.text(0, line + 0.14, short(label, 44), va="bottom", fontsize=9)
        top = max(max(o, r) for _, o, r in lines)
        axes.set(yticks=[], ylim=(-0.4, len(lines) - 0.25), xlim=(0, top * 1.04 or 1))
        axes.spines[["top", "right", "bottom"]].set_visible(False)
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
        axes.locator_params(axis="x", nbins=4)
        axes.tick_params(length=0, labelsize=8.5, colors=QUIET)

    listing = ", ".join(f"{label} {share(o)} and {share(r)}" for label, o, r in lines)
    return draw(
        f"attribute-{number}",
        f"{found.name}: original and release",
        f"Share of the rows in original and release: {listing}.",
        paint,
        height=0.45 + 0.4 * len(lines),
    )
