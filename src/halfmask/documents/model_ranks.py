"""Model ranks: rank correlations as the lines of a document, and back with every line checked."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from halfmask.data import Schema
from halfmask.data.coding.ordering import MOST_VARIABLES, is_ordered
from halfmask.data.coding.ranks import RankPair, Ranks
from halfmask.documents.model_document import ModelDocument, RankDocument
from halfmask.errors import BadInput
from halfmask.methods.names import forbidden_pairs


def documents_of_ranks(schema: Schema) -> list[RankDocument] | UnsetType:
    """The rank correlations that are told; unset where there are none."""
    if schema.ranks is None:
        return UNSET
    return [RankDocument((p.one, p.other), p.correlation, p.value) for p in schema.ranks.pairs]


def ranks_of(document: ModelDocument, schema: Schema) -> Ranks | None:
    """The rank correlations in a document; those of columns without order are refused."""
    if document.ranks is UNSET:
        return None
    pairs = []
    for given in document.ranks:
        one, other = given.columns
        values = 0 if is_ordered(schema[other]) else schema[other].size
        if not is_ordered(schema[one]) or (given.value is None) != (values == 0):
            raise BadInput(f"Columns {one!r} and {other!r} have no order to correlate.")
        if given.value is not None and given.value >= values:
            raise BadInput(f"A rank correlation names a value that column {other!r} does not have.")
        pairs.append(RankPair(one, other, given.value, given.correlation))
    if len({(p.one, p.other, p.value) for p in pairs}) < len(pairs):
        raise BadInput("It lists the same rank correlation twice.")
    ranks = Ranks(tuple(pairs), document.rows)
    if len(ranks.variables) > MOST_VARIABLES:
        raise BadInput("It lists rank correlations of too many columns.")
    _check_apart([p.one for p in pairs], [p.other for p in pairs], schema, document)
    return ranks


def _check_apart(
    ones: Sequence[str], others: Sequence[str], schema: Schema, document: ModelDocument
) -> None:
    apart = {
        frozenset((int(schema.domains[one]), int(schema.domains[other])))
        for one, other in forbidden_pairs(schema, document.settings.hide_together)
    }
    for one, other in zip(ones, others, strict=True):
        if frozenset((schema.position(one), schema.position(other))) in apart:
            raise BadInput(f"It correlates {one!r} and {other!r}, which are hidden together.")
