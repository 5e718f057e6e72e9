"""What a table, a name or an asset holds cannot speak to the terminal."""

from __future__ import annotations

import json
import re

import pytest

from halfmask.cli.printing import console, show_json
from halfmask.shown import printable

EVIL = "\x1b]0owned\x07\x1b[2J\x9b31m\u202egnp\u2066\r"
SEEN = r"\x1b]0owned\x07\x1b[2J\x9b31m\u202egnp\u2066"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "evil.csv"
    name = EVIL.rstrip("\r")
    rows = "".join(f"{i % 4},{name}{i // 4 % 2}\n" for i in range(400))
    path.write_text(f"age,{name}\n{rows}", encoding="utf-8")
    return path


def test_line_ends_and_letters_of_any_language_stay():
    assert printable("Zoë\tמים\n漢字 🙂") == "Zoë\tמים\n漢字 🙂"


def test_a_console_spells_control_characters_out(capsys):
    from rich.text import Text

    for shown in (EVIL, Text(EVIL, style="bold red")):
        console().print(shown, markup=False)
        assert not RAW.search(capsys.readouterr().out)


def test_json_keeps_the_value_without_its_control_characters(capsys):
    show_json({"name": EVIL})
    out = capsys.readouterr().out
    assert not RAW.search(out)
    assert json.loads(out) == {"name": EVIL}


def test_inspect_shows_a_table_and_its_model_escaped(halfmask, table, tmp_path):
    ran = halfmask("inspect", table, COLUMNS="300")
    assert ran.code == 0, ran.err
    assert SEEN in ran.out
    done = halfmask("publish", table, "--seed", "1", COLUMNS="300")
    assert done.code == 0, done.err
    shown = halfmask("inspect", tmp_path / "evil.model.json", COLUMNS="300")
    assert SEEN in shown.out
    for each in (ran, done, shown):
        assert not RAW.search(each.out + each.err)


def test_an_asset_is_shown_escaped(halfmask, patients, tmp_path):
    assert halfmask("asset", "init", patients, "-o", "asset.yaml").code == 0
    path = tmp_path / "asset.yaml"
    text = path.read_text(encoding="utf-8")
    changed = re.sub("  - name: .*", r'  - name: "\\e[2J\\u202E"', text, count=1)
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    shown = halfmask("asset", "show", path)
    assert shown.code == 0, shown.err
    assert r"\x1b[2J\u202e" in shown.out
    assert not RAW.search(shown.out + shown.err)


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    "arguments",
    [
        ("publish", "{evil}.csv"),
        ("publish", "evil.csv", "--drop", "{evil}"),
        ("publish", "evil.csv", "--{evil}"),
        ("{evil}",),
        ("publish", "evil.csv", "--seed", "{evil}"),
        ("publish", "evil.csv", "-o", "{evil}/x.csv"),
        ("asset", "show", "{evil}.yaml"),
    ],
)
def test_a_sentence_about_a_name_shows_it_escaped(halfmask, arguments):
    ran = halfmask(*(argument.replace("{evil}", EVIL) for argument in arguments))
    assert ran.code == 2
    assert ran.err
    assert not RAW.search(ran.out + ran.err)
