"""The stub of the extension says what the extension offers."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import halfmask
from halfmask import _native

STUB = ast.parse((Path(inspect.getfile(halfmask)).parent / "_native.pyi").read_text())
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def names_of(function: ast.FunctionDef) -> list[str]:
    """The arguments that a stub lists."""
    return [argument.arg for argument in function.args.args if argument.arg != "self"]


def test_the_stub_lists_every_function_with_its_arguments():
    offered = {
        name: re.findall(r"[(,] ?(\w+): ", value.__nb_signature__[0][0].partition(" ->")[0])
        for name, value in vars(_native).items()
        if hasattr(value, "__nb_signature__")
    }
    assert {name: names_of(node) for name, node in FUNCTIONS.items()} == offered


def test_the_stub_lists_every_type_with_its_parts():
    offered = {name: value for name, value in vars(_native).items() if isinstance(value, type)}
    assert set(CLASSES) == set(offered)
    for name, node in CLASSES.items():
        parts = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        found = {part for part in vars(offered[name]) if not part.startswith("__")}
        assert parts - {"__init__"} == found
