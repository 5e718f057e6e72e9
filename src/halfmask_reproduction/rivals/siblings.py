"""How MST draws: two columns that depend on a third only, by three samplers."""

from __future__ import annotations

import numpy as np

from halfmask.data import Attribute, Schema, Table
from halfmask.errors import NotMeasurable
from halfmask.measures import Comparison, compare
from halfmask.randomness import Randomness
from halfmask_reproduction.lab import Lab
from halfmask_reproduction.result import Found, Grid, mean_of
from halfmask_reproduction.rivals.elsewhere import Rival

ROWS = 4000
SAMPLERS = (
    Rival("mbi 1.1.0, as it comes", "MST", "mst-before", ("--epsilon", "1", "--sampler", "mbi")),
    Rival("mbi 2.0.0, as it comes", "MST", "mst", ("--epsilon", "1", "--sampler", "mbi")),
    Rival("repaired, used here", "MST", "mst", ("--epsilon", "1")),
)
HEADER = ("sampler", "correlation of the siblings", "two-way", "three-way")


def siblings(randomness: Randomness, rows: int = ROWS) -> Table:
    """A parent of four values and two children, each of which repeats it in half of the rows."""
    rng = randomness.child("siblings")
    parent = rng.integers(4, size=rows)
    children = [
        np.where(rng.random(rows) < 0.5, parent, rng.integers(4, size=rows)) for _ in range(2)
    ]
    attributes = tuple(Attribute(name, tuple("abcd")) for name in ("parent", "one", "other"))
    return Table(Schema(attributes), np.column_stack([parent, *children]).astype(np.int32))


def correlation(table: Table) -> float:
    """The mean correlation of the two children among rows with the same parent.

    >>> rows = np.array([[p, c, c] for p in range(4) for c in range(4)], np.int32)
    >>> round(correlation(Table(siblings(Randomness(1), 1).schema, rows)), 6)
    1.0
    """
    groups = (table.codes[table.codes[:, 0] == parent, 1:] for parent in range(4))
    return float(np.mean([np.atleast_2d(np.corrcoef(group.T))[0, 1] for group in groups]))


def run(lab: Lab) -> Found:
    """The samplers that are installed, on the same table with the same seeds."""
    table = siblings(lab.randomness("siblings"))
    comparison = Comparison(table, table, randomness=lab.randomness("measures"))
    rows: list[tuple[str, ...]] = [("the original", f"{correlation(table):.3f}", "", "")]
    missing = []
    for rival in SAMPLERS:
        lab.tell(rival.name)
        try:
            made = [
                rival.release(table, seed=seed, homes=lab.environments)
                for seed in range(1, 1 + lab.repeats(3, quick=1))
            ]
        except NotMeasurable as reason:
            missing.append(str(reason))
            continue
        asked = ("marginals_2", "marginals_3")
        found = [
            compare(comparison.with_release(one, keep=False), asked, yardsticks=False)
            for one in made
        ]
        apart = mean_of("", [correlation(one) for one in made]).text(3)
        away = (mean_of("", [float(one[name].value) for one in found]).text(3) for name in asked)
        rows.append((rival.name, apart, *away))
    grid = Grid("Two siblings, independent given their parent", HEADER, tuple(rows))
    return Found(grids=(grid,), remarks=tuple(dict.fromkeys(missing)))
