"""A family as a release: every table learnt and drawn, so that children fit their parents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from halfmask.data.family_tables import FamilyTables
from halfmask.methods.families.draw import DrawnChildren, DrawnFamily, DrawnParents, draw_family
from halfmask.methods.families.learn import LearntChild, LearntFamily, LearntParent, learn_family
from halfmask.methods.families.private import learn_private_family
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.method import Made
from halfmask.methods.private.method import Private
from halfmask.run import Run

SHRINK = 1.0
"""What goes with a parent is weaker than what goes together in a row: 2 would lose half of it."""


@dataclass(frozen=True, eq=False)
class MadeFamily:
    """What was made of each table, and what was learnt and drawn of all together."""

    parts: Mapping[str, Made]
    learnt: LearntFamily
    drawn: DrawnFamily


def make_family(
    method: GeneratorMethod | Private, family: FamilyTables, parents: int | None, run: Run
) -> MadeFamily:
    """Learn the tables of a family, and draw so many parents with their children.

    Where the number of parents is hidden, as many are drawn as noisy counts say.
    """
    run.stages.begin("searching patterns")
    if isinstance(method, Private):
        learnt = learn_private_family(method, family, run)
    else:
        shrink = SHRINK if method.shrink is None else method.shrink
        learnt = learn_family(replace(method, shrink=shrink), family, run)
    run.stages.begin("drawing")
    drawn = draw_family(learnt, family, parents, run)
    parts = {family.parent.name: _made(learnt.parent, drawn.parents)}
    for child, one, rows in zip(family.children, learnt.children, drawn.children, strict=True):
        parts[child.table.name] = _made(one, rows)
    return MadeFamily(parts, learnt, drawn)


def _made(learnt: LearntParent | LearntChild, drawn: DrawnParents | DrawnChildren) -> Made:
    return Made(
        drawn.release,
        learnt.table,
        drawn.filling,
        drawn.coded,
        model=learnt.model,
        encoding=learnt.encoding,
    )
