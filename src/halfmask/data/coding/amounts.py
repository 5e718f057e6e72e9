"""Amounts: what stands around numbers in a text, such as a currency, a unit or thousands."""

from __future__ import annotations

import re
from collections.abc import Sequence

Around = tuple[str, str, str]
"""What stands before and after each number, and between its thousands."""
NOTHING: Around = ("", "", "")


def split_amounts(values: Sequence[str]) -> tuple[Around, list[str]]:
    """What stands around all of these numbers alike, and the numbers; nothing where they differ.

    >>> split_amounts(["1,250 kg", "980 kg"])
    (('', ' kg', ','), ['1250', '980'])
    """
    matches = [match for text in values if (match := _AMOUNT.fullmatch(text)) is not None]
    sides = {(match["before"] or "", match["after"] or "") for match in matches}
    if len(matches) < len(values) or len(sides) != 1:
        return NOTHING, []
    bodies = [match["body"] for match in matches]
    between = next((m for m in (",", "'", "\u00a0", " ") if any(m in body for body in bodies)), "")
    if between and not all(_in_groups(body, between) for body in bodies):
        return NOTHING, []
    before, after = sides.pop()
    return (before, after, between), [b.replace(between, "") if between else b for b in bodies]


def _in_groups(body: str, between: str) -> bool:
    """Whether marks stand between thousands and nowhere else."""
    first, *rest = body.lstrip("+-").partition(".")[0].split(between)
    return 1 <= len(first) <= 3 + 9 * (not rest) and all(len(group) == 3 for group in rest)


def bare(text: str, around: Around) -> str:
    """The number in what is written; ValueError where that is written in another way."""
    before, after, between = around
    if not text.startswith(before) or not text.endswith(after):
        raise ValueError(text[:20])
    inside = text[len(before) : len(text) - len(after)]
    return inside.replace(between, "") if between else inside


def dressed(text: str, around: Around) -> str:
    """A number with what stands around it.

    >>> dressed("-1250.5", ("", " kg", ","))
    '-1,250.5 kg'
    """
    before, after, between = around
    if between:
        whole, point, rest = text.partition(".")
        text = f"{int(whole):,}".replace(",", between) + point + rest
        text = f"-{text}" if whole.startswith("-") and int(whole) == 0 else text
    return f"{before}{text}{after}"


_AMOUNT = re.compile(
    r"(?P<before>(?:[$€£¥₹]|[A-Z]{3})\s?)?(?P<body>[+-]?\d(?:[\d,.'\u00a0 ]*\d)?)"
    r"(?P<after>\s?(?:[%‰€$£¥₹]|[A-Za-zµ°Ω]{1,5}[²³]?(?:/[A-Za-z]{1,3}[²³]?)?))?"
)
