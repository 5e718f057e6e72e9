"""Charts: what is put on one stands where its numbers say, inside the paper, as valid SVG."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.report.axis import Axis
from halfmask.report.drawing import Chart, draw
from halfmask.report.shapes import mark

SVG = "{http://www.w3.org/2000/svg}"
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


def drawn(paint) -> ET.Element:
    return ET.fromstring(draw("it", "A <title>", "Words & more", paint))  # noqa: S314 - ours


def circles(svg: ET.Element) -> list[tuple[float, float]]:
    return [(float(c.get("cx")), float(c.get("cy"))) for c in svg.iter(f"{SVG}circle")]


@given(places=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=8))
def test_marks_stand_in_the_paper_and_in_order(places):
    def paint(chart: Chart) -> None:
        chart.marks(places, "o", 4, "#000000")

    found = circles(drawn(paint))
    assert all(0 <= x <= 316.8 and 0 <= y <= 208.8 for x, y in found)
    for (ax, ay), (bx, by) in pairwise(places):
        one, other = found[places.index((ax, ay))], found[places.index((bx, by))]
        assert (ax <= bx) or one[0] >= other[0] - 0.02
        assert (ay <= by) or one[1] <= other[1] + 0.02  # up is less on paper


@given(low=st.floats(1e-6, 1e6), factor=st.floats(1.01, 1e6), log=st.booleans())
def test_ticks_are_few_and_lie_between_the_ends(low, factor, log):
    axis = Axis(log=log, seen=[low, low * factor])
    axis.settle()
    assert len(axis.ticks) <= 12
    assert all(-1e-6 <= axis.share(tick) <= 1 + 1e-6 for tick in axis.ticks)
    assert axis.share(low) < axis.share(low * factor)
    assert len({words for _, words in axis.written}) == len(axis.ticks)


def test_a_logarithmic_axis_gives_each_factor_the_same_room():
    axis = Axis(low=1, high=1000, log=True)
    assert axis.share(10) == pytest.approx(1 / 3)
    assert axis.share(100) == pytest.approx(2 / 3)


def test_one_value_alone_has_an_axis():
    axis = Axis(seen=[3.0])
    axis.settle()
    assert 0 < axis.share(3.0) < 1


def test_only_ticks_on_the_axis_are_named():
    axis = Axis(low=0, high=1, ticks=(-1, 0, 1, 2), names=("a", "b", "c", "d"))
    axis.settle()
    assert axis.written == [(0, "b"), (1, "c")]


def test_bars_and_steps_are_as_long_as_their_numbers():
    def paint(chart: Chart) -> None:
        chart.bar(1, 0.5, 0.2, "#111111")
        chart.bar(2, 1.0, 0.2, "#111111")
        chart.x.low = 0

    widths = [float(r.get("width")) for r in drawn(paint).iter(f"{SVG}rect")]
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.02)


def test_words_are_escaped_and_lines_stand_below_each_other():
    def paint(chart: Chart) -> None:
        chart.text((0, 0), "<b>one</b>\ntwo & three", bold=True)
        chart.marks([(0, 0), (1, 1)], "o", 4, "#000000")

    svg = drawn(paint)
    assert "".join(svg.itertext()).startswith("A <title>Words & more")
    spans = list(svg.iter(f"{SVG}tspan"))
    assert [span.text for span in spans] == ["<b>one</b>", "two & three"]
    assert float(spans[1].get("y")) > float(spans[0].get("y"))


def test_what_is_on_the_ground_comes_first():
    def paint(chart: Chart) -> None:
        chart.marks([(0, 0), (1, 1)], "o", 4, "#000000")
        chart.band(0.2, 0.4, "#abcdef")

    kinds = [one.tag.removeprefix(SVG) for one in drawn(paint)]
    assert kinds.index("rect") < kinds.index("path") < kinds.index("circle")


@pytest.mark.parametrize("shape", ["s", "D", "*", "<", ">", "^", "v"])
def test_every_shape_lies_around_its_place(shape):
    corners = mark(shape, 10, 20, 3, "").split('"')[1].strip("MZ").split("L")
    places = [tuple(map(float, corner.split())) for corner in corners]
    assert len(places) == {"s": 4, "D": 4, "*": 10}.get(shape, 3)
    assert all(math.hypot(x - 10, y - 20) <= 4 for x, y in places)
    middle = [sum(axis) / len(places) for axis in zip(*places, strict=True)]
    assert middle == pytest.approx([10, 20], abs=0.05)


def test_a_place_that_leads_somewhere_has_an_address_and_words():
    def paint(chart: Chart) -> None:
        chart.link((0, 0), "/try?a=1&b=2", 'Support "10"')

    svg = drawn(paint)
    (link,) = svg.iter(f"{SVG}a")
    assert (link.get("href"), link.get("aria-label")) == ("/try?a=1&b=2", 'Support "10"')
    assert svg.get("role") == "group"
    assert drawn(lambda chart: chart.across(0.5, dash="2 2")).get("role") == "img"
