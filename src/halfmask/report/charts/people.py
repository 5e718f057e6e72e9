"""People: what comes back of them, and what attacks on them gain."""

from __future__ import annotations

from typing import Any

from halfmask.judging.verdict import ATTACKS, widened
from halfmask.measures import Readings
from halfmask.report.drawing import HOLDOUT, INK, RELEASE, draw, per_cent, plain_axes
from halfmask.report.words import details_of, share, short, title_of


def levels(readings: Readings) -> str | None:
    """The share of the original's rows found in the release, by how many persons share them."""
    details = details_of(readings, "nas", "levels", "share_per_level")
    if details is None:
        return None
    shared_by, found = details["levels"][:40], details["share_per_level"][:40]

    def paint(axes: Any) -> None:
        plain_axes(axes)
        axes.plot(shared_by, found, color=RELEASE, marker="o", markersize=4, linewidth=1.4)
        axes.set_ylim(-0.03, 1.05)
        per_cent(axes.yaxis)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel("persons who share the row")
        axes.set_ylabel("found in the release")

    listing = ", ".join(f"{share(y)} at {x:,}" for x, y in zip(shared_by, found, strict=True))
    return draw(
        "levels",
        "Share of the original's rows found, by how many persons share them",
        f"Share found: {listing}.",
        paint,
    )


def attacks(readings: Readings) -> str | None:
    """What each attack gains over the same attack on rows held back, with its intervals."""
    found = [r for name in ATTACKS if (r := readings.taken(name))]
    if not found:
        return None
    reaches = [widened(attack, len(found)) for attack in found]

    def paint(axes: Any) -> None:
        axes.axvline(0, color=INK, linewidth=1)
        for line, (attack, (low, high)) in enumerate(zip(found[::-1], reaches[::-1], strict=True)):
            proven = low > 0
            look = {"color": HOLDOUT if proven else RELEASE, "solid_capstyle": "butt"}
            axes.plot([low, high], [line, line], linewidth=1, **look)
            axes.plot([attack.low, attack.high], [line, line], linewidth=3, **look)
            axes.plot([attack.value], [line], "D" if proven else "o", ms=6, color=look["color"])
            axes.text(
                0.01,
                line + 0.2,
                short(title_of(attack.name), 44),
                va="bottom",
                fontsize=9,
                transform=axes.get_yaxis_transform(),
            )
        reach = max(0.1, *(abs(end) for ends in reaches for end in ends)) * 1.1
        axes.set(xlim=(-reach, reach), ylim=(-0.6, len(found) - 0.2), yticks=[])
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0, pad=5)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel("gain over the same attack on rows held back")

    listing = "; ".join(
        f"{title_of(a.name)} {a.value:.3f}, from {a.low:.3f} to {a.high:.3f}, "
        f"together with the others from {low:.3f} to {high:.3f}"
        for a, (low, high) in zip(found, reaches, strict=True)
    )
    return draw(
        "attacks",
        "What each attack gains over luck, with 95 % intervals",
        f"{listing}.",
        paint,
        height=0.8 + 0.42 * len(found),
    )
