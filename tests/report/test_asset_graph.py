"""The data-model graph: every node and every edge is drawn, and a browser can show it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import health

from halfmask.documents.asset import parse_asset
from halfmask.report.asset_graph import asset_graph


def test_every_attribute_and_constraint_is_in_the_picture():
    words = "".join(ET.fromstring(asset_graph(health.ASSET)).itertext())  # noqa: S314 - ours
    for information in health.ASSET.informations:
        assert f"{information.name}: weight {information.weight:g}" in words
        for name in (*information.names, *(c.name for c in information.constraints)):
            assert name in words
    assert "days ≤ 365" in words
    assert "implies, weight 0.8" in words


def test_the_picture_is_the_same_every_time_and_survives_odd_names():
    assert asset_graph(health.ASSET) == asset_graph(health.ASSET)
    joined = "c_all: {op: and, args: [c_pa]}\n    c_mp: "
    text = health.TEXT.replace("s_days", '"<b>& $x^2$"').replace("c_mp: ", joined, 1)
    drawn = ET.fromstring(asset_graph(parse_asset(text)))  # noqa: S314 - ours
    assert "<b>& $x^2$" in "".join(drawn.itertext())
