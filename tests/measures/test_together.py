"""Measures read by several threads read what one thread reads, and things are made once."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from halfmask.data import Attribute, Schema, Table
from halfmask.measures import Comparison, compare
from halfmask.measures.kept import Kept
from halfmask.randomness import Randomness
from halfmask.run import heeding, together

SCHEMA = Schema(tuple(Attribute(name, ("x", "y", "z")) for name in "abcde"))


def rows(count, seed):
    codes = np.random.default_rng(seed).integers(0, 3, (count, 5))
    codes[:, 1] = np.where(np.arange(count) % 3, codes[:, 0], codes[:, 1])
    return Table(SCHEMA, codes.astype(np.int32))


def test_readings_do_not_depend_on_threads():
    def read(threads):
        sides = (rows(900, 1), rows(900, 2), rows(300, 3))
        comparison = Comparison(*sides, randomness=Randomness(4), threads=threads)
        return [item.to_dict() for item in compare(comparison)]

    assert read(1) == read(2) == read(5)


def test_results_come_in_the_order_of_the_tasks():
    def task(number):
        time.sleep(0.01 * (5 - number))
        return number

    tasks = [lambda n=n: task(n) for n in range(5)]
    assert together(tasks, threads=5) == together(tasks, threads=1) == list(range(5))


def test_the_first_failure_is_raised_and_nothing_is_begun_after_it():
    begun = []

    def task(number):
        begun.append(number)
        if number == 0:
            time.sleep(0.05)
        if number < 2:
            raise ValueError(str(number))

    with pytest.raises(ValueError, match=r"^0$"):
        together([lambda n=n: task(n) for n in range(50)], threads=2)
    assert {0, 1} <= set(begun)
    assert len(begun) <= 3


@pytest.mark.parametrize("inner", [1, 2])
def test_a_stop_also_ends_what_other_threads_search(inner):
    """Only one thread hears Ctrl-C; searches of the others would go on for half a minute."""

    def endless():
        go_on = heeding(None)
        while go_on(0, 0):
            time.sleep(0.001)

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        together([lambda: together([endless] * inner, inner), stop], threads=2)
    assert heeding(None) is None  # nothing of it is left


def test_what_several_threads_ask_for_is_made_once():
    kept, made, ready = Kept(), [], threading.Barrier(4)

    def make():
        made.append(1)
        time.sleep(0.02)
        return object()

    def ask():
        ready.wait()
        return kept.once("it", make)

    found = together([ask] * 4, threads=4)
    assert len(made) == 1
    assert len(set(map(id, found))) == 1


def test_what_failed_to_be_made_is_tried_again():
    kept = Kept()
    with pytest.raises(ZeroDivisionError):
        kept.once("it", lambda: 1 / 0)
    assert kept.once("it", lambda: 2) == 2
