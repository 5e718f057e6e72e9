"""Model tables: a code table as the lines of a document, and back with every number checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import UNSET, UnsetType

from halfmask.data import Attribute, Itemset, Schema
from halfmask.data.schema import Derived, Key
from halfmask.documents.model_document import (
    ColumnDocument,
    DerivedDocument,
    KeyDocument,
    ModelDocument,
    PatternDocument,
    RoundedDocument,
    SettingsDocument,
)
from halfmask.documents.model_parts import bins_document, bins_of, check_bins
from halfmask.documents.model_ranks import ranks_of
from halfmask.documents.private_document import PrivateModelDocument
from halfmask.errors import BadInput
from halfmask.io.columns import read_back
from halfmask.patterns.code_table import CodeTable


def document_of(
    table: CodeTable,
    schema: Schema,
    settings: SettingsDocument,
    rounded: RoundedDocument | UnsetType = UNSET,
) -> ModelDocument:
    """The document of a code table, refused where it would tell of fewer rows than it may."""
    document = ModelDocument(
        rows=table.rows,
        rounded=rounded,
        settings=settings,
        columns=column_documents(table, schema),
        patterns=pattern_documents(table, schema),
        keys=key_documents(schema) or UNSET,
        derived=[_derived_document(column) for column in schema.derived] or UNSET,
    )
    _check_rare(document)
    return document


def key_documents(schema: Schema) -> list[KeyDocument]:
    """The columns that number the rows."""
    return [KeyDocument(key.name, key.position, key.storage, key.style) for key in schema.keys]


def column_documents(table: CodeTable, schema: Schema) -> list[ColumnDocument]:
    """The columns with the counts that the table has of their values."""
    return [_column(table, schema, attribute) for attribute in schema]


def pattern_documents(table: CodeTable, schema: Schema) -> list[PatternDocument]:
    """The patterns of a table."""
    return [
        PatternDocument(usage, support, _named(schema, itemset))
        for itemset, usage, support in zip(
            table.sets, table.usages.tolist(), table.supports.tolist(), strict=True
        )
    ]


def _column(table: CodeTable, schema: Schema, attribute: Attribute) -> ColumnDocument:
    items = schema.items_of(attribute.name)
    return ColumnDocument(
        name=attribute.name,
        storage=attribute.storage,
        values=list(attribute.values),
        supports=table.item_supports[items.start : items.stop].tolist(),
        usages=table.item_usages[items.start : items.stop].tolist(),
        bins=None if attribute.bins is None else bins_document(attribute.bins),
        keeps_rare=attribute.keeps_rare,
    )


def _named(schema: Schema, itemset: Itemset) -> dict[str, str | None]:
    """The items as column → value; a set never holds two values of one column."""
    named: dict[str, str | None] = {}
    for item in itemset:
        attribute = schema.attributes[int(schema.domains[item])]
        named[attribute.name] = attribute.values[item - schema.items_of(attribute.name).start]
    if len(named) < len(itemset):
        raise BadInput("A pattern of the model holds two values of one column.")
    return named


def _check_rare(document: ModelDocument) -> None:
    """Nothing that fewer rows hold than the minimum support, unless rare values are kept."""
    floor = document.settings.value_support or document.settings.min_support
    if document.settings.rare_values == "keep":
        return
    for column in document.columns:
        if column.keeps_rare:
            continue
        if any(0 < support < floor for support in column.supports):
            raise BadInput(
                f"Column {column.name!r} of the model has a value that fewer than {floor:,} rows "
                f'hold; group the rare values, or say that they may be kept (rare_values="keep").'
            )
        check_bins(column, floor, document.off_by)
    floor = max(floor, (document.settings.pattern_support or 1) - document.off_by)
    if any(pattern.support < floor for pattern in document.patterns):
        raise BadInput(f"The model has a pattern that fewer than {floor:,} rows hold.")


def code_table_of(document: ModelDocument) -> tuple[CodeTable, Schema]:
    """The code table in a document; its constructor checks that the counts add up."""
    schema = schema_of(document.columns, document.keys, _derived(document))
    check_lengths(document.columns)
    for column in document.columns:
        if sum(column.supports) > document.rows + document.off_by * len(column.supports):
            raise BadInput(f"The values of column {column.name!r} are in more rows than there are.")
    _check_rare(document)
    schema = replace(schema, ranks=ranks_of(document, schema))
    return counts_of(document, schema, document.off_by), schema


def schema_of(
    columns: Sequence[ColumnDocument],
    keys: Sequence[KeyDocument] | UnsetType,
    derived: tuple[Derived, ...] = (),
) -> Schema:
    """The columns and values that a document names."""
    numbering = [] if keys is UNSET else keys
    return Schema(
        tuple(_attribute(column) for column in columns),
        tuple(Key(key.name, key.position, key.storage, key.style) for key in numbering),
        derived,
    )


def check_lengths(columns: Sequence[ColumnDocument]) -> None:
    """Refuse a column without one count for each of its values."""
    for column in columns:
        if not len(column.values) == len(column.supports) == len(column.usages):
            raise BadInput(f"Column {column.name!r} does not have one count for each value.")


def counts_of(
    document: ModelDocument | PrivateModelDocument, schema: Schema, off_by: int = 0
) -> CodeTable:
    """The code table of the columns and patterns of a document."""
    number = {
        (attribute.name, value): item
        for attribute in schema
        for item, value in zip(schema.items_of(attribute.name), attribute.values, strict=True)
    }
    return CodeTable(
        schema,
        [_numbered(pattern, number) for pattern in document.patterns],
        [pattern.usage for pattern in document.patterns],
        [pattern.support for pattern in document.patterns],
        [usage for column in document.columns for usage in column.usages],
        [support for column in document.columns for support in column.supports],
        document.rows,
        off_by,
    )


def _attribute(column: ColumnDocument) -> Attribute:
    bins = None if column.bins is None else bins_of(column)
    attribute = Attribute(
        column.name, tuple(column.values), column.storage, bins, column.keeps_rare
    )
    read_back(attribute)  # now, so that drawing rows never meets a value that cannot be written
    return attribute


def _derived_document(column: Derived) -> DerivedDocument:
    return DerivedDocument(
        column.name, column.position, column.source, list(column.values), column.storage
    )


def _derived(document: ModelDocument) -> tuple[Derived, ...]:
    columns = [] if document.derived is UNSET else document.derived
    for column in columns:  # now, so that a release never meets a value that cannot be written
        read_back(Attribute(column.name, tuple(dict.fromkeys(column.values)), column.storage))
    return tuple(
        Derived(column.name, column.position, column.source, tuple(column.values), column.storage)
        for column in columns
    )


def _numbered(pattern: PatternDocument, number: dict[tuple[str, str | None], int]) -> Itemset:
    try:
        return tuple(sorted(number[item] for item in pattern.items.items()))
    except KeyError:
        raise BadInput("A pattern holds an item that no column lists.") from None
