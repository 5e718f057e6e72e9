"""What can be wrong with an argument, and what each damaged call answers.

Run as a program with the name of a function: a native crash then ends this process and not the
test. It writes one line for each damaged call: argument, damage, answer.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

MEMORY = 4 << 30
"""What a refused call must not need: beyond, an allocation fails and says so."""


UNIQUE = {
    *("forbidden_items", "holders", "item_of_rank", "items", "leftovers", "link_items"),
    *("new_of_old", "order", "ranks", "set_items", "start", "value_items"),
}
"""Arrays whose last two numbers must differ."""


def damaged(argument: str, value: object) -> Iterator[tuple[str, object]]:
    """The damages of one argument, by name."""
    if isinstance(value, np.ndarray):
        yield from _damaged_arrays(value)
        if argument in UNIQUE:
            yield "duplicate", _with(value, -1, value[-2])
    elif isinstance(value, bool) or value is None:
        yield "wrong type", "yes"
    elif isinstance(value, int):
        yield from (("-1", -1), ("least", -(2**63)), ("huge", 2**62), ("wide", 2**64))
        yield "wrong type", None
    elif isinstance(value, float):
        for real in (np.nan, np.inf, -1.0):
            yield f"{real}", real
        yield "wrong type", None
    elif isinstance(value, str):
        yield "unknown name", "unheard of"
        yield "wrong type", 3
    elif isinstance(value, list):
        yield from _damaged_lists(value)
    else:
        yield "wrong type", object()


def _damaged_arrays(array: NDArray[Any]) -> Iterator[tuple[str, object]]:
    if array.ndim == 1:
        yield "short", array[:-1].copy()
        yield "long", np.append(array, array[-1:])
        yield "empty", array[:0].copy()
        yield "two-dimensional", array.reshape(1, -1)
        yield "not contiguous", np.repeat(array, 2)[::2]
    else:
        yield "short", np.ascontiguousarray(array[:, :-1])
        yield "fewer columns", np.ascontiguousarray(array[:-1])
        yield "not contiguous", np.asfortranarray(array)
    yield "wrong dtype", array.astype(np.float32)
    yield "wrong type", "abc"
    if array.dtype.kind == "f":
        for place in (0, -1):
            for real in (np.nan, np.inf, -np.inf, -1.0):
                yield f"{real} at {place}", _with(array, place, real)
    elif array.dtype.kind == "i":
        limits = np.iinfo(array.dtype)
        for place in (0, -1):
            for word, number in (
                ("least", limits.min),
                ("-2", -2),
                ("-1", -1),
                ("half of the most", limits.max // 2),
                ("most", limits.max),
            ):
                yield f"{word} at {place}", _with(array, place, number)


def _damaged_lists(value: list[Any]) -> Iterator[tuple[str, object]]:
    yield "wrong type", "abc"
    if isinstance(value[0], tuple):
        for pair in ((-1, 0), (0, 0), (0, 65535), (2**40, 1)):
            yield f"{pair}", [pair]
    else:
        for numbers in ([1, 2], [3, 3], [0], [-5], [2**70]):
            yield f"{numbers}", numbers


def _with(array: NDArray[Any], place: int, value: float) -> NDArray[Any]:
    changed = array.copy()
    changed[place] = value
    return changed


def answer(function: Any, arguments: dict[str, Any]) -> str:
    """The class of the exception and its words, or nothing where the call went through."""
    try:
        function(**arguments)
    except Exception as refusal:  # noqa: BLE001 - what it is, is the question
        return f"{type(refusal).__name__}: {refusal}"
    return ""


def main(extension: str, name: str) -> None:
    """Answer every damaged call of one function."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    native = loaded("halfmask._native", extension)
    calls = loaded("sound_calls", __file__.replace("damages.py", "sound_calls.py"))
    sound = calls.sound_calls(native)[name]
    function = getattr(native, name)
    function(**sound)
    for argument, value in sound.items():
        for damage, broken in damaged(argument, value):
            found = answer(function, sound | {argument: broken})
            sys.stdout.write(json.dumps([argument, damage, found]) + "\n")
            sys.stdout.flush()


def loaded(name: str, path: str) -> Any:
    """A module from a file, without the package around it."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(*sys.argv[1:])
