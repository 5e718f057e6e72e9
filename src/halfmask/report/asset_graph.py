"""The data-model graph of an asset as a drawing: attributes, simple and complex constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from halfmask.assets.asset import Asset, Constraint, Information
from halfmask.assets.constraints import Joined
from halfmask.report.drawing import HOLDOUT, ORIGINAL, RELEASE, Chart, draw
from halfmask.report.words import short

COLUMNS = (0.0, 1.0, 2.0)
"""Attributes on the left, then simple constraints, then complex ones."""
HALF_WIDTH = 0.36
LINE = 0.36
"""Inches for a node, its margin included."""
_short = partial(short, most=34)
_COLOURS = (RELEASE, ORIGINAL, HOLDOUT)


@dataclass(frozen=True, slots=True)
class _Node:
    """One box of the graph: its column, what it says, and the nodes that lead to it."""

    name: str
    column: int
    words: str
    sources: tuple[str, ...] = ()


def asset_graph(asset: Asset) -> str:
    """The graph as one SVG document; every information is a band of its own."""
    bands = [list(_nodes(information)) for information in asset.informations]
    heights = [_rows(nodes) for nodes in bands]
    total = sum(heights) + 1.6 * len(bands)

    def paint(chart: Chart) -> None:
        top = total
        for information, nodes, height in zip(asset.informations, bands, heights, strict=True):
            _heading(chart, information, top - 0.6)
            _band(chart, nodes, top - 1.3, height)
            top -= height + 1.6
        chart.no_frame()
        chart.x.low, chart.x.high = COLUMNS[0] - 0.42, COLUMNS[-1] + 0.42
        chart.y.low, chart.y.high = 0, total

    names = ", ".join(information.name for information in asset.informations)
    return draw(
        "asset",
        "What matters, and what must hold",
        f"The data-model graph of {names}: attributes lead to the simple constraints that read "
        "them, and these to the complex constraints that join them.",
        paint,
        height=LINE * total,
        width=9.2,
    )


def _nodes(information: Information) -> Iterator[_Node]:
    for weights in information.attributes:
        words = f"accuracy {weights.accuracy:g}, completeness {weights.completeness:g}"
        yield _Node(f"a {weights.attribute}", 0, f"{_short(weights.attribute)}\n{words}")
    for constraint in information.constraints:
        yield _constraint(constraint)


def _constraint(constraint: Constraint) -> _Node:
    weight = f"weight {constraint.weight:g}" if constraint.tested else "building block"
    if constraint.kind == "simple":
        words = f"{_short(constraint.name)} ({weight})\n{_short(str(constraint.expression))}"
        sources = tuple(f"a {name}" for name in constraint.attributes)
        return _Node(f"c {constraint.name}", 1, words, sources)
    expression = constraint.expression
    joined = f"{expression.operator}, " if isinstance(expression, Joined) else ""
    sources = tuple(f"c {part}" for part in constraint.parts)
    return _Node(f"c {constraint.name}", 2, f"{_short(constraint.name)}\n{joined}{weight}", sources)


def _rows(nodes: Sequence[_Node]) -> float:
    """The height of a band: its fullest column, two lines a node."""
    return 1.7 * max(sum(node.column == column for node in nodes) for column in range(3))


def _heading(chart: Chart, information: Information, y: float) -> None:
    words = f"{_short(information.name)}: weight {information.weight:g}"
    chart.text((COLUMNS[0] - HALF_WIDTH, y), words, size=12, bold=True)


def _band(chart: Chart, nodes: Sequence[_Node], top: float, height: float) -> None:
    """Nodes of each column spread over the height, near the middle of what leads to them."""
    place: dict[str, float] = {}
    for column in range(3):
        here = [node for node in nodes if node.column == column]
        here.sort(key=lambda node: -_wish(node, place))
        step = height / max(len(here), 1)
        place |= {node.name: top - step * (n + 0.5) for n, node in enumerate(here)}
    for node in nodes:
        x, y = COLUMNS[node.column], place[node.name]
        corners = (x - HALF_WIDTH, y - 0.62), (x + HALF_WIDTH, y + 0.62)
        chart.box(*corners, _COLOURS[node.column])
        chart.text((x, y), node.words, anchor="middle", size=8)
        for source in node.sources:
            _edge(chart, nodes, source, node, place)


def _wish(node: _Node, place: dict[str, float]) -> float:
    """Where a node would like to be; attributes stay in the order of the file."""
    known = [place[source] for source in node.sources if source in place]
    return sum(known) / len(known) if known else 0.0


def _edge(
    chart: Chart, nodes: Sequence[_Node], source: str, node: _Node, place: dict[str, float]
) -> None:
    start = next(one for one in nodes if one.name == source)
    beside = start.column == node.column  # a complex constraint that joins another
    side = HALF_WIDTH if beside else -HALF_WIDTH
    begin = COLUMNS[start.column] + HALF_WIDTH, place[source]
    end = COLUMNS[node.column] + side, place[node.name]
    chart.arrow(begin, end, bend=0.25 if beside else 0.0)
