"""Who makes releases of a table: the generators, the plain methods, and packages of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from halfmask.data import Table
from halfmask.measures.yardsticks import independent_columns
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.generator.learn import calibrated, learn_at
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.randomness import Randomness
from halfmask_reproduction.environments import Environments
from halfmask_reproduction.lab import Lab
from halfmask_reproduction.rivals.competitors import bootstrap, sequential_cart
from halfmask_reproduction.rivals.elsewhere import TIME_LIMIT, Rival

HELD_OUT = "held-out"

ELSEWHERE = {
    "packages of others": (
        Rival("python-synthpop", "python-synthpop", "synthpop"),
        Rival("DataSynthesizer", "DataSynthesizer", "datasynthesizer"),
    ),
    "differentially private": (
        Rival("DataSynthesizer ε=1", "DataSynthesizer", "datasynthesizer", ("--epsilon", "1")),
        Rival("MST ε=1", "MST", "mst", ("--epsilon", "1")),
    ),
}


@dataclass(frozen=True)
class Method:
    """One way to make a release, the group it is drawn with, and how it is called."""

    group: str
    name: str
    make: Callable[[Randomness], Table]
    """The reason is raised (NotMeasurable) where it cannot."""
    label: str = ""
    """In a drawing, where it is not the name."""
    once: bool = False
    """Whether one run has to do."""


def methods(lab: Lab, table: Table, held: Table, supports: tuple[int, ...]) -> Iterator[Method]:
    """All of them, the generators first."""
    yield from _generators(lab, table, supports)
    yield from others(table, lab.environments)
    yield Method("held-out rows", HELD_OUT, lambda _: held, once=True)


def others(table: Table, homes: Environments, *, seconds: float = TIME_LIMIT) -> Iterator[Method]:
    """The plain methods, and the packages, which have so many seconds for a release."""
    yield from _plain(table)
    for group, rivals in ELSEWHERE.items():
        for rival in rivals:
            slow = rival.program == "DataSynthesizer"  # minutes for a network of many columns
            yield Method(group, rival.name, _elsewhere(rival, table, homes, seconds), once=slow)


def _generators(lab: Lab, table: Table, supports: tuple[int, ...]) -> Iterator[Method]:
    """The papers' generator and the calibrated one, at several minimum supports."""
    settings = GeneratorSettings(calibration=CalibrationSettings(order=0))
    models = learn_at(table, settings, supports, threads=lab.threads)
    for support, model in models.items():
        make = _drawn(lab, model, len(table))
        yield Method("generator of the papers", f"papers {support}", make, str(support))
    for support, model in models.items():
        asked = replace(model.settings, calibration=CalibrationSettings(order=2))
        better = calibrated(replace(model, settings=asked), table, threads=lab.threads)
        make = _drawn(lab, better, len(table))
        yield Method("generator, calibrated", f"calibrated {support}", make, str(support))


def _drawn(lab: Lab, model: GeneratorModel, rows: int) -> Callable[[Randomness], Table]:
    def make(randomness: Randomness) -> Table:
        release = model.sample(rows, randomness=randomness, threads=lab.threads)
        assert isinstance(release.data, Table)  # noqa: S101 - a generator draws rows
        return release.data

    return make


def _plain(table: Table) -> Iterator[Method]:
    def apart(randomness: Randomness) -> Table:
        made = independent_columns(table, len(table), randomness.child("rows"))
        assert isinstance(made, Table)  # noqa: S101 - a table's columns make a table
        return made

    group = "plain methods"
    yield Method(group, "independent", apart)
    yield Method(group, "bootstrap", lambda given: bootstrap(table, given.child("rows")))
    yield Method(group, "CART", lambda given: sequential_cart(table, given.child("rows")))


def _elsewhere(
    rival: Rival, table: Table, homes: Environments, seconds: float
) -> Callable[[Randomness], Table]:
    def make(randomness: Randomness) -> Table:
        seed = int(randomness.child("seed").integers(2**31))
        return rival.release(table, seed=seed, homes=homes, seconds=seconds)

    return make
