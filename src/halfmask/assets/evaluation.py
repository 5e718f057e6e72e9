"""Evaluation: how much of what the steward cares about a release took away.

ACL = Σ AV·AW (1)    CML = Σ CV·CW (2)    CSL = Σ violations·weight (3)     per information
accuracy lack = Σ ACL·W / |ASSET| (4), completeness (5) and consistency (6) likewise
[Bertino & Nai Fovino, Information Driven Evaluation of Data Hiding Algorithms, 2005]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from halfmask.assets.aligned import Aligned, Ghosts, by_key, by_position
from halfmask.assets.asset import Asset, Information
from halfmask.assets.lacks import Evaluation, Form, InformationLack, Lack
from halfmask.assets.rows import (
    RawRows,
    Source,
    check_attributes,
    original_rows,
    rows_of,
)
from halfmask.assets.unaligned import Unaligned
from halfmask.data import Countable, Release
from halfmask.data.counted import CountedRows
from halfmask.errors import BadInput, NotMeasurable
from halfmask.methods.suppression.hierarchy import Hierarchy

Alignment = Literal["auto", "key", "position", "none"]
"""How rows correspond: by the asset's key, by their place, or not at all."""

ENOUGH_ROWS = 30
"""Fewer rows cannot tell whether they agree by chance."""
_FRESH_KEYS = (
    "Rows with the same key agree no more than rows paired at random: the release seems to "
    "number its rows afresh, so distributions were compared. Use --alignment key to compare "
    "rows all the same."
)

_NO_HIERARCHIES: Mapping[str, Hierarchy] = MappingProxyType({})


def evaluate(  # noqa: PLR0913 - the sides, and how they are laid beside each other
    asset: Asset,
    original: Source,
    release: Source,
    *,
    alignment: Alignment = "auto",
    ghosts: Ghosts = "strict",
    hierarchies: Mapping[str, Hierarchy] = _NO_HIERARCHIES,
    evalset: bool = False,
) -> Evaluation:
    """Hold a release against what matters in its original.

    Rows correspond by the asset's key ("auto": where the release still has it; by their place for
    a release that is known to keep its rows). Where none correspond the free form compares
    distributions; the numbers of the two forms are never comparable (see `lacks.one_form`). With
    `evalset` the keys of changed rows are told, where rows correspond by key.
    """
    before, after = check_original(asset, original), rows_of(release, asset.relation)
    if not before.size or not after.size:
        raise NotMeasurable(
            "The original or the release has no rows, so there is nothing to evaluate."
        )
    chosen = _chosen(asset, before, after, release) if alignment == "auto" else alignment
    if chosen == "none":
        return _summed(asset, "free", Unaligned(before, after, asset.relation))
    if not isinstance(before, RawRows) or not isinstance(after, RawRows):
        raise NotMeasurable(
            "One side has no rows here, so none can correspond to a row of the other."
        )
    if chosen == "key" and not asset.relation.key:
        raise BadInput("The asset names no key, so rows cannot correspond by it.")
    _check_hierarchies(asset, hierarchies)
    pairs = by_key(before, after, asset.relation) if chosen == "key" else by_position(before, after)
    aligned = Aligned(before, after, pairs, asset.relation, hierarchies, ghosts)
    if alignment == "auto" and len(aligned.pairs) >= ENOUGH_ROWS and aligned.agrees_by_chance:
        free = _summed(asset, "free", Unaligned(before, after, asset.relation))
        return replace(free, notes=(*free.notes, _FRESH_KEYS))
    found = _summed(asset, "aligned", aligned)
    return replace(found, evalset=aligned.evalset) if evalset and chosen == "key" else found


def check_original(asset: Asset, original: Source) -> RawRows | CountedRows:
    """The rows of an original that has every attribute of the asset, of the type it says."""
    rows = original_rows(original, asset.relation)
    check_attributes(rows, asset.relation)
    return rows


def _chosen(
    asset: Asset,
    before: RawRows | CountedRows,
    after: RawRows | CountedRows | Countable,
    release: Source,
) -> Literal["key", "position", "none"]:
    """By key where both sides have it, by place for a method that keeps rows, else not at all."""
    if not isinstance(after, RawRows):
        return "none"
    key = asset.relation.key
    if key and all(name in after.columns for name in key):
        return "key"  # an original without it is refused there
    keeps_rows = isinstance(release, Release) and release.kind in ("distorted", "sanitised")
    return "position" if keeps_rows and before.size == after.size else "none"


def _check_hierarchies(asset: Asset, hierarchies: Mapping[str, Hierarchy]) -> None:
    for name, form in asset.relation.attributes.items():
        if form.equal == "ancestor" and name not in hierarchies:
            raise BadInput(f"Attribute {name!r} is compared along a hierarchy, and none was given.")


def _summed(asset: Asset, form: Form, sides: Aligned | Unaligned) -> Evaluation:
    rows = sides.rows()
    found = tuple(_information(one, sides, rows.compared) for one in asset.informations)
    weights = [one.weight for one in asset.informations]

    def over(lacks: list[Lack]) -> Lack:
        raw = sum(lack.raw * w for lack, w in zip(lacks, weights, strict=True)) / len(weights)
        share = sum(lack.normalised * w for lack, w in zip(lacks, weights, strict=True))
        return Lack(raw, share / sum(weights))

    consistency = over([one.consistency for one in found])
    return Evaluation(
        form=form,
        rows=rows,
        informations=found,
        accuracy=over([one.accuracy for one in found]),
        completeness=over([one.completeness for one in found]),
        consistency=consistency,
        consistency_per_row=consistency.raw / rows.compared,
        notes=tuple(_notes(asset, found)),
    )


def _information(
    information: Information, sides: Aligned | Unaligned, compared: int
) -> InformationLack:
    attributes = tuple(
        sides.attribute(weights, information.tested) for weights in information.attributes
    )
    violations = tuple(sides.violations(constraint) for constraint in information.tested)
    consistency = _weighted([(v.counted, v.weight) for v in violations])
    return InformationLack(
        information=information.name,
        weight=information.weight,
        attributes=attributes,
        constraints=violations,
        accuracy=_weighted([(a.accuracy, a.accuracy_weight) for a in attributes]),
        completeness=_weighted(
            [(max(a.completeness, 0.0), a.completeness_weight) for a in attributes]
        ),
        consistency=Lack(consistency.raw, consistency.normalised / compared),
        consistency_per_row=consistency.raw / compared,
        tuples=sides.tuples(information.names),
    )


def _weighted(parts: list[tuple[float, float]]) -> Lack:
    """The sum of values times weights, and the same divided by the weights."""
    raw = sum(value * weight for value, weight in parts)
    total = sum(weight for _, weight in parts)
    return Lack(raw, raw / total if total else 0.0)


def _notes(asset: Asset, found: tuple[InformationLack, ...]) -> list[str]:
    unreadable = {a.attribute: a.unreadable for one in found for a in one.attributes}
    return [
        f"The release holds labels of {name!r} that cannot be read as "
        f"{asset.relation.attributes[name].type}; tests of them are unknown."
        for name, count in unreadable.items()
        if count
    ]
