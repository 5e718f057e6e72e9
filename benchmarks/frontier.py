"""The frontier: what a release tells about who was in its original, and how near it is to people.

python benchmarks/frontier.py [--quick] [--only adult-1000 nursery] [--raw] [--draws 3]
                              [--releases "ours, default"]

Results are kept line by line, so that a run that was stopped is taken up with --only, and what
changed is measured again with --releases.

A part of a public table is the original; the rest are the people it was drawn from, and were never
seen by any method. Each contender makes a release as long as the original. Read off:

- auc, tree: the tracing attacks, linear and by trees (½ is luck); worst is the one with the larger
  mean over the draws, and chance its standard error;
- tv2, tv3: total variation distance of two- and three-way tables to the people outside;
- target: accuracy on people outside of a forest that learnt the last column from the release.

A contender is one line in `CONTENDERS`: a function of a frame, a number of rows and a seed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import harness
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from halfmask import Generator
from halfmask.data import Attribute, Schema, Table
from halfmask.errors import NotMeasurable
from halfmask.measures import Comparison, compare
from halfmask.randomness import Randomness
from halfmask_reproduction.environments import Environments
from halfmask_reproduction.rivals.elsewhere import Rival

SYNTHPOP = Rival("python-synthpop", "python-synthpop", "synthpop")
STRANGERS = 4_000
BINS = 10
"""Numbers are compared in so many bins of equal share."""
IN_A_LINE = 3
"""Fields of the picture."""
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "frontier.svg"
OTHER = "(other)"


@dataclass(frozen=True)
class Case:
    """A public table and how many of its rows are the original."""

    name: str
    data: str
    rows: int


CASES = (
    Case("adult-1000", "adult", 1_000),
    Case("adult-5000", "adult", 5_000),
    Case("adult-39000", "adult", 39_000),
    Case("nursery", "nursery", 10_368),
    Case("mushroom", "mushroom", 6_499),
    Case("tic-tac-toe", "tic-tac-toe", 767),
)
QUICK = ("tic-tac-toe",)

Maker = Callable[[pd.DataFrame, int, int], pd.DataFrame]


def bootstrap(frame: pd.DataFrame, rows: int, seed: int) -> pd.DataFrame:
    """Rows drawn with replacement."""
    return frame.sample(rows, replace=True, random_state=seed).reset_index(drop=True)


def cart(frame: pd.DataFrame, rows: int, seed: int, *, leaf: int) -> pd.DataFrame:
    """Column by column: a tree of the columns before, a value drawn from the leaf it leads to."""
    rng = np.random.default_rng(seed)
    made = pd.DataFrame(index=range(rows))
    for name in frame.columns:
        known = list(made.columns)
        values = frame[name].to_numpy()
        if not known:
            made[name] = rng.choice(values, rows)
            continue
        features = pd.get_dummies(pd.concat([frame[known], made[known]]))
        kind = DecisionTreeRegressor if _is_number(frame[name]) else DecisionTreeClassifier
        tree = kind(min_samples_leaf=leaf, random_state=int(rng.integers(2**31)))
        both = features.to_numpy(np.float32)
        tree.fit(both[: len(frame)], values)
        made[name] = _from_leaves(
            tree.apply(both[: len(frame)]), tree.apply(both[len(frame) :]), values, rng
        )
    return made


def _from_leaves(donors: Any, asked: Any, values: Any, rng: np.random.Generator) -> Any:
    order = np.argsort(donors, kind="stable")
    ranked = donors[order]
    first, last = (np.searchsorted(ranked, asked, side) for side in ("left", "right"))
    return values[order[rng.integers(first, last)]]


def python_synthpop(frame: pd.DataFrame, rows: int, seed: int) -> pd.DataFrame:
    """The package's CART with its own defaults, in the environment that `make rivals` builds."""
    if any(_is_number(frame[name]) for name in frame.columns) or rows != len(frame):
        raise NotMeasurable("python-synthpop is asked for tables of categories, of their length.")
    coded = {name: pd.factorize(frame[name], sort=True) for name in frame.columns}
    schema = Schema(tuple(Attribute(n, tuple(values)) for n, (_, values) in coded.items()))
    table = Table(schema, np.stack([codes for codes, _ in coded.values()], axis=1))
    made = SYNTHPOP.release(table, seed=seed, homes=Environments.at(None)).codes
    return pd.DataFrame(
        {name: values[made[:, n]] for n, (name, (_, values)) in enumerate(coded.items())}
    )


