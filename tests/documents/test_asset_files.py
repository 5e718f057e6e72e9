"""Asset files: what can be written, and the sentence for whatever cannot be meant."""

from __future__ import annotations

import re

import health
import msgspec
import pytest

from halfmask.assets.document import AssetDocument, asset_schema
from halfmask.data import Column
from halfmask.documents.asset import load_asset, load_hierarchies, parse_asset
from halfmask.errors import BadInput

LINES = health.TEXT.splitlines()


def line_of(fragment: str) -> int:
    return next(n for n, line in enumerate(LINES, 1) if fragment in line)


def refused(old: str, new: str) -> str:
    assert old in health.TEXT
    with pytest.raises(BadInput) as caught:
        parse_asset(health.TEXT.replace(old, new, 1), "health.yaml")
    return str(caught.value)


def test_the_same_asset_is_read_from_yaml_and_json(tmp_path):
    plain = msgspec.to_builtins(health.ASSET.document)
    written = msgspec.json.format(msgspec.json.encode(plain), indent=1)
    path = tmp_path / "health.json"
    path.write_bytes(written.replace(b"\n ", b"\n\t"))
    assert load_asset(path).document == health.ASSET.document


def test_weights_left_out_are_one_and_links_follow_from_the_expressions():
    text = re.sub(r", (slink|clink): \[[^]]*\]", "", health.TEXT)
    assert "link" not in text
    assert parse_asset(text).informations == health.ASSET.informations
    short = text.replace("{aw: 1.0, cw: 1.0}", "{}")
    assert parse_asset(short).informations == health.ASSET.informations


def test_a_building_block_counts_only_when_it_stands_alone():
    therapy = health.ASSET.informations[0]
    assert [c.name for c in therapy.tested] == ["s_days", "c_ins"]
    text = health.TEXT.replace("value: insulin}", "value: insulin}, standalone: true")
    alone = parse_asset(text).informations[0]
    assert [(c.name, c.weight) for c in alone.tested] == [
        ("s_days", 0.3), ("s_ins", 1.0), ("c_ins", 0.8),
    ]  # fmt: skip


def test_words_that_older_yaml_takes_for_truth_values_stay_words():
    text = health.TEXT.replace("value: Y}", "value: yes}").replace("value: M}", "value: NO}")
    simple = parse_asset(text).document.asset[1].simple
    assert (simple["s_preg"].expr.value, simple["s_male"].expr.value) == ("yes", "NO")


def test_attributes_may_be_called_like_numbers():
    text = "{relation: {key: [], attributes: {17: {type: bool}}}, asset: [{name: 1, weight: 1, "
    text += "attributes: {17: {}}, simple: {s: {expr: {attr: 17, cmp: ==, value: true}}}}]}"
    assert parse_asset(text).attributes == ("17",)


