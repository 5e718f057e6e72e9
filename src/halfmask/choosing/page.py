"""The page of a choice: which method to take, and every candidate beside the others."""

from __future__ import annotations

from halfmask.choosing.charts import charts
from halfmask.choosing.preselection import Tried
from halfmask.choosing.ranking import FORMS
from halfmask.choosing.selection import Selection
from halfmask.report.html import embedded, pictures, render
from halfmask.report.words import number, share


def choice_page(selection: Selection) -> bytes:
    """One self-contained page: no network, no script; the same selection, the same bytes."""
    return render(
        "choice.html.j2",
        {"number": number, "share": _share, "seconds": _seconds, "growth": _growth},
        selection=selection,
        setup=selection.setup,
        forms=FORMS,
        charts=pictures(charts(selection)),
        machine=embedded(selection.to_dict()),
        failure="Still found" if selection.setup.patterns else "Rare rows",
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


def _growth(tried: Tried) -> str:
    growth = None if tried.general is None else tried.general.growth
    if growth is None:
        return "–"
    return f"{growth.exponent:.2f} ({growth.low:.2f} to {growth.high:.2f})".replace("-", "−")
