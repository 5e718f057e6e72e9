"""Publish every table in a folder with no option, and say what became of it.

python benchmarks/real_tables.py DIR [--most-rows N] [--limit SECONDS] [--results FILE] [--seed 1]
                                     [--holdout SHARE] [--halves]

Each table is published in a process of its own (a fork of this one, one thread), so that processor
time and memory are its own. The release is then compared with the original: means and standard
deviations of numbers, rank correlations of all pairs of them, how values are written, which cells
and columns are gone. Beside each error stands that of a bootstrap: as many rows of the original,
drawn with replacement. Standard deviations are also told apart by where the variance lies: a column
has far rows if it would lose a tenth of its standard deviation were the outermost rows, fewer than
the minimum support on each side, no further out than the next; no release can tell those safely.

By default a fifth of a table, at most 5,000 rows, is held back and nothing is learnt from it, so
that a release is off by the chance of that too; --holdout 0 shows what the method itself does.

With --halves a random half of each table is published and compared with the other half, of whom
nothing was learnt; in the place of the bootstrap then stands the published half itself, as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import harness
import numpy as np
import pandas as pd

import halfmask
from halfmask.errors import BadInput, HalfmaskError, TargetNotMet

CLASSES = {"below 100": (0, 100), "100 to 1,000": (100, 1_000), "1,000 and more": (1_000, 10**9)}
FORMS = ("decimals", "whole", "spelling", "empty", "gone")
STRONG = 0.5
"""A rank correlation of this size is a strong one."""
FORM = 0.5
"""Decimals that differ by more than this on average are another way of writing."""
FAR = 0.1
"""Columns that lose more of their standard deviation with their outermost rows have far rows."""
NUMBER = re.compile(r"[+-]?\d*\.?\d+([eE][+-]?\d+)?")


def published(path: Path, output: Path, options: dict[str, Any], limit: int) -> dict[str, Any]:
    """What a process of its own says: exit code, sentence, verdict, time and memory."""
    reading, writing = os.pipe()
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        said = _in_child(path, output, options)
        with os.fdopen(writing, "w") as file:
            json.dump(said, file)
        os._exit(said["exit"])
    os.close(writing)
    with os.fdopen(reading) as file:
        told = file.read()
    _, status, used = os.wait4(child, 0)
    said = json.loads(told) if told else {"exit": status, "sentence": f"ended with {status}"}
    return said | {
        "seconds": round(time.perf_counter() - start, 2),
        "processor_seconds": round(used.ru_utime + used.ru_stime, 2),
        "megabytes": round(used.ru_maxrss / 1024),
    }


def _in_child(path: Path, output: Path, options: dict[str, Any]) -> dict[str, Any]:
    """The exit codes are those of the command line; 70 is a traceback."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = halfmask.publish(str(path), output=output, force=True, threads=1, **options)
    except HalfmaskError as error:
        code = 2 if isinstance(error, BadInput) else 3 if isinstance(error, TargetNotMet) else 1
        return {"exit": code, "sentence": str(error)}
    except Exception as error:  # noqa: BLE001 - what is looked for
        return {"exit": 70, "sentence": f"{type(error).__name__}: {error}"}
    tracing = result.readings.get("tracing")
    return {
        "exit": 0,
        "verdict": result.verdict.word,
        "sentence": str(result.verdict),
        "remarks": list(result.remarks),
        "min_support": result.first.min_support,
        "tracing": None if tracing is None else tracing.value,
    }


