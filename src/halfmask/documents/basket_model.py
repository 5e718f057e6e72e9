"""Models of baskets as files: items, patterns, lengths and counts that many baskets stand behind.

An item that fewer baskets than the minimum support hold is not in the file, not even by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np
from msgspec import UNSET, Meta, Struct, UnsetType

from halfmask.data import Assortment, BasketMargins, Itemset, Transactions
from halfmask.data.rounding import Rounding
from halfmask.documents.form import Count, Form, Name
from halfmask.errors import BadInput
from halfmask.methods.baskets.derivable import derivable_baskets
from halfmask.methods.baskets.margins import HIGHEST_ORDER, Lengths
from halfmask.methods.baskets.model import BasketModel
from halfmask.patterns.code_table import CodeTable

_MOST_ITEMS = 10_000_000
Items = Annotated[list[Name], Meta(min_length=1, max_length=10_000)]


class ItemDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """An item, and in how many baskets and covers it stands."""

    name: Name
    support: Count
    usage: Count


class SetDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern: its items and its counts."""

    usage: Count
    support: Count
    items: Items


class BasketCalibrationDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """Sets of how many items were counted, and how often links between items are not followed."""

    order: Annotated[int, Meta(ge=1, le=HIGHEST_ORDER)]
    fresh: Annotated[float, Meta(gt=0, le=1)]


class BasketMarginDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A checked margin: the items of a set, and how many baskets hold it."""

    count: Count
    items: Items


class BasketModelDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """All that a model file of baskets says."""

    rows: Annotated[int, Meta(ge=1, le=2**53)]
    min_support: Annotated[int, Meta(ge=1, le=2**53)]
    lengths: Annotated[list[tuple[Count, Count]], Meta(min_length=1, max_length=1_000_000)]
    """How many baskets have each length; few ones are put together at their mean."""
    items: Annotated[list[ItemDocument], Meta(min_length=1, max_length=_MOST_ITEMS)]
    patterns: Annotated[list[SetDocument], Meta(max_length=_MOST_ITEMS)]
    complete: bool = True
    """False when the search was stopped before its end."""
    calibration: BasketCalibrationDocument | UnsetType = UNSET
    margins: Annotated[list[BasketMarginDocument], Meta(max_length=_MOST_ITEMS)] | UnsetType = UNSET
    """What a release is made to meet."""
    base: Annotated[int, Meta(ge=2, le=2**53)] | UnsetType = UNSET
    """What every count of the file but `rows` was rounded to, up or down by chance."""


FORM = Form(
    "halfmask basket model",
    2,
    "Patterns and counts of baskets, to draw new ones from; it holds no basket of the original.",
    BasketModelDocument,
    (
        "rows",
        "min_support",
        "lengths",
        "items",
        "patterns",
        "complete",
        "calibration",
        "margins",
        "base",
    ),
    newest=("base",),
)


def basket_model_bytes(model: BasketModel) -> bytes:
    """The content of a model file; a model that would tell of too few baskets is refused."""
    found = derivable_baskets(model)
    if found.count:
        raise BadInput(
            f"The model discloses small groups: {found.count:,} groups of fewer than "
            f"{model.min_support:,} follow from its counts; raise the minimum support."
        )
    document = _document(model)
    _check_rare(document)
    return FORM.to_json(document)


def _document(model: BasketModel) -> BasketModelDocument:
    table, margins, names = model.code_table, model.margins, model.schema.names

    def named(items: Itemset) -> list[str]:
        return [names[item] for item in items]

    counts = zip(names, table.item_supports.tolist(), table.item_usages.tolist(), strict=True)
    patterns = zip(table.sets, table.usages.tolist(), table.supports.tolist(), strict=True)
    return BasketModelDocument(
        rows=table.rows,
        min_support=model.min_support,
        lengths=list(
            zip(model.lengths.values.tolist(), model.lengths.counts.tolist(), strict=True)
        ),
        items=[ItemDocument(*each) for each in counts if each[1]],
        patterns=[SetDocument(usage, support, named(s)) for s, usage, support in patterns],
        complete=model.complete,
        calibration=UNSET
        if margins is None
        else BasketCalibrationDocument(margins.order, model.fresh),
        margins=UNSET
        if margins is None
        else [
            BasketMarginDocument(count, named(items))
            for items, count in zip(margins.sets, margins.counts.tolist(), strict=True)
        ],
        base=UNSET if model.base == 1 else model.base,
    )


def basket_model_of(document: BasketModelDocument) -> BasketModel:
    """The model in a document; numbers that do not agree with one another are refused."""
    _check_rare(document)
    schema = Assortment(tuple(item.name for item in document.items))
    table = CodeTable(
        schema,
        [_numbered(pattern.items, schema) for pattern in document.patterns],
        [pattern.usage for pattern in document.patterns],
        [pattern.support for pattern in document.patterns],
        [item.usage for item in document.items],
        [item.support for item in document.items],
        document.rows,
        0 if document.base is UNSET else document.base,
    )
    found = BasketModel(
        table,
        _lengths(document),
        document.min_support,
        complete=document.complete,
        margins=_margins(document, schema),
        fresh=1.0 if document.calibration is UNSET else document.calibration.fresh,
        base=_base(document),
    )
    _check_rounded(document)
    return found


def _base(document: BasketModelDocument) -> int:
    return 1 if document.base is UNSET else document.base


def _check_rare(document: BasketModelDocument) -> None:
    floor, base = document.min_support, _base(document)
    # What is told of a group is never less than the multiple above the floor, or all baskets.
    least = min(Rounding(floor, base).least, document.rows)
    if any(item.support < least for item in document.items):
        raise BadInput(f"The model has an item that fewer than {floor:,} baskets hold.")
    if any(pattern.support < least for pattern in document.patterns):
        raise BadInput(f"The model has a pattern that fewer than {floor:,} baskets hold.")
    if any(count < least for _, count in document.lengths):
        raise BadInput(f"The model has a length that fewer than {floor:,} baskets have.")


def _check_rounded(document: BasketModelDocument) -> None:
    base = _base(document)
    if any(count % base and count != document.rows for count in _counts(document)):
        raise BadInput(
            f"The model has a count that is not a multiple of {base}, although it "
            "says that all are."
        )


def _counts(document: BasketModelDocument) -> Iterator[int]:
    """Every number of baskets that a file tells, but for that of all."""
    yield from (count for _, count in document.lengths)
    elements: tuple[ItemDocument | SetDocument, ...] = (*document.items, *document.patterns)
    for element in elements:
        yield from (element.usage, element.support)
    yield from (margin.count for margin in document.margins or ())


def _lengths(document: BasketModelDocument) -> Lengths:
    values, counts = (np.array(each, np.int64) for each in zip(*document.lengths, strict=True))
    if (np.diff(values) <= 0).any() or values[-1] > len(document.items):
        raise BadInput(
            "The lengths of the baskets are not increasing, or exceed the number of items."
        )
    slack = 0 if document.base is UNSET else document.base * len(counts)
    if abs(int(counts.sum()) - document.rows) > slack:
        raise BadInput("The lengths are not those of all baskets.")
    return Lengths(values, counts)


def _margins(document: BasketModelDocument, schema: Assortment) -> BasketMargins | None:
    if (document.margins is UNSET) != (document.calibration is UNSET):
        raise BadInput("It has margins without calibration settings, or the other way round.")
    if document.margins is UNSET or document.calibration is UNSET:
        return None
    sets = [_numbered(margin.items, schema) for margin in document.margins]
    margins = BasketMargins(
        Transactions.of(sets, schema.n_items),
        np.array([margin.count for margin in document.margins], np.int64),
        document.rows,
        document.min_support,
        document.calibration.order,
    )
    supports = [item.support for item in document.items]
    for items, count in zip(margins.sets, margins.counts.tolist(), strict=True):
        if count > min(supports[item] for item in items):
            raise BadInput("A set of the margins is held by more baskets than one of its items.")
    return margins


def _numbered(items: list[str], schema: Assortment) -> Itemset:
    numbers = tuple(sorted({schema.item(name) for name in items}))
    if len(numbers) < len(items):
        raise BadInput("A set of the model holds an item twice.")
    return numbers
