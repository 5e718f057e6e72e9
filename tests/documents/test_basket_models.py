"""Models of baskets as files: back as they were, and refused where they lie."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest

from halfmask.data import Baskets
from halfmask.documents.basket_model import FORM, BasketMarginDocument, basket_model_bytes
from halfmask.documents.model import load, load_any
from halfmask.errors import BadInput
from halfmask.methods.baskets.learn import learn_baskets
from halfmask.methods.baskets.model import BasketModel
from halfmask.randomness import Randomness

GROUPS = (("tea", "milk", "sugar"), ("beer", "crisps", "nuts"))


def shop(rows=900):
    rng = np.random.default_rng(1)
    found = []
    for n in range(rows):
        group = GROUPS[rng.integers(2)]
        found.append([*(item for item in group if rng.random() < 0.6), f"customer {n}"])
    return Baskets.of(found)


MODEL = learn_baskets(shop(), min_support=20, calibrate=2)
DOCUMENT = FORM.from_json(basket_model_bytes(MODEL), "it")


def saved(path, document):
    path.write_bytes(FORM.to_json(document))
    return path


def test_a_model_comes_back_and_draws_the_same_baskets(tmp_path):
    (tmp_path / "shop.model.json").write_bytes(basket_model_bytes(MODEL))
    back = load_any(tmp_path / "shop.model.json")
    assert isinstance(back, BasketModel)
    assert back.fresh == MODEL.fresh
    assert back.schema.names == ("beer", "crisps", "milk", "nuts", "sugar", "tea")
    assert list(back.counts_met()) == list(MODEL.counts_met())
    for order in (0, 1, 2):
        one, other = (
            m.limited(order).sample(300, randomness=Randomness(5)).data for m in (MODEL, back)
        )
        names = [
            [[baskets.schema.label(i) for i in row] for row in baskets.transactions]
            for baskets in (one, other)
        ]
        assert names[0] == names[1]
    with pytest.raises(BadInput, match=r"shop\.model\.json' is a model of baskets"):
        load(tmp_path / "shop.model.json")


def test_the_file_is_read_line_by_line_and_names_nobody():
    content = basket_model_bytes(MODEL).decode()
    assert "customer" not in content
    assert '\n      {"count":' in content
    told = json.loads(content)
    assert told["format"] == "halfmask basket model"
    assert told["version"] == 2
    assert {m["count"] % told["model"]["base"] for m in told["model"]["margins"]} == {0}
    assert min(m["count"] for m in told["model"]["margins"]) > 20
    assert basket_model_bytes(MODEL.limited(0)).decode().count("margins") == 0


def changed(**changes):
    return msgspec.structs.replace(DOCUMENT, **changes)


def _item(**changes):
    first, *rest = DOCUMENT.items
    return [msgspec.structs.replace(first, **changes), *rest]


SINGLE = DOCUMENT.margins[0]


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (changed(items=_item(support=3)), "an item that fewer than 20 baskets hold"),
        (changed(items=_item(name="milk")), "same name"),
        (changed(items=_item(usage=0, support=50)), "not a valid"),
        (changed(lengths=[(1, 890), (2, 10)]), "a length that fewer than 20"),
        (changed(lengths=[(2, 451), (1, 451)]), "are not increasing"),
        (changed(lengths=[(1, 451), (900, 451)]), "exceed the number of items"),
        (changed(lengths=[(1, 451)]), "not those of all baskets"),
        (changed(lengths=[(1, 450), (2, 450)]), "not a multiple of 11"),
        (changed(margins=msgspec.UNSET), "without calibration settings"),
        (changed(calibration=msgspec.UNSET), "without calibration settings"),
        (changed(margins=[BasketMarginDocument(30, ["gin"])]), "gin"),
        (changed(margins=[BasketMarginDocument(30, ["tea", "tea"])]), "an item twice"),
        (changed(margins=[BasketMarginDocument(3, ["tea"])]), "than the minimum support"),
        (
            changed(margins=[BasketMarginDocument(899, ["tea"])]),
            "more baskets than one of its items",
        ),
        (changed(margins=[SINGLE, SINGLE]), "each once"),
        (changed(margins=[BasketMarginDocument(30, ["milk", "sugar", "tea"])]), "1 to 2 items"),
    ],
)
def test_a_model_that_lies_is_refused(tmp_path, document, sentence):
    with pytest.raises(BadInput, match=sentence):
        load_any(saved(tmp_path / "m.json", document))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b'"order":2', b'"order":9', "something wrong at calibration.order"),
        (b'"fresh":', b'"freshly":', "something wrong at calibration"),
        (b'"version": 2', b'"version": 7', "install a newer halfmask"),
        (b'"rows": 900', b'"rows": 901', "checksum does not match"),
        (b"halfmask basket model", b"somebody's model", "is not a halfmask model"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, old, new, sentence):
    content = basket_model_bytes(MODEL)
    assert old in content
    (tmp_path / "m.json").write_bytes(content.replace(old, new))
    with pytest.raises(BadInput, match=sentence):
        load_any(tmp_path / "m.json")
