"""The tools beside the package: the fuzz target and the comparison of two results."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


def test_the_first_cases_of_the_fuzz_target_pass(tool):
    fuzz = tool("fuzz")
    for seed in range(1, 9):
        fuzz.check(seed)


def test_the_fuzz_target_sees_a_difference(tool, monkeypatch):
    fuzz = tool("fuzz")
    monkeypatch.setattr(fuzz, "mine", lambda *_, **__: [((0, 1), 1)])
    with pytest.raises(fuzz.Different, match="itemsets"):
        fuzz.check(1)


def test_two_results_are_compared_figure_by_figure(tool, capsys):
    compare = tool("compare")

    def result(seconds, megabytes):
        row = {"data": "adult", "pruning": "none", "ours [s]": seconds, "ours [MB]": megabytes}
        return {"results": {"krimp": [row]}}

    changed = compare.compare(result(2.0, 100), result(1.0, 105), 1.1)
    assert [(line["figure"], line["after / before"]) for line in changed] == [
        ("krimp: adult, none: ours [s]", "0.50")
    ]
    assert "2 figures in both, 1 differ" in capsys.readouterr().out
