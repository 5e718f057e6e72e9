"""What commands print with --json is what docs/output.schema.json says, to the last name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from visiting import hospital

from halfmask.cli.entry import COMMANDS, cli, load_command
from halfmask.data import Encoding
from halfmask.demo.hospital import hospital_admissions
from halfmask.io.files import save

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "output.schema.json").read_text()
)

ASSET = """
relation: {key: [], attributes: {diagnosis: {}, sex: {}, region: {}}}
asset:
- {name: illness, weight: 1.0, attributes: {diagnosis: {aw: 1.0, cw: 1.0}, sex: {aw: 0.5}}}
"""

FILES = {
    "quest -T 6 -I 3 -N 60 -L 40 -D 800 --seed 1 -o shop.dat": None,
    "publish people.csv --seed 1 --json": "publish",
    "publish people.csv --epsilon 3 -o private.csv --json": "publish",
    "publish people.csv --asset asset.yaml --no-trade-off -o fenced.csv --json": "publish",
    "publish people.csv --holdout 0 --no-trade-off -o second.csv --json": "publish",
    "publish patients.csv --child visits.csv --json": "publish_family",
    "publish shop.dat --method baskets --min-support 20 -o drawn.dat --json": "publish",
    "publish shop.dat --method baskets --epsilon 4 -o noisy.dat --json": "publish",
    "publish shop.dat --method anatomy -l 3 --columns 6 --on-ineligible merge_columns --json": (
        "publish"
    ),
    "publish shop.dat --method distortion --keep 0.9 -o bits.dat --json": "publish",
    "publish shop.dat --method hiding --hide 11 -o hidden.dat --json": "publish",
    "demo --rows 300 --output demo --json": "publish",
    "ledger people.csv --json": "ledger",
    "measure people.csv people.release.csv --json": "measure",
    "measure shop.dat drawn.dat --json": "measure",
    "measure people.csv --between sex --json": "measure_between",
    "generate people.model.json --rows 20 -o more.csv --json": "generate",
    "merge people.model.json second.model.json -o both.json --json": "merge",
    "inspect people.csv --json": "inspect_table",
    "inspect shop.dat --json": "inspect_baskets",
    "inspect people.model.json --json": "inspect_model",
    "inspect drawn.model.json --json": "inspect_model",
    "inspect private.model.json --json": "inspect_private",
    "inspect private.model.json --margins --json": "inspect_private",
    "inspect noisy.model.json --json": "inspect_private",
    "inspect people.model.json --margins --json": "inspect_margins",
    "inspect drawn.model.json --margins --json": "inspect_margins",
    "inspect people.model.json --audit --json": "inspect_audit",
    "inspect drawn.model.json --audit --json": "inspect_audit",
    "index query shop.dat 11 --json --rows": "index_query",
    "index query shop.dat 11 --json": "index_query",
    "asset evaluate people.csv people.release.csv --asset asset.yaml --json": "asset_evaluate",
    "choose people.csv --asset asset.yaml --methods generator --generic-rows 200 --test-rows 200 "
    "--draws 1 --seed 1 --json": "choose",
    "audit people.csv --fits 40 --json": "audit",
    "doctor --json": "doctor",
}
"""Commands in an order in which each finds the files it reads, and the definition of its output."""

ELSEWHERE = {"asset show", "reproduce"}
"""asset.schema.json describes assets; what a paper prints is as various as the papers."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("outputs")
    columns = hospital_admissions(400, rng=np.random.default_rng(1))
    save(Encoding.fit(columns).encode(columns), place / "people.csv")
    for name, frame in hospital(400).items():
        frame.write_csv(place / f"{name}.csv")
    (place / "asset.yaml").write_text(ASSET)
    return place


def test_every_output_is_what_the_schema_says(folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    used = set()
    for line, name in FILES.items():
        cli.main(line.split(), prog_name="halfmask", standalone_mode=False)
        out = capfd.readouterr().out
        if name is None:
            continue
        document = json.loads(out)
        schema = {**SCHEMA, "$ref": f"#/$defs/{name}"}
        problems = [
            f"{'.'.join(map(str, e.absolute_path))}: {e.message[:300]}"
            for e in Draft202012Validator(schema).iter_errors(document)
        ]
        assert not problems, f"{line}\n" + "\n".join(problems)
        used.add(name)
    parts = {"check", "reading", "curve_point", "dial_point", "epsilon_point", "published_table"}
    assert used | parts == set(SCHEMA["$defs"])


def test_the_schema_is_a_schema_and_refuses_what_it_does_not_name():
    Draft202012Validator.check_schema(SCHEMA)
    validator = Draft202012Validator({**SCHEMA, "$ref": "#/$defs/generate"})
    assert validator.is_valid({"rows": 1, "files": [], "notes": []})
    for wrong in ({"rows": 1, "files": []}, {"rows": 1, "files": [], "notes": [], "more": 1}):
        assert not validator.is_valid(wrong)


def test_every_command_with_json_is_among_these():
    tried = {" ".join(line.split()[:2]) for line in FILES} | {line.split()[0] for line in FILES}
    for name in COMMANDS:
        command = load_command(name)
        inner = getattr(command, "commands", None)
        each = {f"{name} {n}": c for n, c in inner.items()} if inner else {name: command}
        for words, one in each.items():
            if any("--json" in option.opts for option in one.params):
                assert words in tried | ELSEWHERE, f"halfmask {words} --json"
