"""The documents keep their word: every command and every code block in them runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import metadata
from pathlib import Path

import postgres
import pytest

import halfmask
from halfmask.cli.entry import COMMANDS, load_command
from halfmask.cli.publish import command_of
from halfmask.documents.schema import table_spec
from halfmask.methods import METHODS

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
"""What a reader reads; decisions and reproduced papers too."""
FENCE = re.compile(r"^```(\S*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
RUN = {"console", "python", "r"}
CELL = "{code-cell}"
"""A cell of a notebook: Python, run in the order of the page."""
SHOWN = {"text", "yaml", "toml"}
"""Blocks that show: what a program prints, or a file (assets and schemas have their own test)."""
REMOTE = "postgresql://steward@db.example/clinic"
"""A database that a document speaks of; tests put one of their own in its place."""


def blocks(document: Path, *kinds: str) -> Iterator[tuple[str, str]]:
    for kind, block in FENCE.findall(document.read_text()):
        if kind in kinds:
            yield kind, block


def lines_of(block: str) -> Iterator[str]:
    """What is typed: lines after a $, with those they go on in; the others are what is printed."""
    joined = block.replace("\\\n", " ")
    return (line[2:] for line in joined.splitlines() if line.startswith("$ "))


def run_console(block: str, folder: Path) -> None:
    """Type every line; one that no test knows how to run fails."""
    for line in lines_of(block):
        program, *words = shlex.split(line, comments=True)
        if program in ("halfmask", "python"):
            _run(line, program, words, folder)
        elif program == "make":
            targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
            assert words[0] in targets, line
        else:
            assert [program, *words[:1]] == ["pip", "install"], f"nobody runs {line!r}"
            extra = re.search(r"\[(.*)\]", words[1])
            known = metadata("halfmask").get_all("Provides-Extra")
            assert extra is None or set(extra[1].split(",")) <= set(known), line


def _run(line: str, program: str, words: list[str], folder: Path) -> None:
    command = [sys.executable, *(["-m", "halfmask"] if program == "halfmask" else [])]
    words, place = (words[:-2], words[-1]) if ">" in words else (words, os.devnull)
    environment = os.environ | {"COLUMNS": "100"}
    if words[:1] == ["studio"]:
        _open_and_close([*command, *words], folder, environment)
        return
    done = subprocess.run(  # noqa: S603 - our own command
        [*command, *words],
        cwd=folder,
        capture_output=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, f"{line}\n{done.stderr.decode()}"
    (folder / place).write_bytes(done.stdout)


def _open_and_close(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    """A page that is served until Ctrl-C."""
    page = subprocess.Popen(  # noqa: S603 - our own command
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        env=environment | {"BROWSER": "true", "PYTHONUNBUFFERED": "1"},
    )
    assert page.stdout is not None
    first = page.stdout.readline()
    page.send_signal(signal.SIGINT)
    rest = page.communicate(timeout=60)[0]
    assert "http://127.0.0.1" in first, first + rest
    assert page.returncode in (0, 130), rest


def run_python(block: str, folder: Path) -> None:
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-W", "error", "-c", block],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{block}\n{done.stderr}"


def run_r(block: str, folder: Path) -> None:
    """In R, with this Python behind it."""
    program = shutil.which("Rscript")
    if program is None or not has_reticulate(program):
        pytest.skip("R is not installed (Debian: apt install r-base-core r-cran-reticulate)")
    done = subprocess.run(  # noqa: S603 - found above
        [program, "-e", block],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"RETICULATE_PYTHON": sys.executable},
    )
    assert done.returncode == 0, f"{block}\n{done.stderr}"


def has_reticulate(program: str) -> bool:
    asked = [program, "-e", 'quit(status = !requireNamespace("reticulate"))']
    return not subprocess.run(asked, capture_output=True, check=False).returncode  # noqa: S603


def with_commands() -> list[Path]:
    return [one for one in DOCUMENTS if any(blocks(one, *RUN, CELL))]


def runs_of(document: Path) -> Iterator[tuple[str, str]]:
    """The blocks to run; those of a notebook, and those of R, are one program."""
    yield from blocks(document, "console", "python")
    for kind, together in ((CELL, "python"), ("r", "r")):
        cells = [block for _, block in blocks(document, kind)]
        if cells:
            yield together, "\n".join(cells)


@pytest.mark.parametrize("document", with_commands(), ids=lambda p: str(p.relative_to(ROOT)))
def test_the_examples_of_a_document_run(document, tmp_path, request):
    """From a folder with nothing in it but the examples of the checkout."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    found = [*runs_of(document)]
    remote = any(REMOTE in block for _, block in found)
    clinic = request.getfixturevalue("clinic") if remote else REMOTE
    for kind, block in found:
        run = {"console": run_console, "python": run_python, "r": run_r}[kind]
        run(block.replace(REMOTE, clinic), tmp_path)


