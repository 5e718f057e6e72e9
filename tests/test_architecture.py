"""The house as CONTRIBUTING draws it: one-way imports, one name a class, no long bodies."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[1]
HOUSE = ROOT / "src" / "halfmask"
LONGEST_BODY = 40


def parsed():
    return {path.relative_to(HOUSE): ast.parse(path.read_text()) for path in HOUSE.rglob("*.py")}


def body_lines(function):
    """How many lines the body takes, its docstring left out."""
    body = function.body if ast.get_docstring(function) is None else function.body[1:]
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def test_imports_follow_the_house_plan(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0


def test_the_contract_lists_no_exceptions():
    assert "ignore_imports" not in (ROOT / "pyproject.toml").read_text()


def test_no_class_name_stands_twice():
    places = defaultdict(set)
    for path, module in parsed().items():
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(str(path))
    assert len(places) > 100
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_body_of_a_function_is_longer_than_a_page():
    functions = [
        (str(path), node.name, body_lines(node))
        for path, module in parsed().items()
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert len(functions) > 1_000
    assert [one for one in functions if one[2] > LONGEST_BODY] == []
