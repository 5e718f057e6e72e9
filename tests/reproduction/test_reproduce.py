"""The published experiments on small data: complete, repeatable, and strict about their files."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from halfmask.errors import BadInput, UnknownName
from halfmask_reproduction import Experiment, Printed, Shelf, reproduce
from halfmask_reproduction.catalogue import EXPERIMENTS, PAPERS, chosen
from halfmask_reproduction.page import index_page, paper_page, reached
from halfmask_reproduction.result import Compared, Found, Measured, Result, mean_of
from halfmask_reproduction.runner import kept_results, run
from halfmask_reproduction.shelf import VARIABLE


def digests(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "timings.json"
    }


@pytest.fixture(scope="module")
def quick_run(small_lab, tmp_path_factory):
    """All experiments, once, on small data."""
    out = tmp_path_factory.mktemp("reproduction")
    every = list(EXPERIMENTS)
    return out, reproduce(every, small_lab(), out), every


def test_every_printed_number_is_compared(quick_run):
    _, results, every = quick_run
    for one in every:
        numbers = results[one.name].numbers
        assert [(n.row, n.column, n.printed) for n in numbers] == [
            (p.row, p.column, p.value) for p in one.printed
        ]
        for number in numbers:
            assert number.measured, f"{one.name}: {number.row}, {number.column}"
            assert any(m.mean is not None or m.why for m in number.measured), (
                f"{one.name} leaves {number.column} of {number.row} without a measurement"
            )


def test_the_same_seed_gives_the_same_files(quick_run, lab, tmp_path):
    out, _, every = quick_run
    cheap = [one for one in every if one.name.startswith("generator")]
    reproduce(cheap, lab, tmp_path)
    again, before = digests(tmp_path), digests(out)
    pages = {"README.md"}
    assert {name: before[name] for name in again if name not in pages} == {
        name: sum_ for name, sum_ in again.items() if name not in pages
    }


def test_pages_and_results_hold_no_date_and_no_place(quick_run, small_data):
    out, _, _ = quick_run
    for path in out.rglob("*"):
        if path.is_file():
            text = path.read_text()
            assert not re.search(r"20[2-9]\d-\d\d-\d\d", text), path
            assert str(out) not in text
            assert str(small_data[0]) not in text


def test_pages_show_every_picture_and_every_number(quick_run):
    out, results, every = quick_run
    pages = {paper.name: (out / f"{paper.name}.md").read_text() for paper in PAPERS}
    for one in every:
        page = pages[one.paper.name]
        for drawing in results[one.name].pictures:
            assert f"pictures/{drawing.name}.svg" in page
            svg = (out / "pictures" / f"{drawing.name}.svg").read_text()
            assert svg.startswith("<svg")
            assert svg.rstrip().endswith("</svg>")
        for number in results[one.name].numbers:
            assert f"{number.printed:.{number.digits}f}" in page
    assert all(one.title in (out / "README.md").read_text() for one in every)


def test_what_is_not_installed_is_left_out_with_the_way_to_it(quick_run):
    result = quick_run[1]["rivals-quality-privacy"]
    told = " ".join(result.remarks)
    for name in ("python-synthpop 0.1.2", "DataSynthesizer 0.1.13", "mbi 2.0.0"):
        assert told.count(f"{name} is not installed") == 1
    assert "make rivals" in told
    assert "pip install python-synthpop==0.1.2" in told
    shown = [row[0] for row in result.grids[0].rows]
    assert shown[:6] == [f"{one} {n}" for one in ("papers", "calibrated") for n in (5, 20, 80)]
    assert not any(name.startswith(("python-synthpop", "Data", "MST")) for name in shown)


def test_results_are_read_back_as_they_were(quick_run):
    out, results, _ = quick_run
    assert kept_results(out) == results


def test_a_result_of_another_making_is_refused(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / f"{EXPERIMENTS[0].name}.json").write_text('{"experiment": 3}')
    with pytest.raises(BadInput, match="not a result of this version"):
        kept_results(tmp_path)


def test_nothing_is_replaced_unasked(quick_run, lab):
    out, _, every = quick_run
    with pytest.raises(BadInput, match="already holds a result"):
        reproduce(every[:1], lab, out)


def test_another_seed_gives_other_numbers(small_lab):
    table = chosen(["generator-table3"])[0]
    assert run(table, small_lab(1))[0].numbers != run(table, small_lab(2))[0].numbers


def test_a_missing_file_is_named_with_its_source(tmp_path, lab):
    empty = replace(lab, shelf=Shelf(tmp_path))
    with pytest.raises(BadInput, match=r"no 'kr-k\.csv\.gz'.*UCI.*HALFMASK_DATA"):
        reproduce(EXPERIMENTS[:1], empty, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_another_file_under_the_name_is_refused(small_data):
    folder, _ = small_data
    with pytest.raises(BadInput, match="is not the file of the experiments"):
        Shelf(folder).check(EXPERIMENTS[0].files)


def test_the_folder_comes_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert Shelf.at(None).folder == tmp_path
    assert Shelf.at("elsewhere").folder.name == "elsewhere"


def test_published_files_are_what_the_descriptions_say(data_folder):
    Shelf(data_folder).check({file for one in EXPERIMENTS for file in one.files})


def test_experiments_are_chosen_by_name_and_by_paper():
    assert chosen([]) == EXPERIMENTS
    assert {one.paper.name for one in chosen(["generator"])} == {"generator"}
    with pytest.raises(UnknownName, match="did you mean 'generator-table1'"):
        chosen(["generator-tabel1"])


def test_names_are_unique_and_every_experiment_explains_itself():
    names = [one.name for one in EXPERIMENTS]
    assert len(set(names)) == len(names)
    for one in EXPERIMENTS:
        assert one.about.endswith(".")
        assert one.name.startswith(one.paper.name)
        cells = [(p.row, p.column) for p in one.printed]
        assert len(set(cells)) == len(cells), one.name


def number(printed, *measured, relation="=", digits=2):
    return Compared("row", "column", printed, digits, relation, "", measured)


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (number(0.30, Measured("described", 0.304)), "reached"),
        (number(0.30, Measured("described", 0.31)), "missed by 0.01"),
        (number(0.30, Measured("described", 0.35), Measured("coded", 0.3)), "reached by coded"),
        (number(0.30, Measured("described", 0.32, 0.05, 10)), "reached"),
        (number(90, Measured("described", 92.0), relation=">", digits=0), "reached"),
        (number(90, Measured("described", 84.0), relation=">", digits=0), "missed by 6"),
        (number(1, Measured("described", 0.2), relation="<"), "reached"),
        (number(0.3, Measured("described", None, why="too long")), "too long"),
    ],
)
def test_verdicts(one, words):
    assert one.verdict(10) == words


def test_a_printed_number_without_measurement_is_not_hidden():
    experiment = replace(
        EXPERIMENTS[0], run=lambda _: Found(), printed=(Printed("Iris", "DS", 0.1),), notes=()
    )
    result = Result.of(experiment, experiment.run(None), effort="quick", seed=1)
    page = paper_page(experiment.paper, [experiment], {experiment.name: result})
    assert "| Iris | 0.10 | not measured | not measured |" in page
    assert reached(experiment, result.numbers) == (0, 0, 1)


def test_a_measurement_that_nothing_prints_is_an_error():
    experiment = replace(EXPERIMENTS[0], printed=())
    with pytest.raises(BadInput, match="which none prints"):
        Result.of(experiment, Found({("x", "y"): (mean_of("a", [1.0]),)}), effort="", seed=1)


def test_an_index_without_results_still_says_how(lab):
    page = index_page(PAPERS, {})
    assert "halfmask reproduce --list" in page
    assert isinstance(EXPERIMENTS[0], Experiment)
    assert lab.effort == "quick, at most 2"


def command(*words, **environment):
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "halfmask", "reproduce", *words],
        capture_output=True,
        text=True,
        check=False,
        **environment,
    )


def test_the_command_lists_and_misses_data_with_exit_code_2(tmp_path):
    listed = command("--list")
    assert listed.returncode == 0
    assert all(one.name in listed.stdout for one in EXPERIMENTS)
    missing = command("generator-figure4", "--data", str(tmp_path), "-o", str(tmp_path / "out"))
    assert missing.returncode == 2
    assert "led7.csv.gz" in missing.stderr
    assert "UCI" in missing.stderr


def test_the_command_prints_published_beside_measured(data_folder, tmp_path):
    done = command(
        "generator-figure4", "generator-chess50", "--runs", "1", "--json", "--quiet",
        "--data", str(data_folder), "-o", str(tmp_path / "out"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["generator-chess50"]["numbers"]
    assert [one["printed"] for one in found] == [0.19, 0.15]
    assert abs(found[1]["measured"][0]["mean"] - 0.145) < 0.01
    assert (tmp_path / "out" / "generator.md").exists()
