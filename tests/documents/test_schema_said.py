"""What is said about columns is written so that it reads back as the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data.coding.spec import KINDS, ROLES, ColumnSpec, TableSpec
from halfmask.documents.schema import parse_schema
from halfmask.documents.schema_said import said_text

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
lists = st.lists(texts, max_size=3, unique=True).map(tuple)
numbers = st.floats(0, 100, allow_nan=False)


@st.composite
def specs(draw):
    kind = draw(st.sampled_from([None, "category"]))
    return ColumnSpec(
        kind=kind,
        role=draw(st.sampled_from([None, *ROLES])),
        bins=draw(st.none() | st.integers(1, 50) | lists.filter(bool)),
        cut=draw(st.sampled_from(["quantile", "width"])),
        rare=draw(st.sampled_from([None, "group", "suppress", "keep"])),
        target=draw(st.none() | texts),
        groups=draw(st.dictionaries(texts, lists, max_size=2)),
        order=draw(lists),
        missing=draw(lists),
        values=draw(lists),
        step=draw(st.none() | texts),
        range=None if kind else draw(st.none() | st.tuples(texts, texts)),
        laplace=draw(st.none() | numbers),
    )


@given(
    st.dictionaries(texts, specs(), max_size=4),
    lists,
    st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
)
def test_it_reads_back(columns, missing, pairs):
    said = {name: spec for name, spec in columns.items() if spec != ColumnSpec()}
    spec = TableSpec(said, missing, pairs)
    assert parse_schema(said_text(spec).encode(), "schema") == spec


def test_a_correction_for_single_values_reads_back():
    spec = TableSpec({"drug": ColumnSpec(laplace_for={"rare one": 2.0})})
    assert parse_schema(said_text(spec).encode(), "schema") == spec


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_reads_back(kind):
    spec = TableSpec({"a": ColumnSpec(kind=kind)})
    assert parse_schema(said_text(spec).encode(), "schema") == spec


def test_nothing_said_is_an_empty_file():
    assert said_text(TableSpec({"a": ColumnSpec()})) == ""
