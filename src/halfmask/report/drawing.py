"""Drawing: figures as inline SVG that reads alone, is the same on every run and loads nothing."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

# Okabe and Ito's palette, which colour-blind readers can tell apart; shapes differ as well.
RELEASE = "#0072b2"
HOLDOUT = "#c25700"
ORIGINAL = "#8a929b"
INK = "#1d2733"
QUIET = "#56616d"

WIDTH = 4.4
"""Inches: narrow enough that the letters stay readable on a phone."""

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.5,
    "axes.edgecolor": "#aab2ba",
    "axes.labelcolor": QUIET,
    "axes.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "text.parse_math": False,
}


def draw(  # noqa: PLR0913 - what is drawn, what it is called, and how large
    name: str,
    title: str,
    description: str,
    paint: Callable[[Any], None],
    *,
    height: float = 2.9,
    width: float = WIDTH,
    links: Mapping[str, str] | None = None,
) -> str:
    """The figure that `paint` makes as one SVG element with a title and a description.

    `links` has the words for each address that something in the figure leads to.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context({**_SETTINGS, "svg.hashsalt": name}), warnings.catch_warnings():
        # The browser has letters that the drawing library's own font lacks.
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        paint(figure.add_subplot())
        target = io.StringIO()
        figure.savefig(target, format="svg", transparent=True, metadata={"Date": None})
    return _linked(_inline(target.getvalue(), name, title, description), links or {})


def _linked(svg: str, links: Mapping[str, str]) -> str:
    """The element with words for its links; a picture that holds some is a group of them."""
    for address, words in links.items():
        written = escape(address)
        svg = re.sub(
            rf'<a xlink:href="{re.escape(written)}"[^>]*>',
            f'<a href="{written}" aria-label="{escape(words)}">',
            svg,
        )
    return svg.replace('role="img"', 'role="group"', 1) if links else svg


def plain_axes(axes: Any, *, grid: str = "y") -> None:
    """Few lines: two spines and a quiet grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color="#e3e7eb", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, pad=5)


def per_cent(axis: Any) -> None:
    """Label an axis of shares in per cent."""
    axis.set_major_formatter(lambda x, _: f"{100 * x:g} %")


def _inline(svg: str, name: str, title: str, description: str) -> str:
    """Only the element, its names made its own, sized by the page, with words for those who listen.

    Several drawings share a page, and names must be unique in it.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', body)
    body = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", body)
    body = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', body)
    body = re.sub(r"\n\s*", "\n", body)
    box = re.search(r'viewBox="[^"]+"', body)
    opening = (
        f'<svg {box[0] if box else ""} role="img" aria-labelledby="{name}-t {name}-d" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f'<title id="{name}-t">{escape(title)}</title><desc id="{name}-d">{escape(description)}'
        "</desc>"
    )
    return opening + body[body.index(">") + 1 :].strip()
