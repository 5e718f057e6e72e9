"""`halfmask ledger`: what the private releases of a table come to together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from halfmask.cli.options import PLACE, printing
from halfmask.cli.printing import console, show_json, table
from halfmask.errors import BadInput

if TYPE_CHECKING:
    from halfmask.documents.ledger import LedgerEntry


@click.command()
@click.argument("files", type=PLACE, nargs=-1, required=True)
@printing
def ledger(**typed: Any) -> None:
    """Add up the private releases of FILES, for a person who is in all of them.

    A file is a table whose ledger lies beside it (NAME.ledger.json), a ledger, or the model of a
    private release.
    """
    from msgspec import structs

    from halfmask.documents.ledger import composed
    from halfmask.publishing.books import sentence

    entries = [entry for path in typed["files"] for entry in _entries(path)]
    epsilon, delta = composed(entries)
    if typed["as_json"]:
        listed = [structs.asdict(entry) for entry in entries]
        show_json({"epsilon": epsilon, "delta": delta, "releases": listed})
    elif not typed["quiet"]:
        out = console()
        lines = [
            (
                e.date,
                e.release,
                f"{e.epsilon:g}",
                f"{e.delta:g}",
                f"{e.rho:.3g}",
                "yes" if e.seeded else "",
            )
            for e in entries
        ]
        out.print(table(None, ("date", "release", "ε", "δ", "ρ", "seeded"), lines))
        if len(entries) == 1:
            out.print(f"One release: ε = {epsilon:.3g} at δ = {delta:.3g}.")
        else:
            out.print(sentence(entries), markup=False)


def _entries(path: str) -> tuple[LedgerEntry, ...]:
    """The releases that a file tells of."""
    from halfmask.documents.ledger import FORMAT, entry_of, read_ledger
    from halfmask.documents.model import load_any
    from halfmask.io.places import beside
    from halfmask.methods.private.promise import PromisedModel
    from halfmask.publishing.books import ENDING

    if not Path(path).exists():
        raise BadInput(f"There is no file {path!r}.")
    if not path.endswith(".json"):
        place = beside(path, ENDING)
        if not place.exists():
            raise BadInput(
                f"There is no ledger beside {Path(path).name!r} ({place.name!r}): no private "
                "release of it was made here."
            )
        return read_ledger(place)
    if FORMAT.encode() in Path(path).read_bytes()[:200]:
        return read_ledger(path)
    model = load_any(path)
    if not isinstance(model, PromisedModel):
        raise BadInput(f"{Path(path).name!r} is not the model of a private release.")
    return (entry_of(model, date="", release=Path(path).name, table=Path(path).name),)
