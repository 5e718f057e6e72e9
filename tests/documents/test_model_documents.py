"""A model file can be read by a person, and by the program only if every number in it fits."""

from __future__ import annotations

import json
import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Column, Encoding
from halfmask.documents.model_document import (
    ColumnDocument,
    ModelDocument,
    PatternDocument,
    SettingsDocument,
    from_json,
    to_json,
)
from halfmask.documents.model_tables import code_table_of, document_of
from halfmask.errors import BadInput
from halfmask.patterns.krimp import krimp

SETTINGS = SettingsDocument(
    min_support=2,
    laplace=0.001,
    rare_values="group",
    prune=False,
    candidates="all",
    search="krimp",
    max_pattern_length=None,
    hide_together=[],
    laplace_for={},
    order="random",
)


def learnt(columns, min_support=2):
    table = Encoding.fit(columns, min_support=min_support).encode(columns)
    found = krimp(table.transactions, table.schema, min_support=min_support)
    return found.code_table, table.schema


def example():
    sex = ["f"] * 6 + ["m"] * 4
    ill = ["yes"] * 5 + ["no"] * 3 + [None] * 2
    age = ["30"] * 5 + ["40"] * 5
    columns = [Column.of("sex", sex), Column.of("ill", ill), Column.of("age", age, "int64")]
    return document_of(*learnt(columns), SETTINGS)


EXAMPLE = example()
FILE = to_json(EXAMPLE)


def test_a_document_comes_back_from_its_file():
    assert from_json(FILE, "'m.json'") == EXAMPLE


def test_every_column_and_every_pattern_has_its_line():
    lines = FILE.decode().splitlines()
    assert sum('"name"' in line for line in lines) == 3
    assert sum('"items"' in line for line in lines) == len(EXAMPLE.patterns) > 0
    assert json.loads(FILE)["model"]["patterns"][0]["items"].keys() <= {"sex", "ill", "age"}


def test_numbers_written_as_whole_or_as_decimals_are_the_same_to_the_checksum():
    whole = msgspec.structs.replace(
        EXAMPLE, settings=msgspec.structs.replace(SETTINGS, laplace=1, laplace_for={"sex": 2})
    )
    assert from_json(to_json(whole), "'m.json'") == whole
    assert from_json(FILE.replace(b"\n", b"\r\n   "), "'m.json'") == EXAMPLE


@given(
    st.lists(
        st.tuples(*[st.none() | st.sampled_from(["a", "b=c", 'q"', "é"])] * 3),
        min_size=2,
        max_size=30,
    )
)
def test_any_code_table_comes_back_equal(rows):
    columns = [Column.of(f"c{i}", cells) for i, cells in enumerate(zip(*rows, strict=True))]
    try:
        table, schema = learnt(columns)
    except BadInput:
        return
    document = from_json(to_json(document_of(table, schema, SETTINGS)), "'m.json'")
    back, back_schema = code_table_of(document)
    assert back_schema == schema
    assert back.sets == table.sets
    for part in ("usages", "supports", "item_usages", "item_supports"):
        assert getattr(back, part).tolist() == getattr(table, part).tolist()
    assert back.rows == table.rows


def test_a_model_with_a_rare_value_is_not_written_unless_that_is_the_wish():
    columns = [Column.of("x", ["a"] * 5 + ["b"]), Column.of("y", ["c"] * 6)]
    table, schema = learnt(columns, min_support=1)
    with pytest.raises(BadInput, match="'x' of the model has a value that fewer than 2 rows"):
        document_of(table, schema, SETTINGS)
    kept = msgspec.structs.replace(SETTINGS, rare_values="keep")
    assert code_table_of(document_of(table, schema, kept))[0].rows == 6


def test_a_model_with_a_rare_pattern_is_not_written():
    settings = msgspec.structs.replace(SETTINGS, min_support=3)
    table, schema = code_table_of(EXAMPLE)
    patterns = document_of(table, schema, SETTINGS).patterns
    rare = [PatternDocument(p.usage, 2, p.items) for p in patterns]
    columns = [
        ColumnDocument(c.name, c.storage, c.values, [max(s, 3) for s in c.supports], c.usages)
        for c in EXAMPLE.columns
    ]
    document = ModelDocument(99, settings, columns, rare)
    with pytest.raises(BadInput, match="a pattern that fewer than 3 rows hold"):
        code_table_of(document)


def changed(**parts):
    return msgspec.structs.replace(EXAMPLE, **parts)


def with_column(**parts):
    first, *others = EXAMPLE.columns
    return changed(columns=[msgspec.structs.replace(first, **parts), *others])


def with_pattern(**parts):
    first, *others = EXAMPLE.patterns
    return changed(patterns=[msgspec.structs.replace(first, **parts), *others])


def more(counts):
    return [counts[0] + 1, *counts[1:]]