def ours(frame: pd.DataFrame, rows: int, seed: int, **settings: Any) -> pd.DataFrame:
    """A release of ours with these settings."""
    return Generator(**settings).fit(frame).sample(rows, seed=seed)


CONTENDERS: dict[str, Maker] = {
    "bootstrap": bootstrap,
    "CART, leaf 5": partial(cart, leaf=5),
    "CART, leaf 20": partial(cart, leaf=20),
    "CART, leaf 50": partial(cart, leaf=50),
    "CART, leaf 100": partial(cart, leaf=100),
    "CART, leaf 200": partial(cart, leaf=200),
    "python-synthpop": python_synthpop,
    "ours, default": ours,
    "ours, shrink 0": partial(ours, shrink=0),
    "ours, shrink 0.3": partial(ours, shrink=0.3),
    "ours, shrink 1": partial(ours, shrink=1),
    "ours, shrink 4": partial(ours, shrink=4),
    "ours, shrink 10": partial(ours, shrink=10),
    "ours, shrink 30": partial(ours, shrink=30),
    "ours, patterns of 100": partial(ours, pattern_support=100),
    "ours, patterns of 200": partial(ours, pattern_support=200),
    "ours, shrink 4, patterns of 100": partial(ours, shrink=4, pattern_support=100),
    "ours, shrink 10, patterns of 100": partial(ours, shrink=10, pattern_support=100),
    "ours, shrink 10, patterns of 200": partial(ours, shrink=10, pattern_support=200),
    "ours, shrink 30, patterns of 100": partial(ours, shrink=30, pattern_support=100),
}


SECOND = "second sample"
"""As many rows of other people."""
RELEASES = [*CONTENDERS, SECOND]


def _is_number(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column)


def load(case: Case, *, raw: bool) -> pd.DataFrame:
    """The public table: coded, every column a category; raw, numbers stay numbers."""
    path = harness.data_folder() / f"{case.data}{'-raw' if raw else ''}.csv.gz"
    frame = pd.read_csv(path, dtype=None if raw else str, keep_default_na=False, na_values=[""])
    for name in frame.columns:
        if not _is_number(frame[name]):
            frame[name] = frame[name].fillna("(missing)").astype(object)
    return frame


def coder(people: pd.DataFrame) -> Callable[[pd.DataFrame], Table]:
    """Codes any frame like the people: categories by name, numbers in bins, the rest is other."""
    edges, names = {}, {}
    for name in people.columns:
        if _is_number(people[name]):
            edges[name] = np.unique(people[name].quantile(np.linspace(0, 1, BINS + 1)[1:-1]))
            names[name] = [f"bin {i}" for i in range(len(edges[name]) + 1)]
        else:
            names[name] = sorted(set(people[name]))
    schema = Schema(tuple(Attribute(n, (*values, OTHER)) for n, values in names.items()))

    def code(frame: pd.DataFrame) -> Table:
        columns = []
        for name, values in names.items():
            if name in edges:
                numbers = pd.to_numeric(frame[name], errors="coerce").to_numpy(float)
                place = np.searchsorted(edges[name], numbers, "right")
                columns.append(np.where(np.isnan(numbers), len(values), place))
            else:
                place = pd.Index(values).get_indexer(frame[name].astype(object))
                columns.append(np.where(place < 0, len(values), place))
        return Table(schema, np.stack(columns, axis=1).astype(np.int32))

    return code


