"""A model of two sites beside one of their pooled rows: the table of docs/models.md.

python benchmarks/merging.py [--data nursery adult] [--draws 3]

The original (80 % of the rows) is cut in two, by chance or by the values of a column. Each part
learns a model that keeps what the last column follows from; the two are merged, and the release of
the merged model is held against the original, beside that of a model of all rows and beside both
sites' own releases, one after the other.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace

import harness
import numpy as np
from calibration import MIN_SUPPORT, Figures, accuracy, distance
from numpy.typing import NDArray

from halfmask.data import Column, Schema, Table
from halfmask.data.table import ABSENT
from halfmask.estimators import Generator
from halfmask.io.given import columns_of
from halfmask.measures import Comparison, compare
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.generator.learn import calibrated, learn
from halfmask.methods.generator.merge import merge
from halfmask.methods.generator.model import GeneratorModel
from halfmask.randomness import Randomness

SPLITS = (("nursery", None), ("nursery", "A2"), ("kr-k", None), ("adult", None))
"""Data sets, and the column whose values tell the sites apart; none for a cut by chance."""


def encoder(names: Sequence[str]) -> Generator:
    """Bins would have to be agreed on; every value is taken as it is."""
    return Generator(min_support=MIN_SUPPORT, calibrate=0, categorical=list(names))


def modelled(table: Table, target: str) -> GeneratorModel:
    """As `publish` with this target learns it."""
    settings = Generator(min_support=MIN_SUPPORT, calibrate=0).learning(len(table))
    asked = replace(settings, calibration=CalibrationSettings(order=2, target=target))
    return calibrated(learn(table, asked, threads=2), table, threads=2)


def recoded(table: Table, schema: Schema) -> NDArray[np.int32]:
    """The codes of another schema; values that it does not list are absent."""
    columns = []
    for attribute in schema:
        own = table.schema[attribute.name].values
        codes = [attribute.values.index(v) if v in attribute.values else ABSENT for v in own]
        columns.append(
            np.array([*codes, ABSENT])[table.codes[:, table.schema.position(attribute.name)]]
        )
    return np.stack(columns, axis=1).astype(np.int32)


def split(table: Table, column: str | None) -> NDArray[np.bool_]:
    """Which rows are of the first site."""
    if column is None:
        return np.random.default_rng(5).random(len(table)) < 0.5
    codes = table.codes[:, table.schema.position(column)]
    return codes < max(table.schema[column].size // 2, 1)


def figures(original: Table, release: Table, held: Table) -> Figures:
    asked = Comparison(original, release, randomness=Randomness(1), min_support=MIN_SUPPORT)
    return {
        "TV1": distance(original, release, 1),
        "TV2": distance(original, release, 2),
        "accuracy": accuracy(release, held),
        "dissimilarity": compare(asked, ["ds"], yardsticks=False)["ds"].value,
    }


def releases(
    columns: Sequence[Column], seen: NDArray[np.int64], original: Table, column: str | None
) -> dict[str, Callable[[int], Table]]:
    """Ways to make a release of all rows, each a function of a seed."""
    target = original.schema.names[-1]
    first = split(original, column)
    generator = encoder(original.schema.names)
    parts = [generator.encode([c.take(seen[rows]) for c in columns])[0] for rows in (first, ~first)]
    sites = [modelled(part, target) for part in parts]
    pooled, merged = modelled(original, target), merge(sites)

    def drawn(model: GeneratorModel, seed: int) -> NDArray[np.int32]:
        release = model.sample(model.code_table.rows, randomness=Randomness(seed)).data
        return recoded(release, original.schema)

    def of(*models: GeneratorModel) -> Callable[[int], Table]:
        return lambda seed: Table(
            original.schema, np.concatenate([drawn(model, seed) for model in models])
        )

    return {"pooled rows": of(pooled), "merged models": of(merged), "concatenated": of(*sites)}


def run(name: str, column: str | None, draws: int) -> list[dict[str, object]]:
    columns = columns_of(harness.data_folder() / f"{name}.csv.gz")
    order = Randomness(1).child("split").permutation(len(columns[0]))
    cut = int(0.8 * len(order))
    seen, back = np.sort(order[:cut]), np.sort(order[cut:])
    generator = encoder([c.name for c in columns])
    original, encoding = generator.encode([c.take(seen) for c in columns])
    held = encoding.encode([c.take(back) for c in columns], unknown="leave out")
    rows = []
    for made_from, make in releases(columns, seen, original, column).items():
        found = [figures(original, make(seed), held) for seed in range(1, draws + 1)]
        means = {key: round(float(np.mean([one[key] for one in found])), 4) for key in found[0]}
        cut_by = "chance" if column is None else column
        rows.append({"data": name, "cut by": cut_by, "made from": made_from, **means})
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    names = sorted({name for name, _ in SPLITS})
    parser.add_argument("--data", nargs="+", default=names, choices=names)
    parser.add_argument("--draws", type=int, default=3)
    typed = parser.parse_args()
    chosen = [(name, by) for name, by in SPLITS if name in typed.data]
    rows = [row for name, by in chosen for row in run(name, by, typed.draws)]
    harness.show(rows)
    if len(chosen) == len(SPLITS):
        harness.keep("merging", rows)


if __name__ == "__main__":
    main()
