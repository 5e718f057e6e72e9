"""The data-model graph of an asset as a drawing: attributes, simple and complex constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from halfmask.assets.asset import Asset, Constraint, Information
from halfmask.assets.constraints import Joined
from halfmask.report.drawing import HOLDOUT, INK, ORIGINAL, QUIET, RELEASE, draw
from halfmask.report.words import short

COLUMNS = (0.0, 1.0, 2.0)
"""Attributes on the left, then simple constraints, then complex ones."""
HALF_WIDTH = 0.36
LINE = 0.36
"""Inches for a node, its margin included."""
_short = partial(short, most=34)
_FILLS = (f"{RELEASE}18", f"{ORIGINAL}22", f"{HOLDOUT}18")
_EDGES = (RELEASE, ORIGINAL, HOLDOUT)


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

    def paint(axes: Any) -> None:
        top = total
        for information, nodes, height in zip(asset.informations, bands, heights, strict=True):
            _heading(axes, information, top - 0.6)
            _band(axes, nodes, top - 1.3, height)
            top -= height + 1.6
        axes.set_xlim(COLUMNS[0] - 0.42, COLUMNS[-1] + 0.42)
        axes.set_ylim(0, total)
        axes.axis("off")

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


def _heading(axes: Any, information: Information, y: float) -> None:
    axes.text(
        COLUMNS[0] - HALF_WIDTH, y, f"{_short(information.name)}: weight {information.weight:g}",
        fontsize=12, fontweight="bold", color=INK, va="center",
    )  # fmt: skip


def _band(axes: Any, nodes: Sequence[_Node], top: float, height: float) -> None:
    """Nodes of each column spread over the height, near the middle of what leads to them."""
    from matplotlib.patches import FancyBboxPatch

    place: dict[str, float] = {}
    for column in range(3):
        here = [node for node in nodes if node.column == column]
        here.sort(key=lambda node: -_wish(node, place))
        step = height / max(len(here), 1)
        place |= {node.name: top - step * (n + 0.5) for n, node in enumerate(here)}
    for node in nodes:
        x, y = COLUMNS[node.column], place[node.name]
        box = FancyBboxPatch(
            (x - HALF_WIDTH, y - 0.62), 2 * HALF_WIDTH, 1.24,
            boxstyle="round,pad=0,rounding_size=0.04", mutation_aspect=12,
            facecolor=_FILLS[node.column], edgecolor=_EDGES[node.column], linewidth=0.9,
        )  # fmt: skip
        axes.add_patch(box)
        axes.text(x, y, node.words, ha="center", va="center", fontsize=7.6, color=INK,
                  linespacing=1.45)  # fmt: skip
        for source in node.sources:
            _edge(axes, nodes, source, node, place)


def _wish(node: _Node, place: dict[str, float]) -> float:
    """Where a node would like to be; attributes stay in the order of the file."""
    known = [place[source] for source in node.sources if source in place]
    return sum(known) / len(known) if known else 0.0


def _edge(
    axes: Any, nodes: Sequence[_Node], source: str, node: _Node, place: dict[str, float]
) -> None:
    start = next(one for one in nodes if one.name == source)
    beside = start.column == node.column  # a complex constraint that joins another
    side = HALF_WIDTH if beside else -HALF_WIDTH
    axes.annotate(
        "", xy=(COLUMNS[node.column] + side, place[node.name]),
        xytext=(COLUMNS[start.column] + HALF_WIDTH, place[source]),
        arrowprops={"arrowstyle": "-|>", "color": QUIET, "linewidth": 0.9, "shrinkA": 0,
                    "shrinkB": 0, "mutation_scale": 7,
                    "connectionstyle": f"arc3,rad={0.25 if beside else 0}"},
    )  # fmt: skip
