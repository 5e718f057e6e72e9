"""Charts: one function for each picture of the report; none when there is nothing to show."""

from __future__ import annotations

from halfmask.report.charts.dials import Link, dials, dials_unique
from halfmask.report.charts.distributions import attacks, attribute, levels, pairs, positions
from halfmask.report.charts.epsilons import epsilons
from halfmask.report.charts.trade_off import against, beyond, differences, made_of, over_support
from halfmask.report.document import Document

__all__ = ["MOST_ATTRIBUTES", "Link", "attribute", "charts"]

MOST_ATTRIBUTES = 24
"""Attributes with a picture; more would make the page heavy, and the tables hold them all."""


def charts(document: Document, link: Link | None = None) -> dict[str, str]:
    """All pictures of a document by name, as SVG elements.

    With a `link`, each setting in the picture of the dials leads somewhere.
    """
    pictures = {
        "quality": positions(document.readings, "quality"),
        "privacy": positions(document.readings, "privacy"),
        "epsilons": epsilons(document),
        "dials": dials(document, link),
        "dials_unique": dials_unique(document),
        "against": against(document),
        "over_support": over_support(document),
        "made_of": made_of(document),
        "levels": levels(document.readings),
        "differences": differences(document.readings),
        "beyond": beyond(document.readings),
        "pairs": pairs(document.readings),
        "attacks": attacks(document.readings),
    }
    for number, found in enumerate(document.frequencies[:MOST_ATTRIBUTES]):
        pictures[f"attribute_{number}"] = attribute(found, number, document)
    return {name: picture for name, picture in pictures.items() if picture}
