"""Nothing is called fit to publish that was not attacked; what that costs is said."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from clinic import clinic
from visiting import hospital

import halfmask as hm
from halfmask.data import Baskets
from halfmask.errors import BadInput
from halfmask.publishing.hold_out import rows_held_back, split_rows
from halfmask.randomness import Randomness

SHOP = Baskets.of(["abc", "ab", "ab", "bcd", "acd", "cd", "bd", "abd", "ac", "bc"] * 40)


def test_the_share_held_back_shrinks_with_the_size_of_a_table():
    sizes = [100, 1_000, 10_000, 25_000, 100_000, 1_000_000]
    shares = [rows_held_back(rows) / rows for rows in sizes]
    assert shares[:4] == [0.2] * 4
    assert shares == sorted(shares, reverse=True)
    assert [rows_held_back(rows) for rows in sizes[-2:]] == [5_000, 5_000]
    assert [rows_held_back(rows) for rows in (0, 2, 99)] == [0, 0, 0]


@pytest.mark.parametrize("holdout", [None, 0.3])
def test_every_row_is_learnt_from_or_held_back_and_none_is_both(holdout):
    seen, back = split_rows(500, holdout, Randomness(1))
    assert sorted([*seen, *back]) == list(range(500))
    assert len(back) == (100 if holdout is None else 150)


def test_nobody_is_held_back_where_that_is_asked_for_or_nobody_could_be_attacked():
    assert len(split_rows(500, 0, Randomness(1))[1]) == 0
    assert len(split_rows(50, None, Randomness(1))[1]) == 0
    with pytest.raises(BadInput, match=r"from 0 to below 1, not -0\.1"):
        split_rows(50, -0.1, Randomness(1))


def test_rows_are_held_back_by_default_and_the_release_keeps_its_size():
    published = hm.publish(clinic(1000), seed=5)
    assert published.first.held_back == 200
    assert published.first.document.original_rows == 800
    assert len(published.data) == 1000
    assert published.verdict.word != "not attacked"
    (cost,) = (r for r in published.remarks if "held back" in r)
    assert "200 of 1,000 rows" in cost
    assert "none of them is in the release" in cost
    assert "12 % larger" in cost
    page = published.report.html()
    assert cost in page.replace("&#39;", "'")
    assert "about 200 rows were held back" in published.report.html(external=True).lower()


def test_without_people_to_compare_with_the_verdict_is_not_attacked():
    published = hm.publish(clinic(1000), seed=5, holdout=0)
    assert published.verdict.word == "not attacked"
    assert str(published.verdict).startswith("Not attacked: No attack could be compared")
    assert "Not attacked" in published.report.html()
    assert hm.publish(clinic(90), seed=5).verdict.word == "not attacked"


def test_baskets_are_held_back_and_attacked_too():
    published = hm.publish(SHOP, method="baskets", seed=1)
    assert published.first.held_back == 80
    assert len(published.data) == 400
    assert {"tracing", "tracing_tree", "nas_excess"} <= {
        r.name for r in published.readings.measured
    }
    assert published.verdict.word != "not attacked"
    assert any("80 of 400 baskets were held back" in remark for remark in published.remarks)
    alone = hm.publish(SHOP, method="baskets", seed=1, holdout=0)
    assert alone.verdict.word == "not attacked"


def test_whole_families_are_held_back():
    published = hm.publish(hospital(300), seed=1)
    assert published["patients"].held_back == 60
    assert any("60 of 300 rows of 'patients' (with all" in remark for remark in published.remarks)
    assert hm.publish(hospital(300), seed=1, holdout=0).verdict.word == "not attacked"


@pytest.mark.parametrize(
    ("method", "options"),
    [("hiding", {"sensitive": "a, b"}), ("distortion", {"keep": 0.9}), ("coherence", {"k": 3})],
)
def test_a_method_that_cannot_be_attacked_says_so(method, options):
    published = hm.publish(SHOP, method=method, seed=1, **options)
    assert published.verdict.word == "not attacked"
    assert any("nobody can be held back" in reason for reason in published.verdict.reasons)


def test_copied_rows_of_single_people_are_not_published(data_folder, tmp_path):
    """Chess endgames at a support of 1, uncalibrated: most rows are one person's, copied."""
    published = hm.publish(
        data_folder / "kr-k.csv.gz", min_support=1, calibrate=0, seed=1, output=tmp_path / "out.csv"
    )
    assert published.verdict.word == "review"
    outcomes = {check.what: check.outcome for check in published.verdict.checks}
    assert outcomes["Minimum support"] == "review"
    assert outcomes["Unique rows"] == "review"


def test_a_release_drawn_from_a_population_alone_may_be_published():
    """Independent columns, many people: there is nobody to remember."""
    rng = np.random.default_rng(4)
    columns = {name: rng.choice(["a", "b", "c"], 8_000) for name in ("x", "y", "z")}
    published = hm.publish(pl.DataFrame(columns), seed=1)
    assert published.verdict.word == "publish", published.verdict
    assert "the attacks on the release stayed within their bounds" in str(published.verdict)
