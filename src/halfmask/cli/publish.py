"""`halfmask publish`: the main job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rich_click as click

from halfmask.cli.declared import HEADINGS, OF_FAMILIES, declared_options, no_such, said
from halfmask.cli.options import file_options, printing, reading, together
from halfmask.cli.printing import console, progress_bar, show_json
from halfmask.cli.summary import show_publication
from halfmask.errors import BadInput
from halfmask.methods import METHODS
from halfmask.publishing.job import implied_method

DEFAULT = "generator"
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
        command = command_of(method)
        try:
            return command.make_context(info_name, args, parent, **extra)
        except click.NoSuchOption as error:
            known = [flag for one in command.params for flag in (*one.opts, *one.secondary_opts)]
            raise no_such(error.option_name, METHODS[method], known) from None


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
    @click.argument("file")
    @_method
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
_method = click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    metavar="NAME",
    default=DEFAULT,
    show_default=True,
    help="How the release is made; --method NAME --help lists the options of each method.",
    panel=HEADINGS["output"],
)
_child = click.option(
    "--child",
    multiple=True,
    metavar="FILE",
    help="A table whose rows belong to those of FILE, such as the visits of patients; repeat for "
    "more.",
    panel=HEADINGS["output"],
)


def _publish(method: str, typed: dict[str, Any], options: dict[str, Any]) -> None:
    from halfmask.io.given import tables_named
    from halfmask.publishing.publish import publish as run

    children = typed.get("child", ())
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


publish = Publish(name="publish")
