"""The tools beside the package: the fuzz target and the comparison of two results."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


@pytest.mark.parametrize("script", sorted(path.stem for path in BENCHMARKS.glob("*.py")))
def test_every_script_starts(script):
    """On its own, as it is called; what it needs besides the package is a reason to skip."""
    program = f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r}); import {script}"
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False
    )
    lacking = re.search(r"No module named '(?!halfmask|reference)(\w+)'", ended.stderr)
    if lacking:
        pytest.skip(f"{lacking[1]} is not installed")
    assert ended.returncode == 0, ended.stderr


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


def test_every_benchmark_is_run_or_left_to_full_with_a_reason(tool):
    run = tool("run")
    scripts = {path.stem for path in BENCHMARKS.glob("*.py")}
    named = {one.script for one in run.BENCHMARKS}
    by_hand = {"private", "private_rival", "real_tables"}  # each takes a folder, or hours
    assert named == scripts - {"compare", "fuzz", "harness", "run", "upsampled"} - by_hand
    for one in run.BENCHMARKS:
        if one.quick is None:
            left = run.line(one, run.run(one, full=False, seconds=1.0), 0.0, full=False)
            assert (left["lines"], "FULL=1" in left["left out"]) == ("-", True)
        else:
            made = run.line(one, {"krimp": [{}, {}]}, 3.2, full=False)
            assert (made["lines"], made["seconds"], made["left out"]) == (2, 3, one.left)


def test_a_benchmark_that_fails_is_named_and_keeps_nothing(tool, tmp_path, monkeypatch):
    run = tool("run")
    monkeypatch.setattr(run, "HERE", tmp_path)
    monkeypatch.setattr(run.harness, "QUICK_RESULTS", tmp_path / "kept")
    broken = run.Benchmark("broken", "nothing", ("broken",), ())
    (tmp_path / "broken.py").write_text("raise SystemExit(7)")
    assert "status 7" in run.run(broken, full=False, seconds=60.0)["skipped"]
    (tmp_path / "broken.py").write_text("import time; time.sleep(60)")
    assert "time of quick mode" in run.run(broken, full=False, seconds=0.1)["skipped"]


def test_a_table_shows_every_column_that_a_row_has(tool, capsys):
    harness = tool("harness")
    harness.show([{"data": "adult", "odd": 1}, {"data": "kr-k", "leak": 0.5}], without=["odd"])
    assert capsys.readouterr().out == "data   leak\nadult  -\nkr-k   0.5\n"


def test_several_draws_become_a_mean_and_a_deviation(tool):
    calibration = tool("calibration")
    draws = [{"TV2": 0.01, "accuracy": 0.5}, {"TV2": 0.03, "accuracy": 0.5}]
    line = calibration.line("nursery", "CART", draws)
    assert line["draws"] == 2
    assert line["TV2"] == pytest.approx(0.02)
    shown = calibration.shown(line)
    assert shown["TV2"] == "0.0200 ± 0.0141"
    assert shown["accuracy"] == "0.500"
    assert shown["TV3"] == "–", "a figure that no draw has"


def test_a_draw_that_lacks_a_figure_takes_it_from_all(tool):
    line = tool("calibration").line("nursery", "CART", [{"TV2": 0.01, "TV3": 0.1}, {"TV2": 0.03}])
    assert "TV3" not in line


def test_a_fresh_line_of_calibration_replaces_its_own_and_leaves_the_others(
    tool, tmp_path, monkeypatch
):
    harness, calibration = tool("harness"), tool("calibration")
    monkeypatch.setattr(harness, "RESULTS", tmp_path)

    def line(data, release, distance):
        return {"data": data, "release": release, "TV2": distance}

    assert calibration.merged([line("adult", "CART", 1.0)]) == [line("adult", "CART", 1.0)]
    harness.keep("calibration", [line("adult", "CART", 1.0), line("adult", "bootstrap", 2.0)])
    fresh = [line("nursery", "CART", 3.0), line("adult", "CART", 4.0)]
    assert calibration.merged(fresh) == [
        line("nursery", "CART", 3.0),
        line("adult", "bootstrap", 2.0),
        line("adult", "CART", 4.0),
    ]
