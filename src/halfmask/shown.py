"""Shown: text and numbers as a person sees them, on a terminal or in a notebook.

Names and values of a table are not to be trusted: what reaches a terminal has no control
characters, and what reaches a notebook is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What moves the cursor, changes the terminal or turns the direction of writing; no line ends."""


def printable(text: str) -> str:
    r"""The text with its control characters spelled out: names and values are not to be trusted.

    >>> printable("a\x1b[31mb\u202e")
    'a\\x1b[31mb\\u202e'
    """
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def number(value: float) -> str:
    """A number as a person writes it: whole ones with thousands, others with three digits.

    >>> number(12960), number(0.12345), number(0.00004)
    ('12,960', '0.123', '4e-05')
    """
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:.3f}" if abs(value) >= 0.001 else f"{value:.1g}"


def told(text: object) -> str:
    r"""Text that may stand in a page: escaped, and without control characters.

    >>> told("<b>a\x1b</b>")
    '&lt;b&gt;a\\x1b&lt;/b&gt;'
    """
    return escape(printable(str(text)))


def grid(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table for a notebook, whose own style it takes.

    >>> grid(["a"], [["<i>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;i&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{told(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td>{told(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def sentences(lines: Iterable[str]) -> str:
    """A list for a notebook; nothing where there is none."""
    listed = "".join(f"<li>{told(line)}</li>" for line in lines)
    return f"<ul>{listed}</ul>" if listed else ""


def folded(title: str, content: str) -> str:
    """Content that a click opens; nothing where there is none."""
    return f"<details><summary>{told(title)}</summary>{content}</details>" if content else ""
