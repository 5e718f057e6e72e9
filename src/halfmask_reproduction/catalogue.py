"""All experiments, in the order in which a reader meets them."""

from __future__ import annotations

from collections.abc import Sequence

from halfmask.errors import UnknownName
from halfmask_reproduction.anatomy.figures import FIGURES as ANATOMY_FIGURES
from halfmask_reproduction.anatomy.worked import WORKED
from halfmask_reproduction.description import Experiment, Paper
from halfmask_reproduction.distortion.described import DISTORTION
from halfmask_reproduction.evaluation.framework import EVALUATION
from halfmask_reproduction.generator.figures import FIGURES
from halfmask_reproduction.generator.statements import STATEMENTS
from halfmask_reproduction.generator.tables import TABLES
from halfmask_reproduction.rivals.against import RIVALS

EXPERIMENTS: tuple[Experiment, ...] = (
    *TABLES,
    *FIGURES,
    *STATEMENTS,
    *DISTORTION,
    *WORKED,
    *ANATOMY_FIGURES,
    *EVALUATION,
    *RIVALS,
)

PAPERS: dict[Paper, tuple[Experiment, ...]] = {
    paper: tuple(one for one in EXPERIMENTS if one.paper == paper)
    for paper in dict.fromkeys(one.paper for one in EXPERIMENTS)
}


def chosen(names: Sequence[str]) -> tuple[Experiment, ...]:
    """The experiments named, each by its own name or by its paper's; all when none is named.

    >>> [one.name for one in chosen(["generator-table3"])]
    ['generator-table3']
    >>> len(chosen(["generator"])) > 1
    True
    """
    wanted = set(names)
    known = {one.name for one in EXPERIMENTS} | {paper.name for paper in PAPERS}
    for name in names:
        if name not in known:
            raise UnknownName("experiment", name, sorted(known))
    return tuple(one for one in EXPERIMENTS if not wanted or wanted & {one.name, one.paper.name})
