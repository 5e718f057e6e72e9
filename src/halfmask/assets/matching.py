"""Matching: regular expressions of an asset, in time that grows with the text and no faster.

An asset may come from elsewhere. RE2, which Arrow brings, has no pattern that takes ages on a short
text; for that it has no look-around and no references to groups.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc


def matches(pattern: str, text: str) -> bool:
    """Whether the whole of a text is what the pattern describes.

    >>> matches("[A-Z][0-9]+", "B12"), matches("a|b", "ab"), matches("(a+)+", "a" * 5_000 + "!")
    (True, False, False)
    """
    found = pc.match_substring_regex(pa.array([text], pa.string()), rf"\A(?:{pattern})\z")
    return bool(found[0].as_py())


def why_no_pattern(pattern: str) -> str | None:
    """What is wrong with a regular expression, if anything is.

    >>> why_no_pattern("a+"), why_no_pattern("a(")
    (None, 'missing ): a(')
    """
    try:
        pc.match_substring_regex(pa.array([""], pa.string()), pattern)
    except pa.ArrowInvalid as problem:
        return str(problem).removeprefix("Invalid regular expression: ")
    return None
