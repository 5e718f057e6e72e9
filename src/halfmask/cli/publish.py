"""`halfmask publish`: the main job, with the options that the chosen method declares."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import rich_click as click

from halfmask.cli.next_steps import Typed, next_steps
from halfmask.cli.options import (
    ASSIGNMENT,
    FILES,
    PAIR,
    PLACE,
    RUNNING,
    SUPPORT,
    Command,
    file_options,
    printing,
    reading,
    together,
)
from halfmask.cli.printing import console, progress_bar, show_json
from halfmask.cli.summary import show_next, show_publication
from halfmask.errors import BadInput
from halfmask.methods import METHODS, Method
from halfmask.methods.settings import Form, Group, Setting
from halfmask.publishing.job import implied_method, misplaced, options_of

DEFAULT = "generator"
HEADINGS: Mapping[Group, str] = {
    "output": "What goes out",
    "privacy": "Privacy",
    "quality": "Quality",
    "columns": "Columns",
    "files": FILES,
    "running": RUNNING,
}
"""How help titles each group, in this order."""
_HELP = """Turn FILE into a release and a report that says whether to publish it.

Written beside the input: NAME.release.*, NAME.report.html, and NAME.model.json where rows are drawn
from a model. With --child several tables go out together, with one report.

The options below are those of the method {method}. The methods are:

{methods}
"""


class Publish(click.RichCommand):
    """A command whose options are those of the method that is typed."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """The context of the command of this method; an option it has not is explained."""
        method = method_typed(args)
        command = self.command_of(method)
        try:
            return command.make_context(info_name, args, parent, **extra)
        except click.NoSuchOption as error:
            known = [flag for one in command.params for flag in (*one.opts, *one.secondary_opts)]
            raise no_such(error.option_name, METHODS[method], known) from None

    @staticmethod
    def command_of(method: str) -> click.RichCommand:
        """The command with the options of one method."""
        return command_of(method)


def method_typed(args: Sequence[str]) -> str:
    """The method that the words of a command name; the default where they name none that is known.

    >>> method_typed(["shop.dat", "--method", "anatomy"]), method_typed(["a.csv", "--method=km"])
    ('anatomy', 'km')
    >>> method_typed(["people.csv", "--epsilon", "1"])
    'private'
    """
    found = DEFAULT
    for word, following in zip(args, [*args[1:], ""], strict=False):
        if word == "--":
            break
        name = following if word == "--method" else word.removeprefix("--method=")
        found = name if name in METHODS and word.startswith("--method") else found
    words = args[: args.index("--")] if "--" in args else args
    options = [word[2:].partition("=")[0] for word in words if word.startswith("--")]
    return implied_method(found, options)


def command_of(method: str) -> click.RichCommand:
    """The command with the options of one method."""

    @click.command(
        "publish",
        cls=click.RichCommand,
        help=_HELP.format(method=method, methods=_methods()),
        context_settings={"rich_help_config": _LOOKS},
        panels=[click.RichOptionPanel(name) for name in HEADINGS.values()],
    )
    @click.argument("file", type=PLACE)
    @method_option
    @engine_option
    @together(*([_child] if METHODS[method] in OF_FAMILIES else []))
    @declared_options(METHODS[method])
    @reading
    @printing
    @click.pass_context
    def command(context: click.Context, /, **typed: Any) -> None:
        _publish(method, typed, said(METHODS[method], context))

    return command


def _methods() -> str:
    """The methods as a list in Markdown."""
    return "\n".join(f"- **{one.name}**: {one.summary}" for one in METHODS.values())


_LOOKS = {"text_markup": "markdown", "options_panel_title": "Help"}
method_option = click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    metavar="NAME",
    default=DEFAULT,
    show_default=True,
    help="How the release is made; --method NAME --help lists the options of each method.",
    panel=HEADINGS["output"],
)
engine_option = click.option(
    "--engine",
    type=click.Choice(["here", "stream", "spark"]),
    default="here",
    show_default=True,
    help="Where the work is done: here, in memory; here, reading a Parquet file or a table of a "
    "database batch by batch (stream), for originals larger than memory; or by Spark where "
    "the rows are (FILE is then a Parquet, ORC or Delta folder, or the name of a table).",
    panel=HEADINGS["running"],
)
_child = click.option(
    "--child",
    multiple=True,
    type=PLACE,
    metavar="FILE",
    help="A table whose rows belong to those of FILE, such as the visits of patients; repeat for "
    "more.",
    panel=HEADINGS["output"],
)


def _publish(method: str, typed: dict[str, Any], options: dict[str, Any]) -> None:
    from halfmask.io.given import tables_named

    children = typed.get("child", ())
    if children and typed["engine"] != "here":
        raise BadInput("Families of tables are published here, in memory; leave --engine out.")
    run = _run_on(typed["engine"])
    if not children and not {"key", "orphans"}.isdisjoint(options):
        raise BadInput("--key and --orphans speak of child tables; name one (--child).")
    source = tables_named([typed["file"], *children]) if children else typed["file"]
    with progress_bar("patterns", quiet=typed["quiet"]) as progress:
        published = run(
            source, method=method, reading=file_options(typed), progress=progress, **options
        )
    if typed["as_json"]:
        show_json(published.to_dict())
    elif not typed["quiet"]:
        show_publication(console(stderr=options.get("output") == "-"), published)
        if sys.stdout.isatty() and options.get("output") != "-":
            asked = Typed(typed["file"], method, options, file_options(typed), tuple(children))
            show_next(console(), next_steps(asked, published))


def _run_on(engine: str) -> Callable[..., Any]:
    """What publishes on this engine."""
    if engine == "spark":
        from halfmask.engines.spark.publish import publish_named

        return publish_named
    if engine == "stream":
        from halfmask.engines.streamed import publish_streamed

        return publish_streamed
    from halfmask.publishing.publish import publish as run

    return run


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
    "file": (PLACE, "FILE"),
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


publish = Publish(name="publish")
