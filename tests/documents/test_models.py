"""A learnt generator is saved for people and loaded with suspicion."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import fields, replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from halfmask.data import Attribute, Column, Encoding, Schema, Table
from halfmask.documents.form import MAX_BYTES
from halfmask.documents.model import load, model_bytes, save
from halfmask.documents.model_document import (
    CalibrationDocument,
    SettingsDocument,
    from_json,
    to_json,
)
from halfmask.errors import BadInput, UnknownName
from halfmask.methods.calibration.settings import CalibrationSettings, count_margins
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.randomness import Randomness

SETTINGS = GeneratorSettings(
    min_support=2,
    laplace=0.5,
    max_pattern_length=2,
    hide_together=(("ill=yes", "age"),),
    laplace_for={"ill": 2, "sex=f": 3.5},
    order=("ill", "sex", "age"),
)


def original():
    sex = ["f"] * 6 + ["m"] * 4
    ill = ["yes"] * 5 + ["no"] * 3 + [None] * 2
    columns = [
        Column.of("sex", sex),
        Column.of("ill", ill),
        Column.of("age", ["30"] * 5 + ["40"] * 5, "int8"),
    ]
    return Encoding.fit(columns, min_support=2).encode(columns)


MODEL = learn(original(), SETTINGS)


def test_a_loaded_model_is_the_saved_one_and_draws_the_same_rows(tmp_path):
    save(MODEL, tmp_path / "a.model.json")
    back = load(tmp_path / "a.model.json")
    assert back.settings == MODEL.settings
    assert back.schema == MODEL.schema
    assert back.complete
    rows = [m.sample(50, randomness=Randomness(7)).data.codes for m in (MODEL, back)]
    assert np.array_equal(*rows)


def test_every_setting_has_its_place_in_the_file():
    # A model whose counts are exact is not written.
    places = set(SettingsDocument.__struct_fields__)
    assert {setting.name for setting in fields(GeneratorSettings)} - {"exact"} == places


def test_a_share_of_rows_is_saved_as_the_number_it_stands_for(tmp_path):
    model = GeneratorModel(MODEL.code_table, replace(SETTINGS, min_support=0.2), complete=False)
    save(model, tmp_path / "a.json")
    back = load(tmp_path / "a.json")
    assert back.settings.min_support == 2
    assert not back.complete


def test_a_model_holds_no_seed():
    MODEL.sample(5, randomness=Randomness(123_456_789))
    text = model_bytes(MODEL).decode()
    assert "seed" not in text
    assert "123456789" not in text


def test_an_existing_model_is_kept(tmp_path):
    save(MODEL, tmp_path / "a.json")
    with pytest.raises(BadInput, match="already exists"):
        save(MODEL, tmp_path / "a.json")
    save(MODEL, tmp_path / "a.json", force=True)


def test_rare_values_reach_no_file_unless_that_is_the_wish(tmp_path):
    columns = [Column.of("x", ["a"] * 9 + ["Rumpelstiltskin"]), Column.of("y", ["c"] * 10)]
    kept = Encoding.fit(columns, min_support=5, rare="keep").encode(columns)
    model = learn(kept, GeneratorSettings(min_support=5))
    with pytest.raises(BadInput, match="fewer than 5 rows") as caught:
        save(model, tmp_path / "a.json")
    assert "Rumpel" not in str(caught.value)
    assert not list(tmp_path.iterdir())
    save(learn(kept, GeneratorSettings(min_support=5, rare_values="keep")), tmp_path / "a.json")
    assert load(tmp_path / "a.json").settings.rare_values == "keep"


def test_a_model_that_could_not_be_read_again_is_not_written():
    column = Column.of("x", ["a" * 70_000] * 5 + ["b"] * 5)
    encoded = Encoding.fit([column], min_support=5).encode([column])
    with pytest.raises(BadInput, match=r"cannot be written: .* wrong at columns\[0\]"):
        model_bytes(learn(encoded, GeneratorSettings(min_support=5)))


def test_a_model_comes_through_standard_input(monkeypatch):
    class Standard:
        buffer = io.BytesIO(model_bytes(MODEL))

    monkeypatch.setattr(sys, "stdin", Standard)
    assert load("-").schema == MODEL.schema


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "'a.json' is empty"),
        (model_bytes(MODEL)[:300], "'a.json' is a truncated model file"),
        (b"[" * 1_000_000, "'a.json' is not a halfmask model"),
        (b" " * (MAX_BYTES + 1), "more than 67,108,864 bytes"),
    ],
)
def test_a_file_that_is_no_model_gets_one_sentence(content, sentence, tmp_path):
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(BadInput, match=sentence):
        load(tmp_path / "a.json")


def test_a_missing_model_a_directory_and_a_device_get_one_sentence(tmp_path):
    with pytest.raises(BadInput, match="There is no file"):
        load(tmp_path / "a.json")
    with pytest.raises(BadInput, match="is a directory"):
        load(tmp_path)
    with pytest.raises(BadInput, match="is a device"):
        load(os.devnull)


def settings_of(**parts):
    document = from_json(model_bytes(MODEL), "it")
    changed = msgspec.structs.replace(document.settings, **parts)
    return to_json(msgspec.structs.replace(document, settings=changed))


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"hide_together": [("town", "age")]}, "no column 'town'"),
        ({"hide_together": [("age", "age")]}, "to one column"),
        ({"laplace_for": {"sex=x": 1.0}}, "no value of column 'sex' 'x'"),
        ({"order": "reverse"}, "order is 'random'"),
        ({"order": ["sex"]}, "column|order"),
        ({"search": "guess"}, "search is 'krimp'"),
        ({"laplace_for": {f"sex={i}": 1.0 for i in range(100_000)}}, "no value of column 'sex'"),
        ({"laplace_for": {"=" * 9_990 + f"{i}": 1.0 for i in range(100)}}, "name too many values"),
    ],
)
def test_settings_that_do_not_fit_the_columns_are_refused(parts, sentence, tmp_path):
    (tmp_path / "a.json").write_bytes(settings_of(**parts))
    with pytest.raises(BadInput, match=sentence) as caught:
        load(tmp_path / "a.json")
    assert str(caught.value).startswith("'a.json' is not a valid halfmask model: ")
    assert not isinstance(caught.value, UnknownName)


def test_a_file_that_hides_billions_of_pairs_is_refused_before_they_are_listed(tmp_path):
    values = tuple(str(i) for i in range(5_000))
    schema = Schema((Attribute("a", values), Attribute("b", values)))
    codes = np.repeat(np.arange(5_000), 2)
    model = learn(Table(schema, np.stack([codes, codes], axis=1)), GeneratorSettings(min_support=2))
    document = from_json(model_bytes(model), "it")
    settings = msgspec.structs.replace(document.settings, hide_together=[("a", "b")] * 9)
    (tmp_path / "a.json").write_bytes(to_json(msgspec.structs.replace(document, settings=settings)))
    with pytest.raises(BadInput, match="hides 225,000,000 pairs"):
        load(tmp_path / "a.json")


def test_a_model_of_version_1_is_still_read_and_draws_without_margins():
    old = Path(__file__).parents[1] / "data" / "clinic.version1.model.json"
    model = load(old)
    assert model.margins is None
    assert model.settings.calibration.order == 0
    assert model.sample(20, randomness=Randomness(1)).record["calibrate"] == 0


def with_margins():
    table = original()
    settings = replace(
        SETTINGS,
        max_pattern_length=1,
        laplace=0.001,
        hide_together=(("ill", "age"),),
        calibration=CalibrationSettings(order=2, order_for={"age": 2}, base=3, target="sex"),
    )
    margins = count_margins(table, [("sex",), ("sex", "ill")], min_support=2, base=3)
    return replace(learn(table, settings), margins=margins)


def test_margins_are_saved_with_their_values_and_meet_the_same_rows_elsewhere(tmp_path):
    model = with_margins()
    save(model, tmp_path / "a.model.json")
    text = (tmp_path / "a.model.json").read_text()
    line = '{"attributes":["sex","ill"],"remainder":3,"cells":[[["f","yes"],6]'
    assert line in text
    back = load(tmp_path / "a.model.json")
    assert back.settings == model.settings
    rows = [m.sample(50, randomness=Randomness(7)).data.codes for m in (model, back)]
    assert np.array_equal(*rows)
    assert back.margins is not None
    assert list(back.margins.to_rows(back.schema)) == list(model.margins.to_rows(model.schema))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"attributes": ["sex", "weight"]}, "weight"),
        ({"attributes": ["ill", "age"], "cells": [(["yes", "30"], 6)]}, "hidden together"),
        ({"cells": [(["f", "perhaps"], 6)]}, "does not list"),
        ({"cells": [(["f"], 6)]}, "does not list"),
        ({"cells": [(["f", "yes"], 0)]}, "count above 0"),
        ({"cells": [(["f", "yes"], 900)]}, "more rows than there are"),
        ({"cells": [(["f", "yes"], 6), (["f", "yes"], 6)]}, "twice"),
    ],
)
def test_margins_that_cannot_be_are_refused(tmp_path, change, sentence):
    document = from_json(model_bytes(with_margins()), "'m'")
    lying = msgspec.structs.replace(document.margins[1], **change)
    (tmp_path / "a.json").write_bytes(to_json(msgspec.structs.replace(document, margins=[lying])))
    with pytest.raises(BadInput, match=sentence):
        load(tmp_path / "a.json")


def test_a_margin_of_too_few_rows_is_refused(tmp_path):
    document = from_json(model_bytes(with_margins()), "'m'")
    calm = msgspec.structs.replace(document.settings, calibration=CalibrationDocument(order=2))
    few = msgspec.structs.replace(document.margins[0], cells=[(["f"], 1)])
    (tmp_path / "a.json").write_bytes(
        to_json(msgspec.structs.replace(document, settings=calm, margins=[few]))
    )
    with pytest.raises(BadInput, match="fewer rows than the minimum support"):
        load(tmp_path / "a.json")
