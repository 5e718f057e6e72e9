"""What an eye reads in the pictures of the experiments."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from halfmask_reproduction.labels import _overlap, placed
from halfmask_reproduction.pictures import bars, lines, points


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


@pytest.mark.parametrize("seed", range(8))
def test_labels_cover_neither_each_other_nor_a_point(seed):
    """A dozen points, half of them in a heap, in a drawing as large as those of the pages."""
    rng = np.random.default_rng(seed)
    spread = np.repeat([[10.0], [45.0]], 6, axis=0)
    at = np.clip(rng.normal([120.0, 90.0], spread), 5, [235, 185])
    names = ["5", "20", "80", "CART", "python-synthpop", "DataSynthesizer"] * 2
    boxes = placed(names, at, (0.0, 0.0, 240.0, 190.0))
    assert all(_overlap(one, other) == 0 for one, other in combinations(boxes, 2))
    marks = [(x - 2.5, y - 2.5, x + 2.5, y + 2.5) for x, y in at]
    assert all(_overlap(box, mark) == 0 for box in boxes for mark in marks)
    assert all(min(b) >= 0 and b[2] <= 240 and b[3] <= 190 for b in boxes)


def test_a_label_that_stands_far_is_led_to_its_point():
    """Too many points in one spot for all labels to stand beside it."""
    heap = {f"method {n}": (0.5 + n / 1000, 0.1) for n in range(9)}
    spots = {"heap": heap, "far": {"low": (0.1, -0.01), "high": (0.9, 0.6)}}
    drawn = points("heap", "Heap", spots, across="x", up="y", wide_below=0.05)
    again = points("heap", "Heap", spots, across="x", up="y", wide_below=0.05)
    assert drawn == again
    shown = texts(drawn.svg)
    assert {*heap, "low", "high", "0.05", "0.5", "0"} <= set(shown)
    assert not any("$" in text for text in shown)
    lonely = points("one", "One", {"far": spots["far"]}, across="x", up="y", wide_below=0.05)
    thin = "stroke-width: 0.4;"
    assert thin in drawn.svg
    assert thin not in lonely.svg
