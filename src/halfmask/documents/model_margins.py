"""Model margins: checked margins as the lines of a document, and back with every number checked."""

from __future__ import annotations

from itertools import combinations
from math import prod

import numpy as np
from msgspec import UNSET, UnsetType

from halfmask.data import Margin, Margins, Schema
from halfmask.documents.model_document import MarginDocument, ModelDocument
from halfmask.documents.model_target_trees import branches_of
from halfmask.errors import BadInput
from halfmask.methods.names import forbidden_pairs

_MOST_CELLS = 1 << 26
"""Cells of all tables, empty ones included; a file that asks for more is an attack."""


def documents_of_margins(
    margins: Margins | None, schema: Schema
) -> list[MarginDocument] | UnsetType:
    """Each margin with its values written out; unset where there are none."""
    if margins is None:
        return UNSET
    return [_document(margin, schema) for margin in margins]


def _document(margin: Margin, schema: Schema) -> MarginDocument:
    values = [schema[name].values for name in margin.attributes]
    return MarginDocument(
        attributes=list(margin.attributes),
        remainder=margin.remainder,
        cells=[
            ([named[code] for named, code in zip(values, cell, strict=True)], count)
            for cell, count in zip(margin.cells.tolist(), margin.counts.tolist(), strict=True)
        ],
    )


def margins_of(document: ModelDocument, schema: Schema) -> Margins | None:
    """The margins in a document; those that tell of too few rows or of hidden pairs are refused."""
    calibration = document.settings.calibration
    if document.margins is UNSET:
        return None
    sizes = [[schema[name].size for name in given.attributes] for given in document.margins]
    if sum(prod(each) for each in sizes) > _MOST_CELLS:
        raise BadInput("Its margins have too many cells.")
    margins = Margins(
        tuple(_margin(given, schema) for given in document.margins),
        document.settings.min_support,
        1 if calibration is UNSET else calibration.base,
        branches_of(document, schema),
        estimated=document.estimated is True,
    )
    _check_rows(margins, document.rows)
    _check_hidden(margins, schema, document.settings.hide_together)
    return margins


def _margin(given: MarginDocument, schema: Schema) -> Margin:
    codes = [
        {value: code for code, value in enumerate(schema[name].values)} for name in given.attributes
    ]
    try:
        cells = [
            [known[value] for known, value in zip(codes, values, strict=True)]
            for values, _ in given.cells
        ]
    except (KeyError, ValueError):
        raise BadInput("A margin of the model has a value that its column does not list.") from None
    return Margin(
        tuple(given.attributes),
        np.array(cells, np.int32).reshape(-1, len(given.attributes)),
        np.array([count for _, count in given.cells], np.int64),
        given.remainder,
    )


def _check_rows(margins: Margins, rows: int) -> None:
    each = margins.base // 2 + margins.estimated  # an estimate is rounded to whole rows
    for margin in margins:
        rounding = (len(margin.cells) + 1) * each
        if margin.rows > rows + rounding:
            raise BadInput(f"The cells of {margin} are in more rows than there are.")


def _check_hidden(margins: Margins, schema: Schema, together: list[tuple[str, str]]) -> None:
    apart = {
        (int(schema.domains[one]), int(schema.domains[other]))
        for one, other in forbidden_pairs(schema, together)
    }
    told = [margin.attributes for margin in margins]
    if margins.branches is not None:
        told += margins.branches.attributes
    for names in told:
        columns = sorted(schema.position(name) for name in names)
        if any(pair in apart for pair in combinations(columns, 2)):
            raise BadInput(f"The margin {' × '.join(names)} tells what is hidden together.")