@pytest.fixture
def clinic(tmp_path):
    """The address of a real PostgreSQL database with a table of patients."""
    with postgres.running_server() as server:
        made = tmp_path / "made"
        run_console(f"$ halfmask demo --output {made} --rows 500 --quiet", tmp_path)
        place = server.address("table=patients")
        words = f"{made}/admissions.model.json -o '{place}' --quiet"
        run_console(f"$ halfmask generate {words}", tmp_path)
        yield server.address()


def test_every_block_says_what_it_is():
    """A block without a kind, or of one that nobody runs or reads, would be left out unseen."""
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md"]:
        for kind, block in FENCE.findall(document.read_text()):
            known = kind in RUN | SHOWN or kind in (CELL, "{toctree}", "{include}", "{eval-rst}")
            assert known, f"{document.name}: a block of kind {kind!r}"
            assert kind != "text" or "\n$ " not in f"\n{block}", f"{document.name}: {block}"


def test_the_lines_of_the_contributors_guide_are_targets_of_make(tmp_path):
    for _, block in blocks(ROOT / "CONTRIBUTING.md", "console"):
        run_console(block, tmp_path)


def test_commands_within_sentences_exist_with_their_options():
    """`halfmask …` in prose: the command is there, and so is every option that it names."""
    every = {flag for name in METHODS for one in command_of(name).params for flag in one.opts}
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md"]:
        prose = FENCE.sub("", document.read_text())
        shown = "\n".join(block for _, block in blocks(document, "text"))
        listed = re.findall(r"^halfmask (.+)$", shown, re.MULTILINE)
        for said in [*re.findall(r"`halfmask\s([^`]+)`", prose), *listed]:
            name, *words = said.replace("\\|", "|").split()
            if name.startswith("-"):
                continue
            assert name in COMMANDS, f"{document.name}: halfmask {said}"
            command = load_command(name)
            inner = getattr(command, "commands", {})
            if inner and words:
                command, words = inner[words[0]], words[1:]
            known = every if name == "publish" else {f for one in command.params for f in one.opts}
            flags = {word for word in words if re.match(r"--?[a-z]", word)} - {"--help"}
            assert flags <= known, f"{document.name}: halfmask {said}"


def test_the_schemas_of_a_document_are_schemas(tmp_path):
    """Every TOML block can be read as a description of columns."""
    found = [block for document in DOCUMENTS for _, block in blocks(document, "toml")]
    assert found
    for block in found:
        (tmp_path / "printed.toml").write_text(block)
        assert table_spec(tmp_path / "printed.toml").columns.keys() == {
            *tomllib.loads(block)["columns"]
        }


def test_the_assets_of_a_document_are_assets(tmp_path):
    """Every YAML block is a whole asset file, and fits the therapies of the examples."""
    found = [block for document in DOCUMENTS for _, block in blocks(document, "yaml")]
    assert found
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    run_console("$ python examples/health/make.py", tmp_path)
    for block in found:
        (tmp_path / "printed.yaml").write_text(block)
        run_console("$ halfmask asset check printed.yaml examples/health/therapies.csv", tmp_path)


def test_the_readme_names_its_two_commands():
    readme = (ROOT / "README.md").read_text()
    makefile = (ROOT / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}" in readme
        assert f"\n{target}:" in makefile


def test_a_decision_has_the_number_of_its_file():
    for document in sorted((ROOT / "docs" / "decisions").glob("0*.md")):
        title = document.read_text().partition("\n")[0]
        assert re.match(rf"# 0*{int(document.name[:4])}[.:] ", title), document.name


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
