"""What halfmask doctor says is true here, and it notices what is missing."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

from halfmask.cli.doctor import FOR_WHAT

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def test_it_names_what_is_there(halfmask):
    found = json.loads(halfmask("doctor", "--json").out)
    assert found["halfmask"] == version("halfmask")
    assert found["python"] == platform.python_version()
    assert found["native_core"] == {"works": True, "reason": None}
    assert 1 <= found["cores"] <= (os.cpu_count() or 1)
    assert set(found["extras"]) == set(EXTRAS) == set(FOR_WHAT)
    stats = found["extras"]["stats"]
    assert stats["packages"]["pyreadstat"] == version("pyreadstat")
    shown = halfmask("doctor")
    assert shown.code == 0
    assert f"halfmask {version('halfmask')}" in shown.out


def without(tmp_path: Path, *missing: str) -> subprocess.CompletedProcess[str]:
    """Run it where these modules and packages are not installed."""
    (tmp_path / "run.py").write_text(
        "import sys\n"
        "from importlib import metadata\n"
        f"gone = {missing!r}\n"
        "class Gone:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in gone: raise ImportError(f'No module named {name}')\n"
        "sys.meta_path.insert(0, Gone())\n"
        "found = metadata.version\n"
        "def version(name):\n"
        "    if name in gone: raise metadata.PackageNotFoundError(name)\n"
        "    return found(name)\n"
        "metadata.version = version\n"
        "from halfmask.cli import main\n"
        "main()\n"
    )
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, tmp_path / "run.py", "doctor"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "120"},
    )


def test_an_extra_that_is_missing_comes_with_its_command(tmp_path):
    done = without(tmp_path, "pyreadstat")
    assert done.returncode == 0
    assert "pip install 'halfmask[stats]'" in done.stdout
    assert "pip install 'halfmask[sql]'" not in done.stdout


def test_without_its_native_core_it_says_so_and_fails(tmp_path):
    done = without(tmp_path, "halfmask._native")
    assert done.returncode == 1
    assert "the native core cannot be loaded (No module named halfmask._native)" in done.stderr
    assert "Traceback" not in done.stderr
