"""The document of a private model: what its file says, line by line."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from halfmask.documents.form import Count, Form, Name
from halfmask.documents.model_document import ColumnDocument, KeyDocument, PatternDocument
from halfmask.io.columns import MAX_COLUMNS

_MOST_CELLS = 20_000_000

Noisy = Annotated[int, Meta(ge=-(2**53), le=2**53)]
Whole = Annotated[int, Meta(ge=1, le=2**62)]
Share = Annotated[float, Meta(ge=0, le=1e6)]
Sigma = Annotated[float, Meta(gt=0, le=1e5)]
Numbers = Annotated[list[Noisy], Meta(min_length=1, max_length=_MOST_CELLS)]


class EntryDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """What a part of the work cost."""

    part: Annotated[str, Meta(max_length=200)]
    rho: Share
    delta: Annotated[float, Meta(ge=0, lt=1)] = 0.0


class NoisyTableDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A table with noise: its columns, the standard deviation of the noise, and the counts."""

    columns: Annotated[list[Name], Meta(min_length=1, max_length=10)]
    sigma: Sigma
    variance: tuple[Whole, Whole]
    """The exact square of sigma, as a fraction."""
    step: Annotated[int, Meta(ge=0, le=100_000)]
    """The tables of one step were asked together, before the model was fitted again."""
    counts: Numbers


class LeafTableDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A tree whose leaves divide the rows, and the noisy counts of leaf × target."""

    target: Name
    sigma: Sigma
    variance: tuple[Whole, Whole]
    nodes: Annotated[
        list[tuple[Name | None, Annotated[list[int], Meta(max_length=100_000)]]],
        Meta(min_length=1, max_length=1_000_000),
    ]
    """Of each node the column that it asks for, and the next node for each value of it."""
    counts: Annotated[list[Numbers], Meta(min_length=1, max_length=1_000_000)]


class PrivateModelDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """All that the model file of a private release says."""

    epsilon: Annotated[float, Meta(gt=0, le=1e6)]
    delta: Annotated[float, Meta(gt=0, lt=1)]
    rows_per_person: Annotated[int, Meta(ge=1, le=1_000_000)]
    budget: Share
    """ρ of zero-concentrated differential privacy, for one row."""
    ledger: Annotated[list[EntryDocument], Meta(max_length=100_000)]
    rows: Count
    """As noisy counts say; so many rows were drawn to find the patterns in."""
    min_support: Annotated[int, Meta(ge=1, le=2**53)]
    key: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    """Draws the same rows again; it is no secret."""
    pool: dict[str, Any]
    columns: Annotated[list[ColumnDocument], Meta(min_length=1, max_length=MAX_COLUMNS)]
    tables: Annotated[list[NoisyTableDocument], Meta(min_length=1, max_length=100_000)]
    patterns: Annotated[list[PatternDocument], Meta(max_length=10_000_000)]
    """Of rows drawn from the model, with their counts among these."""
    guessed: Annotated[list[Name], Meta(max_length=MAX_COLUMNS)] = []
    """Columns whose kind was read off the data, which the promise does not cover."""
    target: Name | None = None
    tree: LeafTableDocument | UnsetType = UNSET
    keys: Annotated[list[KeyDocument], Meta(max_length=MAX_COLUMNS)] | UnsetType = UNSET
    seeded: bool = False
    """Whether the noise came from a seed: then nothing is promised."""
    person: Annotated[str, Meta(max_length=1_000)] | UnsetType = UNSET
    """What a person is in a family of tables, in words."""


FORM = Form(
    "halfmask private model",
    1,
    "Noisy counts of a table with differential privacy, to draw new rows from; the ledger says "
    "what they cost.",
    PrivateModelDocument,
    tuple(PrivateModelDocument.__struct_fields__),
)
