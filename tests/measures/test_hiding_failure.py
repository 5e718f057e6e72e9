"""One definition of hidden: measure, publish and choose count the same patterns."""

from __future__ import annotations

import numpy as np
import pytest

import halfmask as hm
from halfmask.choosing.secrets import Secrets
from halfmask.errors import BadInput
from halfmask.methods.hiding.sensitive import parse_sensitive

RULE = "beer -> crisps"


@pytest.fixture(scope="module")
def shop():
    rng = np.random.default_rng(8)
    rows = []
    for _ in range(1_000):
        beer = rng.random() < 0.4
        row = ["beer"] if beer else []
        row += ["crisps"] if rng.random() < (0.8 if beer else 0.2) else []
        rows.append([*row, *(["tea"] if rng.random() < 0.3 else [])])
    return hm.Baskets.of(rows)


@pytest.mark.parametrize("confidence", [0.3, 0.5, 0.7])
def test_a_rule_below_its_confidence_is_hidden_everywhere(shop, confidence):
    published = hm.publish(
        shop, method="hiding", hide=[RULE], algorithm="1.b", hide_confidence=confidence,
        hide_support=20, seed=1,
    )  # fmt: skip
    reading = published.readings["hiding_failure"]
    check = next(c for c in published.verdict.checks if c.what == "Patterns hidden")
    assert (reading.value, check.outcome) == (0.0, "passed")
    asked = {"hide": RULE, "hide_support": 20, "hide_confidence": confidence}
    outside = hm.measure(shop, published.data, only=["hiding_failure"], **asked)
    assert outside["hiding_failure"].value == 0.0
    secrets = Secrets(parse_sensitive(RULE, shop.schema), 20 / 1_000, confidence)
    assert secrets.found(published.data.support, published.data.size) == 0
    # Many rows still hold the itemset: without a confidence it counts as found.
    plain = hm.measure(shop, published.data, only=["hiding_failure"], hide=RULE, hide_support=20)
    assert plain["hiding_failure"].value == 1.0


def test_rows_that_may_keep_a_pattern_are_not_called_hidden(shop):
    published = hm.publish(
        shop, method="hiding", hide=["beer, crisps"], algorithm="maxfia", disclosure=0.3, seed=1
    )
    left = published.data.support([(0, 1)])[0]
    assert left > 10  # the minimum support
    assert published.readings["hiding_failure"].value == 1.0
    check = next(c for c in published.verdict.checks if c.what == "Patterns hidden")
    assert check.outcome == "review"
    assert "can still be found" in check.sentence
    assert published.first.release.claim.terms["hidden"] == 0
    below = hm.publish(
        shop, method="hiding", hide=["beer, crisps"], algorithm="maxfia", hide_support=50, seed=1
    )
    assert below.data.support([(0, 1)])[0] == 49
    assert below.readings["hiding_failure"].value == 0.0


def test_rules_of_a_table(tmp_path):
    rows = ["F,1,1,x", "M,1,0,y", "F,1,1,y", "F,0,1,x", "M,1,0,x"] * 12
    (tmp_path / "medical.csv").write_text("Gender,Malaria,TB,more\n" + "\n".join(rows) + "\n")
    rule = "Gender=F, Malaria=1 -> TB=1"
    published = hm.publish(
        tmp_path / "medical.csv", method="hiding", hide=[rule], algorithm="1.b",
        hide_confidence=0.6, hide_support=5, seed=1,
    )  # fmt: skip
    assert published.readings["hiding_failure"].value == 0.0
    files = tmp_path / "medical.csv", tmp_path / "medical.release.csv"
    asked = {"hide": rule, "hide_confidence": 0.6, "hide_support": 5}
    assert hm.measure(*files, only=["hiding_failure"], **asked)["hiding_failure"].value == 0.0
    same = hm.measure(files[0], files[0], only=["hiding_failure"], **asked)
    assert same["hiding_failure"].value == 1.0
    header, *released = (tmp_path / "medical.release.csv").read_text().split()
    assert header == "Gender,Malaria,TB,more"
    assert all(line.count(",") == 3 for line in released)  # rows stay rows


def test_thresholds_without_patterns_are_refused(shop):
    with pytest.raises(BadInput, match="speak of patterns"):
        hm.measure(shop, shop, hide_confidence=0.5)


def test_the_order_of_conflicts_can_be_said(shop):
    first, last = (
        hm.publish(
            shop,
            method="hiding",
            hide=["beer, crisps", "beer, tea"],
            disclosure=0.5,
            seed=1,
            algorithm="maxfia",
            conflict_order=order,
        )
        for order in ("ascending", "descending")
    )
    # Rows that hold both patterns are spared, or edited first.
    both = [(0, 1, 2)]
    assert first.data.support(both)[0] > last.data.support(both)[0]
    with pytest.raises(BadInput, match="conflict_order is not a setting of the algorithm swa"):
        hm.publish(shop, method="hiding", hide=["beer, tea"], algorithm="swa",
                   conflict_order="ascending")  # fmt: skip
