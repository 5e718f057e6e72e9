"""Restoring: what hiding took out, put back from its log of edits."""

from __future__ import annotations

import numpy as np

from halfmask.basket_publishing.beside import answering, read_lines
from halfmask.data import Assortment, Baskets
from halfmask.io.forms import PathLike
from halfmask.methods.hiding import BlockedBaskets, Marked, read_log, undo


def restore(release: Baskets, edit_log: PathLike, *, beside: PathLike | None = None) -> Baskets:
    """The original baskets; `beside` names the table of unknown cells where some were blocked."""
    lines = read_lines(edit_log)
    # An item that hiding took out everywhere stands in the log only.
    named = dict.fromkeys(release.schema.names)
    named |= {line[1]: None for line in lines[1:] if len(line) > 1}
    schema = Assortment(tuple(named))
    numbers = np.arange(release.schema.n_items, dtype=np.int32)
    rows = Baskets(schema, release.transactions.relabelled(numbers, schema.n_items))
    marked = Marked.plain(rows.transactions)
    if beside is not None:
        blocked = answering(rows, beside)
        if isinstance(blocked, BlockedBaskets):
            marked = blocked.marked
    return Baskets(schema, undo(read_log(lines, schema, len(rows)), marked))
