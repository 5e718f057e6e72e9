"""The asset file as it is written: frozen structs that are also its JSON Schema.

[Bertino & Nai Fovino, Information Driven Evaluation of Data Hiding Algorithms, 2005] What the
paper computes (AV, CV, CSV) is an answer and never stands in the file. A link (`slink`, `clink`)
repeats what the expressions say already; it may be left out, and is checked where it is given.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Kind = Literal["int", "float", "str", "bool", "date", "set"]
Equality = Literal["exact", "tolerance", "ancestor"]
Operator = Literal["and", "or", "not", "implies", "xor", "iff"]
Relational = Literal["==", "!=", "<", "<=", ">", ">=", "in", "matches", "holds"]
Scalar = str | int | float | bool
Weight = Annotated[float, Meta(ge=0)]
Links = Annotated[
    tuple[str, ...] | None,
    Meta(description="May be left out: the expressions say it. Where given, it must say the same."),
]


class AttributeForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the values of one attribute are, and when two of them count as equal."""

    type: Kind = "str"
    hierarchy: Annotated[
        str | None, Meta(description="A file of lines such as `apple, pear -> fruit`.")
    ] = None
    equal: Equality = "exact"
    tolerance: Weight | None = None


class RelationForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table: what identifies a row, its attributes, and what stands for no value."""

    key: Annotated[
        tuple[str, ...],
        Meta(description="The attributes that identify a row; none: rows have no identity."),
    ]
    attributes: dict[str, AttributeForm]
    null_tokens: tuple[Scalar, ...] = ()


class WeightsForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What it costs when values of an attribute change (aw) or go missing (cw)."""

    aw: Weight = 1.0
    cw: Weight = 1.0
    slink: Links = None


class ExpressionForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One test of an attribute: against a value, between two, or against another attribute."""

    attr: str
    cmp: Relational | None = None
    value: Scalar | tuple[Scalar, ...] | None = None
    between: Annotated[
        tuple[Scalar, Scalar] | None, Meta(description="Lowest and highest, both allowed.")
    ] = None
    other: Annotated[
        str | None, Meta(description="Compare with this attribute of the same row.")
    ] = None


class SimpleForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A constraint by itself, or a building block of complex ones."""

    expr: Annotated[
        ExpressionForm | str, Meta(description="A test, or as text an SQL expression that is true.")
    ]
    weight: Annotated[
        Weight | None, Meta(description="1 unless stated, and 0 for a mere building block.")
    ] = None
    clink: Links = None
    standalone: Annotated[
        bool, Meta(description="Also tested by itself though complex constraints use it.")
    ] = False


class Nested(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Constraints joined by an operator, inside another."""

    op: Operator
    args: tuple[str | Nested, ...]


Arguments = tuple[str | Nested, ...]


class ComplexForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Constraints joined by an operator; an argument names one or is itself {op, args}."""

    op: Operator
    args: Arguments
    weight: Weight = 1.0


class InformationForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One aggregate information: the attributes it is made of and what must hold between them."""

    name: str
    weight: Weight
    attributes: dict[str, WeightsForm]
    simple: dict[str, SimpleForm] = {}
    complex: dict[str, ComplexForm] = {}


class AssetDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What matters in a database, for whoever chooses how to publish it."""

    relation: RelationForm
    asset: tuple[InformationForm, ...]


def asset_schema() -> dict[str, Any]:
    """The JSON Schema of an asset file, for editors that complete and check what is typed.

    >>> asset_schema()["$schema"]
    'https://json-schema.org/draft/2020-12/schema'
    """
    found = msgspec.json.schema(AssetDocument)
    allowed = (["cmp", "value"], ["cmp", "other"], ["between"])
    found["$defs"]["ExpressionForm"]["oneOf"] = [{"required": fields} for fields in allowed]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Asset"} | found
