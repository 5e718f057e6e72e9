"""The three risks of European practice, beside the package that made them known."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from measures.tables import noisy, schema_of

from halfmask.data import Table
from halfmask.measures import Comparison, measure_named
from halfmask.randomness import Randomness

anonymeter = pytest.importorskip(
    "anonymeter.evaluators", reason="pip install anonymeter to compare the attacks with it"
)
pd = pytest.importorskip("pandas", reason="pip install pandas: anonymeter reads its frames")

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


def frame(table: Table):
    columns = {
        attribute.name: [attribute.values[code] for code in table.codes[:, c]]
        for c, attribute in enumerate(table.schema)
    }
    return pd.DataFrame(columns)


@pytest.fixture(scope="module", params=["copy", "noisy", "fresh"])
def sides(request):
    """An original, a release and a hold-out; training and control are equally large."""
    rng = np.random.default_rng(8)
    people = population(3 * ROWS, rng)
    original, holdout, fresh = (people.take(np.arange(i, i + ROWS)) for i in (0, ROWS, 2 * ROWS))
    kinds = {"copy": original, "noisy": noisy(original, 0.15, rng), "fresh": fresh}
    return original, kinds[request.param], holdout


def ours(name, sides, **options):
    comparison = Comparison(*sides, randomness=Randomness(3), **options)
    return measure_named(name).read(comparison, yardsticks=False)


def theirs(evaluator, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = evaluator.evaluate(**how).results()
    return found.attack_rate, found.control_rate


def agree(mine, rate, tolerance=0.06):
    assert mine == pytest.approx(rate.value, abs=rate.error + tolerance)


def test_linkability_agrees(sides):
    names = list(sides[0].schema.names)
    halves = names[0::2], names[1::2]
    frames = [frame(table) for table in sides]
    attack, control = theirs(
        anonymeter.LinkabilityEvaluator(
            ori=frames[0], syn=frames[1], control=frames[2], aux_cols=halves, n_attacks=ROWS
        ),
        n_jobs=1,
    )
    reading = ours("linkability", sides)
    agree(reading.details["success"][0], attack)
    agree(reading.details["control"][0], control)


def test_inference_agrees(sides):
    names = list(sides[0].schema.names)
    frames = [frame(table) for table in sides]
    attack, control = theirs(
        anonymeter.InferenceEvaluator(
            ori=frames[0], syn=frames[1], control=frames[2], aux_cols=names[:-1], secret=names[-1],
            n_attacks=ROWS,
        ),
        n_jobs=1,
    )  # fmt: skip
    reading = ours("sensitive_guess", sides, sensitive=names[-1])
    agree(reading.details["success"][0], attack)
    agree(reading.details["control"][0], control)


def test_singling_out_agrees_on_who_remembers(sides):
    """Their predicates are drawn otherwise, so the verdict is compared and not the rate."""
    frames = [frame(table) for table in sides]
    attack, control = theirs(
        anonymeter.SinglingOutEvaluator(
            ori=frames[0], syn=frames[1], control=frames[2], n_attacks=300, n_cols=4, seed=1
        )
    )
    reading = ours("singling_out", sides)
    remembered = attack.value - attack.error > control.value + control.error
    assert (reading.low > 0) == remembered
