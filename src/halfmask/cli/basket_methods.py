"""`halfmask publish --method …`: the methods with a promise, and which options are whose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from halfmask.cli.options import file_options
from halfmask.cli.printing import console, progress_bar, show_json
from halfmask.cli.summary import show_release
from halfmask.errors import BadInput

if TYPE_CHECKING:
    from halfmask.basket_publishing.made import BasketMethod, TableMethod


_TABLES = ("generator",)
_COLUMNS = ("generator", "table-anatomy")
_DRAWN = ("generator", "baskets")
_MODELS = ("coherence", "km")
OWNERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("columns", "empty"), ("anatomy",)),
    **dict.fromkeys(("level", "on_ineligible"), ("anatomy", "table-anatomy")),
    **dict.fromkeys(("keep", "keep_rare", "keep_absent"), ("distortion",)),
    **dict.fromkeys(("algorithm", "disclosure", "min_confidence", "hide"), ("hiding",)),
    **dict.fromkeys(("margin", "decoys", "window", "edit_log"), ("hiding",)),
    **dict.fromkeys(("k", "known"), _MODELS),
    **dict.fromkeys(("private", "certainty"), ("coherence",)),
    "hierarchy": ("km",),
    **dict.fromkeys(("laplace", "laplace_for", "hide_together", "prune", "order"), _TABLES),
    **dict.fromkeys(("candidates", "max_candidates", "search", "effort", "holdout"), _TABLES),
    **dict.fromkeys(("asset", "schema", "memory", "search_rows", "pattern_support"), _TABLES),
    **dict.fromkeys(("drop", "categorical"), _COLUMNS),
    **dict.fromkeys(("rows", "max_pattern_length", "max_time", "calibrate"), _DRAWN),
    "round_margins": _DRAWN,
    **dict.fromkeys(("calibrate_for", "target"), _TABLES),
    **dict.fromkeys(("child", "key", "orphans"), _TABLES),
    "sensitive": ("generator", "hiding", "table-anatomy"),
}
"""The methods that an option belongs to; one that is not listed belongs to all."""


def check_options(context: click.Context, method: str) -> None:
    """Refuse an option that the method would not listen to."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if method in OWNERS.get(name, (method,)):
            continue
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            owners = " or ".join(OWNERS[name])
            raise BadInput(
                f"{parameter.opts[-1]} is an option of --method {owners}, not of {method}."
            )


def publish_baskets(typed: dict[str, Any], *, rare_values: str | None) -> None:
    """Publish by a method with a promise of its own, and print what came of it."""
    from halfmask.basket_publishing import publish_baskets as run

    if rare_values == "group" and typed["method"] != "table-anatomy":
        raise BadInput("Rare items of baskets are kept or suppressed; there is no group of them.")
    with progress_bar("patterns", quiet=typed["quiet"], max_time=typed["max_time"]) as progress:
        published = run(
            typed["file"],
            method=_MAKE[typed["method"]](typed),
            **{name: typed[name] for name in _OF_ALL},
            rare_values="suppress" if rare_values == "suppress" else "keep",
            reading=file_options(typed),
            progress=progress,
        )
    if typed["as_json"]:
        show_json(published.to_dict())
    elif not typed["quiet"]:
        show_release(console(stderr=typed["output"] == "-"), published)


_OF_ALL = (
    "nas_at_most",
    "ds_at_most",
    "risk_at_most",
    "output",
    "external_report",
    "edit_log",
    "seed",
    "threads",
    "force",
)


def _anatomy(typed: dict[str, Any]) -> BasketMethod:
    from halfmask.basket_publishing.methods import Anatomy

    return Anatomy(
        _needed(typed, "level", "-l, the number of values a guess is spread over"),
        _columns(typed["columns"]),
        typed["empty"] or "count",
        typed["on_ineligible"] or "error",
        typed["min_support"],
    )


