"""Declared: the options of `halfmask publish`, made from what the methods declare."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import rich_click as click

from halfmask.cli.options import ASSIGNMENT, FILES, PAIR, RUNNING, SUPPORT, Command, together
from halfmask.errors import BadInput
from halfmask.methods import METHODS, Method
from halfmask.methods.settings import Form, Group, Setting
from halfmask.publishing.job import misplaced, options_of

HEADINGS: Mapping[Group, str] = {
    "output": "What goes out",
    "privacy": "Privacy",
    "quality": "Quality",
    "columns": "Columns",
    "files": FILES,
    "running": RUNNING,
}
"""How help titles each group, in this order."""


class _Order(click.ParamType[Any]):
    """`random`, `columns`, or names of columns with commas between."""

    name = "random|columns|names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        if value in ("random", "columns"):
            return value
        return tuple(name.strip() for name in value.split(","))


class _ItemColumns(click.ParamType[int | Path]):
    """A number of columns, or a file with the items of one column on each line."""

    name = "n|file"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,  # noqa: ARG002 - click's signature
        ctx: click.Context | None,  # noqa: ARG002 - idem
    ) -> int | Path:
        return int(value) if value.lstrip("+-").isdigit() else Path(value)


_TYPES: Mapping[Form, tuple[Any, str | None]] = {
    "whole": (click.INT, "N"),
    "number": (click.FLOAT, "X"),
    "support": (SUPPORT, "ROWS|SHARE"),
    "text": (click.STRING, "TEXT"),
    "names": (click.STRING, "NAME"),
    "pairs": (PAIR, "A,B"),
    "assignments": (ASSIGNMENT, "NAME=X"),
    "lines": (click.Path(path_type=Path), "FILE"),
    "order": (_Order(), "random|columns|NAMES"),
    "item columns": (_ItemColumns(), "N|FILE"),
    "file": (click.STRING, "FILE"),
}
OF_FAMILIES = [method for method in METHODS.values() if "family" in method.kinds]
"""The methods that publish several tables together."""
_SEVERAL = ("names", "pairs", "assignments")


def declared_options(
    method: type[Method], *, among: Collection[str] | None = None
) -> Callable[[Command], Command]:
    """What may be typed when this method publishes, in the order of its declarations.

    `among` names the options that are wanted, where not all of them are.
    """
    declared = [o for o in options_of(method).values() if among is None or o.name in among]
    return together(*(_option(one) for one in declared if one.form != "object"))


def _option(one: Setting) -> Callable[[Any], Any]:
    """One setting as an option; what is not typed is not passed on, so its default is for show."""
    names, panel = (*one.flag.split("/"), one.name), HEADINGS[one.group]
    if one.form == "flag":
        return click.option(*names, is_flag=True, help=one.help, panel=panel)
    kind, metavar = (click.Choice(one.choices), None) if one.choices else _TYPES[one.form]
    plain = isinstance(one.default, int | float | str) and one.default != ""
    return click.option(
        *names,
        type=kind,
        metavar=one.metavar or metavar,
        multiple=one.form in _SEVERAL,
        default=one.default if plain else None,
        show_default=plain,
        help=f"{one.help} (required)" if one.required else one.help,
        panel=panel,
    )


def said(method: type[Method], context: click.Context) -> dict[str, Any]:
    """The options that were typed, as keywords of `halfmask.publish`."""
    found = {}
    for name, one in options_of(method).items():
        source = context.get_parameter_source(name)
        if source is None or source.name == "DEFAULT":
            continue
        value = context.params[name]
        found[name] = dict(value) if one.form == "assignments" else value
    return found


def no_such(option: str, method: type[Method], known: Sequence[str]) -> BadInput:
    """Why this method has no such option, and which one may have been meant."""
    names = {
        flag: name
        for other in METHODS.values()
        for name, one in options_of(other).items()
        for flag in one.flag.split("/")
    }
    if option == "--child":
        owners = " or ".join(owner.name for owner in OF_FAMILIES)
        return BadInput(f"--child is an option of the method {owners}, not of {method.name}.")
    if option in names:
        return _spelt(misplaced(names[option], method))
    near = get_close_matches(option, [*known, *(flag for flag in names if flag not in known)], 1)
    if near and near[0] in known:
        return BadInput(f"There is no option {option}; did you mean {near[0]}?")
    if near:
        found = _spelt(misplaced(names[near[0]], method))
        return BadInput(f"There is no option {option}. {found}")
    listing = f"halfmask publish --method {method.name} --help"
    return BadInput(f"There is no option {option}; {listing} lists them all.")


def _spelt(error: BadInput) -> BadInput:
    """The sentence with options as they are typed."""
    flags = {n: one.flag for m in METHODS.values() for n, one in options_of(m).items()}
    return BadInput(re.sub(r"'(\w+)'", lambda m: flags.get(m[1], m[0]).split("/")[-1], str(error)))
