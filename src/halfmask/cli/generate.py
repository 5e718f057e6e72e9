"""`halfmask generate`: draw rows from a model file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import rich_click as click

from halfmask.cli.options import FILES, PLACE, output, output_format, running, writing
from halfmask.cli.printing import console, progress_bar, show_json
from halfmask.cli.private import NO_TABLE
from halfmask.errors import BadInput

if TYPE_CHECKING:
    from halfmask.data import Release
    from halfmask.estimators import Streamed
    from halfmask.io.forms import FileForm
    from halfmask.methods.baskets.model import BasketModel
    from halfmask.methods.generator.model import GeneratorModel
    from halfmask.randomness import Randomness
    from halfmask.run import Progress


@click.command()
@click.argument("model", type=PLACE)
@click.option(
    "--rows",
    type=click.IntRange(min=0),
    metavar="N",
    help="How many rows to draw; as many as the original had by default.",
)
@click.option(
    "--calibrate",
    type=click.IntRange(0, 3),
    metavar="N",
    help="Match the model's counts for combinations of up to this many columns or items only; 0 "
    "switches it off. All that the model holds are matched by default.",
)
@click.option(
    "--asset",
    type=PLACE,
    metavar="FILE",
    help="Draw only rows that keep the constraints of this asset file.",
)
@output("Where the rows go: a file, or a table of a database; '-' prints them.", required=True)
@output_format
@click.option(
    "--keep-formulas",
    is_flag=True,
    help="Leave texts of a CSV or TSV file that a spreadsheet would compute as they are.",
    panel=FILES,
)
@writing
@running
def generate(**typed: Any) -> None:
    """Draw rows from MODEL, of a table or of baskets; the original is not needed."""
    from halfmask.cli.private import draw_private
    from halfmask.data import Baskets
    from halfmask.documents.model import load_any
    from halfmask.io import files
    from halfmask.io.csv_tables import about_formulas
    from halfmask.methods.baskets.model import BasketModel
    from halfmask.methods.private.noisy_model import NoisyModel
    from halfmask.methods.private_baskets.model import NoisyBaskets
    from halfmask.randomness import Randomness

    form = _form(typed)
    model = load_any(typed["model"])
    rows = model.code_table.rows if typed["rows"] is None else typed["rows"]
    randomness = Randomness(typed["seed"])
    save = partial(files.save, path=typed["output"], form=form, force=typed["force"])
    with progress_bar("rows", quiet=typed["quiet"]) as progress:
        if isinstance(model, NoisyModel | NoisyBaskets):
            release, drawn_rows = draw_private(model, typed, rows, randomness)
            quoted = save(drawn_rows, release=release.kind)
        elif isinstance(model, BasketModel):
            release = _baskets(model, typed, rows, randomness, progress)
            assert isinstance(release.data, Baskets)  # noqa: S101 - a model of baskets drew them
            quoted = save(release.data, release=release.kind)
        else:
            drawn = _table(model, typed, rows, randomness, progress)
            quoted = save(drawn)
            release = drawn.release
    _show(typed, rows, release.notes, about_formulas(quoted))


def _form(typed: dict[str, Any]) -> FileForm | None:
    """How a file is written, where there is a place for it; a table of a database has no form."""
    from halfmask.io.addresses import address_of, is_address
    from halfmask.io.databases import check_table
    from halfmask.io.forms import form_for
    from halfmask.io.writing import check_free

    if is_address(typed["output"]):
        check_table(address_of(typed["output"]), force=typed["force"])
        return None
    check_free(typed["output"], force=typed["force"], read=[typed["model"]])
    form = form_for(typed["output"], given=typed["format_"])
    return replace(form, keep_formulas=typed["keep_formulas"])


def _show(typed: dict[str, Any], rows: int, notes: Sequence[str], about: Sequence[str]) -> None:
    """Say what was drawn, to a person or to a program."""
    from halfmask.io.addresses import address_of, is_address

    output = typed["output"]
    if typed["as_json"] and output != "-":
        written = str(address_of(output)) if is_address(output) else output
        show_json({"rows": rows, "files": [written], "notes": [*notes, *about]})
    elif not typed["quiet"]:
        for line in (f"{rows:,} rows drawn", *about):
            console(stderr=True).print(line, markup=False)


def _table(
    model: GeneratorModel,
    typed: dict[str, Any],
    rows: int,
    randomness: Randomness,
    progress: Progress | None,
) -> Streamed:
    from halfmask.assets.enforcing import fence_of
    from halfmask.documents.asset import load_asset
    from halfmask.estimators import Streamed
    from halfmask.methods.generator.draw import Drawing
    from halfmask.methods.generator.learn import limited
    from halfmask.run import thread_count

    model = limited(model, typed["calibrate"])
    if typed["asset"] is not None:
        model = replace(model, fence=fence_of(load_asset(typed["asset"]), (), model.schema))
    threads = thread_count(typed["threads"])
    return Streamed(Drawing(model, rows, randomness, threads=threads, progress=progress))


def _baskets(
    model: BasketModel,
    typed: dict[str, Any],
    baskets: int,
    randomness: Randomness,
    progress: Progress | None,
) -> Release:
    from halfmask.io.addresses import is_address

    if typed["asset"] is not None:
        raise BadInput("The constraints of an asset are about columns; this is a model of baskets.")
    if is_address(typed["output"]):
        raise BadInput(NO_TABLE)
    return model.limited(typed["calibrate"]).sample(
        baskets, randomness=randomness, progress=progress
    )
