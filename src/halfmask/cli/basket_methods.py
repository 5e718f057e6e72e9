"""`halfmask publish --method …`: the methods for baskets, and which options are whose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from halfmask.cli.options import file_options
from halfmask.cli.printing import console, progress_bar, show_json
from halfmask.errors import BadInput

if TYPE_CHECKING:
    from halfmask.basket_publishing import BasketMethod, BasketPublication

__all__ = ["check_options", "publish_baskets"]

_TABLES = ("generator",)
_DRAWN = ("generator", "baskets")
OWNERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("level", "columns", "empty", "on_ineligible"), ("anatomy",)),
    **dict.fromkeys(("keep", "keep_rare", "keep_absent"), ("distortion",)),
    **dict.fromkeys(("algorithm", "disclosure", "min_confidence"), ("hiding",)),
    **dict.fromkeys(("laplace", "laplace_for", "hide_together", "prune", "order"), _TABLES),
    **dict.fromkeys(("candidates", "max_candidates", "search"), _TABLES),
    **dict.fromkeys(("rare_values", "drop", "categorical"), _TABLES),
    **dict.fromkeys(("nas_at_most", "ds_at_most", "risk_at_most", "holdout"), _TABLES),
    **dict.fromkeys(("rows", "max_pattern_length", "max_time"), _DRAWN),
    "external_report": _TABLES,
    "sensitive": ("generator", "hiding"),
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


def publish_baskets(typed: dict[str, Any]) -> None:
    """Publish by one of the methods for baskets, and print what came of it."""
    from halfmask.basket_publishing import publish_baskets as run

    with progress_bar("patterns", quiet=typed["quiet"], max_time=typed["max_time"]) as progress:
        published = run(
            typed["file"] if typed["file"] == "-" else Path(typed["file"]),
            method=_method(typed),
            output=typed["output"],
            seed=typed["seed"],
            threads=typed["threads"],
            force=typed["force"],
            reading=file_options(typed),
            progress=progress,
        )
    if typed["as_json"]:
        show_json(published.to_dict())
    elif not typed["quiet"]:
        _show(console(stderr=typed["output"] == "-"), published)


def _method(typed: dict[str, Any]) -> BasketMethod:
    """The settings of the method asked for."""
    from halfmask import basket_publishing as methods

    support = typed["min_support"]
    if typed["method"] == "anatomy":
        return methods.Anatomy(
            _needed(typed, "level", "-l, the number of values a guess is spread over"),
            _columns(typed["columns"]),
            typed["empty"] or "count",
            typed["on_ineligible"] or "error",
            support,
        )
    if typed["method"] == "distortion":
        keep = _needed(typed, "keep", "--keep, the probability that a bit stays as it is")
        return methods.Distortion(keep, typed["keep_absent"], typed["keep_rare"], support)
    if typed["method"] == "hiding":
        path = _needed(typed, "sensitive", "--sensitive, a file with a pattern on each line")
        return methods.Hiding(
            _text(path),
            typed["algorithm"] or "iga",
            typed["disclosure"],
            support,
            typed["min_confidence"],
        )
    return methods.BasketGenerator(support, typed["rows"], typed["max_pattern_length"])


def _needed(typed: dict[str, Any], name: str, words: str) -> Any:
    if typed[name] is None:
        raise BadInput(f"The method {typed['method']} needs {words}.")
    return typed[name]


def _columns(typed: str | None) -> int | tuple[tuple[str, ...], ...]:
    """A number of columns, or the items of each column from a file."""
    from halfmask.methods.name_lists import read_names

    if typed is None:
        return 10
    if typed.lstrip("+-").isdigit():
        return int(typed)
    lines = [line for line in _text(typed).splitlines() if line.strip()]
    return tuple(tuple(name for side in read_names(line) for name in side) for line in lines)


def _text(path: str) -> str:
    """A small text file that the steward wrote."""
    from halfmask.io.sources import check_readable

    check_readable(path)
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path!r} is not a text file in UTF-8.") from None


def _show(out: Any, published: BasketPublication) -> None:
    """Baskets in and out, the claim, the readings, the remarks and the files."""
    from rich.text import Text

    from halfmask.cli.summary import show_readings

    out.print(f"{published.original_size:,} baskets in, {len(published.baskets):,} baskets out")
    show_readings(out, published.readings, meanings=False)
    for sentence in (str(published.release.claim), *published.remarks):
        out.print(Text(f"  {sentence}"))
    for path in published.files:
        out.print(Text(f"  wrote {path}", style="dim"))
