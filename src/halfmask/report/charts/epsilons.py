"""ε as a dial: how near releases with more or less noise would be to people."""

from __future__ import annotations

from halfmask.report.document import Document
from halfmask.report.drawing import QUIET, RELEASE, Chart, draw
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

    def paint(chart: Chart) -> None:
        path = [(epsilon, off) for epsilon, off, _ in shown]
        chart.line(path, RELEASE, 1.4)
        chart.marks(path, "o", 5, RELEASE)
        for epsilon, off, here in shown:
            if here:
                chart.ring((epsilon, off))
            chart.text(
                (epsilon, off), f"ε = {epsilon:g}", aside=(0, 8), anchor="middle", level="above"
            )
        top = max(off for _, off in path)
        if sample is not None and people:
            top = max(top, sample)
            chart.across(sample, QUIET, 1, dash="4 3")
            words = "a second sample of real rows"
            chart.text((1, sample), words, aside=(4, -3), level="below", colour=QUIET, edge=True)
        chart.x.log, chart.x.grid, chart.x.room = True, True, 0.15
        chart.x.ticks = [epsilon for epsilon, _ in path]
        chart.y.low, chart.y.high = 0, 1.25 * top
        chart.x.label = "ε (logarithmic)"
        chart.y.label = "pairs off by, from people" if people else "pairs off by"

    told = "; ".join(f"ε = {epsilon:g}: {number(off)}" for epsilon, off, _ in shown)
    return draw("epsilons", "Error of pairs over ε", f"How far pairs are off. {told}.", paint)
