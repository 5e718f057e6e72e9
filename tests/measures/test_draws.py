"""Several draws: mean and standard deviation beside the reading of the first."""

from __future__ import annotations

import pytest

from halfmask.measures import Reading, Readings, Unmeasured
from halfmask.measures.draws import over_draws


def reading(name, value, **details):
    return Reading(
        name=name, room="quality", value=value, low=value, high=value, unit="share",
        better="lower", meaning="Something.", how="Somehow.", details=details,
    )  # fmt: skip


def bits(original, crossed):
    return {
        "original": original,
        "original_in_release": crossed,
        "release": 100.0,
        "release_in_original": 100.0,
    }


def test_mean_and_deviation_by_hand():
    first, second = (Readings((reading("nas", value),)) for value in (0.2, 0.4))
    found = over_draws(first, [second])["nas"]
    assert found.value == 0.2
    assert found.details["draws"] == {
        "count": 2, "mean": pytest.approx(0.3), "sd": pytest.approx(0.02**0.5)
    }  # fmt: skip


def test_ds_of_averaged_sizes_is_not_the_mean_of_single_ones():
    """Directed parts of either sign: single DS are 0.2 and 0, that of the averaged sizes is 0."""
    first = Readings((reading("ds", 0.2, bits=bits(100.0, 120.0)),))
    second = Readings((reading("ds", 0.0, bits=bits(100.0, 80.0)),))
    draws = over_draws(first, [second])["ds"].details["draws"]
    assert draws["mean"] == pytest.approx(0.1)
    assert draws["of_mean_sizes"] == pytest.approx(0.0)


def test_a_blank_stays_and_is_left_out_of_a_mean():
    blank = Readings((Unmeasured("nas", "No reason."),))
    assert over_draws(blank, [blank]).get("nas") is None
    assert over_draws(Readings((reading("nas", 0.5),)), [blank])["nas"].details["draws"] == {
        "count": 1, "mean": 0.5, "sd": None
    }  # fmt: skip
