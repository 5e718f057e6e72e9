"""What an eye reads in the pictures of the experiments."""

from __future__ import annotations

import re

from halfmask.experiments.pictures import bars, lines


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_lines_that_lie_on_each_other_share_one():
    series = {
        "original": [(1, 100.0), (2, 50.0)],
        "l = 6": [(1, 80.0), (2, 40.0)],
        "l = 8": [(1, 80.3), (2, 40.1)],
        "l = 10": [(1, 81.0), (2, 40.0)],
    }
    drawn = lines("rules", "Rules", series, across="confidence", up="rules")
    assert {"original", "l = 6, and 1 alike", "l = 10"} <= set(texts(drawn.svg))
    assert "l = 8: 1 80.3" in drawn.words, "every value is told in words"


def test_lines_over_other_places_are_kept_apart():
    series = {"short": [(1, 10.0)], "long": [(1, 10.0), (2, 10.0)]}
    drawn = lines("lengths", "Lengths", series, across="x", up="y")
    assert {"short", "long"} <= set(texts(drawn.svg))


def test_a_logarithmic_axis_has_plain_numbers():
    series = {"here": {"a": 0.012, "b": 0.9}, "there": {"a": 0.3, "b": 1.7}}
    found = texts(bars("ds", "DS", series, label="DS (logarithmic)", log=True).svg)
    assert {"0.01", "0.1", "1"} <= set(found)
    assert not any("$" in text for text in found)
