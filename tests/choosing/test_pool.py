"""Trials in processes: as many at a time as one likes, the same outcomes; interrupted, resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from trials import RULES, clinic_table

from halfmask.choosing.candidates import Candidate, candidates
from halfmask.choosing.folder import FINISHED, TrialsFolder
from halfmask.choosing.pool import Limits, Pool
from halfmask.choosing.secrets import Secrets, as_baskets, with_thresholds
from halfmask.choosing.trial import Trial, TrialOutcome, digest_of, run_trial
from halfmask.data import Baskets
from halfmask.errors import BadInput, HalfmaskError
from halfmask.methods.hiding.sensitive import parse_sensitive

TABLE = clinic_table(300, 3)
SECRETS = with_thresholds(
    Secrets(parse_sensitive(RULES, as_baskets(TABLE).schema), column="illness"), TABLE
)
TRIALS = [
    Trial(candidate, digest_of(TABLE), 300, SECRETS, measured=True)
    for candidate in candidates(
        ["generator:20", "table-anatomy:2", "iga", "1.b", "cr"], "table", SECRETS.given
    )[0]
]


def without_times(outcomes):
    return [replace(outcome, seconds=None) for outcome in outcomes]


def ran(folder, trials, progress=None, **limits):
    with Pool(folder, Limits(**limits), progress) as pool:
        return pool.run(trials, "trials")


@pytest.fixture
def folder(tmp_path):
    kept = TrialsFolder(tmp_path / "trials")
    kept.keep_database(TABLE)
    return kept


def test_parallel_serial_and_in_this_process_give_the_same(folder, tmp_path):
    here = without_times(run_trial(trial, TABLE) for trial in TRIALS)
    serial = without_times(ran(folder, TRIALS, jobs=1))
    other = TrialsFolder(tmp_path / "others")
    other.keep_database(TABLE)
    parallel = without_times(ran(other, TRIALS, jobs=2))
    assert here == serial == parallel


def test_finished_trials_are_not_run_again(folder):
    first = ran(folder, TRIALS[:2])
    lines = (folder.path / FINISHED).read_bytes()
    seen = []
    again = ran(folder, TRIALS, lambda *told: seen.append(told) or True)
    assert again[:2] == first  # times included
    assert seen[0] == ("trials", 2, 5)
    assert seen[-1] == ("trials", 5, 5)
    assert (folder.path / FINISHED).read_bytes().startswith(lines)


def test_a_line_that_was_cut_off_is_no_trial(folder):
    outcomes = ran(folder, TRIALS[:2])
    path = folder.path / FINISHED
    path.write_bytes(path.read_bytes()[:-30])
    assert list(folder.finished()) == [outcomes[0].key]
    folder.finish(outcomes[1])
    assert folder.finished() == {outcome.key: outcome for outcome in outcomes}


def slow_trial(folder):
    rng = np.random.default_rng(1)
    rows = Baskets.of([[str(i) for i in rng.integers(60, size=25)] for _ in range(400)])
    candidate = Candidate("coherence", {"k": 2, "known": 6})
    return Trial(candidate, folder.keep_database(rows), 400, Secrets())


def test_a_trial_that_takes_too_long_is_ended_and_says_so(folder):
    outcomes = ran(folder, [slow_trial(folder), TRIALS[2]], seconds=4)
    assert outcomes[0].failed == "It took more than 4 seconds."
    assert outcomes[1].failed is None  # a new worker took over
    assert ran(folder, [slow_trial(folder)], seconds=1)[0] == outcomes[0]
    assert folder.finished()[outcomes[0].key].limit == 4


def test_a_trial_that_takes_too_much_memory_says_so(folder):
    greedy = (
        "import numpy, halfmask.choosing.worker as worker\n"
        "worker.run_trial = lambda *_: numpy.ones(10**9)\n"
        "worker.main()"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", greedy, str(folder.path), str(2**30)],
        input=msgspec.json.encode(TRIALS[0]) + b"\n",
        capture_output=True,
        check=True,
    )
    outcome = msgspec.json.decode(done.stdout, type=TrialOutcome)
    assert outcome.key == TRIALS[0].key
    assert outcome.failed == "It needs more memory than a trial may use."


def test_a_worker_that_dies_is_no_outcome_to_keep_for_good(folder, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    outcome = ran(folder, TRIALS[:1])[0]
    assert outcome.failed == "Its process ended without a result."
    monkeypatch.undo()
    assert ran(folder, TRIALS[:1])[0].failed is None


def test_stopping_keeps_what_is_finished(folder):
    with pytest.raises(HalfmaskError, match="finished trials are kept"):
        ran(folder, TRIALS, lambda _what, done, _total: done < 2)
    assert len(folder.finished()) >= 2


def test_databases_come_back_as_they_went(folder):
    baskets = Baskets.of([["beer", "tea"], [], ["tea"]])
    for database in (TABLE, baskets):
        digest = folder.keep_database(database)
        assert digest_of(folder.database(digest)) == digest == digest_of(database)
    path = folder.path / f"{digest_of(baskets)}.npz"
    path.rename(folder.path / f"{digest_of(TABLE)}.npz")
    with pytest.raises(BadInput, match="was changed; remove the folder"):
        folder.database(digest_of(TABLE))


def test_outcomes_survive_their_line():
    for outcome in (
        TrialOutcome("a", failed="It took too long.", limit=2.0),
        run_trial(TRIALS[0], TABLE),
    ):
        assert msgspec.json.decode(msgspec.json.encode(outcome), type=TrialOutcome) == outcome


def test_limits_that_make_no_sense_are_refused(tmp_path):
    with pytest.raises(BadInput, match="At least one trial"):
        Limits(jobs=0)
    with pytest.raises(BadInput, match="above 0"):
        Limits(seconds=0)
    with pytest.raises(BadInput, match=r"at least 0\.5 GiB"):
        Limits(memory=1000)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="is a file; trials are kept in a folder"):
        TrialsFolder(tmp_path / "file")


def test_a_choice_that_is_killed_goes_on_where_it_stopped(clinic_files, tmp_path):
    """The process is killed in the middle; the next one runs only what is missing."""
    command = [
        sys.executable, "-m", "halfmask", "choose", str(clinic_files / "clinic.csv"),
        "--asset", str(clinic_files / "asset.yaml"),
        "--sensitive", str(clinic_files / "secrets.txt"),
        "--methods", "maxfia,iga,naive,1.b,2.b,cr,gih", "--jobs", "1",
        "--generic-rows", "800", "--test-rows", "300", "--draws", "2",
        "--trials", str(tmp_path / "trials"),
    ]  # fmt: skip
    finished = tmp_path / "trials" / FINISHED
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)  # noqa: S603
    try:
        for _ in range(600):
            if finished.exists() and finished.read_bytes().count(b"\n") >= 4:
                break
            time.sleep(0.02)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    before = finished.read_bytes()
    lines = before[: before.rindex(b"\n") + 1]
    assert 4 <= lines.count(b"\n") < 35, "killed in the middle"
    done = subprocess.run(  # noqa: S603 - our own command
        [*command, "--json"], capture_output=True, text=True, check=True
    )
    after = finished.read_bytes()
    assert after.startswith(lines)
    keys = [json.loads(line)["key"] for line in after.splitlines() if line.endswith(b"}")]
    assert len(keys) == len(set(keys)), "no trial was run twice"
    kept = [c["name"] for c in json.loads(done.stdout)["candidates"] if c["kept"]]
    assert len(keys) == 7 * 5 + 2 * len(kept)
    assert json.loads(done.stdout)["best"] in kept
    assert len(list(Path(tmp_path / "trials").glob("*.npz"))) == 3  # no new databases either
