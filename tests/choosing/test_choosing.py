"""From a file and its asset to a choice, in Python."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from trials import clinic_table

import halfmask
from halfmask.choosing.choice import TrialScale, choose_method, drawn_databases
from halfmask.choosing.folder import TrialsFolder
from halfmask.choosing.pool import Limits
from halfmask.choosing.preselection import Thresholds
from halfmask.choosing.ranking import LackWeights
from halfmask.choosing.secrets import Secrets
from halfmask.choosing.selection import Choice
from halfmask.choosing.steps import ChoicePlan
from halfmask.choosing.trial import digest_of
from halfmask.data import Baskets
from halfmask.documents.asset import load_asset, parse_asset
from halfmask.errors import BadInput
from halfmask.methods.quest import Quest, quest
from halfmask.randomness import Randomness

SMALL = TrialScale(generic_rows=400, test_rows=300, draws=2)


def choose(clinic_files, **options):
    told = {
        "asset": clinic_files / "asset.yaml",
        "sensitive": clinic_files / "secrets.txt",
        "scale": SMALL,
        "limits": Limits(jobs=2),
        "seed": 1,
    }
    return choose_method(clinic_files / "clinic.csv", **(told | options))


@pytest.fixture(scope="module")
def choice(clinic_files) -> Choice:
    return choose(
        clinic_files,
        methods=["generator:20", "coherence:40", "maxfia", "1.b", "cr", "table-anatomy:2"],
        column="illness",
        thresholds=Thresholds(failure_at_most=1.0),
    )


def test_the_choice_says_what_and_why(choice):
    assert choice.best in {tried.candidate.name for tried in choice.kept}
    assert choice.decisive.form == "free"
    aligned, free = choice.rankings
    assert {p.name for p in aligned.places} == {"coherence:40", "maxfia", "1.b", "cr"}
    assert {p.name for p in free.places} == {t.candidate.name for t in choice.kept}
    assert any(choice.best in reason for reason in choice.reasons)
    assert choice.setup.informations == ("therapy", "person")


def test_the_document_is_whole_and_holds_no_seed(choice):
    document = json.loads(choice.to_json())
    assert document["best"] == choice.best
    assert document["halfmask"] == halfmask.__version__
    assert len(document["candidates"]) == 6
    assert "seed" not in choice.to_json()
    for names in ("illness=malaria", "quinine", "north"):  # no value, no sensitive pattern
        assert names not in choice.to_json()
        assert names not in choice.page()


def test_saving_writes_a_page_or_json(choice, tmp_path):
    choice.save(tmp_path / "choice.html")
    choice.save(tmp_path / "choice.json")
    assert (tmp_path / "choice.html").read_text().startswith("<!doctype html>")
    assert json.loads((tmp_path / "choice.json").read_text())["best"] == choice.best
    with pytest.raises(BadInput, match="already exists"):
        choice.save(tmp_path / "choice.json")


def test_dataframes_and_resolved_assets_will_do(clinic_files):
    frame = pl.read_csv(clinic_files / "clinic.csv", schema_overrides={"age": pl.String})
    asset = load_asset(clinic_files / "asset.yaml")
    rules = (clinic_files / "secrets.txt").read_text()
    found = halfmask.choose_method(
        frame, asset=asset, sensitive=rules, methods=["maxfia", "naive"], scale=SMALL, seed=1
    )
    assert isinstance(found, halfmask.Choice)
    assert found.best == "maxfia"


def test_the_weights_of_the_steward_decide(clinic_files, tmp_path):
    def best(**weights):
        return choose(
            clinic_files,
            methods=["maxfia", "1.a"],
            thresholds=Thresholds(failure_at_most=1.0),
            weights=LackWeights(**weights),
            trials=tmp_path / "trials",
        ).best

    # 1.a writes values where others were, maxfia takes values out.
    assert best(accuracy=1, completeness=0, consistency=0) == "maxfia"
    assert best(accuracy=0, completeness=1, consistency=0) == "1.a"


def test_baskets_are_tried_on_quest(tmp_path):
    target = quest(
        500, Quest(basket_size=6, pattern_size=3, patterns=25, items=30), randomness=Randomness(4)
    )
    common = sorted(range(30), key=lambda i: -target.transactions.item_counts[i])[:3]
    names = [target.schema.names[i] for i in common]
    attributes = ", ".join(f"'{name}': {{type: bool}}" for name in names)
    weights = ", ".join(f"'{name}': {{aw: 1.0}}" for name in names)
    asset = parse_asset(
        f"relation: {{key: [], attributes: {{{attributes}}}}}\n"
        f"asset: [{{name: shelf, weight: 1.0, attributes: {{{weights}}}}}]\n"
    )
    found = choose_method(
        target,
        asset=asset,
        methods=["baskets:5", "distortion:0.95", "anatomy:2", "coherence:2"],
        scale=SMALL,
        min_support=5,
        thresholds=Thresholds(seconds_at_most=60),
        trials=tmp_path / "trials",
        seed=2,
    )
    assert found.setup.generic == "quest"
    assert found.setup.kind == "baskets"
    assert found.rankings[-1].form == "free"


def test_the_same_seed_draws_the_same_databases_and_none_draws_others(tmp_path):
    plan = ChoicePlan((), (), Secrets(), (), "asset")
    table, drawn = clinic_table(300, 1), []
    for name, seed in (("a", 7), ("b", 7), ("c", None), ("d", None), ("d", None)):
        folder = TrialsFolder(tmp_path / name)
        made = drawn_databases(table, plan, SMALL, seed, folder)
        drawn.append([digest_of(database) for database in (made.generic, *made.tests)])
    assert drawn[0] == drawn[1]
    assert drawn[3] == drawn[4]  # kept in the folder: an interrupted choice goes on
    assert len({*drawn[0], *drawn[2], *drawn[3]}) == 9


BAD = {
    "an asset of other columns": (
        {"asset": "relation: {key: [], attributes: {ilness: {}}}\n"
            "asset: [{name: a, weight: 1, attributes: {ilness: {}}}]"},
        "The asset does not fit the data: There is no column 'ilness'; did you mean 'illness'?",
    ),
    "an asset whose numbers are words": (
        {"asset": "relation: {key: [], attributes: {drug: {type: int}}}\n"
            "asset: [{name: a, weight: 1, attributes: {drug: {}}}]"},
        "drug",
    ),
    "an unknown method": ({"methods": ["maxfa"]}, "did you mean 'maxfia'"),
    "no method": ({"methods": []}, "No method was named"),
    "an unknown item": ({"sensitive": "illness=malria -> sex=f"}, "did you mean"),
    "an empty list": ({"sensitive": "# nothing\n"}, "nothing to hide"),
    "an unknown column": ({"column": "ilness"}, "did you mean 'illness'"),
    "all failing": ({"methods": ["generator:3000"], "sensitive": ""}, "All 1 candidates failed"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_chosen_is_refused_in_a_sentence(clinic_files, case):
    options, words = BAD[case]
    told = options | ({"asset": parse_asset(options["asset"])} if "asset" in options else {})
    with pytest.raises(BadInput, match=words.replace("?", r"\?")):
        choose(clinic_files, **told)


def test_scales_that_make_no_sense_are_refused():
    with pytest.raises(BadInput, match="at least 80 rows"):
        TrialScale(generic_rows=10)
    with pytest.raises(BadInput, match="At least one test database"):
        TrialScale(draws=0)


def test_baskets_have_no_sensitive_column():
    rows = Baskets.of([["a", "b"]] * 30)
    asset = parse_asset(
        "relation: {key: [], attributes: {a: {type: bool}}}\n"
        "asset: [{name: a, weight: 1, attributes: {a: {}}}]"
    )
    with pytest.raises(BadInput, match="Baskets have no columns"):
        choose_method(rows, asset=asset, column="a")


def test_nothing_that_few_rows_hold_is_written_anywhere(clinic_files, tmp_path):
    lines = (clinic_files / "clinic.csv").read_text().splitlines()
    rare = [line.replace("insulin", "canary") for line in lines[1:] if "insulin" in line][:4]
    (tmp_path / "clinic.csv").write_text("\n".join([*lines, *rare]) + "\n")
    found = choose_method(
        tmp_path / "clinic.csv",
        asset=clinic_files / "asset.yaml",
        methods=["generator:20", "coherence:20"],
        thresholds=Thresholds(seconds_at_most=60),
        scale=SMALL,
        trials=tmp_path / "trials",
        seed=123_454_321,
    )
    found.save(tmp_path / "choice.html")
    found.save(tmp_path / "choice.json")
    (tmp_path / "clinic.csv").unlink()
    texts = [p.read_text() for p in tmp_path.rglob("*") if p.suffix in (".html", ".json", ".jsonl")]
    for path in tmp_path.rglob("*.npz"):
        with np.load(path) as arrays:
            texts += [arrays[name].tobytes().decode("latin-1") for name in arrays]
    assert len(texts) > 8
    for text in texts:
        assert "canary" not in text
        assert "123454321" not in text
        assert "123,454,321" not in text
