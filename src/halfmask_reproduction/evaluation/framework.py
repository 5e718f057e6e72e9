"""The three steps on a generated health database, with the hiding and blocking families.

The article ran its framework on a health database that it does not publish and prints no numbers;
what it says in words is shown here with numbers of our own.
"""

from __future__ import annotations

import tempfile
from importlib.resources import files as resources
from pathlib import Path

from halfmask.choosing.choice import TrialScale, choose_method
from halfmask.choosing.preselection import Thresholds, Tried
from halfmask.choosing.ranking import FORMS, Ranking
from halfmask.choosing.selection import Choice
from halfmask.data import Encoding
from halfmask.documents.asset import parse_asset
from halfmask.io import files
from halfmask_reproduction import pictures
from halfmask_reproduction.description import Experiment, Paper
from halfmask_reproduction.lab import Lab
from halfmask_reproduction.result import Found, Grid
from halfmask_reproduction.therapies import therapies

PAPER = Paper(
    name="evaluation",
    title="Evaluation",
    citation="E. Bertino, I. Nai Fovino: Information Driven Evaluation of Data Hiding Algorithms. "
    "Data Warehousing and Knowledge Discovery (DaWaK), 2005.",
    preface="Which method hides what must be hidden and keeps what matters? The article answers "
    "in three steps: preselect on a generic database by general parameters, make test databases "
    "like the target, and hold the releases of the best set against an asset that says what "
    "matters. It ran them on a generated health database and describes the outcome in words.",
)

THRESHOLDS = Thresholds(failure_at_most=0.0, dissimilarity_at_most=0.05)
"""No time among them, so that the same seed selects the same methods on any machine."""


def _text(name: str) -> str:
    return resources("halfmask_reproduction.evaluation").joinpath(name).read_text("utf-8")


def _choice(lab: Lab) -> Choice:
    """The framework on therapies that the package makes up."""
    rows = 400 if lab.small else 2_000 if lab.quick else 5_000
    columns = therapies(rows, rng=lab.randomness("therapies").child("rows"))
    scale = TrialScale(
        generic_rows=200 if lab.small else 1_000 if lab.quick else 4_000,
        test_rows=rows,
        draws=1 if lab.small or lab.quick else 3,
    )
    with tempfile.TemporaryDirectory(prefix="halfmask-reproduce-") as folder:
        source = Path(folder) / "therapies.csv"
        files.save(Encoding.fit(columns).encode(columns), source, release="made up")
        return choose_method(
            source,
            asset=parse_asset(_text("health.yaml"), "health.yaml"),
            methods=["iga", "1.b", "cr"] if lab.small else ["hiding"],
            sensitive=_text("secrets.txt"),
            thresholds=THRESHOLDS,
            scale=scale,
            seed=lab.seed,
        )


def _run(lab: Lab) -> Found:
    lab.tell("evaluation: three steps over the hiding families")
    choice = _choice(lab)
    decisive = choice.decisive
    seconds = {
        tried.candidate.name: tried.general.seconds for tried in choice.tried if tried.general
    }
    remarks = (
        f"Best set: {', '.join(tried.candidate.name for tried in choice.kept)}.",
        f"**Final choice: {choice.best}**, {FORMS[decisive.form]}"
        + ("." if decisive.clear else "; the next ones are too near to tell them apart."),
        *(f"{one.method} is left out: {one.reason}" for one in choice.unsuitable),
    )
    lacks = {
        words: {place.name: place.lacks[position] for place in decisive.places}
        for position, words in enumerate(("accuracy", "completeness", "consistency"))
    }
    lacking = {words: values for words, values in lacks.items() if any(values.values())} or lacks
    drawing = pictures.bars(
        "evaluation-lacks",
        "What the best set lacks",
        lacking,
        label="weighted lack of " + ", ".join(lacking),
    )
    return Found(
        grids=(_first_step(choice.tried), *(_third_step(one) for one in choice.rankings)),
        pictures=(drawing,),
        remarks=remarks,
        seconds=seconds,
    )


def _first_step(tried: tuple[Tried, ...]) -> Grid:
    rows = []
    for one in tried:
        general = one.general
        cells: tuple[str, ...] = ("–",) * 3
        if general is not None:
            release = general.release
            numbers = (release.hiding_failure, release.dissimilarity, release.privacy)
            cells = tuple("–" if value is None else f"{value:.1%}" for value in numbers)
        rows.append((one.candidate.name, *cells, "in the best set" if one.kept else one.fell or ""))
    header = ("method", "hiding failure", "coarse dissimilarity", "level of privacy", "")
    return Grid("Step 1: the best set, on the generic database", header, tuple(rows))


def _third_step(ranking: Ranking) -> Grid:
    rows = tuple(
        (place.name, *(f"{lack:.4f}" for lack in place.lacks), f"{place.score:.3f}")
        for place in ranking.places
    )
    header = ("method", "accuracy lack", "completeness lack", "consistency lack", "score")
    return Grid(f"Steps 2 and 3: {FORMS[ranking.form]}", header, rows)


EVALUATION = (
    Experiment(
        name="evaluation-framework",
        paper=PAPER,
        title="The three steps on a health database",
        about="Rules between diagnosis, days and drug are to be hidden in a made-up table of "
        "therapies. Step 1 keeps what hides all of them and moves the frequencies of items by at "
        "most 5 %; steps 2 and 3 hold the releases of test databases against the asset: a "
        "changed value is a lack of accuracy, a value made unknown one of completeness, a broken "
        "rule one of consistency.",
        run=_run,
        notes=(
            (
                "The article prints no numbers, so nothing can be compared digit by digit. What it "
                "says comes out: methods that change little differ in what they damage, and only "
                "the asset tells which damage matters."
            ),
        ),
        minutes=1,
    ),
)