def _distortion(typed: dict[str, Any]) -> BasketMethod:
    from halfmask.basket_publishing.methods import Distortion

    keep = _needed(typed, "keep", "--keep, the probability that a bit stays as it is")
    return Distortion(keep, typed["keep_absent"], typed["keep_rare"], typed["min_support"])


def _hiding(typed: dict[str, Any]) -> BasketMethod:
    from halfmask.basket_publishing.beside import text_of
    from halfmask.basket_publishing.hiding import Hiding

    if not typed["hide"]:
        _needed(typed, "sensitive", "--hide, or --sensitive, a file with a pattern on each line")
    listed = "" if typed["sensitive"] is None else text_of(typed["sensitive"])
    return Hiding(
        "\n".join([listed, *typed["hide"]]),
        typed["algorithm"] or "iga",
        min_support=typed["min_support"],
        **{name: typed[name] for name in _OF_HIDING},
    )


_OF_HIDING = ("disclosure", "min_confidence", "margin", "decoys", "window")


def _drawn(typed: dict[str, Any]) -> BasketMethod:
    from halfmask.basket_publishing.methods import BasketGenerator

    return BasketGenerator(
        typed["min_support"],
        typed["rows"],
        typed["max_pattern_length"],
        typed["calibrate"],
        int(typed["round_margins"]),
    )


def _coherent(typed: dict[str, Any]) -> BasketMethod:
    from halfmask.basket_publishing.models import Coherent
    from halfmask.methods.names import read_names

    names = [] if typed["private"] is None else read_names(typed["private"])
    return Coherent(
        _needed(typed, "k", "-k, the number of baskets that must agree"),
        2 if typed["known"] is None else typed["known"],
        1.0 if typed["certainty"] is None else typed["certainty"],
        tuple(name for side in names for name in side),
        typed["min_support"],
    )


def _km(typed: dict[str, Any]) -> BasketMethod:
    from halfmask.basket_publishing.beside import text_of
    from halfmask.basket_publishing.models import KmAnonymous

    return KmAnonymous(
        _needed(typed, "k", "-k, the number of baskets that must agree"),
        text_of(
            _needed(typed, "hierarchy", "--hierarchy, a file with 'a, b -> group' on each line")
        ),
        2 if typed["known"] is None else typed["known"],
        typed["min_support"],
    )


def _table_anatomy(typed: dict[str, Any]) -> TableMethod:
    from halfmask.basket_publishing.models import TableAnatomy

    level = _needed(typed, "level", "-l, the number of values a guess is spread over")
    if not float(level).is_integer():
        raise BadInput(f"The l of table-anatomy is a whole number, not {level:g}.")
    if typed["on_ineligible"] not in (None, "error", "suppress"):
        raise BadInput("With table-anatomy, --on-ineligible is error or suppress.")
    return TableAnatomy(
        int(level),
        _needed(typed, "sensitive", "--sensitive, the column to be kept apart"),
        typed["on_ineligible"] or "error",
        typed["min_support"],
        typed["rare_values"],
        typed["drop"],
        typed["categorical"],
    )


_MAKE: dict[str, Callable[[dict[str, Any]], BasketMethod | TableMethod]] = {
    "anatomy": _anatomy,
    "distortion": _distortion,
    "hiding": _hiding,
    "baskets": _drawn,
    "coherence": _coherent,
    "km": _km,
    "table-anatomy": _table_anatomy,
}


def _needed(typed: dict[str, Any], name: str, words: str) -> Any:
    if typed[name] is None:
        raise BadInput(f"The method {typed['method']} needs {words}.")
    return typed[name]


def _columns(typed: str | None) -> int | tuple[tuple[str, ...], ...]:
    """A number of columns, or the items of each column from a file."""
    from halfmask.basket_publishing.beside import text_of
    from halfmask.methods.names import read_names

    if typed is None:
        return 10
    if typed.lstrip("+-").isdigit():
        return int(typed)
    lines = [line for line in text_of(typed).splitlines() if line.strip()]
    return tuple(tuple(name for side in read_names(line) for name in side) for line in lines)
