"""Kept: what several measures need, made once by the first that asks, whichever thread it is in."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Kept:
    """Values by name. Who asks for one that is being made waits for it; others do not.

    >>> kept = Kept()
    >>> kept.once("two", lambda: 1 + 1), kept.once("two", lambda: 3)
    (2, 2)
    """

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] = {}
        self._locks: dict[Hashable, threading.RLock] = {}

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """The value of this name; what fails to be made is tried again by the next who asks."""
        if name not in self._made:
            with self._locks.setdefault(name, threading.RLock()):
                if name not in self._made:
                    self._made[name] = make()
        made: T = self._made[name]
        return made
