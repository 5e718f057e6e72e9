"""What `choose` tries is what `publish` makes: the printed command writes what was ranked."""

from __future__ import annotations

import shlex

import numpy as np
import pytest
from click.testing import CliRunner

from halfmask.choosing.candidates import Candidate, candidates, publish_command, variants
from halfmask.choosing.making import make
from halfmask.choosing.secrets import Secrets, with_thresholds
from halfmask.cli.entry import cli
from halfmask.data import Attribute, Baskets, Schema, Table
from halfmask.errors import TargetNotMet
from halfmask.io.files import save
from halfmask.io.given import Given
from halfmask.methods.hiding.sensitive import parse_sensitive
from halfmask.methods.names import as_baskets
from halfmask.randomness import Randomness

SEED = 5
RULES = "sex=f -> ill=yes\nsmokes=yes -> ill=yes\n"
ITEMS = "beer -> crisps\ntea -> milk\n"


def a_table() -> Table:
    rng = np.random.default_rng(1)
    sex = rng.integers(2, size=400)
    smokes = (rng.random(400) < 0.3 + 0.2 * sex).astype(int)
    ill = (rng.random(400) < 0.2 + 0.5 * smokes * (1 - sex) + 0.2 * smokes).astype(int)
    ward = np.minimum(rng.geometric(0.5, 400) - 1, 5)
    schema = Schema(
        (
            Attribute("sex", ("f", "m")),
            Attribute("smokes", ("no", "yes")),
            Attribute("ill", ("no", "yes")),
            Attribute("ward", tuple("abcdef")),
        )
    )
    return Table(schema, np.column_stack([sex, smokes, ill, ward]).astype(np.int32))


def some_baskets() -> Baskets:
    rng = np.random.default_rng(2)
    rows = []
    for _ in range(300):
        row = {"beer", "crisps"} if rng.random() < 0.5 else {"tea"}
        row |= {"milk"} if "tea" in row and rng.random() < 0.7 else set()
        row |= {name for name in ("bread", "salt", "eggs", "rice") if rng.random() < 0.25}
        rows.append(sorted(row))
    return Baskets.of(rows)


def secrets_of(database, text: str, column: str | None) -> Secrets:
    rows = as_baskets(database) if isinstance(database, Table) else database
    found = Secrets(parse_sensitive(text, rows.schema), column=column)
    return with_thresholds(found, database)


def publish_as_told(candidate: Candidate, path, secrets: Secrets, text: str) -> int:
    """Run the printed command; its exit code."""
    tmp_path = path.parent
    (tmp_path / "secrets.txt").write_text(text)
    asked = {
        "file": str(path),
        "sensitive": str(tmp_path / "secrets.txt"),
        "column": secrets.column,
        "seed": SEED,
    }
    thresholds = {"hide_support": secrets.min_support, "hide_confidence": secrets.min_confidence}
    words = shlex.split(publish_command(candidate, asked, thresholds))[1:]
    # A trial compares what methods keep of all rows; publishing holds some back to be attacked.
    words += ["--holdout", "0"] if "holdout" in candidate.method.listens else []
    try:
        ended = CliRunner().invoke(cli, [*words, "--quiet"], catch_exceptions=False)
    except TargetNotMet:
        return 3
    return ended.exit_code


def try_it(candidate: Candidate, database, secrets: Secrets):
    """What the trial makes, and whether `publish` would refuse it."""
    made = make(candidate, database, secrets, randomness=Randomness(SEED)).made
    return made, any(check.outcome == "missed" for check in made.checks)


def every(kind: str) -> list[Candidate]:
    suited, _ = candidates(None, kind, frozenset({"patterns", "rules", "column"}))
    return list({one.variant: one for one in suited}.values())


def check(candidate, path, database, secrets):
    made, refused = try_it(candidate, database, secrets)
    assert publish_as_told(candidate, path, secrets, RULES) == (3 if refused else 0)
    if refused:
        return
    expected = path.with_name(f"expected{path.suffix}")
    save(made.rows, expected, release=made.release.kind)
    assert path.with_name("data.release.csv").read_bytes() == expected.read_bytes()


@pytest.mark.parametrize("candidate", every("table"), ids=lambda one: one.name)
def test_a_table_is_published_as_it_was_tried(candidate, tmp_path):
    path = tmp_path / "data.csv"
    database = a_table()
    save(database, path)
    check(candidate, path, database, secrets_of(database, RULES, "ward"))


@pytest.mark.parametrize("candidate", every("baskets"), ids=lambda one: one.name)
def test_baskets_are_published_as_they_were_tried(candidate, tmp_path):
    path = tmp_path / "data.basket.csv"
    save(some_baskets(), path)
    database = Given(path).read().content
    secrets = secrets_of(database, ITEMS, None)
    made, refused = try_it(candidate, database, secrets)
    assert publish_as_told(candidate, path, secrets, ITEMS) == (3 if refused else 0)
    if refused:
        return
    release = Given(tmp_path / "data.release.basket.csv").read().content
    names = made.coded.schema.names
    expected = [sorted(names[item] for item in row) for row in made.coded.transactions]
    found = release.schema.names
    assert [sorted(found[item] for item in row) for row in release.transactions] == expected


def test_hardly_any_variant_refuses_these_data():
    secrets = secrets_of(a_table(), RULES, "ward")
    refused = [c.variant for c in every("table") if try_it(c, a_table(), secrets)[1]]
    assert refused == ["1.a", "cr2"]  # they add items, and a row of a table has no room for any


def test_every_variant_is_tried_somewhere():
    tried = {one.variant for kind in ("table", "baskets") for one in every(kind)}
    assert tried == set(variants()) - {"km"}  # which needs a hierarchy of these very items
