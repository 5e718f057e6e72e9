"""What can go wrong, in words: what was asked, what was found, what is possible."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class HalfmaskError(Exception):
    """Any failure that halfmask foresees; its text is one sentence for a person."""


class BadInput(HalfmaskError):
    """The data, the option or the file cannot be used as given."""


class UnknownName(BadInput):
    """A name that does not exist, with the nearest ones that do.

    >>> raise UnknownName("column", "zip_code", ["age", "sex", "zipcode"])
    Traceback (most recent call last):
    halfmask.errors.UnknownName: There is no column 'zip_code'; did you mean 'zipcode'?
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        super().__init__(f"There is no {kind} {name!r}; {self._advice()}")

    def _advice(self) -> str:
        near = nearest(self.name, self.known)
        if near is not None:
            return f"did you mean {near!r}?"
        if not self.known:
            return "there are none at all."
        shown = ", ".join(repr(name) for name in self.known[:8])
        return f"there is {shown}{', …' if len(self.known) > 8 else ''}."


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant; capital letters make no difference.

    >>> nearest("AGE", ["age", "page"]), nearest("Zip code", ["ZIP_CODE", "city"])
    ('age', 'ZIP_CODE')
    >>> nearest("height", ["age", "sex"]) is None
    True
    """
    spelled = {one.casefold(): one for one in reversed(tuple(known))}
    near = difflib.get_close_matches(name.casefold(), spelled, n=1)
    return spelled[near[0]] if near else None


class BadArray(BadInput, ValueError):
    """An array or matrix that is no table; a ValueError too, as scikit-learn's callers expect."""


class NotCountable(HalfmaskError):
    """A release that cannot answer the question put to it, and why."""


class NotMeasurable(HalfmaskError):
    """A measure that has no value for these data, and why; never a 0 or a 1 instead."""


class TargetNotMet(HalfmaskError):
    """No admissible release reaches the privacy target that was set."""


class HalfmaskWarning(UserWarning):
    """Something the steward should know that does not stop the work."""