def split(frame: pd.DataFrame, rows: int, seed: int) -> tuple[pd.DataFrame, ...]:
    """Original, strangers, reference and a second sample; few people outside are strangers only."""
    order = np.random.default_rng(seed).permutation(len(frame))
    outside = order[rows:]
    many = len(outside) > rows + 3 * STRANGERS
    ends = np.cumsum([STRANGERS if many else len(outside), rows if many else 0])
    strangers, second, reference = np.split(outside, ends)
    parts = (order[:rows], strangers, reference, second)
    return tuple(frame.iloc[part].reset_index(drop=True) for part in parts)


def judge(
    code: Callable[[pd.DataFrame], Table], parts: Any, release: pd.DataFrame, seed: int
) -> dict:
    """The figures of one release."""
    original, strangers, reference = (code(part) for part in parts[:3])
    made, people = (
        code(release),
        Table(original.schema, np.vstack([strangers.codes, reference.codes])),
    )
    others = {"randomness": Randomness(seed), "sensitive": original.schema.names[-1]}
    known = {"reference": reference} if len(reference) else {}
    attacked = Comparison(original, made, strangers, **others, **known)
    found = compare(attacked, ["tracing", "tracing_tree", "learning"], yardsticks=False)
    near = compare(
        Comparison(people, made, **others), ["marginals_2", "marginals_3"], yardsticks=False
    )
    return {
        "auc": found["tracing"].value,
        "tree": found["tracing_tree"].value,
        "tv2": near["marginals_2"].value,
        "tv3": near["marginals_3"].value,
        "target": found["learning"].details["accuracy_from_release"],
    }


def averaged(draws: list[dict[str, float]]) -> dict[str, str]:
    """Means over the originals, the stronger attack by its mean, and its standard error."""
    means = {key: float(np.mean([one[key] for one in draws])) for key in draws[0]}
    worst = max("auc", "tree", key=lambda name: means[name])
    values = [one[worst] for one in draws]
    chance = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    means |= {"worst": means[worst], "chance": float(chance)}
    return {key: "-" if np.isnan(value) else f"{value:.4f}" for key, value in means.items()}


def run(case: Case, names: list[str], *, raw: bool, draws: int) -> list[dict[str, Any]]:
    """These contenders on one table, each the mean over several originals."""
    frame = load(case, raw=raw)
    figures: dict[str, list[dict]] = {}
    for seed in range(draws):
        parts = split(frame, case.rows, seed)
        code = coder(frame)
        made = {}
        for name in names:
            if name == SECOND:
                continue
            try:
                made[name] = CONTENDERS[name](parts[0], case.rows, seed)
            except NotMeasurable as reason:
                harness.tell(case.name, name, str(reason))
        if SECOND in names and len(parts[3]):
            made[SECOND] = parts[3]
        for name, release in made.items():
            figures.setdefault(name, []).append(judge(code, parts, release, seed))
            harness.tell(case.name, "raw" if raw else "coded", name, f"draw {seed + 1}")
    return [
        {"data": case.name, "mode": "raw" if raw else "coded", "release": name, "draws": len(some)}
        | averaged(some)
        for name, some in figures.items()
    ]


SERIES = {
    "ours, by shrink": {"marker": "o", "color": "C0"},
    "ours, patterns of more rows": {"marker": "^", "color": "C0", "mfc": "white", "ls": ""},
    "CART, by leaf": {"marker": "s", "color": "C1"},
    "python-synthpop": {"marker": "D", "color": "C2", "ls": ""},
    "bootstrap": {"marker": "X", "color": "C3", "ls": ""},
    SECOND: {"marker": "*", "color": "C7", "ls": ""},
}
"""What the picture shows, and how; where a line joins settings, their numbers stand beside it."""


