"""Ledgers: which private releases of a table there were, and what they come to together.

A ledger lies beside the original and stays in the house. Releases of the same people add up,
whatever became of them: in zero-concentrated differential privacy their ρ are added, and the sum
of their δ is what may fail.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from halfmask.data import Baskets
from halfmask.data.column import Labelled
from halfmask.errors import BadInput
from halfmask.io.forms import PathLike
from halfmask.io.sources import read_bytes
from halfmask.io.writing import write_bytes
from halfmask.methods.private.accounting import epsilon_of
from halfmask.methods.private.promise import PromisedModel

FORMAT, VERSION = "halfmask ledger", 1
_MOST_BYTES = 16 * 1024 * 1024
Text = Annotated[str, Meta(max_length=10_000)]


class LedgerEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One release: when, which, of what, and what it cost a person."""

    date: Text
    release: Text
    table: Text
    """A fingerprint of the original: other content, other fingerprint."""
    epsilon: Annotated[float, Meta(gt=0)]
    delta: Annotated[float, Meta(gt=0, lt=1)]
    rho: Annotated[float, Meta(ge=0)]
    apart: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    """What learning values took of δ by itself."""
    seeded: bool = False
    """Whether the noise came from a seed: such a release has no bound."""


class LedgerDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """All that a ledger file says."""

    format: Text
    version: Annotated[int, Meta(ge=1)]
    releases: Annotated[list[LedgerEntry], Meta(max_length=100_000)]


def entry_of(model: PromisedModel, *, date: str, release: str, table: str) -> LedgerEntry:
    """The line of a release of this model."""
    log = model.account
    rho = log.ledger.spent * model.rows_per_person**2
    return LedgerEntry(
        date, release, table, log.epsilon, log.delta, rho, log.ledger.delta, log.seeded
    )


def composed(entries: Sequence[LedgerEntry]) -> tuple[float, float]:
    """ε and δ of releases together; at most the sums of theirs.

    >>> one = LedgerEntry("2026-01-01", "a.csv", "", 1.0, 1e-9, 0.0149)
    >>> [round(part, 10) for part in composed([one] * 4)]
    [1.98257474, 4e-09]
    """
    if not entries:
        return 0.0, 0.0
    delta = sum(entry.delta for entry in entries)
    if delta >= 1:
        return sum(entry.epsilon for entry in entries), 1.0
    left = delta - sum(entry.apart for entry in entries)
    together = epsilon_of(sum(entry.rho for entry in entries), left)
    return min(together, sum(entry.epsilon for entry in entries)), delta


def fingerprint(content: Sequence[Labelled] | Baskets) -> str:
    """What tells a table, or baskets, from others.

    Of a table it is how many rows hold each value of each column, wherever and in whatever order
    they lie; baskets have the same when they are the same in the same order.

    >>> from halfmask.data import Column
    >>> one, other = (Column.of("sex", list(cells)) for cells in ("fmm", "mfm"))
    >>> fingerprint([one]) == fingerprint([other]) != fingerprint([Column.of("sex", ["m"])])
    True
    """
    found = hashlib.sha256()
    if isinstance(content, Baskets):
        rows = content.transactions
        found.update(repr(content.schema.names).encode())
        for array in (rows.offsets, rows.items, rows.weights):
            found.update(array.astype("<i8").tobytes())
        return found.hexdigest()[:32]
    for column in content:
        one = column.in_order()
        held = [pair for pair in zip(one.labels, one.counts.tolist(), strict=True) if pair[1]]
        found.update(repr((one.name, held)).encode())
    return found.hexdigest()[:32]


def read_ledger(path: PathLike) -> tuple[LedgerEntry, ...]:
    """The releases in a ledger file; nothing where there is no file yet."""
    if not Path(path).exists():
        return ()
    name = repr(Path(path).name)
    try:
        found = msgspec.json.decode(read_bytes(path, _MOST_BYTES), type=LedgerDocument)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadInput(f"{name} is not a ledger of releases, or it is damaged.") from None
    if found.format != FORMAT:
        raise BadInput(f"{name} is not a ledger of releases.")
    if found.version > VERSION:
        raise BadInput(f"{name} is a ledger of a newer version; install a newer halfmask.")
    return tuple(found.releases)


def write_ledger(path: PathLike, entries: Sequence[LedgerEntry]) -> None:
    """Write a ledger, whole or not at all; one that lies there is what these entries begin with."""
    document = LedgerDocument(FORMAT, VERSION, list(entries))
    text = msgspec.json.format(msgspec.json.encode(document), indent=2)
    write_bytes(path, text + b"\n", force=True)
