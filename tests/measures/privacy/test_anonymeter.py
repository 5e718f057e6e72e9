"""The three risks of European practice, beside the package that made them known."""

from __future__ import annotations

import numpy as np
import pytest
from measures.tables import noisy, schema_of
from others import ask

from halfmask.data import Table
from halfmask.measures import Comparison, measure_named
from halfmask.randomness import Randomness

ROWS = 400
WIDTH = 8


def population(rows: int, rng: np.random.Generator) -> Table:
    """Wide enough that few rows are equally near: both sides then name the same neighbour."""
    codes = np.empty((rows, WIDTH), np.int32)
    codes[:, 0] = rng.integers(12, size=rows)
    for c in range(1, WIDTH):
        follow = rng.random(rows) < 0.5
        codes[:, c] = np.where(follow, (codes[:, c - 1] * 5 + c) % 12, rng.integers(12, size=rows))
    return Table(schema_of(*[12] * WIDTH), codes)


def columns(table: Table) -> dict[str, list[str]]:
    return {
        attribute.name: [attribute.values[code] for code in table.codes[:, c]]
        for c, attribute in enumerate(table.schema)
    }


def _sides() -> dict[str, tuple[Table, Table, Table]]:
    """An original, a release and a hold-out; training and control are equally large."""
    rng = np.random.default_rng(8)
    people = population(3 * ROWS, rng)
    original, holdout, fresh = (people.take(np.arange(i, i + ROWS)) for i in (0, ROWS, 2 * ROWS))
    kinds = {"copy": original, "noisy": noisy(original, 0.15, rng), "fresh": fresh}
    return {name: (original, release, holdout) for name, release in kinds.items()}


SIDES = _sides()


@pytest.fixture(scope="module")
def answers():
    names = ("ori", "syn", "control")
    return ask(
        "ask_anonymeter",
        {kind: dict(zip(names, map(columns, sides), strict=True)) for kind, sides in SIDES.items()},
    )


@pytest.fixture(params=list(SIDES))
def kind(request):
    return request.param


def ours(name, kind, **options):
    comparison = Comparison(*SIDES[kind], randomness=Randomness(3), **options)
    return measure_named(name).read(comparison, yardsticks=False)


def agree(reading, rates, tolerance=0.06):
    """Ours lies within their margin of error and a little more: both draw their attacks."""
    for mine, theirs in (("success", "attack"), ("control", "control")):
        rate, error = rates[theirs]
        assert reading.details[mine][0] == pytest.approx(rate, abs=error + tolerance), mine


def test_linkability_agrees(answers, kind):
    agree(ours("linkability", kind), answers[kind]["linkability"])


def test_inference_agrees(answers, kind):
    reading = ours("sensitive_guess", kind, sensitive=SIDES[kind][0].schema.names[-1])
    agree(reading, answers[kind]["inference"])


def test_singling_out_agrees_on_who_remembers(answers, kind):
    """Their predicates are drawn otherwise, so the verdict is compared and not the rate."""
    (attack, error), (control, margin) = answers[kind]["singling_out"].values()
    remembered = attack - error > control + margin
    assert (ours("singling_out", kind).low > 0) == remembered
