"""Measuring: what a release kept of its original, asked with two dataframes or files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from halfmask.data import Column, Encoding
from halfmask.data.coding.alignment import check_common_values, check_same_columns
from halfmask.data.coding.kinds import Plan, plan_each
from halfmask.data.coding.spec import TableSpec
from halfmask.documents.schema import table_spec
from halfmask.io.forms import FileOptions, PathLike
from halfmask.io.frames import ARROW, FrameForm, frame_of_rows
from halfmask.io.given import columns_of, form_or_none, stacked, without
from halfmask.measures import Comparison, Readings, compare
from halfmask.memory import Memory
from halfmask.randomness import Randomness


@dataclass(frozen=True)
class Measured(Readings):
    """Readings that know which kind of dataframe they were asked about."""

    form: FrameForm = field(default=ARROW, repr=False)

    def to_frame(self) -> Any:
        """One row for each measure, blanks included, as the caller's kind of dataframe."""
        return frame_of_rows(self.to_rows(), like=self.form)

    def to_json(self) -> str:
        """Everything, particulars included."""
        return msgspec.json.format(msgspec.json.encode(self.to_dict())).decode()


def measure(  # noqa: PLR0913 - what is compared, and under which questions
    original: Any,
    release: Any,
    *,
    holdout: Any = None,
    sensitive: str | None = None,
    keys: Sequence[str] = (),
    drop: Sequence[str] = (),
    min_support: int = 10,
    only: Sequence[str] | None = None,
    seed: int | None = None,
    threads: int = 1,
    reading: FileOptions | None = None,
    schema: PathLike | TableSpec | None = None,
    memory: str | int | None = None,
) -> Measured:
    """Say what a release kept of its original and what it gave away.

    Original, release and hold-out (original rows that the release never saw) are dataframes or
    file names. `only` names the measures to take; the default set takes seconds. Numbers and
    dates are compared in bins of the original; keys, and columns that a release rightly leaves
    out, are not compared. `memory` is what may be used, such as "8GB" (default: most of what the
    machine has free); a file that does not fit beside those before it is refused unread.

    >>> import polars
    >>> frame = polars.DataFrame({"sex": ["f", "m"] * 20, "ill": ["no", "no", "yes", "no"] * 10})
    >>> measure(frame, frame, only=["nas"], seed=1).to_frame()["value"].to_list()
    [1.0]
    """
    allowed, sizes = Memory.of(memory), list[tuple[int, int]]()

    def read(source: Any) -> Sequence[Column]:
        columns = columns_of(source, reading, partial(_expect, allowed, sizes))
        sizes.append((len(columns[0]), len(columns)))
        return columns

    known = without(read(original), drop)
    released = without(read(release), drop, strict=False)
    # Few rows are cut into bins that fewer share: the bins are a ruler here, nothing is published.
    floor = min(min_support, max(1, len(known[0]) // 20))
    plans = plan_each(known, table_spec(schema), floor=floor)
    ignored = _not_compared(plans, {column.name for column in released})
    known, released = (without(side, ignored, strict=False) for side in (known, released))
    held_back = None if holdout is None else without(read(holdout), (*drop, *ignored), strict=False)
    check_same_columns(known, released, "release")
    if held_back is not None:
        check_same_columns(known, held_back, "hold-out")
    roles = table_spec(schema)
    sensitive = sensitive or next(iter(roles.with_role("sensitive")), None)
    keys = keys or roles.with_role("quasi-identifier")
    whole = known if held_back is None else stacked(known, held_back)
    encoding = Encoding.align(whole, released, min_support=floor, plans=plans)
    tables = [encoding.encode(columns) for columns in (known, released, held_back) if columns]
    for table, what in zip(tables[1:], ("release", "hold-out"), strict=False):
        check_common_values(tables[0], table, what)
    comparison = Comparison(
        *tables,
        randomness=Randomness(seed),
        sensitive=sensitive,
        keys=tuple(keys),
        min_support=min_support,
        threads=threads,
    )
    return Measured(compare(comparison, only).items, form_or_none(original) or ARROW)


def _expect(allowed: Memory, before: Sequence[tuple[int, int]], rows: int, columns: int) -> None:
    """Refuse a table of about so many rows beside those that are read already."""
    allowed.beside(*before, (rows, columns), about=True, drawn=False)


def _not_compared(plans: Mapping[str, Plan], released: Collection[str]) -> tuple[str, ...]:
    """Keys, which mean nothing, and columns that a release is right to leave out."""
    return tuple(
        name
        for name, plan in plans.items()
        if plan.fate == "key" or (plan.fate == "drop" and name not in released)
    )
