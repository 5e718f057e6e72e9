"""A method that the house does not have: every column of a table, shuffled on its own.

It is written as a folder of its own under `methods` would be, and `METHODS` is all that knows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from halfmask import methods
from halfmask.data import Release, Table
from halfmask.data.release import Check, Claim
from halfmask.methods.method import OF_TABLES, DataKind, Made, Variant
from halfmask.methods.settings import setting
from halfmask.methods.tables import TableMethod
from halfmask.run import Run


@dataclass(kw_only=True, eq=False)
class Toy(TableMethod):
    """Values stay in their columns, and some of them go to other rows."""

    name: ClassVar[str] = "toy"
    summary: ClassVar[str] = "The columns of a table, each with its values in other rows."
    kinds: ClassVar[tuple[DataKind, ...]] = ("table",)
    measures: ClassVar = {"table": (*OF_TABLES, "nas", "copied_rows")}
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "toy",
            "toys",
            "shuffles every column on its own",
            dials=("strength", "blocks"),
            tried=({"strength": 0.25}, {"strength": 1.0}),
        ),
    )

    strength: float = setting(
        help="The share of the rows whose values change places.",
        form="number", least=0, most=1, group="privacy", metavar="SHARE",
    )  # fmt: skip
    blocks: int = setting(
        1, "Values stay within one of so many blocks of rows.", form="whole", least=1,
        group="quality",
    )  # fmt: skip

    def make(self, data: Any, run: Run) -> Made:
        """The table with shuffled columns."""
        table, encoding = self.encode(self.kept(data))
        codes, rng = table.codes.copy(), run.randomness.child("toy")
        for block in np.array_split(np.arange(len(table)), self.blocks):
            chosen = block[: round(self.strength * len(block))]
            for column in range(codes.shape[1]):
                codes[chosen, column] = codes[rng.permutation(chosen), column]
        rows = Table(table.schema, codes)
        release = Release(
            data=rows,
            kind="sanitised",
            method="toy",
            iso_class="randomization",
            claim=Claim("Values of a row come from several persons", "nobody saw the order"),
            record={"strength": self.strength, "blocks": self.blocks},
        )
        moved = float((codes != table.codes).any(axis=1).mean())
        check = Check("Rows are mixed", "passed", f"{moved:.0%} of the rows are not as they were.")
        return Made(release, table, rows, rows, (check,), encoding=encoding)


def register() -> None:
    """List the method; whoever imports the list from now on knows it."""
    methods.METHODS = MappingProxyType({**methods.METHODS, Toy.name: Toy})
