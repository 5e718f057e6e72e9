"""The documents keep their word: every command and every code block in them runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import halfmask
from halfmask.cli.entry import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
YAML = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run_console(block: str, folder: Path) -> None:
    """Run `$ halfmask` and `$ python` lines; installing and making are other tests' business."""
    for line in block.splitlines():
        if not line.startswith(("$ halfmask", "$ python")):
            continue
        program, *words = shlex.split(line.removeprefix("$ "), comments=True)
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, *(["-m", "halfmask"] if program == "halfmask" else []), *words],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"COLUMNS": "100"},
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def run_python(block: str, folder: Path) -> None:
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-W", "error", "-c", block],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{block}\n{done.stderr}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_examples_of_a_document_run(document, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for kind, block in BLOCK.findall(document.read_text()):
        (run_console if kind == "console" else run_python)(block, tmp_path)


def test_the_assets_of_a_document_are_assets(tmp_path):
    """Every YAML block is a whole asset file, and fits the therapies of the examples."""
    blocks = [block for document in DOCUMENTS for block in YAML.findall(document.read_text())]
    assert blocks
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    run_console("$ python examples/health/make.py", tmp_path)
    for block in blocks:
        (tmp_path / "printed.yaml").write_text(block)
        run_console("$ halfmask asset check printed.yaml examples/health/therapies.csv", tmp_path)


def test_the_readme_names_its_two_commands():
    readme = (ROOT / "README.md").read_text()
    makefile = (ROOT / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}" in readme
        assert f"\n{target}:" in makefile


def test_links_between_documents_lead_somewhere():
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} points to {target}"


def test_every_command_has_help_and_stands_in_the_readme():
    readme = (ROOT / "README.md").read_text()
    for command in COMMANDS:
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "halfmask", command, "--help"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert "Usage: halfmask" in done.stdout
        assert f"halfmask {command}" in readme, f"the README does not show halfmask {command}"


def test_every_public_name_can_be_loaded_and_explains_itself():
    for name in halfmask.__all__:
        assert getattr(halfmask, name).__doc__


def test_importing_halfmask_is_light():
    """The package itself loads none of its heavy friends; they come with the first use."""
    code = "import sys, halfmask; print(*sys.modules)"
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "pyarrow", "duckdb", "matplotlib", "pandas", "polars", "sklearn", "rich"}
    assert not heavy & set(done.stdout.split())


def test_no_document_or_source_names_a_place_on_a_machine():
    listed = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607 - git is where it is
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout: the list of files is git's")
    places = re.compile(r"/(work|farm|root|home)/")
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".cpp", ".hpp", ".pyi", ".j2", ".txt", ""}:
            text = path.read_text(errors="ignore")
            for line in text.splitlines():
                assert "places =" in line or not places.search(line), f"{name}: {line}"
