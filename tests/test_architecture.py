"""The rooms open one way only; no exceptions are listed."""

from __future__ import annotations

from pathlib import Path

from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[1]


def test_imports_follow_the_house_plan(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0


def test_the_contract_lists_no_exceptions():
    assert "ignore_imports" not in (ROOT / "pyproject.toml").read_text()