FIRST = EXAMPLE.columns[0]
DISAGREEING = {
    "a value twice": (with_column(values=["f", "f"]), "lists a value twice"),
    "a column twice": (changed(columns=[FIRST, *EXAMPLE.columns]), "two columns called 'sex'"),
    "an unknown type": (with_column(storage="struct<a>"), "no column type"),
    "a nested type": (
        with_column(storage="dictionary<values=list<int8>, indices=int8, ordered=0>"),
        "no column type",
    ),
    "an index that is no number": (
        with_column(storage="dictionary<values=string, indices=string, ordered=0>"),
        "no column type",
    ),
    "values that are not of the type": (with_column(storage="int8"), "cannot be written as int8"),
    "too few counts": (with_column(supports=[1]), "one count for each value"),
    "more rows than there are": (changed(rows=3), "in more rows than there are"),
    "usages that do not add up": (with_column(usages=more(FIRST.usages)), "used by more|add up"),
    "supports that do not add up": (with_column(supports=more(FIRST.supports)), "more rows|add up"),
    "a usage above the support": (with_pattern(usage=11), "used by more|more rows"),
    "an unknown item": (with_pattern(items={"sex": "f", "ill": "maybe"}), "no column lists"),
    "an unknown column": (with_pattern(items={"sex": "f", "town": "x"}), "no column lists"),
    "a pattern twice": (
        changed(patterns=[EXAMPLE.patterns[0], *EXAMPLE.patterns]),
        "twice|add up|more rows",
    ),
}


@pytest.mark.parametrize("kind", DISAGREEING)
def test_a_document_whose_parts_disagree_is_refused(kind):
    document, sentence = DISAGREEING[kind]
    with pytest.raises(BadInput, match=sentence):
        code_table_of(from_json(to_json(document), "'m.json'"))


def nested(depth):
    return b'{"format":"halfmask model","version":1,"checksum":"","model":' + b"[" * depth


DAMAGED = {
    "nothing": (b"", "truncated"),
    "a truncated file": (FILE[: len(FILE) // 2], "truncated"),
    "something after the end": (FILE + b"x", "not JSON"),
    "no JSON": (b"sex,ill\nf,yes\n", "not JSON"),
    "no text": (b"\xff\xfe\x00", "not JSON"),
    "other JSON": (b'{"type": "FeatureCollection"}', "'m.json' is not a halfmask model"),
    "a list": (b"[1]", "'m.json' is not a halfmask model"),
    "another format": (FILE.replace(b"halfmask model", b"other model"), "not a halfmask model"),
    "a newer version": (FILE.replace(b'"version": 3', b'"version": 5'), "version 5.*newer halfm"),
    "version nought": (FILE.replace(b'"version": 3', b'"version": 0'), "wrong at version"),
    "a changed number": (FILE.replace(b'"rows": 10', b'"rows": 11'), "checksum does not match"),
    "another checksum": (FILE.replace(b"sha256:", b"sha256:0"), "checksum does not match"),
    "an unknown setting": (FILE.replace(b'"prune"', b'"prone"'), "wrong at settings"),
    "a seed": (FILE.replace(b'"prune"', b'"seed":7,"prune"'), "wrong at settings"),
    "deep nesting of lists": (b"[" * 10_000_000, "not a halfmask model"),
    "deep nesting in the model": (nested(5_000_000), "nested too deeply"),
    "deep nesting beside it": (b'{"x":' * 1_000_000, "nested too deeply"),
    "a huge number": (FILE.replace(b'"rows": 10', b'"rows": ' + b"9" * 100_000), "wrong at rows"),
    "a huge exponent": (FILE.replace(b"0.001", b"1e999999"), "wrong at settings|not JSON"),
    "a fraction of a row": (FILE.replace(b'"rows": 10', b'"rows": 10.5'), "wrong at rows"),
    "a negative count": (FILE.replace(b'"rows": 10', b'"rows": -1'), "wrong at rows"),
    "not a number": (FILE.replace(b"0.001", b"NaN"), "not JSON"),
    "infinity": (FILE.replace(b"0.001", b"Infinity"), "not JSON"),
    "a negative laplace": (FILE.replace(b"0.001", b"-0.001"), "wrong at settings.laplace"),
    "an endless value": (FILE.replace(b'"f"', b'"' + b"f" * 5_000_000 + b'"'), "wrong at columns"),
    "an endless name": (FILE.replace(b'"sex"', b'"' + b"s" * 5_000_000 + b'"'), "wrong at columns"),
    "text for a number": (FILE.replace(b'"rows": 10', b'"rows": "10"'), "wrong at rows"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_or_hostile_file_gets_one_sentence_at_once(kind):
    content, sentence = DAMAGED[kind]
    start = time.process_time()
    with pytest.raises(BadInput, match=sentence) as caught:
        from_json(content, "'m.json'")
    assert time.process_time() - start < 2
    assert len(str(caught.value)) < 200
    assert str(caught.value).startswith("'m.json'")


@given(st.binary(max_size=40), st.integers(0, len(FILE)), st.integers(0, 40))
def test_whatever_bytes_are_written_over_a_file_it_is_read_or_refused(garbage, start, cut):
    content = FILE[:start] + garbage + FILE[start + cut :]
    try:
        code_table_of(from_json(content, "'m.json'"))
    except BadInput:
        return
    assert from_json(content, "'m.json'") == EXAMPLE
