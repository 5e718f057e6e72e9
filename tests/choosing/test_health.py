"""The health example of the paper: perturbing and blocking algorithms, and the final choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from halfmask.choosing.choice import TrialScale, choose_method
from halfmask.choosing.pool import Limits
from halfmask.choosing.preselection import Thresholds
from halfmask.choosing.selection import Choice
from halfmask.data import Encoding
from halfmask.io.files import save
from halfmask.randomness import Randomness
from halfmask_reproduction.therapies import therapies

HEALTH = Path(__file__).parents[2] / "examples" / "health"
KEPT = {"seed": 1, "scale": TrialScale(1_000, 1_500, 2), "limits": Limits(jobs=2)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("health")
    columns = therapies(2_500, rng=Randomness(20_05).child("therapies"))
    save(Encoding.fit(columns).encode(columns), folder / "therapies.csv")
    return folder


def chosen(folder, **options) -> Choice:
    return choose_method(
        folder / "therapies.csv",
        asset=HEALTH / "health.yaml",
        sensitive=HEALTH / "secrets.txt",
        trials=folder / "trials",
        **(KEPT | options),
    )


def test_the_experiment_of_the_paper(folder):
    found = chosen(folder, methods=["hiding"])
    assert len(found.tried) == 16
    fell = {t.candidate.name: t.fell for t in found.tried if not t.kept}
    assert "naive" in fell
    assert "still" not in fell["naive"]
    assert "at most 0.0% was required" in fell["cr2"]  # it has too few rows to work on
    assert found.best not in fell
    assert all(t.general.release.hiding_failure == 0 for t in found.kept)
    assert found.decisive.form == "aligned"
    assert found.setup.informations == ("therapy", "pregnancy")


def test_adding_values_breaks_the_rules_of_the_asset(folder):
    loose = Thresholds(failure_at_most=1)
    found = chosen(folder, methods=["1.a", "1.b", "maxfia"], thresholds=loose)
    lacks = {place.name: place.lacks for place in found.rankings[0].places}
    assert lacks["1.a"][2] > 0
    assert lacks["1.b"][2] == lacks["maxfia"][2] == 0  # what is missing breaks no rule
    assert lacks["1.a"][0] > lacks["1.b"][0] == 0
    assert lacks["1.a"][1] == 0 < lacks["1.b"][1]


def test_the_test_databases_keep_the_rules_as_the_target_does(folder):
    loose = Thresholds(failure_at_most=1)
    found = chosen(folder, methods=["iga:1", "generator:20"], thresholds=loose)
    lacks = {place.name: place.lacks for place in found.rankings[-1].places}
    assert lacks["iga:1"] == (0, 0, 0)  # a copy of a database that breaks nothing
