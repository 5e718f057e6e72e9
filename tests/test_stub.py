"""What type checkers know of `halfmask.publish` is what the methods declare."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import halfmask as hm

ROOT = Path(__file__).resolve().parents[1]


def test_the_stub_is_made_from_the_declarations():
    spec = importlib.util.spec_from_file_location("make_stub", ROOT / "docs" / "make_stub.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert made.STUB.read_text() == made.stub()


def test_the_public_names_are_few_and_all_there():
    assert len(hm.__all__) <= 15
    for name in hm.__all__:
        assert getattr(hm, name) is not None


@pytest.mark.parametrize("name", ["publish", "Generator"])
def test_help_shows_every_option(name):
    from halfmask.methods import METHODS
    from halfmask.publishing.job import options_of

    text = getattr(hm, name).__doc__
    wanted = (
        options_of(METHODS["generator"]) if name == "publish" else METHODS["generator"].declared()
    )
    for one in wanted.values():
        assert f"{one.name}: {one.help}" in text


def test_an_option_of_another_method_is_named_with_its_methods():
    with pytest.raises(hm.BadInput, match="'keep' is an option of the method distortion"):
        hm.publish({"a": [1]}, keep=0.9)
    with pytest.raises(hm.BadInput, match="did you mean 'min_support'"):
        hm.publish("x.csv", min_suport=20)
