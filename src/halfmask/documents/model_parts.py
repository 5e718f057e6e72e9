"""Model bins: how the values of a column lie in its bins, as a document and back, checked.

Target trees: what is told of a target along trees as the lines of a document, and back.

Model margins: checked margins as the lines of a document, and back with every number checked.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import prod
from typing import Literal

import numpy as np
import pyarrow as pa
from msgspec import UNSET, UnsetType

from halfmask.data import Margin, Margins, Schema
from halfmask.data.coding.bins import Bins, Part
from halfmask.data.coding.calendar import Layout
from halfmask.data.coding.scale import Scale
from halfmask.data.target_trees import Leaf, Split, TargetTrees, Tree
from halfmask.documents.form import Value
from halfmask.documents.model_document import (
    BinsDocument,
    ColumnDocument,
    LeafDocument,
    MarginDocument,
    ModelDocument,
    TreeDocument,
)
from halfmask.errors import BadInput
from halfmask.io.storage import storage_type, to_values
from halfmask.methods.names import forbidden_pairs

_LARGEST = 2**62


def bins_document(bins: Bins) -> BinsDocument:
    """The bins as a file says them."""
    scale, layout = bins.scale, bins.scale.layout
    return BinsDocument(
        parts=[[_line(part) for part in bin_] for bin_ in bins.bins],
        codes=list(bins.codes),
        decimals=scale.decimals,
        fixed=scale.fixed,
        layout=None if layout is None else (layout.day, layout.between, layout.end, layout.padded),
        spelling=_spelling(layout),
        unit=scale.unit,
        comma=scale.comma,
        least=scale.least,
        around=scale.around if any(scale.around) else None,
        plus=scale.plus,
        tails=(bins.bins[0][0].tail, bins.bins[-1][-1].tail),
        clock=[] if bins.clock is None else [_line(part) for part in bins.clock.bins[0]],
    )


def _spelling(layout: Layout | None) -> tuple[str, bool, str] | None:
    """How hours and months are written, where it is not the usual way."""
    if layout is None or (layout.half, layout.hours, layout.names) == ("", True, "Aug"):
        return None
    return layout.half, layout.hours, layout.names


def _line(part: Part) -> tuple[int, int, int, int]:
    return part.low, part.high, part.rows, part.step


def bins_of(column: ColumnDocument) -> Bins:
    """The bins in a document; every value that could be drawn from them can be written."""
    document = column.bins
    assert document is not None  # noqa: S101 - the caller looked
    written = (*(document.layout or ()), *(document.spelling or ()))
    layout = Layout(*written) if document.layout else None
    scale = Scale(
        document.decimals,
        document.fixed,
        layout,
        document.unit,
        document.comma,
        document.least,
        document.around or ("", "", ""),
        document.plus,
    )
    parts = [part for bin_ in document.parts for part in bin_]
    if any(abs(tick) > _LARGEST for low, high, *_ in parts for tick in (low, high)):
        raise BadInput(f"Column {column.name!r} has a bin beyond all numbers.")
    every = [[Part(*part) for part in bin_] for bin_ in document.parts]
    every[0][0] = replace(every[0][0], tail=document.tails[0])
    every[-1][-1] = replace(every[-1][-1], tail=document.tails[1])
    bins = tuple(map(tuple, every))
    clock = tuple(Part(*part) for part in document.clock)
    times = Bins(scale.clock, (clock,)) if clock else None
    found = Bins(scale, bins, tuple(document.codes), times)
    ends = np.array([tick for low, high, *_ in parts for tick in (low, high)], np.int64)
    try:
        type_ = storage_type(column.storage)
        value_type = type_.value_type if pa.types.is_dictionary(type_) else type_
        texts = scale.texts(ends if times is None else ends * scale.per_day)
        to_values([*texts, *document.codes], value_type)
    except (pa.ArrowException, ValueError, OverflowError):
        raise BadInput(
            f"Column {column.name!r} has a bin with values that cannot be written."
        ) from None
    return found


def check_bins(column: ColumnDocument, floor: int, off_by: int = 0) -> None:
    """Refuse bins that tell of fewer rows than they may, or whose rows do not add up."""
    if column.bins is None:
        return
    if any(0 < rows < floor for _, _, rows, _ in column.bins.clock):
        raise BadInput(
            f"Column {column.name!r} of the model has a time of day that fewer than {floor:,} "
            "rows hold."
        )
    for support, bin_ in zip(column.supports, column.bins.parts, strict=False):
        rows = [part[2] for part in bin_]
        if abs(sum(rows) - support) > off_by * (len(rows) + 1):
            raise BadInput(f"The parts of a bin of column {column.name!r} do not add up.")
        if any(0 < n < floor for n in rows):
            raise BadInput(
                f"Column {column.name!r} of the model has a part of a bin that fewer than "
                f"{floor:,} rows hold."
            )


_MOST_COUNTS = 1 << 22
"""Leaves times values of the target; a file that asks for more is an attack."""


def documents_of_trees(margins: Margins | None, schema: Schema) -> list[TreeDocument] | UnsetType:
    """Each tree with its values written out; unset where there are none."""
    if margins is None or margins.target_trees is None:
        return UNSET
    values = schema[margins.target_trees.target].values

    def document(leaf: Leaf) -> LeafDocument:
        return LeafDocument(
            where=[
                (name, _SIGNS[equal], schema[name].values[code]) for name, code, equal in leaf.path
            ],
            counts=[(values[code], count) for code, count in leaf.counts],
            others=leaf.rest,
        )

    return [
        TreeDocument(suppressed=tree.suppressed, leaves=[document(leaf) for leaf in tree.leaves])
        for tree in margins.target_trees.trees
    ]


_SIGNS: dict[bool, Literal["=", "≠"]] = {True: "=", False: "≠"}


def target_trees_of(document: ModelDocument, schema: Schema) -> TargetTrees | None:
    """The target trees in a document; those that tell of too few rows are refused."""
    if document.trees is UNSET:
        return None
    calibration = document.settings.calibration
    if calibration is UNSET or calibration.target is None:
        raise BadInput("It has target trees but names no target.")
    target, least = calibration.target, document.settings.min_support - document.base // 2
    if document.off_by:
        least = 1  # a rounded rest can have any number of rows, none included
    leaves = sum(len(tree.leaves) for tree in document.trees)
    if leaves * schema[target].size > _MOST_COUNTS:
        raise BadInput("Its trees have too many leaves.")
    trees = tuple(
        Tree(tuple(_leaf(given, schema, target, least) for given in tree.leaves), tree.suppressed)
        for tree in document.trees
    )
    target_trees = TargetTrees(target, trees)
    each = max(document.base, document.off_by)
    rounding = each * (1 + sum(1 + len(tree.leaves) for tree in trees))
    for tree in trees:
        if tree.rows > document.rows + rounding + each * len(target_trees.counts):
            raise BadInput("The leaves of a tree hold more rows than there are.")
        if 0 < tree.suppressed < least:
            raise BadInput(
                "The suppressed remainders of a tree are held by fewer rows than "
                "the minimum support."
            )
    return target_trees


def _leaf(given: LeafDocument, schema: Schema, target: str, least: int) -> Leaf:
    if given.others is not None and 0 < given.others < least:
        raise BadInput("The remainder of a leaf is held by fewer rows than the minimum support.")
    counts = {_code(schema, target, value): count for value, count in given.counts}
    if len(counts) != len(given.counts):
        raise BadInput("A leaf lists the same value twice.")
    path: list[Split] = [
        (name, _code(schema, name, value), sign == "=") for name, sign, value in given.where
    ]
    if any(name == target for name, _, _ in path):
        raise BadInput("A tree splits on the target itself.")
    return Leaf(tuple(path), tuple(counts.items()), given.others)


def _code(schema: Schema, name: str, value: Value) -> int:
    values = schema[name].values
    if value not in values:
        raise BadInput("A split of the model has a value that its column does not list.")
    return values.index(value)


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
    if document.margins is UNSET:
        return None
    sizes = [[schema[name].size for name in given.attributes] for given in document.margins]
    if sum(prod(each) for each in sizes) > _MOST_CELLS:
        raise BadInput("Its margins have too many cells.")
    margins = Margins(
        tuple(_margin(given, schema) for given in document.margins),
        document.settings.min_support,
        1 if document.off_by else document.base,  # no rounding of today goes below the floor
        target_trees_of(document, schema),
        estimated=document.estimated is True,
    )
    _check_rows(margins, document.rows, document.off_by)
    _check_hidden(margins, schema, document.settings.hide_together)
    return replace(margins, base=document.base)


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


def _check_rows(margins: Margins, rows: int, off_by: int) -> None:
    each = max(margins.base // 2, off_by) + margins.estimated  # an estimate is of whole rows
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
    if margins.target_trees is not None:
        told += margins.target_trees.attributes
    for names in told:
        columns = sorted(schema.position(name) for name in names)
        if any(pair in apart for pair in combinations(columns, 2)):
            raise BadInput(
                f"The margin {' × '.join(names)} discloses columns that are hidden together."
            )
