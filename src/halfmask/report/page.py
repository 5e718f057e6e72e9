"""A page: templates that escape what they print, and JSON that cannot end its own element."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

__all__ = ["embedded", "pictures", "render"]


def render(template: str, filters: Mapping[str, Callable[..., Any]], **values: Any) -> bytes:
    """The page that a template makes of these values, in UTF-8."""
    environment = Environment(
        loader=PackageLoader("halfmask.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= filters
    return environment.get_template(template).render(**values).encode()


def embedded(machine: Mapping[str, Any]) -> Markup:
    r"""JSON for a script element; no value in it can end the element.

    >>> str(embedded({"name": "</script>"}))
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = msgspec.json.encode(machine).decode()
    for sign, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(sign, code)
    return Markup(text)  # noqa: S704 - what could be markup was taken out


def pictures(drawn: Mapping[str, str] | Mapping[str, str | None]) -> dict[str, Markup]:
    """The pictures there are; the library that draws them escapes every label."""
    return {name: Markup(svg) for name, svg in drawn.items() if svg}  # noqa: S704
