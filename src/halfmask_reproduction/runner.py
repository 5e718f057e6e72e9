"""The runner: one experiment after the other, each result kept, the pages made of what is kept."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from halfmask.errors import BadInput
from halfmask.io.writing import Outputs, check_folder
from halfmask_reproduction.catalogue import EXPERIMENTS, PAPERS
from halfmask_reproduction.description import Experiment
from halfmask_reproduction.lab import Lab
from halfmask_reproduction.page import PICTURES, index_page, paper_page
from halfmask_reproduction.result import Result

RESULTS = "results"
"""The folder of the kept results, beside the pages."""
TIMINGS = "timings.json"


def reproduce(
    experiments: Sequence[Experiment], lab: Lab, folder: str | Path, *, force: bool = False
) -> dict[str, Result]:
    """Run experiments, keep each result as soon as it is there, and write the pages.

    The folder may hold results of earlier runs; the pages show all of them. The data of all
    experiments are checked before the first one starts.
    """
    home = Path(folder)
    check_folder(home)
    if not force:
        _check_free(experiments, home)
    for experiment in experiments:
        lab.shelf.check(experiment.files)
    (home / RESULTS).mkdir(parents=True, exist_ok=True)
    (home / PICTURES).mkdir(exist_ok=True)
    found = {}
    for experiment in experiments:
        lab.tell(experiment.name)
        start = time.process_time()
        result, seconds = run(experiment, lab)
        seconds = {"processor seconds": time.process_time() - start, **seconds}
        found[experiment.name] = _keep(home, experiment, result, seconds)
        write_pages(home)
    return found


def run(experiment: Experiment, lab: Lab) -> tuple[Result, dict[str, float]]:
    """One experiment: its result, and the times that it took."""
    measured = experiment.run(lab)
    result = Result.of(experiment, measured, effort=lab.effort, seed=lab.seed)
    return result, dict(measured.seconds)


def _check_free(experiments: Sequence[Experiment], home: Path) -> None:
    for experiment in experiments:
        if (home / RESULTS / f"{experiment.name}.json").exists():
            raise BadInput(
                f"{str(home)!r} already holds a result of {experiment.name}; say --force to "
                "replace it, or name another folder with -o."
            )


def _keep(home: Path, experiment: Experiment, result: Result, seconds: dict[str, float]) -> Result:
    """The result as JSON, its pictures as files, its times apart."""
    bare = replace(result, pictures=tuple(replace(one, svg="") for one in result.pictures))
    with Outputs(force=True) as outputs:
        for drawing in result.pictures:
            with outputs.open(home / PICTURES / f"{drawing.name}.svg") as file:
                file.write(drawing.svg.encode())
        with outputs.open(home / RESULTS / f"{experiment.name}.json") as file:
            file.write(msgspec.json.format(msgspec.json.encode(bare), indent=1) + b"\n")
        with outputs.open(home / TIMINGS) as file:
            times = {
                **_timings(home),
                experiment.name: {k: round(v, 2) for k, v in seconds.items()},
            }
            file.write(msgspec.json.format(msgspec.json.encode(times), indent=1) + b"\n")
    return bare


def _timings(home: Path) -> dict[str, dict[str, float]]:
    path = home / TIMINGS
    if not path.exists():
        return {}
    return msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, float]])


def kept_results(home: Path) -> dict[str, Result]:
    """The results in a folder, of the experiments that there are."""
    found = {}
    for experiment in EXPERIMENTS:
        path = home / RESULTS / f"{experiment.name}.json"
        if path.exists():
            try:
                found[experiment.name] = msgspec.json.decode(path.read_bytes(), type=Result)
            except msgspec.DecodeError as reason:
                raise BadInput(
                    f"{str(path)!r} is not a result of this version: {reason}."
                ) from None
    return found


def write_pages(home: Path) -> None:
    """The index and a page for each paper, from the results that are kept."""
    results = kept_results(home)
    with Outputs(force=True) as outputs:
        for paper, experiments in PAPERS.items():
            if any(one.name in results for one in experiments):
                with outputs.open(home / f"{paper.name}.md") as file:
                    file.write(paper_page(paper, experiments, results).encode())
        with outputs.open(home / "README.md") as file:
            file.write(index_page(PAPERS, results).encode())
