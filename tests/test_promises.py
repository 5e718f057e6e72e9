"""Every sentence with which the README promises something, and the tests that attack it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent

PROMISES = {
    "Nothing held by fewer than `min_support` rows": (
        "publishing/test_leaks.py::test_no_canary_is_found_in_any_file",
        "publishing/test_leaks.py::test_every_pattern_of_the_model_is_held_by_enough_rows",
        "data/coding/test_few_rows.py::test_few_rows_decide_nothing",
        "data/coding/test_few_rows.py::test_nine_rows_do_not_show_the_richest",
    ),
    "Rarer values are grouped as “other” and counted in the report": (
        "documents/test_models.py::test_rare_values_reach_no_file_unless_that_is_the_wish",
    ),
    "Nothing smaller follows from what is disclosed, not even by arithmetic": (
        "methods/generator/test_telling.py::test_a_solver_finds_no_small_group_in_a_model_file",
        "methods/generator/test_telling.py::test_a_model_of_any_table_tells_of_no_small_group",
        "methods/generator/test_telling.py::test_coarser_rounding_covers_every_count",
    ),
    "This is checked before a model is written": (
        "methods/generator/test_telling.py::test_exact_counts_tell_of_few_rows_and_are_not_written",
        "methods/generator/test_telling.py::test_counts_that_tell_of_few_together_are_rounded_anew",
    ),
    "It looks at all sums together": (
        "methods/generator/test_telling.py::test_what_narrowing_of_bounds_missed_is_not_told",
    ),
    "Of 4,000 random tables": (
        "methods/generator/test_telling.py::test_a_model_of_any_table_tells_of_no_small_group",
    ),
    "Every row of a release is drawn from the model": (
        "test_promises.py::test_a_release_is_what_its_model_draws_elsewhere",
        "methods/generator/test_telling.py::test_the_release_is_drawn_from_the_model_as_written",
    ),
    "Of numbers and dates the model discloses": (
        "methods/generator/test_telling.py::test_a_rank_correlation_pins_no_group",
        "data/coding/test_few_rows.py::test_ends_are_where_enough_of_the_others_lie",
    ),
    "A row that happens to equal an original one is counted": (
        "measures/test_counting.py::test_nas_equals_its_definition",
        "publishing/test_hold_out.py::test_copied_rows_of_single_people_are_not_published",
    ),
    "The same seed gives the same release": (
        "cli/test_commands.py::test_the_same_seed_gives_the_same_release_whatever_the_threads",
    ),
    "A seed is never written": ("cli/test_commands.py::test_the_seed_is_in_no_file",),
    "Nothing leaves your machine": (
        "test_promises.py::test_nothing_is_sent_and_no_pickle_is_read",
    ),
    "An existing file is not overwritten": (
        "cli/test_bad_input.py::test_existing_files_are_not_overwritten",
        "io/test_writing.py::test_a_killed_process_leaves_no_partial_file_under_the_final_name",
    ),
    "Differential privacy": (
        "methods/private/test_audit.py::test_the_attack_does_not_refute_the_promise",
        "methods/private/test_method.py::test_odds_are_those_of_the_definition",
        "methods/private/test_mechanisms.py::test_accounting_is_that_of_opendp",
    ),
    "The report says what that means and what it cost": (
        "cli/test_private.py::test_releases_of_a_table_add_up",
        "cli/test_private_baskets.py::test_baskets_are_published_with_epsilon",
        "cli/test_private_families.py::test_a_family_is_published_with_epsilon",
    ),
}
"""The beginning of each sentence, and who tries to break it."""


def sentences():
    """What stands in the lists of the README between what is promised and what is not."""
    text = (TESTS.parent / "README.md").read_text(encoding="utf-8")
    promised = text.partition("\nIt promises:\n")[2].partition("\nIt does not promise:\n")[0]
    points = re.findall(r"^- (.+?)(?=^- |^It promises|\Z)", promised, re.DOTALL | re.MULTILINE)
    whole = [" ".join(point.split()) for point in points]
    return [one for point in whole for one in re.split(r"(?<=\.) (?=[A-Z])", point)]


def test_every_promise_of_the_readme_is_attacked():
    found = sentences()
    assert len(found) >= 15
    unattacked = [one for one in found if not one.startswith(tuple(PROMISES))]
    assert unattacked == []
    assert [key for key in PROMISES if not any(one.startswith(key) for one in found)] == []


@pytest.mark.parametrize("where", sorted({one for some in PROMISES.values() for one in some}))
def test_who_attacks_is_there(where):
    path, name = where.split("::")
    assert re.search(rf"^def {name}\(", (TESTS / path).read_text(), re.MULTILINE), (
        f"no test {where}"
    )


def run(program, *words, folder):
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, *program, *map(str, words)],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_release_is_what_its_model_draws_elsewhere(tmp_path):
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    elsewhere.mkdir()
    command = ("-m", "halfmask")
    run(command, "demo", "--rows", 600, "--seed", 5, "--output", here, "--quiet", folder=tmp_path)
    (here / "admissions.model.json").rename(elsewhere / "model.json")
    release = (here / "admissions.release.csv").read_bytes()
    drawing = ("generate", "model.json", "--rows", 600, "--seed", 5, "-o", "again.csv")
    run(command, *drawing, folder=elsewhere)
    assert (elsewhere / "again.csv").read_bytes() == release


WATCHED = """
import json, sys

seen = []
OUTWARDS = ("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "pickle.", "webbrowser.")
sys.addaudithook(lambda event, about: seen.append(event) if event.startswith(OUTWARDS) else None)

{work}

json.dump(seen, open("seen.json", "w"))
"""
JOB = """
import halfmask as hm
from halfmask.cli.entry import cli

for words in (
    ["demo", "--rows", "400", "--output", "ward", "--seed", "1"],
    ["publish", "ward/admissions.csv", "--seed", "1", "-o", "out.csv"],
    ["publish", "ward/admissions.csv", "--epsilon", "5", "-o", "private.csv"],
    ["inspect", "out.model.json", "--audit"],
    ["generate", "out.model.json", "--rows", "50", "-o", "more.parquet"],
    ["measure", "ward/admissions.csv", "out.csv"],
):
    cli.main(words, prog_name="halfmask", standalone_mode=False)
model = hm.Generator(min_support=20).fit("ward/admissions.csv")
hm.measure("ward/admissions.csv", model.sample(50, seed=1)).to_frame()
"""
LEAKS = {
    "socket": "import socket\nsocket.socket().close()",
    "pickle": "import pickle\npickle.loads(pickle.dumps(json.JSONDecoder))",
}


def seen(work, folder):
    run(("-c", WATCHED.format(work=work)), folder=folder)
    return json.loads((folder / "seen.json").read_text())


def test_nothing_is_sent_and_no_pickle_is_read(tmp_path):
    assert seen(JOB, tmp_path) == []
    assert (tmp_path / "out.report.html").exists()


@pytest.mark.parametrize("leak", LEAKS)
def test_what_watches_sees(leak, tmp_path):
    assert any(event.startswith(leak) for event in seen(LEAKS[leak], tmp_path))
