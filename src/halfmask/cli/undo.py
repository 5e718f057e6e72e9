"""`halfmask undo`: the original again, from a release of hiding and its log of edits."""

from __future__ import annotations

from typing import Any

import rich_click as click

from halfmask.cli.options import PLACE, file_options, output, reading, writing
from halfmask.cli.printing import say
from halfmask.errors import BadInput


@click.command()
@click.argument("release", type=PLACE)
@click.option(
    "--edit-log",
    required=True,
    type=PLACE,
    metavar="FILE",
    help="The log of edits that publish wrote.",
)
@click.option(
    "--beside",
    type=PLACE,
    metavar="FILE",
    help="The table of unknown cells published with the release, where some were blocked.",
)
@output("Where the original goes.", required=True)
@reading
@writing
def undo(**typed: Any) -> None:
    """Take back the edits of a hiding release and write the original."""
    from halfmask.data import Baskets
    from halfmask.io.files import save
    from halfmask.io.forms import STANDARD, form_for
    from halfmask.io.given import Given
    from halfmask.io.writing import check_free
    from halfmask.publishing.beside import restore

    read = [typed[name] for name in ("release", "edit_log", "beside")]
    check_free(typed["output"], force=typed["force"], read=read)
    found = Given(typed["release"]).read(file_options(typed))
    if not isinstance(found.content, Baskets):
        raise BadInput(f"{typed['release']!r} holds a table; hiding edits baskets.")
    original = restore(found.content, typed["edit_log"], beside=typed["beside"])
    form = form_for(typed["output"], like=found.file)
    save(original, typed["output"], form=form, force=typed["force"])
    if typed["output"] != STANDARD:
        say(f"wrote {typed['output']}", err=True)
