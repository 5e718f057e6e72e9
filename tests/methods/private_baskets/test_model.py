"""The model of private baskets: replayed from its file, refused where it does not add up."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from halfmask.data import Baskets
from halfmask.documents.ledger import entry_of
from halfmask.documents.model import any_model_bytes, load, load_any
from halfmask.documents.private_basket_model import FORM
from halfmask.errors import BadInput
from halfmask.methods.private_baskets.method import PrivateBaskets
from halfmask.methods.private_baskets.model import NoisyBaskets
from halfmask.randomness import Randomness
from halfmask.run import Run


def baskets(count=8_000, seed=2):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        row = {"bread", "butter"} if rng.random() < 0.3 else set()
        row |= {name for name in ("tea", "milk", "jam") if rng.random() < 0.3}
        rows.append(sorted(row))
    return Baskets.of(rows)


MODEL = PrivateBaskets(epsilon=2.0).fit(baskets(), Run(Randomness(1)))
DOCUMENT = FORM.from_json(any_model_bytes(MODEL), "it")


def saved(path, document):
    path.write_bytes(FORM.to_json(document))
    return path


def test_the_release_is_a_function_of_the_file(tmp_path):
    back = load_any(saved(tmp_path / "m.json", DOCUMENT))
    assert isinstance(back, NoisyBaskets)
    assert back.epsilon_spent == pytest.approx(MODEL.epsilon_spent)
    assert back.cells() == MODEL.cells()
    one, other = (m.sample(500, randomness=Randomness(3)).data for m in (MODEL, back))
    assert list(one.transactions) == list(other.transactions)
    assert one.schema == other.schema
    assert any_model_bytes(back) == any_model_bytes(MODEL)


def test_items_and_pairs_are_as_frequent_as_they_were():
    """All noise at ε = 2 is about 25 baskets of 8,000."""
    original, drawn = baskets(), MODEL.sample(8_000, randomness=Randomness(4)).data
    named = [("bread",), ("tea",), ("bread", "butter"), ("jam", "tea")]
    for names in named:
        before, after = (
            float(side.support([tuple(sorted(side.schema.item(n) for n in names))])[0]) / 8_000
            for side in (original, drawn)
        )
        assert after == pytest.approx(before, abs=0.02), names
    lengths = [np.bincount(b.transactions.lengths, minlength=6)[:6] for b in (original, drawn)]
    assert np.abs(lengths[0] - lengths[1]).max() < 0.05 * 8_000


def test_the_patterns_to_read_are_of_what_was_drawn():
    assert ("bread", "butter") in [p.labels for p in MODEL.code_table.patterns()]
    assert MODEL.code_table.rows == len(MODEL.drawn)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epsilon": 1.0}, "adds up to more than the ε of 1"),
        ({"baskets_per_person": 2}, "adds up to more"),
        ({"items_per_basket": 20}, "does not pay for the counts"),
        ({"lengths": [1, 2]}, "do not fit their items"),
        ({"drawn": DOCUMENT.drawn[1:]}, "not of the items that it counts"),
        ({"ledger": []}, "does not pay for the counts"),
        (
            {"item_noise": msgspec.structs.replace(DOCUMENT.item_noise, variance=(1, 1))},
            "do not agree",
        ),
    ],
)
def test_a_file_that_does_not_keep_its_promise_is_refused(tmp_path, changes, words):
    path = saved(tmp_path / "m.json", msgspec.structs.replace(DOCUMENT, **changes))
    with pytest.raises(BadInput, match=words):
        load_any(path)


def test_it_is_no_model_of_a_table(tmp_path):
    with pytest.raises(BadInput, match="model of baskets"):
        load(saved(tmp_path / "m.json", DOCUMENT))


def test_its_line_in_the_ledger_is_what_it_cost():
    entry = entry_of(MODEL, date="2026-01-01", release="r.dat", table="t")
    assert (entry.epsilon, entry.rho) == (2.0, MODEL.log.ledger.spent)
    assert entry.apart == MODEL.log.ledger.delta > 0
    assert entry.seeded
