"""Releases that are more than rows, held against an asset: unknown cells, buckets, groups."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import halfmask as hm
from halfmask.assets.evaluation import evaluate
from halfmask.documents.asset import parse_asset
from halfmask.errors import BadInput
from halfmask.io.given import columns_of
from halfmask.methods.suppression.hierarchy import parse_hierarchy
from halfmask.methods.suppression.km_anonymity import generalise
from halfmask.publishing.beside import released_with

SHOP = parse_asset("""
relation: {key: [], attributes: {beer: {type: bool}, crisps: {type: bool}}}
asset:
  - {name: snacks, weight: 1, attributes: {beer: {}, crisps: {}}}
""")
PEOPLE = parse_asset("""
relation: {key: [pid], attributes: {ill: {}, town: {}}}
asset:
  - {name: all, weight: 1, attributes: {ill: {}, town: {}}}
""")


@pytest.fixture
def shop(tmp_path):
    rng = np.random.default_rng(2)
    rows = []
    for _ in range(600):
        beer = rng.random() < 0.5
        crisps = rng.random() < (0.8 if beer else 0.3)
        tea = rng.random() < 0.4
        held = zip(("beer", "crisps", "tea"), (beer, crisps, tea), strict=True)
        rows.append([name for name, there in held if there])
    path = tmp_path / "shop.basket.csv"
    path.write_text("".join(",".join(row) + "\n" for row in rows if row))
    return path


def test_unknown_cells_are_incomplete_and_not_inaccurate(shop):
    published = hm.publish(
        shop, method="hiding", hide=["beer -> crisps"], algorithm="cr", hide_confidence=0.4,
        hide_support=10, seed=1,
    )  # fmt: skip
    original, release = (columns_or_baskets(p) for p in (shop, published.files[0]))
    beside = next(p for p in published.files if "unknown" in p.name)
    bare = evaluate(SHOP, original, release, alignment="position")
    assert bare.accuracy.raw > 0  # an unknown crisps looks like none
    told = evaluate(SHOP, original, released_with(release, beside), alignment="position")
    assert told.accuracy.raw == 0
    assert told.completeness.raw == pytest.approx(bare.accuracy.raw)
    free = evaluate(SHOP, original, released_with(release, beside), alignment="none")
    assert free.accuracy.raw == pytest.approx(0, abs=1e-12)
    assert free.completeness.raw == pytest.approx(told.completeness.raw)


def test_buckets_are_counted_in_expectation(shop):
    published = hm.publish(shop, method="anatomy", l=1.5, columns=2, seed=1)
    original, release = (columns_or_baskets(p) for p in (shop, published.files[0]))
    beside = next(p for p in published.files if "anatomy" in p.name)
    found = evaluate(SHOP, original, released_with(release, beside))
    assert found.form == "free"
    # Anatomy keeps what single items say exactly.
    assert found.accuracy.raw == pytest.approx(0, abs=1e-12)


def columns_or_baskets(path):
    from halfmask.io.given import Given

    return Given(path).read().content


def people(tmp_path, rows=400):
    rng = np.random.default_rng(3)
    ill = rng.choice(["flu", "cold", "burn"], rows)
    lines = [
        f"p{n},{i},{t}"
        for n, (i, t) in enumerate(zip(ill, rng.choice(["a", "b"], rows), strict=True))
    ]
    (tmp_path / "people.csv").write_text("pid,ill,town\n" + "\n".join(lines) + "\n")
    return tmp_path / "people.csv"


def test_a_column_published_apart_is_dealt_out_again(tmp_path):
    path = people(tmp_path)
    published = hm.publish(path, method="table-anatomy", sensitive="ill", l=2, drop=["pid"], seed=1)
    release, beside = columns_of(published.files[0]), published.files[1]
    without = evaluate(PEOPLE, columns_of(path), release, alignment="none")
    assert without.completeness.raw == 1  # the column is not there
    told = evaluate(PEOPLE, columns_of(path), released_with(release, beside), alignment="none")
    assert (told.accuracy.raw, told.completeness.raw) == (0, 0)
    with pytest.raises(BadInput, match="is not the sensitive column"):
        released_with(release, published.files[0])


def test_a_missing_value_counts_once_in_both_forms(tmp_path):
    path = people(tmp_path)
    lines = path.read_text().split("\n")
    gone = [line.replace("flu", "") if n % 2 else line for n, line in enumerate(lines)]
    (tmp_path / "gone.csv").write_text("\n".join(gone))
    sides = columns_of(path), columns_of(tmp_path / "gone.csv")
    for alignment in ("key", "none"):
        found = evaluate(PEOPLE, *sides, alignment=alignment)
        assert found.accuracy.raw == 0
        assert found.completeness.raw > 0.1
    changed = evaluate(PEOPLE, *sides, alignment="key", evalset=True)
    expected = {line.split(",")[0] for line, new in zip(lines, gone, strict=True) if line != new}
    assert {key for (key,) in changed.evalset} == expected
    assert "evalset" not in evaluate(PEOPLE, *sides, alignment="key").to_dict()


def test_the_evalset_on_the_command_line(tmp_path):
    path = people(tmp_path, rows=60)
    lines = path.read_text().split("\n")
    for row in (8, 10):  # p7 and p9
        key, _, town = lines[row].split(",")
        lines[row] = f"{key},measles,{town}"
    (tmp_path / "other.csv").write_text("\n".join(lines))
    (tmp_path / "asset.yaml").write_text(
        "relation: {key: [pid], attributes: {ill: {}}}\n"
        "asset: [{name: all, weight: 1, attributes: {ill: {}}}]\n"
    )
    command = [sys.executable, "-m", "halfmask", "asset", "evaluate", "people.csv", "other.csv",
               "--asset", "asset.yaml", "--evalset", "--json"]  # fmt: skip
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)  # noqa: S603
    keys = {key for (key,) in json.loads(ran.stdout)["evalset"]}
    assert keys == {"p7", "p9"}


def test_a_draft_of_baskets_can_be_checked(shop, tmp_path):
    run = [sys.executable, "-m", "halfmask", "asset"]
    subprocess.run([*run, "init", shop, "-o", tmp_path / "draft.yaml"], check=True)  # noqa: S603
    draft = parse_asset((tmp_path / "draft.yaml").read_text())
    assert {form.type for form in draft.relation.attributes.values()} == {"bool"}
    same = columns_or_baskets(shop)
    assert evaluate(draft, same, same, alignment="position").accuracy.raw == 0


def test_coarse_quality_of_generalised_items_is_formula_eight():
    """Two levels above the items: A costs half, the top all; of four cells two became A."""
    rows = hm.Baskets.of([["a1", "b1"], ["a2", "b1"]])
    tree = parse_hierarchy(["a1, a2 -> A", "b1 -> B", "A, B -> all"], rows.schema)
    assert generalise(rows, tree, k=2, m=1).record["coarse_quality"] == 1 - (0.5 + 0.5) / 4
    assert generalise(rows, tree, k=1, m=1).record["coarse_quality"] == 1
