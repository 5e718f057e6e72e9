from __future__ import annotations

import numpy as np
import pytest

from halfmask.data import Attribute, Baskets, Claim, Release, Schema, Table
from halfmask.errors import BadInput

CLAIM = Claim("Rows are drawn", "nothing else is known", {"laplace": 0.001})


def release(data=None, **changes):
    schema = Schema((Attribute("a", ("x", "y")), Attribute("b", ("x", "y"))))
    parts = {
        "data": data or Table(schema, np.array([[0, 1], [1, 1], [0, 0]])),
        "kind": "synthetic",
        "method": "generator",
        "iso_class": "synthetic data",
        "claim": CLAIM,
    }
    return Release(**(parts | changes))


@pytest.mark.parametrize("data", [None, Baskets.of([["milk"], ["milk", "bread"], []])])
def test_a_release_counts_what_its_data_counts(data):
    made = release(data)
    first = made.schema.label(0).split("=")[0]
    assert made.size == made.data.size == 3
    assert made.schema is made.data.schema
    np.testing.assert_array_equal(made.marginal([first]), made.data.marginal([first]))
    np.testing.assert_array_equal(made.support([(0,), (1,)]), made.data.support([(0,), (1,)]))


def test_unknown_labels_are_refused_with_the_known_ones():
    with pytest.raises(BadInput, match="'fake' is not a kind of a release; possible are synthetic"):
        release(kind="fake")
    with pytest.raises(BadInput, match="class of ISO/IEC 20889; possible are statistical tools"):
        release(iso_class="magic")


@pytest.mark.parametrize("name", ["seed", "Seed", "random_seed"])
def test_a_seed_cannot_be_written_into_a_release(name):
    with pytest.raises(BadInput, match="seed must not be written"):
        release(record={name: 7})
    with pytest.raises(BadInput, match="seed must not be written"):
        Claim("p", "a", {name: 7})


def test_only_plain_values_stand_in_the_record():
    assert release(record={"seeded": True, "pairs": (("a", "b"),)}).record["pairs"] == (("a", "b"),)
    with pytest.raises(BadInput, match=r"'rows' of a release must be text, .* not ndarray"):
        release(record={"rows": np.zeros(3)})


def test_record_and_terms_are_read_only_copies():
    terms = {"l": 5}
    claim = Claim("p", "a", terms)
    terms["l"] = 1
    assert claim.terms["l"] == 5
    with pytest.raises(TypeError, match="does not support item assignment"):
        claim.terms["l"] = 2


def test_a_claim_without_assumption_is_refused():
    with pytest.raises(BadInput, match="assumption under which it holds"):
        Claim("Everything is safe", "")
