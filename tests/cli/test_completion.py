"""Shells complete commands, options, choices and files, as docs/cli.md says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text()


def offered(halfmask, *words: str) -> list[str]:
    """What is offered for the last word, as bash asks for it: kind and word."""
    ran = halfmask(
        _HALFMASK_COMPLETE="bash_complete",
        COMP_WORDS=" ".join(["halfmask", *words]),
        COMP_CWORD=str(len(words)),
    )
    assert ran.code == 0, ran.err
    return ran.out.split()


def test_commands_and_their_parts(halfmask):
    assert offered(halfmask, "pub") == ["plain,publish"]
    assert "plain,evaluate" in offered(halfmask, "asset", "")


def test_options_are_those_of_the_method_that_is_typed(halfmask):
    assert "plain,--min-support" in offered(halfmask, "publish", "a.csv", "--min")
    assert offered(halfmask, "publish", "a.dat", "--method", "anat") == ["plain,anatomy"]
    of_anatomy = offered(halfmask, "publish", "a.dat", "--method", "anatomy", "--")
    assert "plain,--on-ineligible" in of_anatomy
    assert "plain,--hide-together" not in of_anatomy


def test_a_file_is_completed_by_the_shell(halfmask):
    assert offered(halfmask, "publish", "adm") == ["file,adm"]
    assert offered(halfmask, "generate", "x.model.json", "-o", "out") == ["file,out"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_line_of_the_guide_is_what_the_shell_understands(shell, tmp_path):
    """The program of each shell is printed; bash, which is always there, runs its line."""
    wanted = f"_HALFMASK_COMPLETE={shell}_source halfmask"
    assert wanted in GUIDE
    (tmp_path / "halfmask").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m halfmask "$@"\n')
    (tmp_path / "halfmask").chmod(0o755)
    bash = shutil.which("bash")
    assert bash is not None
    then = "complete -p halfmask" if shell == "bash" else "true"
    line = f'eval "$({wanted})"; {then}' if shell == "bash" else wanted
    done = subprocess.run(  # noqa: S603 - our own line
        [bash, "-ec", line],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "_halfmask_completion" in done.stdout