def numbers_of(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns of numbers; a few words in them are missing values."""
    found = {}
    for name in frame:
        values = pd.to_numeric(frame[name], errors="coerce")
        if values.notna().sum() >= 0.9 * frame[name].notna().sum() > 0 and values.std() > 0:
            found[name] = values
    return pd.DataFrame(found)


def far_rows(values: pd.Series, floor: int) -> bool:
    """Whether the outermost rows of a column, too few to be told, hold much of its variance."""
    ordered = np.sort(values.dropna().to_numpy())
    if len(ordered) < 2 * floor:
        return True
    inside = np.clip(ordered, ordered[floor - 1], ordered[-floor])
    return bool(inside.std() < (1 - FAR) * ordered.std())


def errors(
    original: pd.DataFrame, other: pd.DataFrame, near: Sequence[str] = ()
) -> dict[str, list[Any]]:
    """Means in standard deviations, relative standard deviations, pairs of rank correlations."""
    names = [name for name in original if name in other]
    one, two = original[names], other[names].apply(pd.to_numeric, errors="coerce")
    spread = one.std()
    with np.errstate(invalid="ignore", divide="ignore"):
        ranks = [frame.corr("spearman", min_periods=10).to_numpy() for frame in (one, two)]
    above = np.triu_indices(len(names), 1)
    pairs = np.stack([matrix[above] for matrix in ranks], axis=1)
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    changes = (two.std() / spread - 1).replace([np.inf], np.nan).dropna()
    return {
        "means": ((two.mean() - one.mean()) / spread).abs().dropna().tolist(),
        "deviations": changes.tolist(),
        "near deviations": changes[[name for name in changes.index if name in near]].tolist(),
        "correlations": pairs.round(4).tolist(),
    }


def decimals(texts: pd.Series) -> pd.Series:
    """How many decimals each number is written with."""
    whole = texts[texts.map(lambda text: bool(NUMBER.fullmatch(text)))]
    return whole.map(lambda text: len(text.partition(".")[2].rstrip("0")))


def shape(text: str) -> str:
    """How a value is written, whatever its digits: 3.50 is 9.9.

    >>> shape("-$1,250.00"), shape("007"), shape("12 Mar")
    ('$9,9.9', '09', '9 Aaa')
    """
    text = re.sub(r"(?<![\d.,])0\d+", "09", text.lstrip("+-"))
    text = re.sub(r"(?<!0)[1-9]\d*|(?<!\d)0+(?!\d|9)|(?<=[.,])\d+", "9", text)
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", text))


def written(original: pd.DataFrame, release: pd.DataFrame) -> dict[str, list[str]]:
    """Columns that are written in another way, lost their empty cells, or are gone."""
    found: dict[str, list[str]] = {what: [] for what in FORMS}
    for name in original:
        if name not in release:
            found["gone"].append(str(name))
            continue
        one, two = original[name].dropna(), release[name].dropna()
        before, after = decimals(one), decimals(two)
        if len(before) > len(one) / 2 and len(after):
            if ("." in "".join(one)) != ("." in "".join(two)):
                found["whole"].append(str(name))
            elif abs(min(before.mean(), 12) - min(after.mean(), 12)) > FORM:
                found["decimals"].append(str(name))
        elif len(two) and one.map(shape).mode()[0] not in set(two.map(shape)):
            found["spelling"].append(str(name))
        if original[name].isna().any() and not release[name].isna().any():
            found["empty"].append(str(name))
    return found


def texts_of(path: Path) -> pd.DataFrame:
    """A table as it is written; one that pandas cannot read has no rows."""
    for encoding in ("utf-8-sig", "cp1252"):
        with suppress(UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError):
            return pd.read_csv(
                path, dtype=str, keep_default_na=False, na_values=[""], encoding=encoding
            )
    return pd.DataFrame()


def looked_at(
    path: Path, folder: Path, options: dict[str, Any], limit: int, *, halves: bool
) -> dict[str, Any]:
    """One table: how it went, and what its release is worth."""
    output = folder / "release.csv"
    seed = options["seed"]
    every = texts = texts_of(path)
    if halves:
        texts, path = every.sample(frac=0.5, random_state=seed), folder / path.name
        texts.to_csv(path, index=False)
    said = {"table": path.name, "rows": len(texts), "columns": texts.shape[1]}
    said |= published(path, output, options, limit)
    if said["exit"]:
        return said
    release = texts_of(output)
    numbers = numbers_of(texts)
    again = numbers.sample(len(numbers), replace=True, random_state=seed)
    if halves:
        numbers, again = numbers_of(every.drop(texts.index)), numbers
    near = [name for name in numbers if not far_rows(numbers[name], said["min_support"])]
    return said | {
        "errors": errors(numbers, release, near),
        "bootstrap": errors(numbers, again, near),
        "written": written(texts, release),
        "of_numbers": numbers.shape[1],
        "with_empty": int(texts.isna().any().sum()),
    }


def _median(values: Iterable[float]) -> float:
    found = list(values)
    return float(np.median(found)) if found else float("nan")


def _line(tables: Sequence[dict[str, Any]], which: str) -> dict[str, float]:
    """The errors of many tables: all their pairs alike, or each table as much as another."""
    pairs = [np.array(t[which]["correlations"]) for t in tables if t[which]["correlations"]]
    every = np.concatenate(pairs) if pairs else np.zeros((0, 2))
    strong = [one[np.abs(one[:, 0]) >= STRONG] for one in pairs]
    kept = [one[:, 1] / one[:, 0] for one in strong if len(one)]
    spreads = [x for t in tables for x in t[which]["deviations"]]
    near = [x for t in tables for x in t[which]["near deviations"]]
    return {
        "means": _median(x for t in tables for x in t[which]["means"]),
        "deviations": _median(map(abs, spreads)),
        "deviations, signed": _median(spreads),
        "deviations without far rows": _median(map(abs, near)),
        "deviations without far rows, signed": _median(near),
        "correlations": _median(np.abs(every[:, 1] - every[:, 0])),
        "of a table": _median(_median(np.abs(one[:, 1] - one[:, 0])) for one in pairs),
        "strong kept": _median(x for one in kept for x in one),
        "strong kept, of a table": _median(map(_median, kept)),
    }


def _went_out(tables: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many were published, and how many of their columns are written in another way."""
    out = [table for table in tables if table["exit"] == 0]
    every: dict[str, Any] = {
        "tables": len(tables),
        "published": len(out),
        "exits": dict(Counter(str(table["exit"]) for table in tables)),
        "verdicts": dict(Counter(table["verdict"] for table in out)),
        "processor_seconds": round(sum(table["processor_seconds"] for table in tables), 1),
        "columns": sum(table["columns"] for table in out),
        "numbers": sum(table["of_numbers"] for table in out),
        "with_empty": sum(table["with_empty"] for table in out),
    }
    return every | {what: sum(len(table["written"][what]) for table in out) for what in FORMS}


def summary(tables: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The figures over all tables, and by size."""
    every = _went_out(tables)
    for name, (least, most) in CLASSES.items():
        some = [table for table in tables if least <= table["rows"] < most]
        out = [table for table in some if table["exit"] == 0]
        traced = [table["tracing"] for table in out if table["tracing"] is not None]
        every[name] = _went_out(some) | {
            "tracing": _median(traced),
            "release": _line(out, "errors"),
            "bootstrap": _line(out, "bootstrap"),
        }
    return every


def tables_in(folder: Path, most_rows: int) -> list[Path]:
    """The CSV files that have at most so many lines."""
    found = []
    for path in sorted(folder.glob("*.csv")):
        with path.open("rb") as file:
            if (
                sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
                <= most_rows
            ):
                found.append(path)
    return found


def main() -> None:
    """Publish all, print a line for each, and the figures at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most-rows", type=int, default=50_000)
    parser.add_argument("--limit", type=int, default=600, help="processor seconds for a table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--holdout", type=float, help="as in publish; by default as there")
    parser.add_argument("--halves", action="store_true", help="publish half, ask the other half")
    parser.add_argument("--results", type=Path, help="keep what was seen of every table here")
    given = parser.parse_args()
    harness.pin(1)
    options = {"seed": given.seed}
    if given.holdout is not None:
        options["holdout"] = given.holdout
    seen = []
    with tempfile.TemporaryDirectory() as scratch:
        for path in tables_in(given.folder, given.most_rows):
            for old in Path(scratch).iterdir():
                old.unlink()
            one = looked_at(path, Path(scratch), options, given.limit, halves=given.halves)
            seen.append(one)
            told = one["verdict"] if one["exit"] == 0 else one["sentence"]
            print(
                f"{one['exit']} {one['processor_seconds']:6.1f} s {one['megabytes']:5} MB "
                f"{one['rows']:6} × {one['columns']:<4} {path.name}: {told[:160]}",
                flush=True,
            )
    found = summary(seen)
    print(json.dumps(found, indent=1))
    if given.results is not None:
        given.results.write_text(json.dumps({"summary": found, "tables": seen}, indent=1))
    with suppress(BrokenPipeError):
        sys.stdout.flush()


if __name__ == "__main__":
    main()
