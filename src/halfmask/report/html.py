"""A document as one self-contained page: no network, no script, prints well."""

from __future__ import annotations

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

from halfmask.report.document import Document

__all__ = ["report_bytes"]


def report_bytes(document: Document) -> bytes:
    """The page in UTF-8."""
    environment = Environment(
        loader=PackageLoader("halfmask.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # "<" is escaped so that no value can end the script element that holds the JSON.
    machine = msgspec.json.encode(document.machine).decode().replace("<", "\\u003c")
    page = environment.get_template("report.html.j2").render(document=document, machine=machine)
    return page.encode()
