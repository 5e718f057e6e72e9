"""Models of private releases as files: back as they were, refused where they do not add up."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest

from halfmask.data import Column
from halfmask.documents.model import any_model_bytes, load, load_any
from halfmask.documents.private_document import FORM
from halfmask.errors import BadInput
from halfmask.methods.private.log import PoolSettings
from halfmask.methods.private.method import Private
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.randomness import Randomness
from halfmask.run import Run

ROWS = 4_000


def table():
    rng = np.random.default_rng(1)
    age = rng.integers(18, 90, ROWS)
    return [
        Column.of("id", [str(i) for i in range(ROWS)], "int64"),
        Column.of("age", [str(a) for a in age], "int64"),
        Column.of("sex", ["fm"[s] for s in rng.integers(2, size=ROWS)]),
        Column.of("ill", ["yes" if i else "no" for i in rng.random(ROWS) < age / 100]),
    ]


POOL = PoolSettings(rows=3_000, last_rows=6_000, last_rounds=4)
MODEL = Private(epsilon=3.0, pool=POOL, target="ill").fit(table(), Run(Randomness(1))).model
DOCUMENT = FORM.from_json(any_model_bytes(MODEL), "it")


def saved(path, document):
    path.write_bytes(FORM.to_json(document))
    return path


def test_a_model_comes_back_and_draws_the_same_rows(tmp_path):
    back = load_any(saved(tmp_path / "m.json", DOCUMENT))
    assert isinstance(back, NoisyModel)
    assert back.epsilon_spent == pytest.approx(MODEL.epsilon_spent)
    assert back.log.ledger.by_part() == MODEL.log.ledger.by_part()
    assert np.array_equal(back.drawn, MODEL.drawn)
    assert back.code_table.sets == MODEL.code_table.sets
    assert back.cells() == MODEL.cells()
    one, other = (m.sample(200, randomness=Randomness(3)).data.codes for m in (MODEL, back))
    assert np.array_equal(one, other)
    assert any_model_bytes(back) == any_model_bytes(MODEL)


def test_a_person_can_read_the_file():
    lines = any_model_bytes(MODEL).decode().splitlines()
    assert any('"part":"single columns"' in line for line in lines)
    assert any('{"columns":["age"],"sigma":' in line for line in lines)
    content = json.loads(any_model_bytes(MODEL))
    assert content["format"] == "halfmask private model"
    assert content["model"]["seeded"] is True
    assert "id" not in {column["name"] for column in content["model"]["columns"]}


alter = msgspec.structs.replace
STRANGE = {"sex": "x", "ill": "no"}


def changed(**fields):
    return alter(DOCUMENT, **fields)


def less_noise():
    def quieter(table):
        top, bottom = table.variance
        return alter(table, sigma=table.sigma / 10, variance=(top, 100 * bottom))

    return changed(tables=[quieter(table) for table in DOCUMENT.tables])


def other_tables(**fields):
    first, *rest = DOCUMENT.tables
    return changed(tables=[alter(first, **fields), *rest])


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (less_noise(), "does not pay for the counts"),
        (changed(epsilon=1.0), "more than the ε of 1"),
        (changed(ledger=DOCUMENT.ledger[:-1]), "does not pay for the counts"),
        (changed(ledger=[e for e in DOCUMENT.ledger if e.part != "choosing tables"]), "the choice"),
        (changed(rows_per_person=5), "more than the ε"),
        (other_tables(counts=[1, 2]), "a count for each combination"),
        (other_tables(columns=["sex", "age"]), "a count for each combination"),
        (other_tables(sigma=3.0), "do not agree"),
        (other_tables(step=1), "not the single columns"),
        (other_tables(columns=["agge"]), "no column 'agge'"),
        (changed(tables=[alter(t, step=2 * t.step) for t in DOCUMENT.tables]), "one after the"),
        (changed(pool={"rows": 3}), "settings that cannot be"),
        (changed(pool={**DOCUMENT.pool, "rows": 10**9}), "settings that cannot be"),
        (changed(tree=alter(DOCUMENT.tree, nodes=DOCUMENT.tree.nodes[:-1])), "hang together"),
        (changed(patterns=[alter(DOCUMENT.patterns[0], items=STRANGE)]), "no column lists"),
    ],
)
def test_a_file_that_does_not_add_up_is_refused(tmp_path, document, words):
    with pytest.raises(BadInput, match=words):
        load_any(saved(tmp_path / "m.json", document))


def test_a_private_model_is_not_one_of_patterns(tmp_path):
    with pytest.raises(BadInput, match="private release"):
        load(saved(tmp_path / "m.json", DOCUMENT))
