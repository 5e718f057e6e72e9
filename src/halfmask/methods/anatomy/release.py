"""AnatomisedRelease: the tables, what they promise, and what stays in the house."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from halfmask.data.published.anatomised import AnatomisedTables
from halfmask.data.release import Claim, Fact, Release
from halfmask.methods.anatomy.bounds import Bounds
from halfmask.methods.anatomy.cells import Cells, EmptyPolicy
from halfmask.methods.anatomy.eligibility import OnIneligible
from halfmask.methods.anatomy.partition import Partition
from halfmask.methods.anatomy.publication import permute
from halfmask.randomness import Randomness

JOINED_AT_RANDOM = (
    "The rows were joined at random from the values of their bucket: a row of the release is not "
    "a row of the original, though it may equal one."
)
ITEMS_NOT_COVERED = (
    "The bound covers guessing everything a person holds in a column; where all values of a bucket "
    "share an item, a reader learns that item (see the measure item_disclosure)."
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What was asked of the anatomy."""

    level: Fraction
    empty: EmptyPolicy
    on_ineligible: OnIneligible


@dataclass(frozen=True, eq=False)
class HouseRecord:
    """What the steward may look at and nobody else: it is never written with the release."""

    bucket_of: NDArray[np.int32]
    """The bucket of every original row, -1 for a row left out."""
    suppressed: NDArray[np.int64]
    """The original rows left out."""
    partition: Partition
    seconds: Mapping[str, float]
    """The time of each phase."""


@dataclass(frozen=True, eq=False)
class AnatomisedRelease(Release):
    """Anatomised tables as a release; `as_baskets` gives the permuted rows instead."""

    data: AnatomisedTables
    house: HouseRecord = field(kw_only=True, repr=False)

    def as_baskets(self, *, randomness: Randomness) -> Release:
        """The release as baskets, joined at random within each bucket, without bucket numbers."""
        return Release(
            data=permute(self.data, randomness=randomness).baskets,
            kind=self.kind,
            method="anatomy, permuted",
            iso_class=self.iso_class,
            claim=self.claim,
            record=self.record,
            notes=(
                *self.notes,
                JOINED_AT_RANDOM,
            ),
        )


def claim_of(settings: Settings, tables: AnatomisedTables, bounds: Bounds) -> Claim:
    """The bound on guessing a column value, as the tables themselves keep it."""
    reached = tables.diversity(count_empty=settings.empty == "count")
    terms: dict[str, Fact] = {
        "l": float(settings.level),
        "empty": settings.empty,
        "largest_share": round(float(1 / reached.min()), 12),
    }
    what = "name what a person holds in one column"
    if settings.on_ineligible == "effective_l" and reached.min() < settings.level:
        terms["l_of_columns"] = tuple(round(float(level), 6) for level in reached)
        chance = f"1/{float(reached.min()):.4g} (each column has its own bound)"
    elif settings.on_ineligible == "relative" and bounds.largest_share() > 1 / settings.level:
        terms["relative"] = True
        chance = (
            f"1/{float(settings.level):g}, or little above the value's share in the whole where "
            f"that is larger; at most {1 / reached.min():.4g} here"
        )
    else:
        chance = f"1/{float(settings.level):g}"
    nothing = " some item" if settings.empty == "exempt" else ""
    return Claim(
        promise=f"Nobody can {what}{', if it is' + nothing if nothing else ''}, with a probability "
        f"above {chance}",
        assumption="the attacker knows the person's other columns at most, and guesses whole "
        "column values: single items are not covered",
        terms=terms,
    )


def record_of(
    settings: Settings, tables: AnatomisedTables, cells: Cells, partition: Partition
) -> dict[str, Fact]:
    """The facts of the making that a reader may know."""
    counting = settings.empty == "count"
    return {
        "l": float(settings.level),
        "empty": settings.empty,
        "on_ineligible": settings.on_ineligible,
        "columns": tables.n_columns,
        "items_of_columns": cells.columns.sizes,
        "buckets": tables.n_buckets,
        "smallest_bucket": int(tables.bucket_sizes.min()),
        "largest_bucket": int(tables.bucket_sizes.max()),
        "l_reached": tuple(
            round(float(level), 6) if np.isfinite(level) else None
            for level in tables.diversity(count_empty=counting)
        ),
        "largest_empty_share": largest_empty_share(tables),
        "rows_suppressed": len(cells.of_row) - len(cells.kept),
        "buckets_merged": partition.merges,
    }


def largest_empty_share(tables: AnatomisedTables) -> float:
    """The largest share of a bucket that holds nothing in some column."""
    empty = tables.is_empty_value()
    if not empty.any():
        return 0.0
    sizes = tables.bucket_sizes[tables.entries.buckets[empty]]
    return float((tables.entries.counts[empty] / sizes).max())


def notes_of(
    settings: Settings, tables: AnatomisedTables, cells: Cells, asked_columns: int
) -> tuple[str, ...]:
    """What the steward should read before publishing."""
    notes = [ITEMS_NOT_COVERED]
    if settings.empty == "exempt":
        notes.append(
            "Holding nothing in a column is not protected: it was exempt from the bound, and makes "
            f"up as much as {largest_empty_share(tables):.1%} of a bucket."
        )
    left_out = len(cells.of_row) - len(cells.kept)
    if left_out:
        notes.append(f"{left_out:,} of {len(cells.of_row):,} rows were left out.")
    if tables.n_columns < asked_columns:
        notes.append(f"{asked_columns} columns were asked for; the release has {tables.n_columns}.")
    return tuple(notes)
