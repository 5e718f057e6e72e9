"""Quality, processor seconds and memory of private releases of coded tables.

python benchmarks/private.py [--tables adult nursery] [--epsilons 0.1 1 10] [--seeds 5]
    [--methods ours mst] [--rivals ENVIRONMENT]

Kept of each release: the mean total variation distance of all single columns, pairs, triples and of
100 sets of four from the rows learnt from, of pairs and triples from a tenth of the rows which no
method saw ("people"), the accuracy on these of a tree that learns the last column from the release,
CPU seconds and peak memory. The calibrated release without any promise stands beside the others.
With the Python of an environment that has dpmm, AIM and MST are run beside it, each in a process of
its own. Every release is kept as it comes: a run that was stopped goes on where it was, and with
more --seeds only the new ones are run. `--anew` runs everything again.
"""

import argparse
import csv
import gzip
import resource
import subprocess
import tempfile
import time
from itertools import combinations, groupby, product
from pathlib import Path

import harness
import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from halfmask import Generator
from halfmask.data import Attribute, Schema, Table
from halfmask.errors import BadInput
from halfmask.methods.loglinear import TableSet, count_cells, drawn_from_tree
from halfmask.methods.loglinear.fit import released
from halfmask.methods.loglinear.start import shares
from halfmask.methods.private.accounting import gaussian_sigma, rho_of
from halfmask.methods.private.candidates import SelectSettings
from halfmask.methods.private.mechanisms import RandomBits, discrete_gaussian, usable_variance
from halfmask.methods.private.select import learn
from halfmask.methods.private.trees import TreeSettings

DELTA = 1e-9
TABLES = ("adult", "nursery", "kr-k", "mushroom", "led7", "kr-vs-kp")
HELD_OUT = 0.1
FIGURES = (
    "tv1",
    "tv2",
    "tv3",
    "tv4",
    "tv2_people",
    "tv3_people",
    "accuracy",
    "seconds",
    "megabytes",
)
MOST_SETS = {1: 1000, 2: 3000, 3: 3000, 4: 100}


def load(name):
    with gzip.open(harness.data_folder() / f"{name}.csv.gz", "rt") as file:
        values = np.array(list(csv.reader(file))[1:], str)
    columns = [np.unique(values[:, c], return_inverse=True)[1] for c in range(values.shape[1])]
    codes = np.stack(columns, axis=1).astype(np.int32)
    return codes, tuple((codes.max(axis=0) + 1).tolist())


def distances(one, other, sizes):
    found = []
    for order, most in MOST_SETS.items():
        sets = list(combinations(range(len(sizes)), order))
        if len(sets) > most:
            chosen = np.random.default_rng(0).choice(len(sets), most, replace=False)
            sets = [sets[k] for k in sorted(chosen)]
        tables = TableSet(sizes, sets)
        off = count_cells(one, tables) / len(one) - count_cells(other, tables) / len(other)
        found.append(np.abs(off).sum() / 2 / len(sets))
    return found


def one_hot(codes, sizes):
    return np.concatenate(
        [np.eye(s, dtype=np.float32)[codes[:, c]] for c, s in enumerate(sizes)], 1
    )


def accuracy(release, held_out, sizes):
    tree = DecisionTreeClassifier(min_samples_leaf=3, random_state=0)
    tree.fit(one_hot(release[:, :-1], sizes[:-1]), release[:, -1])
    return (tree.predict(one_hot(held_out[:, :-1], sizes[:-1])) == held_out[:, -1]).mean()


def ours(codes, sizes, epsilon, seed, **options):
    select = SelectSettings(**options)
    columns = (Attribute(str(n), tuple(map(str, range(s)))) for n, s in enumerate(sizes))
    log, model = learn(
        Table(Schema(tuple(columns)), codes),
        epsilon=epsilon,
        delta=DELTA,
        select=select,
        bits=RandomBits(seed),
        key=seed,
    )
    return released(model.finished(log.leaves), log.rows, 0.5, seed)


def with_target(codes, sizes, epsilon, seed):
    return ours(codes, sizes, epsilon, seed, target=len(sizes) - 1)


def with_tree(codes, sizes, epsilon, seed):
    return ours(codes, sizes, epsilon, seed, target=len(sizes) - 1, tree=TreeSettings())


def calibrated(codes, sizes, _epsilon, seed):
    """The release that promises nothing but its minimum support."""
    frame = pd.DataFrame(codes, columns=[str(c) for c in range(len(sizes))]).astype(str)
    model = Generator(rare_values="keep").fit(frame)
    return model.sample(len(codes), seed=seed).astype(int).to_numpy(np.int32)


