"""`halfmask audit`: what a method tells about one person, from many fits."""

from __future__ import annotations

from typing import Any

import rich_click as click

from halfmask.cli.options import PLACE, file_options, printing, reading, together
from halfmask.cli.printing import console, progress_bar, show_json
from halfmask.cli.publish import HEADINGS, Publish, declared_options, method_option, said
from halfmask.errors import TargetNotMet
from halfmask.methods import METHODS

OF_THE_FITS = ("rows", "seed", "threads")
"""What is asked of a publication that matters here; the other options are the method's own."""
_HELP = """Fit a method to FILE many times, with one person's row and without it, and bound ε from
below by how well an attacker tells the releases apart.

Nothing is written. The options are those of `halfmask publish` that say how a release is made. A
bound above the ε that is claimed refutes the claim (exit code 3); one below proves nothing.
"""
_fits = click.option(
    "--fits",
    type=int,
    default=100,
    show_default=True,
    metavar="N",
    help="How often the method is fitted, a multiple of 4; more can show a larger ε.",
    panel=HEADINGS["privacy"],
)
_row = click.option(
    "--row",
    "person",
    type=int,
    metavar="N",
    help="The person's row in the table, counted from 1; by default the one that stands out most.",
    panel=HEADINGS["privacy"],
)
_claim = click.option(
    "--epsilon",
    "claimed",
    type=float,
    metavar="X",
    help="The ε that is claimed of the method, to be tested.",
    panel=HEADINGS["privacy"],
)


class AuditCommand(Publish):
    """A command whose options are those of the method that is typed."""

    @staticmethod
    def command_of(method: str) -> click.RichCommand:
        """The command with the options of one method."""
        chosen = METHODS[method]

        @click.command(
            "audit",
            cls=click.RichCommand,
            help=_HELP,
            panels=[click.RichOptionPanel(name) for name in HEADINGS.values()],
        )
        @click.argument("file", type=PLACE)
        @method_option
        @_fits
        @_row
        @together(*([] if "epsilon" in chosen.declared() else [_claim]))
        @declared_options(chosen, among=(*chosen.declared(), *OF_THE_FITS))
        @reading
        @printing
        @click.pass_context
        def command(context: click.Context, /, **typed: Any) -> None:
            _audit(method, typed, said(chosen, context))

        return command


def _audit(method: str, typed: dict[str, Any], options: dict[str, Any]) -> None:
    from halfmask.publishing.audit import audit_method

    with progress_bar("fits", quiet=typed["quiet"]) as progress:
        audit = audit_method(
            typed["file"],
            method=method,
            fits=typed["fits"],
            row=typed["person"],
            claimed=typed.get("claimed"),
            reading=file_options(typed),
            progress=progress,
            **options,
        )
    if typed["as_json"]:
        show_json(audit.to_dict())
    elif not typed["quiet"]:
        out = console()
        for sentence in audit.sentences:
            out.print(sentence, markup=False)
    if audit.refuted:
        raise TargetNotMet(audit.sentences[-1])


audit = AuditCommand(name="audit")
