"""Settings: what a method, or a publication, lets a steward say; declared once, used everywhere.

A setting is a field of a dataclass, declared with `setting`. Options of the command line, keywords
of `halfmask.publish`, candidates of `choose` and the command that it recommends are all derived
from these declarations.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import MISSING, dataclass
from typing import Any, Literal

import numpy as np

from halfmask.errors import BadInput

Group = Literal["output", "privacy", "quality", "columns", "files", "running"]
"""Under which heading help lists a setting."""
Form = Literal[
    "whole",  # a whole number
    "number",
    "support",  # rows, or with a decimal point a share of them
    "choice",
    "flag",
    "text",
    "names",  # several, such as columns to leave out
    "pairs",  # several pairs of names
    "assignments",  # several name=number
    "lines",  # text of several lines, or the file that holds it
    "order",  # random, columns, or names
    "item columns",  # a number of columns, or the items of each
    "file",
    "object",  # said in Python only
]
"""How a setting is written."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that may be said: its name, how it is written, default, bounds and help."""

    name: str
    form: Form
    default: Any
    """`MISSING` where it must be said."""
    help: str
    group: Group
    type: str = ""
    """The type in Python, as it is annotated."""
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    open: bool = False
    """Whether the lower bound itself is excluded."""
    option: str | None = None
    """The option on the command line, where it is not made from the name."""
    metavar: str | None = None

    @property
    def required(self) -> bool:
        """Whether it must be said."""
        return self.default is MISSING

    @property
    def flag(self) -> str:
        """The option of the command line.

        >>> Setting("min_support", "support", 10, "", "privacy").flag
        '--min-support'
        """
        return self.option or f"--{self.name.replace('_', '-')}"

    def check(self, value: Any) -> None:
        """Refuse a value that cannot be, in one sentence."""
        if value is None and self.default is None:
            return
        if self.form == "choice" and value not in self.choices:
            raise BadInput(f"{self.name} is {_listed(self.choices)}, not {value!r}.")
        if self.form == "support" and not _is_support(value):
            raise BadInput(
                f"{self.name} is a whole number of rows of at least 1, or a fraction above 0 and "
                f"up to 1.0, not {value!r}."
            )
        if self.form in ("whole", "number") and not self._fits(value):
            raise BadInput(f"{self.name} is {self._bounds()}, not {value!r}.")

    def _fits(self, value: Any) -> bool:
        if not is_number(value) or not math.isfinite(value):
            return False
        if self.form == "whole" and int(value) != value:
            return False
        low = self.least is None or (value > self.least if self.open else value >= self.least)
        return low and (self.most is None or value <= self.most)

    def _bounds(self) -> str:
        what = "a whole number" if self.form == "whole" else "a number"
        least = "" if self.least is None else f"{'above' if self.open else 'of at least'} "
        if self.least is not None and self.most is not None:
            start = f"above {self.least:g} and up to" if self.open else f"from {self.least:g} to"
            return f"{what} {start} {self.most:g}"
        return what if self.least is None else f"{what} {least}{self.least:g}"


def setting(  # noqa: PLR0913 - what there is to declare
    default: Any = MISSING,
    help: str = "",  # noqa: A002 - the word that every command line uses
    *,
    form: Form = "text",
    group: Group = "quality",
    choices: tuple[str, ...] = (),
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    option: str | None = None,
    metavar: str | None = None,
) -> Any:
    """A dataclass field that declares a setting; without a default it must be said."""
    given = {
        "form": "choice" if choices else form,
        "group": group,
        "help": help,
        "choices": choices,
        "least": least if above is None else above,
        "most": most,
        "open": above is not None,
        "option": option,
        "metavar": metavar,
    }
    return dataclasses.field(default=default, metadata=given)


def settings_of(declared: Any) -> Iterator[Setting]:
    """The settings that a class declares, in their order."""
    for field in dataclasses.fields(declared):
        if "form" in field.metadata:
            kind = str(field.type)
            yield Setting(name=field.name, default=field.default, type=kind, **field.metadata)


def check_settings(declared: Any) -> None:
    """Refuse what a setting of this object cannot be."""
    for one in settings_of(type(declared)):
        one.check(getattr(declared, one.name))


def documented(cls: type) -> type:
    """The class with its settings listed in its docstring, where `help()` shows them."""
    lines = [f"    {s.name}: {s.help}{_default(s)}" for s in settings_of(cls)]
    cls.__doc__ = "\n".join([(cls.__doc__ or "").rstrip(), "", "Settings:", *lines, ""])
    return cls


def _default(one: Setting) -> str:
    if one.required:
        return " (must be given)"
    empty = one.default is None or one.default in ((), {}, "")
    return "" if empty else f" (default: {one.default})"


def is_number(value: Any) -> bool:
    """Whether this is a number, and not a truth value."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _is_support(value: Any) -> bool:
    if not is_number(value):
        return False
    whole = not isinstance(value, float | np.floating)
    return bool(value >= 1 if whole else 0 < value <= 1)


def _listed(choices: tuple[str, ...]) -> str:
    quoted = [repr(choice) for choice in choices]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
