"""ε as a dial: how near releases with more or less noise would be to people."""

from __future__ import annotations

from typing import Any

from halfmask.report.document import Document
from halfmask.report.drawing import INK, QUIET, RELEASE, draw, plain_axes
from halfmask.report.words import number

FEWEST = 2


def epsilons(document: Document) -> str | None:
    """How far pairs are off at each ε: from people, where some were held back."""
    people = any(point.pairs_people is not None for point in document.epsilons)
    shown = [
        (point.epsilon, off, point.here)
        for point in document.epsilons
        if (off := point.pairs_people if people else point.pairs) is not None
    ]
    if len(shown) < FEWEST:
        return None
    sample = next((p.second_sample for p in document.epsilons if p.second_sample), None)

    def paint(axes: Any) -> None:
        plain_axes(axes, grid="both")
        across, up, _ = zip(*shown, strict=True)
        axes.plot(across, up, color=RELEASE, marker="o", ms=5, lw=1.4)
        for epsilon, off, here in shown:
            if here:
                axes.plot([epsilon], [off], "o", ms=12, mfc="none", mec=INK, mew=1.4)
            axes.annotate(
                f"ε = {epsilon:g}", (epsilon, off), (0, 9), textcoords="offset points", ha="center"
            )
        if sample is not None and people:
            axes.axhline(sample, color=QUIET, lw=1, ls="--")
            axes.annotate(
                "a second sample of real rows", (across[0], sample), (0, -11),
                textcoords="offset points", color=QUIET,
            )  # fmt: skip
        axes.set_xscale("log")
        axes.set_xticks(across, [f"{epsilon:g}" for epsilon in across])
        axes.minorticks_off()
        axes.margins(x=0.15, y=0.2)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("ε (logarithmic)")
        axes.set_ylabel("pairs off by, from people" if people else "pairs off by")

    told = "; ".join(f"ε = {epsilon:g}: {number(off)}" for epsilon, off, _ in shown)
    return draw("epsilons", "Error of pairs over ε", f"How far pairs are off. {told}.", paint)
