"""Constraints in generation: the release keeps every rule, and what that took is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import halfmask as hm
from halfmask.assets.enforcing import fence_of
from halfmask.assets.evaluation import evaluate
from halfmask.data import Column, Encoding, Table
from halfmask.data.coding.filling import fill
from halfmask.documents.asset import load_asset, parse_asset
from halfmask.errors import BadInput, UnknownName
from halfmask.io.columns import columns_of, table_to_arrow
from halfmask.io.frames import to_arrow
from halfmask.methods.generator import constraints as constrained
from halfmask.randomness import Randomness
from halfmask_reproduction.therapies import therapies

HEALTH = Path(__file__).resolve().parents[2] / "examples" / "health" / "health.yaml"
ASSET = load_asset(HEALTH)
ORIGINAL = therapies(2_000, rng=Randomness(5).child("therapies"))


def frame(columns):
    return table_to_arrow(Encoding.fit(columns).encode(columns))


FRAME = frame(ORIGINAL)


def released(**options):
    model = hm.Generator(**{"drop": ("pid",), "search": "slim"} | options).fit(FRAME)
    return model.learnt.sample(4_000, randomness=Randomness(3))


def whole(release):
    """The release with the columns that follow from others."""
    if isinstance(release, Table):
        return fill(release, Randomness(3))
    return replace(release, data=fill(release.data, Randomness(3)))


def broken(release) -> float:
    return evaluate(ASSET, ORIGINAL, whole(release)).absolute_violations


def test_a_release_with_constraints_breaks_none():
    free, kept = released(), released(asset=ASSET, drop=())
    assert broken(free) > 0
    assert broken(kept) == 0
    evaluation = evaluate(ASSET, ORIGINAL, kept)
    assert evaluation.consistency.raw == 0
    assert evaluation.form == "free"


def test_the_same_seed_gives_the_same_release_and_no_constraints_change_nothing():
    once, again = released(asset=ASSET), released(asset=HEALTH)
    np.testing.assert_array_equal(once.data.codes, again.data.codes)
    model = hm.Generator(drop=("pid",), search="slim").fit(FRAME).learnt
    drawn = model.process.draw(4_000, key=Randomness(3).key("rows of the generator"))
    free = model.sample(4_000, randomness=Randomness(3), calibrate=False)
    np.testing.assert_array_equal(free.data.codes, drawn.codes)
    assert "constraints" not in released().record


def test_the_rule_that_the_original_breaks_is_named_without_a_small_count():
    notes = released(asset=ASSET).notes
    assert (
        "The original itself breaks the constraint 'no_pregnant_men' in fewer than 10 of its rows; "
        "the release does not." in notes
    )
    asset = parse_asset(HEALTH.read_text().replace("value: 100}", "value: 50}"))
    often = [n for n in released(asset=asset).notes if "insulin_is_dosed_low" in n]
    assert len(often) == 1
    assert "% of its rows" in often[0]


def test_what_cannot_be_analysed_is_rejected_with_a_stated_acceptance(monkeypatch):
    monkeypatch.setattr(constrained, "MOST_CELLS", 1)
    kept = released(asset=ASSET)
    assert broken(kept) == 0
    assert len(kept.data) == 4_000
    assert 0.9 < kept.record["acceptance"] < 1
    assert any("of the rows begun satisfied the constraints" in note for note in kept.notes)


def test_sql_constraints_are_kept_too():
    text = HEALTH.read_text().replace(
        "      is_insulin:",
        "      short: {expr: \"diagnosis <> 'malaria' OR days * 2 < 10\"}\n      is_insulin:",
    )
    asset = parse_asset(text)
    kept = released(asset=asset)
    assert evaluate(asset, ORIGINAL, kept).absolute_violations == 0
    assert evaluate(asset, ORIGINAL, whole(released())).absolute_violations > 100


def test_a_constraint_over_a_dropped_column_is_named_and_left():
    notes = released(asset=ASSET, drop=("pid", "sex")).notes
    assert any("'no_pregnant_men' reads 'sex', which is not published" in n for n in notes)


def test_an_asset_about_other_columns_is_refused():
    table = [Column.of("drug", ["insulin"] * 40)]
    with pytest.raises(UnknownName, match=r"column '\w+'"):
        fence_of(ASSET, table, Encoding.fit(table).schema, min_support=1)


def test_a_constraint_that_no_row_can_keep_is_refused():
    asset = parse_asset(HEALTH.read_text().replace("[1, 365]", "[400, 500]"))
    with pytest.raises(BadInput, match="'sane_days' is broken by every combination"):
        released(asset=asset)


def test_the_model_of_a_publication_keeps_the_constraints():
    published = hm.publish(
        FRAME, method=hm.Generator(asset=ASSET, search="slim", min_support=20), seed=1
    )
    assert broken(published.release) == 0
    more = published.model.sample(500, seed=9)
    assert more.num_rows == 500
    rows = Encoding.of_schema(published.model.learnt.schema).encode(columns_of(to_arrow(more)))
    assert isinstance(rows, Table)
    assert broken(rows) == 0
    assert published.to_dict()["record"]["acceptance"] <= 1
    assert published.first.lacks.consistency.raw == 0
    assert published.to_dict()["lacks"]["consistency"]["raw"] == 0
    assert any(remark.startswith("Lacks of the asset: accuracy") for remark in published.remarks)
    page = published.report.html()
    told = page[page.index('id="asset"') :]
    told = told[: told.index("</section>")]
    done = page[page.index('id="done"') : page.index('id="glance"')]
    assert "Lacks of the asset" not in done, "a section instead of a remark"
    assert all(one.information in told for one in published.first.lacks.informations)
    assert f"<strong>{100 * published.first.lacks.accuracy.normalised:.1f} %" in told
    assert 'id="asset"' not in published.report.html(external=True)