def placed(release: str) -> tuple[str, float]:
    """The series that a release belongs to, and its setting of the dial.

    >>> placed("CART, leaf 50"), placed("ours, default"), placed("ours, shrink 4, patterns of 100")
    (('CART, by leaf', 50.0), ('ours, by shrink', 2.0), ('ours, patterns of more rows', 100.0))
    """
    if not release.startswith(("ours", "CART")):
        return release, 0.0
    setting = 2.0 if release == "ours, default" else float(release.rsplit(" ", 1)[1])
    if release.startswith("CART"):
        return "CART, by leaf", setting
    return f"ours, {'patterns of more rows' if 'patterns' in release else 'by shrink'}", setting


def _spread(auc: Any) -> Any:
    """Most releases lie between .51 and .56: the square root gives these room."""
    return np.sign(auc - 0.5) * np.sqrt(abs(auc - 0.5))


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """One field for each table: AUC of the stronger attack beside the two-way distance."""
    fields = [list(some) for _, some in groupby(rows, lambda r: (r["data"], r["mode"]))]
    across = min(IN_A_LINE, len(fields))
    down = -(-len(fields) // across)
    figure = Figure(figsize=(4.2 * across, 3.4 * down + 0.5), layout="constrained")
    for place, some in enumerate(fields, 1):
        axes = figure.add_subplot(down, across, place)
        for name, look in SERIES.items():
            found = [(placed(r["release"]), float(r["worst"]), float(r["tv2"])) for r in some]
            mine = sorted((at, x, y) for (series, at), x, y in found if series == name)
            xs, ys = ([one[at] for one in mine] for at in (1, 2))
            axes.plot(xs, ys, **look, ms=4, lw=0.8, label=name)
            for at, x, y in mine if " by " in name else ():
                axes.annotate(f"{at:g}", (x, y), fontsize=6, xytext=(3, 3),
                              textcoords="offset points", color=look["color"])  # fmt: skip
        axes.set_xscale("function", functions=(_spread, lambda at: 0.5 + at * abs(at)))
        axes.set(title=f"{some[0]['data']}, {some[0]['mode']}", xlim=(0.495, 0.85),
                 xticks=(0.51, 0.53, 0.56, 0.6, 0.7, 0.8), xlabel="AUC of the stronger attack",
                 ylabel="two-way distance to people")  # fmt: skip
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=6)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tic-tac-toe only")
    parser.add_argument("--only", nargs="+", choices=[case.name for case in CASES])
    parser.add_argument("--raw", action="store_true", help="numbers stay numbers")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--releases", nargs="+", choices=RELEASES, default=RELEASES)
    options = parser.parse_args()
    wanted = options.only or (QUICK if options.quick else [case.name for case in CASES])
    cases = [c for c in CASES if c.name in wanted]
    mode = "raw" if options.raw else "coded"
    if options.raw:
        cases = [c for c in cases if (harness.data_folder() / f"{c.data}-raw.csv.gz").exists()]
    for case in cases:
        rows = kept_with(run(case, options.releases, raw=options.raw, draws=options.draws))
        place = harness.keep("frontier", rows, packages=("scikit-learn",))
    rows = harness.kept("frontier")
    harness.show([row for row in rows if row["mode"] == mode], without=("mode",))
    print(f"Kept in {place}.")
    draw(rows, harness.RESULTS / "frontier.svg" if options.quick else PICTURE)


def kept_with(fresh: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines that were kept before, those that were measured again replaced."""

    def line(row: dict[str, Any]) -> tuple[str, str, str]:
        return row["data"], row["mode"], row["release"]

    anew = {line(row) for row in fresh}
    before = [row for row in harness.kept("frontier") if line(row) not in anew]
    places = [(c.name, m, r) for m in ("coded", "raw") for c in CASES for r in RELEASES]
    return sorted([*before, *fresh], key=lambda row: places.index(line(row)))


if __name__ == "__main__":
    main()
