"""What a basket generator says of its release: the claim, the record of the making, the doubts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halfmask.data import Baskets, Claim, Release
from halfmask.methods.baskets.pool import BasketFit

if TYPE_CHECKING:
    from halfmask.methods.baskets.model import BasketModel


FEW_PATTERNS = 2.0
"""Below this mean number of patterns a basket, many baskets are one single pattern."""
MOST_NAMED = 5
"""Sets named in a sentence."""


def release_of(drawn: Baskets, steps: int, fit: BasketFit | None, *, model: BasketModel) -> Release:
    """The release of baskets that took so many steps in all to fill."""
    mean = steps / max(len(drawn), 1)
    met = (
        ""
        if fit is None
        else ", and every count that the release was made to meet is one of as many"
    )
    rounded = f", rounded to multiples of {model.base}" if met and model.base > 1 else ""
    return Release(
        data=drawn,
        kind="synthetic",
        method="basket generator",
        iso_class="synthetic data",
        claim=Claim(
            promise=f"Every basket is put together from patterns that at least "
            f"{model.min_support:,} baskets of the original hold{met}{rounded}",
            assumption="such patterns may be known",
            terms={"min_support": model.min_support, "patterns": len(model.patterns)},
        ),
        record={
            "min_support": model.min_support,
            "patterns_per_basket": mean,
            **({"round_margins": model.base} if model.base > 1 else {}),
            **({"calibrate": 0} if fit is None else fit.facts()),
        },
        notes=tuple(_notes(mean, fit, model)),
    )


def _notes(mean: float, fit: BasketFit | None, model: BasketModel) -> list[str]:
    notes = []
    if mean < FEW_PATTERNS:
        notes.append(
            f"A basket takes {mean:.2f} patterns on average, so many baskets are one single "
            f"pattern, which at least {model.min_support:,} baskets of the original hold."
        )
    if fit is not None and fit.missed.any():
        named = fit.named(model.schema, MOST_NAMED)
        worst = f", the worst {', '.join(named)}" if named else ""
        notes.append(
            f"{fit.missed.sum():,} of {len(fit.missed):,} counts could not be met to within "
            f"chance, {fit.unreachable.sum():,} of them because no basket drawn has them{worst}."
        )
    if not model.complete:
        notes.append("The search for patterns was stopped before its end.")
    return notes
