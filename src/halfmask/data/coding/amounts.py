"""Amounts: what stands around numbers in a text, such as a currency, a unit or thousands."""

from __future__ import annotations

import re
from collections.abc import Sequence

Around = tuple[str, str, str]
"""What stands before and after each number, and between its thousands.

Where a minus stands before a currency, so it does here: "-$" is that of -$5.00; and "($" with ")"
is that of ($5.00), as accountants write a negative amount.
"""
NOTHING: Around = ("", "", "")


def split_amounts(values: Sequence[str]) -> tuple[Around, bool, list[str]]:
    """What stands around all of these numbers alike, and the numbers; nothing where they differ.

    Between the two, whether a comma stands before the decimals.

    >>> split_amounts(["1,250 kg", "980 kg"])
    (('', ' kg', ','), False, ['1250', '980'])
    >>> split_amounts(["1.250,90 €", "-980,00 €"])
    (('', ' €', '.'), True, ['1250.90', '-980.00'])
    >>> split_amounts(["-$77.37", "$6.18"])
    (('-$', '', ''), False, ['-77.37', '6.18'])
    >>> split_amounts(["($77.37)", "$6.18"])
    (('($', ')', ''), False, ['-77.37', '6.18'])
    """
    closed = [_BRACKETED.fullmatch(text) for text in values]
    if not any(closed):
        return _split(values)
    texts = [
        text if match is None else match[1] for text, match in zip(values, closed, strict=True)
    ]
    (before, after, between), comma, plain = _split(texts)
    if not plain or any(number.startswith(("-", "+")) for number in plain):
        return NOTHING, False, []
    signs = ["" if match is None else "-" for match in closed]
    return (
        (f"({before}", f"{after})", between),
        comma,
        [sign + number for sign, number in zip(signs, plain, strict=True)],
    )


def _split(values: Sequence[str]) -> tuple[Around, bool, list[str]]:
    """What stands around numbers of which none stands in brackets."""
    matches = [match for text in values if (match := _AMOUNT.fullmatch(text)) is not None]
    sides = {(match["before"] or "", match["after"] or "") for match in matches}
    if len(matches) < len(values) or len(sides) != 1:
        return NOTHING, False, []
    before, after = sides.pop()
    outside = {match["sign"] for match in matches} - {""} if before else set()
    inside = any(match["body"][0] in "+-" for match in matches)
    if outside - {"-"} or (outside and (inside or not before.strip())):
        return NOTHING, False, []
    bodies = [match["sign"] + match["body"] for match in matches]
    comma = any(map(_DECIMAL_COMMA.fullmatch, bodies))
    point, marks = (",", ".'\u00a0 ") if comma else (".", ",'\u00a0 ")
    between = next((m for m in marks if any(m in body for body in bodies)), "")
    if between and not all(_in_groups(body, between, point) for body in bodies):
        return NOTHING, False, []
    plain = [body.replace(between, "") if between else body for body in bodies]
    around = ("-" + before if outside else before, after, between)
    return around, comma, [body.replace(point, ".") for body in plain]


def _in_groups(body: str, between: str, point: str) -> bool:
    """Whether marks stand between thousands and nowhere else."""
    first, *rest = body.lstrip("+-").partition(point)[0].split(between)
    return 1 <= len(first) <= 3 + 9 * (not rest) and all(len(group) == 3 for group in rest)


def bare(text: str, around: Around) -> str:
    """The number in what is written; ValueError where that is written in another way."""
    before, after, between = around
    sign = ""
    if before.startswith("("):
        before, after = before[1:], after[:-1]
        if bracketed := _BRACKETED.fullmatch(text):
            sign, text = "-", bracketed[1]
    elif before.startswith("-") and text.startswith("-"):
        sign, text = "-", text[1:]
    before = before.removeprefix("-")
    if not text.startswith(before) or not text.endswith(after):
        raise ValueError(text[:20])
    inside = text[len(before) : len(text) - len(after)]
    return sign + (inside.replace(between, "") if between else inside)


def dressed(text: str, around: Around, point: str = ".") -> str:
    """A number with what stands around it.

    >>> dressed("-1250.5", ("", " kg", ",")), dressed("-1250,5", ("-€", "", "."), ",")
    ('-1,250.5 kg', '-€1.250,5')
    >>> dressed("-1250.5", ("($", ")", ",")), dressed("3.5", ("($", ")", ","))
    ('($1,250.5)', '$3.5')
    """
    before, after, between = around
    sign = text[:1] if text.startswith(("-", "+")) else ""
    text = text.removeprefix(sign)
    if between:
        whole, mark, rest = text.partition(point)
        text = f"{int(whole):,}".replace(",", between) + mark + rest
    if before.startswith("("):
        written = f"{before[1:]}{text}{after[:-1]}"
        return f"({written})" if sign else written
    if before.startswith("-"):
        return f"{sign}{before[1:]}{text}{after}"
    return f"{before}{sign}{text}{after}"


_BRACKETED = re.compile(r"\((.+)\)", re.DOTALL)
_DECIMAL_COMMA = re.compile(
    r"[+-]?(?:\d+|\d{1,3}(?:[.'\u00a0 ]\d{3})+),(?:\d{1,2}|\d{4,})|"
    r"[+-]?\d{1,3}(?:[.'\u00a0 ]\d{3})+,\d+|[+-]?0,\d+"
)
"""A comma that cannot stand between thousands."""
_AMOUNT = re.compile(
    r"(?P<sign>[+-]?)(?P<before>\s*(?:[$€£¥₹]|[A-Z]{3})\s?|\s+)?"
    r"(?P<body>[+-]?\d(?:[\d,.'\u00a0 ]*\d)?)"
    r"(?P<after>\s?(?:[%‰€$£¥₹]|[A-Za-zµ°Ω]{1,5}[²³]?(?:/[A-Za-z]{1,3}[²³]?)?)\s*|\s+)?"
)
