"""What publish proposes on a terminal: commands that answer the result, and run as printed."""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys

import pytest
from visiting import hospital

from halfmask.cli.next_steps import Typed
from halfmask.io.forms import FileOptions

COLOUR = re.compile(r"\x1b\[[\d;]*m")


@pytest.fixture
def on_terminal(tmp_path):
    """Run `halfmask …` with a terminal as its output, as a person does."""

    def run(*words: str) -> str:
        ours, theirs = pty.openpty()
        done = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "halfmask", *words],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.PIPE,
            env=os.environ | {"COLUMNS": "80", "TERM": "xterm"},
        )
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65_536):
                shown += piece
        except OSError:  # Linux says so when the other end is closed
            pass
        os.close(ours)
        errors = done.communicate()[1].decode()
        assert done.returncode == 0, errors
        return COLOUR.sub("", shown.decode())

    return run


def steps_in(shown: str) -> list[tuple[str, str]]:
    """What each step is good for, and its command."""
    lines = shown.replace("\r", "").partition("\nNext\n")[2].splitlines()
    return [
        (why.removeprefix("  # "), command.strip())
        for why, command in zip(lines[::2], lines[1::2], strict=True)
    ]


def follow(steps, halfmask) -> None:
    """Type every command."""
    for _, command in steps:
        program, *words = shlex.split(command)
        ran = halfmask(*words)
        assert program == "halfmask"
        assert ran.code == 0, f"{command}\n{ran.err}"


def test_a_release_that_was_not_attacked_is_attacked_next(
    on_terminal, halfmask, patients, tmp_path
):
    spaced = patients.rename(tmp_path / "my patients.csv")
    shown = on_terminal("publish", spaced.name, "--holdout", "0", "--min-support", "3")
    steps = steps_in(shown)
    again = [shlex.split(command) for _, command in steps if "publish" in command]
    assert 1 <= len(steps) <= 3
    assert ["halfmask", "publish", spaced.name, "--min-support", "3", "--force"] in again
    assert any("10" in words and "--holdout" not in words for words in again)
    follow(steps, halfmask)


def test_a_release_to_publish_is_followed_by_what_receivers_need(on_terminal, halfmask, tmp_path):
    rows = "f,no\nm,yes\nf,yes\nm,no\nf,no\nm,yes\n" * 250
    (tmp_path / "few.csv").write_text("sex,ill\n" + rows)
    steps = steps_in(on_terminal("publish", "few.csv", "--seed", "2"))
    assert [words[1] for words in (shlex.split(c) for _, c in steps)] == [
        "publish",
        "inspect",
        "generate",
    ]
    follow(steps, halfmask)
    assert (tmp_path / "few.external.html").exists()
    assert len((tmp_path / "few.more.csv").read_text().splitlines()) == 15_001


def test_a_private_release_is_followed_by_its_ledger(on_terminal, halfmask, patients):
    steps = steps_in(on_terminal("publish", patients.name, "--epsilon", "3"))
    commands = [command for _, command in steps]
    assert f"halfmask ledger {patients.name}" in commands
    assert not any("min-support" in command for command in commands)
    follow(steps, halfmask)


@pytest.mark.parametrize(
    ("file", "method"),
    [
        ("shop.basket.csv", "--method distortion --keep 0.9"),
        ("shop.basket.csv", "--method coherence -k 2 --known 1"),
        ("patients.csv", "--method distortion --keep 0.9"),
    ],
)
@pytest.mark.usefixtures("shop", "patients")
def test_a_release_without_a_model_is_measured_next(on_terminal, halfmask, file, method):
    steps = steps_in(on_terminal("publish", file, *method.split(), "--seed", "1"))
    assert any(command.startswith(f"halfmask measure {file}") for _, command in steps)
    follow(steps, halfmask)


def test_a_family_is_published_again_with_its_children(on_terminal, halfmask, tmp_path):
    for name, frame in hospital(500).items():
        frame.write_csv(tmp_path / f"{name}.csv")
    words = ("publish", "patients.csv", "--child", "visits.csv", "--min-support", "3")
    steps = steps_in(on_terminal(*words, "--seed", "1"))
    again = "halfmask publish patients.csv --min-support 10 --seed 1 --force --child visits.csv"
    assert again in [command for _, command in steps]
    follow(steps, halfmask)


def test_nothing_is_proposed_to_a_pipe_or_in_json(halfmask, patients, on_terminal):
    assert "Next" not in halfmask("publish", patients, "--no-trade-off").out
    assert "Next" not in on_terminal("publish", str(patients), "--json", "--force")
    assert not on_terminal("publish", str(patients), "--quiet", "--force")


def test_what_cannot_be_typed_again_is_not_proposed():
    def typed(place: str) -> Typed:
        return Typed(place, "generator", {}, FileOptions())

    assert typed("patients.csv").repeatable
    assert not typed("-").repeatable
    assert not typed("postgresql://ann:secret@db/clinic?table=t").repeatable
    output = {"output": "postgresql://ann:secret@db/clinic?table=t"}
    assert not Typed("patients.csv", "generator", output, FileOptions()).repeatable


def test_children_and_options_of_the_file_are_typed_again():
    typed = Typed("p.csv", "generator", {"rows": 5}, FileOptions(sheet="a b"), ("v w.csv",))
    line = "halfmask publish p.csv --rows 5 --force --sheet 'a b' --child 'v w.csv'"
    assert typed.again() == line
