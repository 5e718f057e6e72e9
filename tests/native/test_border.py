"""Nothing that comes in from Python makes a kernel read or write where it must not.

Every argument of every native function is damaged in every way that its kind allows. A damaged
call is refused; where a damaged value has a meaning of its own, `MEANT` says so.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from native.sound_calls import PROCESS, ROWS, sound_calls

from halfmask import _native

PROGRAM = Path(__file__).with_name("damages.py")
NOT_CALLED = {"SampledRows", "TooManyItemsets"}
"""What kernels hand out; Python makes none of them."""

FIRST_OR_LAST = ("at 0", "at -1")


def either(*words: str) -> set[str]:
    """A number at the first or at the last place."""
    return {f"{word} {place}" for word in words for place in FIRST_OR_LAST}


LISTS_OF_ANY_LENGTH = {"short", "long", "empty"}
LARGE = either("half of the most", "most")
UNCOUNTED = {"huge"}

MEANT: dict[str, set[str]] = {
    # Numbers of which any will do; threads are no more than can be of use, limits are none.
    "cache_bytes": UNCOUNTED,
    "first": UNCOUNTED,
    "first_row": UNCOUNTED,
    "floor": UNCOUNTED,
    "index": UNCOUNTED,
    "key": UNCOUNTED,
    "max_bytes": UNCOUNTED,
    "max_itemsets": UNCOUNTED,
    "max_length": UNCOUNTED,
    "min_bucket": UNCOUNTED,
    "mine.min_support": UNCOUNTED,
    "slim.min_support": UNCOUNTED,
    "most_steps": UNCOUNTED,
    "most_work": UNCOUNTED,
    "number": UNCOUNTED,
    "stream": UNCOUNTED,
    "threads": UNCOUNTED,
    "rake.tolerance": {"inf"},
    "rake_sets.tolerance": {"inf"},
    "stalled": {"inf"},
    # Noisy counts and potentials may lie below nothing; a fit has any number of rounds.
    "count_cells.codes": {"empty"},
    "count_cells.sizes": {"long"},
    "fit_loglinear.counts": either("-1.0"),
    "fit_loglinear.potentials": either("-1.0"),
    "fit_loglinear.steps": LISTS_OF_ANY_LENGTH,
    "fit_loglinear.last_steps": LISTS_OF_ANY_LENGTH,
    "fit_loglinear.pairs": {"empty"},
    # Scores and sums may lie below nothing; any rows may be chosen to begin with.
    "balance.chosen": LISTS_OF_ANY_LENGTH,
    "balance.scores": either("-1.0") | {"long"},
    "balance.wanted": either("-1.0"),
    # A sum of nothing is 0; a sign may be either, a floor as high as it likes.
    "settle.offsets": {"long"},
    "settle.signs": either("-1"),
    "settle.floors": LARGE | either("half of the most", "most"),
    "cell_moments.vector": either("-1.0") | {"long"},
    # One basket, question or object more or less; a basket that cannot be so large stays smaller.
    "fill_baskets.sizes": LISTS_OF_ANY_LENGTH | LARGE,
    "sample_baskets.sizes": LISTS_OF_ANY_LENGTH | LARGE,
    "sample_linked_baskets.sizes": LISTS_OF_ANY_LENGTH | LARGE,
    "close_buckets.order": {"short", "empty"},
    "leftovers": {"short", "empty"},
    "start": {"short"},
    "queries": {"short"},
    "nearest.reference": {"short"},
    # An empty set, value, bucket, column or margin more.
    "holders.set_offsets": {"long"},
    "supports.set_offsets": {"long"},
    "expected_supports.set_offsets": {"long"},
    "value_offsets": {"long"},
    "forbidden_offsets": {"long"},
    "expected_supports.starts": {"long"},
    "expected_supports.bucket_sizes": {"long"},
    "expected_supports.column_of": {"long"},
    "rake_sets.multiplicities": {"long"},
    "row_order.sizes": {"long"},
    # No value, no bucket, no leaf, no slot, no label, not told.
    "at_a": either("-1"),
    "at_b": either("-1"),
    "bucket_of": either("-1"),
    "grow_tree.codes": either("-1"),
    "lead_rows.codes": either("-1") | {"empty"},
    "lead_rows.path_offsets": {"long"},  # a path without a split more
    "lead_rows.values": LARGE,  # a value that no row has
    "labels": either("-1"),
    "leaf_of": either("-1"),
    "left": either("-1"),
    "right": either("-1"),
    "slots": either("-1"),
    "told": either("-1.0"),
    "rest": either("-1.0"),
    "row_probabilities.codes": {"empty"} | either("-1", "-2", "least"),
    "estimate_probabilities.codes": {"empty"} | either("-1", "-2", "least"),
    "row_order.codes": {"empty"},
    # No order, no links, no key: what they would fix is left to chance, or to the order given.
    "Process.order": {"empty"},
    "link_offsets": {"empty"},
    "settle_leftovers.key": {"empty"},
    # Some rows stand for very many; elements without a code are infinitely long; patterns of Quest
    # may repeat an item; a path may split on as many columns as there are.
    **{
        f"{name}.weights": either("half of the most")
        for name in ("column_values", "distinct", "distort", "encode", "holders", "relabelled")
    },
    "supports.weights": either("half of the most"),
    "lengths": either("inf"),
    "fill_baskets.items": {"duplicate"},
    "most": LARGE,
}

CALLS = sorted(sound_calls(_native))


def meant(name: str, argument: str) -> set[str]:
    """The damages that are none."""
    return MEANT.get(f"{name}.{argument}", set()) | MEANT.get(argument, set())


def answers(name: str) -> list[tuple[str, str, str]]:
    """Argument, damage and answer of every damaged call, made in a process of its own."""
    command = [sys.executable, str(PROGRAM), str(_native.__file__), name]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)  # noqa: S603
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0, f"ended after {lines[-1:]} with {run.returncode}: {run.stderr}"
    return [(argument, damage, found) for argument, damage, found in lines]


def test_every_native_function_is_called():
    offered = {name for name in vars(_native) if not name.startswith("__")}
    assert set(CALLS) == offered - NOT_CALLED


@pytest.mark.parametrize("name", CALLS)
def test_damaged_arguments_are_refused(name):
    found = answers(name)
    assert {argument for argument, _, _ in found} == set(sound_calls(_native)[name])
    taken = {(argument, damage) for argument, damage, answer in found if not answer}
    assert taken == {(a, damage) for a, damage, _ in found if damage in meant(name, a)}
    for argument, damage, answer in found:
        kind, _, reason = answer.partition(": ")
        assert kind in {"", "ValueError", "TypeError"}, (argument, damage, answer)
        if kind == "ValueError":
            assert reason, (argument, damage)
            assert "\n" not in reason, (argument, damage, answer)


def test_every_meaning_belongs_to_an_argument():
    known = {f"{name}.{a}" for name, sound in sound_calls(_native).items() for a in sound}
    names = {a for each in known for a in (each, each.partition(".")[2])}
    assert set(MEANT) <= names


def test_an_array_that_changes_later_does_not_change_a_process():
    arrays = {name: array.copy() for name, array in PROCESS.items()}
    process = _native.Process(**arrays)
    before = _native.walk_process(process, 0.0, 1000, None)
    arrays["items"][:] = 2**30
    arrays["offsets"][:] = 2**40
    assert _native.walk_process(process, 0.0, 1000, None) == before


def test_numbers_that_do_not_add_up_are_refused():
    with pytest.raises(ValueError, match="more than a number can hold"):
        _native.Process(**PROCESS | {"weights": np.full(5, 1e308)})
    with pytest.raises(ValueError, match="more than 64 bits"):
        _native.distinct(**ROWS | {"weights": np.full(4, 2**62)})
    with pytest.raises(ValueError, match="a set that covers"):
        _native.encode(
            **ROWS,
            set_offsets=np.array([0, 0], np.int64),
            set_items=np.empty(0, np.int32),
            lengths=np.ones(5),
        )


def test_more_threads_than_there_could_be_change_nothing():
    rng = np.random.default_rng(1)
    table = rng.integers(0, 3, (4, 1000)).astype(np.uint8)
    one = _native.nearest(table, table[:, :300].copy(), 1)
    many = _native.nearest(table, table[:, :300].copy(), 2**31)
    assert all((a == b).all() for a, b in zip(one, many, strict=True))
