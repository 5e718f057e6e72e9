"""Matching: regular expressions of an asset, in time that grows with the text and no faster.

An asset may come from elsewhere. RE2 has no pattern that takes ages on a short text; for that it
has no look-around and no references to groups.
"""

from __future__ import annotations

import re2

_QUIET = re2.Options()
_QUIET.log_errors = False


def matches(pattern: str, text: str) -> bool:
    """Whether the whole of a text is what the pattern describes.

    >>> matches("[A-Z][0-9]+", "B12"), matches("a|b", "ab"), matches("(a+)+", "a" * 5_000 + "!")
    (True, False, False)
    """
    return re2.compile(pattern, options=_QUIET).fullmatch(text) is not None


def why_no_pattern(pattern: str) -> str | None:
    """What is wrong with a regular expression, if anything is.

    >>> why_no_pattern("a+"), why_no_pattern("a(")
    (None, 'missing ): a(')
    """
    try:
        re2.compile(pattern, options=_QUIET)
    except re2.error as problem:
        reason = problem.args[0]
        return reason.decode() if isinstance(reason, bytes) else str(reason)
    return None
