"""The data sets and the code tables of the authors' program, as that program numbers and writes."""

from __future__ import annotations

import csv
import gzip
from functools import cache
from pathlib import Path

import numpy as np

from halfmask.data import Assortment, Transactions

__all__ = ["load", "written"]


@cache
def load(path: Path) -> tuple[Transactions, Assortment]:
    """A coded table as rows of items in the order of the original item numbers.

    In the mushroom file the class column comes last but has the smallest numbers, so the items are
    ordered by number, not by column; a missing cell is an absent item.
    """
    with gzip.open(path, "rt", newline="") as file:
        rows = [[int(cell) for cell in row if cell] for row in list(csv.reader(file))[1:]]
    numbers = sorted({number for row in rows for number in row})
    item = {number: i for i, number in enumerate(numbers)}
    schema = Assortment(tuple(str(number) for number in numbers))
    return Transactions.of([[item[n] for n in row] for row in rows], len(numbers)), schema


def written(code_table, ranks) -> list[str]:
    """The table as the authors' program writes it, in ranks."""
    longest = max((len(itemset) for itemset in code_table.sets), default=0)
    lines = ["ficct-1.0", f"{len(code_table)} {code_table.schema.n_items} {longest} 0"]
    for itemset, usage, support in zip(
        code_table.sets, code_table.usages, code_table.supports, strict=True
    ):
        ids = " ".join(str(rank) for rank in sorted(ranks[list(itemset)]))
        lines.append(f"{ids} ({usage},{support})")
    for rank, item in enumerate(np.argsort(ranks)):
        lines.append(f"{rank} ({code_table.item_usages[item]},{code_table.item_supports[item]})")
    return lines
