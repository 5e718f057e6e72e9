"""Quality, processor seconds and memory of private releases of coded tables.

`python benchmarks/private.py DATA [--tables adult,nursery] [--epsilons 0.1,1,10] [--seeds 5]
[--rivals ENVIRONMENT]` prints a line for each release: the mean total variation distance of all
single columns, pairs, triples and of 100 sets of four, the accuracy of a tree that learns the last
column from the release, CPU seconds and peak memory. With the Python of an environment that has
dpmm, AIM and MST are run beside it, each in a process of its own.
"""

import argparse
import csv
import gzip
import resource
import subprocess
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

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
MOST_SETS = {1: 1000, 2: 3000, 3: 3000, 4: 100}


def load(folder, name):
    with gzip.open(folder / f"{name}.csv.gz", "rt") as file:
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
    log, model = learn(
        codes, sizes, epsilon=epsilon, delta=DELTA, select=select, bits=RandomBits(seed), key=seed
    )
    return released(model.finished(log.leaves), log.rows, 0.5)


def with_target(codes, sizes, epsilon, seed):
    return ours(codes, sizes, epsilon, seed, target=len(sizes) - 1)


def with_tree(codes, sizes, epsilon, seed):
    return ours(codes, sizes, epsilon, seed, target=len(sizes) - 1, tree=TreeSettings())


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


def methods(arguments):
    found = {"ours": measured(ours), "ours, target": measured(with_target)}
    found["ours, target and tree"] = measured(with_tree)
    found["independent columns"] = measured(independent)
    for name in ("aim3", "mst") if arguments.rivals else ():
        found[name] = rival(arguments.rivals, name, arguments.limit)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--epsilons", default="0.1,1,10")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rivals", help="the Python of an environment with dpmm")
    parser.add_argument("--limit", type=float, default=3600, help="seconds for a run of a rival")
    arguments = parser.parse_args()
    print("table  epsilon  method  TV1 TV2 TV3 TV4  accuracy  CPU s  MB")
    for table in arguments.tables.split(","):
        codes, sizes = load(arguments.data, table)
        rows = np.random.default_rng(1).permutation(len(codes))
        cut = round(HELD_OUT * len(rows))
        held_out, codes = codes[rows[:cut]], codes[rows[cut:]]
        for epsilon in map(float, arguments.epsilons.split(",")):
            for name, run in methods(arguments).items():
                report(table, epsilon, name, run, codes, sizes, held_out, arguments.seeds)


def report(table, epsilon, name, run, codes, sizes, held_out, seeds):  # noqa: PLR0913, PLR0917
    lines = []
    for seed in range(seeds):
        try:
            release, seconds, memory = run(codes, sizes, epsilon, seed)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as problem:
            print(f"{table}  {epsilon:g}  {name}  did not finish: {type(problem).__name__}")
            return
        found = [*distances(release, codes, sizes), accuracy(release, held_out, sizes)]
        lines.append([*found, seconds, memory])
    means = np.mean(lines, axis=0)
    shown = " ".join(f"{value:.4f}" for value in means[:4])
    print(f"{table}  {epsilon:g}  {name}  {shown}  {means[4]:.3f}  {means[5]:.1f}  {means[6]:.0f}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
