"""Rare codes are grouped by how they begin, and a group tells of enough rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Column, Encoding
from halfmask.data.coding.identifiers import prefix_groups
from halfmask.data.coding.kinds import plan_each
from halfmask.data.coding.notices import notices
from halfmask.data.coding.spec import ColumnSpec, TableSpec

CODES = st.from_regex(r"[EV]?[0-9]{1,3}(\.[0-9]{1,2})?", fullmatch=True)


@given(rows=st.dictionaries(CODES, st.integers(1, 12), min_size=1, max_size=40))
def test_a_group_holds_rare_codes_that_begin_so_and_enough_rows(rows):
    groups = prefix_groups(rows, 10)
    grouped = [code for codes in groups.values() for code in codes]
    assert len(grouped) == len(set(grouped))
    for label, codes in groups.items():
        assert label.endswith("*")
        assert all(code.startswith(label[:-1]) and rows[code] < 10 for code in codes)
        assert sum(rows[code] for code in codes) >= 10
        assert label[0] in "EV" or len(label) >= 3
    left = {code: n for code, n in rows.items() if n < 10 and code not in grouped}
    assert not prefix_groups(left, 10)


def icd(rows: int = 20_000) -> Column:
    """Diagnoses: a few hundred codes, most of them rare, those of one chapter often together."""
    rng = np.random.default_rng(1)
    codes = [f"{n}" for n in range(140, 240)] + [f"250.{n:02}" for n in range(100)]
    codes += [f"V{n}" for n in range(10, 90)]
    weights = rng.pareto(1.0, len(codes)) + 0.003
    return Column.of("diag", rng.choice(codes, rows, p=weights / weights.sum()).tolist())


def test_rare_diagnoses_keep_their_chapter():
    column = icd()
    plans = plan_each([column], TableSpec(), floor=10)
    plan = plans["diag"]
    assert plan.kind == "category"
    assert "grouped by prefix" in plan.reason
    encoding = Encoding.fit([column], min_support=10, plans=plans)
    values = encoding.schema["diag"].values
    stars = [value for value in values if str(value).endswith("*")]
    assert len(stars) > 5
    table = encoding.encode([column])
    assert (table.marginal(["diag"]) >= 10).all()
    assert any("by their prefix" in sentence for sentence in notices(encoding))
    # Hardly anything is left over for "other", where without prefixes hundreds of rows were.
    plain = Encoding.fit([column], min_support=10)
    counts = dict(zip(values, table.marginal(["diag"]).tolist(), strict=True))
    before = dict(
        zip(plain.schema["diag"].values, plain.encode([column]).marginal(["diag"]), strict=True)
    )
    assert counts.get("other", 0) < before["other"] / 4


def test_the_steward_may_refuse_prefixes():
    for said in (ColumnSpec(rare="suppress"), ColumnSpec(groups={"lung": ("150", "151")})):
        plan = plan_each([icd()], TableSpec({"diag": said}), floor=10)["diag"]
        assert not plan.prefixes


def test_codes_of_single_rows_tell_of_people_and_stay_out():
    rng = np.random.default_rng(2)
    cards = Column.of("card", [f"P{n:05}" for n in rng.integers(0, 3000, 4000)])
    plan = plan_each([cards], TableSpec(), floor=10)["card"]
    assert plan.fate == "drop"


def test_a_release_with_prefixes_is_compared_with_its_original():
    original = [Column.of("diag", ["401"] * 5 + ["250.81", "250.83", "V57", "390"])]
    release = [Column.of("diag", ["401"] * 4 + ["250.*"] * 3 + ["other"])]
    both = Encoding.align(original, release)
    values = both.schema["diag"].values
    counted = both.encode(original).marginal(["diag"])
    assert dict(zip(values, counted.tolist(), strict=True)) == {"401": 5, "250.*": 2, "other": 2}
