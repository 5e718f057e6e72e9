"""`halfmask studio`: the steward's page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import rich_click as click

from halfmask.cli.options import PLACE
from halfmask.cli.printing import say
from halfmask.errors import BadInput

CLOSE = "Press Enter for a new address (each works once), Ctrl-C to close the page."


@click.command()
@click.argument("file", type=PLACE, required=False)
@click.option(
    "--folder",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="A folder whose tables may be opened, with all that is below; repeat for more. By default "
    "that of FILE, or the working folder.",
)
@click.option(
    "--runs",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where finished runs are kept; halfmask-runs in the first folder by default.",
)
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=0, metavar="N",
    help="The port of this machine; a free one by default.",
)  # fmt: skip
@click.option(
    "--upload-at-most", default="2GB", metavar="SIZE", show_default=True,
    help="The largest file that may be uploaded.",
)  # fmt: skip
@click.option("--browser/--no-browser", default=True, help="Whether a browser is opened.")
def studio(**typed: Any) -> None:
    """Open a page on this machine on which a table becomes a release.

    Only this machine can reach it, and only the browser that opens its address.
    """
    from halfmask.memory import Memory

    try:
        from halfmask.studio.serving import PageWish, serve
    except ModuleNotFoundError as missing:
        raise BadInput(
            f"The page needs {missing.name}, which comes with pip install 'halfmask[studio]'."
        ) from None

    shown: list[str] = []

    def show(address: str) -> None:
        say(f"halfmask studio: {address}")
        if not shown and sys.stdin.isatty():
            say(CLOSE)
        if typed["browser"] and not shown:
            click.launch(address)
        shown.append(address)
        sys.stdout.flush()

    serve(
        PageWish(
            typed["file"],
            typed["folder"],
            typed["runs"],
            typed["port"],
            Memory.of(typed["upload_at_most"]).size,
            show,
        )
    )