def independent(codes, sizes, epsilon, seed):
    sigma = gaussian_sigma(rho_of(epsilon, DELTA) / len(sizes))
    variance, bits = usable_variance(sigma), RandomBits(seed)
    noisy = []
    for column, size in enumerate(sizes):
        counts = np.bincount(codes[:, column], minlength=size)
        noisy.append(shares(counts + discrete_gaussian(variance, size, bits), len(codes)))
    return drawn_from_tree(noisy, {}, len(codes), np.random.default_rng(seed))


def measured(method):
    def run(codes, sizes, epsilon, seed):
        begun = time.process_time()
        release = method(codes, sizes, epsilon, seed)
        seconds = time.process_time() - begun
        return release, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    return run


def rival(python, name, limit):
    def run(codes, _sizes, epsilon, seed):
        with tempfile.TemporaryDirectory() as folder:
            source, to = Path(folder, "in.npy"), Path(folder, "out.npy")
            np.save(source, codes)
            script = Path(__file__).with_name("private_rival.py")
            command = [python, script, name, source, to, str(epsilon), str(seed)]
            done = subprocess.run(
                [str(part) for part in command],
                capture_output=True,
                text=True,
                timeout=limit,
                check=True,
            )
            seconds, memory = done.stdout.split()[-2:]
            return np.load(to), float(seconds), int(memory)

    return run


OURS = {
    "ours": ours,
    "ours, target": with_target,
    "ours, target and tree": with_tree,
    "independent columns": independent,
    "calibrated, no promise": calibrated,
}
RIVALS = {"aim": "aim3", "mst": "mst"}
"""By the names of dpmm; AIM with tables of up to three columns."""


def methods(arguments):
    found = {name: measured(method) for name, method in OURS.items()}
    for name, of_dpmm in RIVALS.items() if arguments.rivals else ():
        found[name] = rival(arguments.rivals, of_dpmm, arguments.limit)
    return {name: run for name, run in found.items() if name in arguments.methods}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--epsilons", nargs="+", type=float, default=(0.1, 1.0, 10.0))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--methods", nargs="+", default=[*OURS, *RIVALS])
    parser.add_argument("--rivals", help="the Python of an environment with dpmm")
    parser.add_argument("--limit", type=float, default=3600, help="seconds for a run of a rival")
    parser.add_argument("--anew", action="store_true", help="run again what was kept before")
    arguments = parser.parse_args()
    done = set() if arguments.anew else {key_of(row) for row in harness.kept("private")}
    for table in arguments.tables:
        codes, sizes = load(table)
        rows = np.random.default_rng(1).permutation(len(codes))
        cut = round(HELD_OUT * len(rows))
        held_out, codes = codes[rows[:cut]], codes[rows[cut:]]
        for epsilon, seed in product(arguments.epsilons, range(arguments.seeds)):
            for name, run in methods(arguments).items():
                if (table, epsilon, name, seed) not in done:
                    case = {"table": table, "epsilon": epsilon, "method": name, "seed": seed}
                    keep(case | figures(run, codes, sizes, held_out, epsilon, seed))
    harness.show(means(harness.kept("private")))


def key_of(row):
    return row["table"], row["epsilon"], row["method"], row["seed"]


def figures(run, codes, sizes, held_out, epsilon, seed):  # noqa: PLR0913, PLR0917
    try:
        release, seconds, memory = run(codes, sizes, epsilon, seed)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as problem:
        return {"failed": type(problem).__name__}
    except BadInput as refusal:
        return {"failed": str(refusal)}
    found = zip(("tv1", "tv2", "tv3", "tv4"), distances(release, codes, sizes), strict=True)
    people = distances(release, held_out, sizes)
    return {name: float(value) for name, value in found} | {
        "tv2_people": float(people[1]),
        "tv3_people": float(people[2]),
        "accuracy": float(accuracy(release, held_out, sizes)),
        "seconds": seconds,
        "megabytes": memory,
    }


def keep(row):
    """Put one release beside those that are kept, in the place of an older one of its kind."""
    rows = [one for one in harness.kept("private") if key_of(one) != key_of(row)]
    harness.keep("private", sorted([*rows, row], key=key_of), packages=("scikit-learn",))
    harness.tell(*row.values())


def means(rows):
    """A line for each table, ε and method: the means over the seeds."""
    found = []
    for (table, epsilon, name), some in groupby(rows, lambda row: key_of(row)[:3]):
        made = [row for row in some if "failed" not in row]
        line = {"table": table, "epsilon": epsilon, "method": name, "seeds": len(made)}
        for figure in FIGURES if made else ():
            known = [row[figure] for row in made if figure in row]
            line[figure] = f"{np.mean(known):.4f}" if known else ""
        found.append(line)
    return found


if __name__ == "__main__":
    main()