@pytest.mark.parametrize(
    ("old", "new", "place", "says"),
    [
        ("weight: 0.7\n", "weight: -0.7\n", "asset[0].weight", "at least 0, not -0.7"),
        ("weight: 0.7\n", "weight: .inf\n", "asset[0].weight", "at least 0, not inf"),
        ("weight: 0.7\n", "weight: .nan\n", "asset[0].weight", "at least 0, not nan"),
        ("weight: 0.7\n", "weight: big\n", "asset[0].weight", "This is text, and a number"),
        ("weight: 0.7\n", "wieght: 0.7\n", "asset[0].wieght", "did you mean 'weight'?"),
        ("  weight: 0.7\n", "", "asset[0]", "'weight' is missing"),
        ("{aw: 0.6, cw: 0.6}", "{aw: -1}", "asset[1].attributes.drug.aw", "at least 0, not -1"),
        ("attr: days", "attr: dayz", "asset[0].simple.s_days.expr.attr", "did you mean 'days'?"),
        ("diagnosis: {aw", "diagnosys: {aw", "asset[0].attributes.diagnosys", "'diagnosis'?"),
        ("slink: [s_ins]", "slink: [s_in]", "asset[0].attributes.drug.slink[0]", "'s_ins'?"),
        ("slink: [s_ins]", "slink: [s_days]", "asset[0].attributes.drug.slink[0]", "not involve"),
        ("slink: [s_ins]", "slink: []", "asset[0].attributes.drug.slink", "the link to it is miss"),
        ("clink: [c_mp]", "clink: [c_pa]", "asset[1].simple.s_male.clink[0]", "does not involve"),
        ("args: [s_ins, ", "args: [s_inz, ", "asset[0].complex.c_ins.args[0]", "'s_ins'?"),
        ("args: [s_ins, ", "args: [c_ins, ", "asset[0].complex.c_ins", "circular: c_ins -> c_"),
        ("args: [s_ins, s_d100]", "args: [s_ins]", "asset[0].complex.c_ins.args", "two arguments"),
        ("op: implies", "op: imply", "asset[0].complex.c_ins.op", "did you mean 'implies'?"),
        ("[1, 365]", "[365, 1]", "asset[0].simple.s_days.expr.between", "lower bound comes first"),
        ("[1, 365]", "[1]", "asset[0].simple.s_days.expr.between", "number of values"),
        ("value: 100}", "value: much}", "asset[0].simple.s_d100.expr.value", "'much' is not"),
        ("value: M}", "value: 5}", "asset[1].simple.s_male.expr.value", "in quotes"),
        ('cmp: "<="', 'cmp: "matches"', "asset[0].simple.s_d100.expr.value", "is for text"),
        ('cmp: "<=", ', "", "asset[0].simple.s_d100.expr", "needs 'between', or 'cmp'"),
        ("name: pregnancy", "name: therapy", "asset[1].name", "Two informations"),
        ("days: {type: int}", "days: {type: integer}", "relation.attributes.days.type", "'int'?"),
        ("key: [pid]", "key: pid", "relation.key", "a list is needed"),
        ("key: [pid]", "key: [pid, pid]", "relation.key[1]", "names 'pid' twice"),
        ("key: [pid]", "key: [pid, drug]", "asset[0].attributes.drug", "no release may change"),
        ("sex: {type: str}", "sex: {equal: tolerance}", "relation.attributes.sex", "go together"),
        ("sex: {type: str}", "sex: {equal: ancestor}", "relation.attributes.sex", "hierarchy"),
        ("days:      {", "drug:      {", None, "a second time, after line"),
        ("weight: 0.3}", "weight: !!python/name:os.system 0}", None, "has no meaning here"),
        ("weight: 0.3}", "weight: 0.3}}", None, "not readable as YAML"),
        ("asset:\n", "aset:\n", "aset", "did you mean 'asset'?"),
    ],
)
def test_a_mistake_is_named_with_its_line_its_field_and_what_is_near(old, new, place, says):
    sentence = refused(old, new)
    moved = {"asset[0]": "name: therapy", "asset[0].attributes.drug": "drug:      {"}
    line = line_of(moved.get(place, old.splitlines()[0]))
    assert sentence.startswith(f"health.yaml, line {line}{f', {place}' if place else ''}: ")
    assert says in sentence


def test_a_circle_of_several_constraints_is_shown():
    sentence = refused(
        "c_ins: {op: implies, args: [s_ins, s_d100], weight: 0.8}",
        "c_ins: {op: implies, args: [c_not, s_d100]}\n    c_not: {op: not, args: [c_ins]}",
    )
    assert "c_ins -> c_not -> c_ins" in sentence


def test_a_constraint_may_only_read_what_its_information_lists():
    sentence = refused("{attr: days, between: [1, 365]}", "{attr: age, between: [1, 120]}")
    assert "does not list" in sentence


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "This is nothing"),
        ("[]", "This is a list"),
        ("x: *y", "undefined alias"),
        ("[" * 5000, "nested too deeply"),
        ("a: \x01", "characters that no YAML"),
        ("{relation: {key: [], attributes: {}}, asset: []}", "lists no attributes"),
        ("{relation: {key: [], attributes: {a: {}}}, asset: []}", "lists no information"),
    ],
)
def test_what_is_no_asset_is_refused(text, says):
    with pytest.raises(BadInput, match=re.escape(says)):
        parse_asset(text)


def test_a_file_that_unfolds_without_end_is_stopped():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(BadInput, match="unfolds into more than 100,000 values"):
        parse_asset("\n".join(lines))


def test_bytes_that_are_no_text_are_named_with_their_line(tmp_path):
    path = tmp_path / "health.yaml"
    path.write_bytes(health.TEXT.encode().replace(b"therapy", b"th\xe9rapie"))
    with pytest.raises(BadInput, match="line 14: the text is not UTF-8"):
        load_asset(path)


def test_hierarchies_are_files_beside_the_asset(tmp_path):
    (tmp_path / "drugs.txt").write_text("quinine, insulin -> drug")
    text = health.TEXT.replace("drug: {type: str}", "drug: {hierarchy: drugs.txt}", 1)
    columns = [Column.of("drug", ["quinine", "insulin", "?"])]
    found = load_hierarchies(parse_asset(text), tmp_path, columns)
    assert found["drug"].lift("quinine", "drug") == 1.0
    outside = text.replace("drugs.txt", "../drugs.txt")
    with pytest.raises(BadInput, match="beside the asset"):
        load_hierarchies(parse_asset(outside), tmp_path, columns)


def test_the_json_schema_knows_every_field():
    described = asset_schema()["$defs"]
    fields = set(msgspec.structs.asdict(health.ASSET.document)) | {"relation", "asset"}
    assert fields == set(described["AssetDocument"]["properties"])
    assert msgspec.json.schema(AssetDocument)["$defs"].keys() == described.keys()
