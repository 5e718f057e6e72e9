"""Refusal: a release that misses its targets is not written; the page that says why is."""

from __future__ import annotations

from collections.abc import Callable

from halfmask.errors import TargetNotMet
from halfmask.io.places import Places
from halfmask.io.writing import write_bytes


def refusal(
    verdict: str, page: Callable[[], bytes], places: Places, *, force: bool
) -> TargetNotMet:
    """The error to raise, once the page stands where the report of a release would.

    A page of an earlier refusal is left alone unless `force`: the sentence is what counts.
    """
    place = places.refused
    if place is None:
        return TargetNotMet(f"{verdict} Nothing was written.")
    if place.exists() and not force:
        return TargetNotMet(
            f"{verdict} No release was written, and the page of an earlier refusal, "
            f"{place.name!r}, was left as it is."
        )
    write_bytes(place, page(), force=force)
    return TargetNotMet(f"{verdict} No release was written; {place.name!r} gives the reasons.")
