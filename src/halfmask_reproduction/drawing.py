"""Drawing of the papers' figures, with matplotlib: SVG that is the same on every run."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from html import escape
from importlib.util import find_spec
from typing import Any

from halfmask.errors import BadInput
from halfmask.report.drawing import INK, QUIET, WIDTH

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
) -> str:
    """The figure that `paint` makes as one SVG element with a title and a description."""
    check_library()
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
    return _inline(target.getvalue(), name, title, description)


def check_library() -> None:
    """Refuse to begin without the library that draws the figures."""
    if find_spec("matplotlib") is None:
        raise BadInput(
            "The figures of the papers need matplotlib, which is not installed; "
            "pip install 'halfmask[reproduce]' brings it."
        )


def plain_axes(axes: Any, *, grid: str = "y") -> None:
    """Few lines: two spines and a quiet grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color="#e3e7eb", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, pad=5)


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
