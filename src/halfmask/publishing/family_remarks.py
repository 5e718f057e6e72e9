"""Remarks: what a steward should know about a family before publishing it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from halfmask.data.family_tables import ChildTable, FamilyTables
from halfmask.measures import Readings
from halfmask.methods.families.learn import LearntFamily


def remarks_on_family(
    originals: FamilyTables, learnt: LearntFamily, families: Mapping[str, Readings]
) -> tuple[str, ...]:
    """The unit that is protected, what was left out, and what children do not keep."""
    parent = originals.parent.name
    unit = (
        f"The protected unit is one row of {parent!r} with all rows that belong to it: nothing "
        f"that fewer than {learnt.parent.model.min_support:,} of them hold was learnt."
    )
    found = [unit]
    for child, each in zip(originals.children, learnt.children, strict=True):
        name = child.table.name
        found.append(
            f"At most {each.most:,} rows of {name!r} were learnt from of each row of {parent!r} "
            f"({len(each.table):,} of {len(child.link):,} rows); what was learnt is held by at "
            f"least {each.model.min_support:,} of these rows, and so by {each.parents:,} of "
            f"{parent!r}."
        )
        found += _left_out(child, each.numbering)
        found += _same_for_all(name, families[name])
    return tuple(found)


def _left_out(child: ChildTable, numbering: Mapping[str, int]) -> Iterator[str]:
    if child.dropped:
        yield f"Left out, for want of a parent: {child.dropped:,} row(s) of {child.table.name!r}."
    for name in numbering:
        yield f"Column {name!r} numbers the rows of each parent; they are numbered anew."


def _same_for_all(name: str, readings: Readings) -> Iterator[str]:
    """Columns that say the same in all rows of a parent belong to the parent."""
    alike = readings.get("siblings_alike")
    if alike is None:
        return
    released = alike.details["release"]
    for column, agreement in alike.details["original"].items():
        if agreement == 1 and released[column] < 1:
            yield (
                f"Column {column!r} of {name!r} is the same in all rows of a parent, and is drawn "
                "for each row by itself; move it to the parent's table to keep it so."
            )
