"""Run: how the work is done. Its randomness, its threads, its progress and its stages."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from halfmask.errors import BadInput
from halfmask.randomness import Randomness

Progress = Callable[[int, int], bool]
"""Told (done, total); a search stops with the best so far when it answers False."""

T = TypeVar("T")

MOST_THREADS = 1_024


def thread_count(asked: int | None) -> int:
    """The threads to work with: those asked for, or all cores that this process may use.

    >>> thread_count(3)
    3
    >>> thread_count(0)
    Traceback (most recent call last):
    halfmask.errors.BadInput: threads is a whole number from 1 to 1,024, not 0.
    """
    if asked is None:
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable is not None else os.cpu_count() or 1
    if isinstance(asked, bool) or int(asked) != asked or not 1 <= asked <= MOST_THREADS:
        raise BadInput(f"threads is a whole number from 1 to {MOST_THREADS:,}, not {asked!r}.")
    return int(asked)


def together(tasks: Sequence[Callable[[], T]], threads: int) -> list[T]:
    """What each of several tasks gives, in their order, from so many threads at once.

    The caller's thread works too, so that Ctrl-C ends its task; no task is begun after one has
    failed, and the failure of the first of them is raised when all that were begun have ended.

    >>> together([lambda: 1, lambda: 2, lambda: 3], threads=2)
    [1, 2, 3]
    """
    if min(threads, len(tasks)) < 2:
        return [task() for task in tasks]
    work = _Work(tasks)
    helpers = [threading.Thread(target=work.go) for _ in range(min(threads, len(tasks)) - 1)]
    for helper in helpers:
        helper.start()
    try:
        work.go()
    finally:
        for helper in helpers:
            helper.join()
    if work.failures:
        try:
            raise work.failure
        finally:
            work.failures.clear()  # or all that stood around the failure would be kept with it
    return [work.found[number] for number in range(len(tasks))]


class Abandoned(BaseException):
    """A task ends because another one of the same work was stopped: nobody waits for it."""


class _Work:
    """Tasks that several threads take one after another, and what came of them."""

    def __init__(self, tasks: Sequence[Callable[[], object]]) -> None:
        self._left = iter(enumerate(tasks))
        self._lock = threading.Lock()
        self._around: _Work | None = getattr(_HERE, "work", None)
        self.found: dict[int, Any] = {}
        self.failures: dict[int, BaseException] = {}

    def go(self) -> None:
        before, _HERE.work = getattr(_HERE, "work", None), self
        try:
            self._go()
        finally:
            _HERE.work = before

    def _go(self) -> None:
        while not self.failures:
            with self._lock:
                number, task = next(self._left, (-1, None))
            if task is None:
                return
            try:
                self.found[number] = task()
            except BaseException as failure:  # noqa: BLE001 - raised by who asked for the work
                self.failures[number] = failure

    @property
    def stopped(self) -> bool:
        """Whether somebody wants nothing of it any more, as Ctrl-C says; an error does not."""
        wanted = all(isinstance(one, Exception) for one in [*self.failures.values()])
        return not wanted or (self._around is not None and self._around.stopped)

    @property
    def failure(self) -> BaseException:
        """What to raise: a stop before the first error, and before what was abandoned for it."""

        def order(number: int) -> tuple[bool, bool, int]:
            one = self.failures[number]
            return isinstance(one, Abandoned), isinstance(one, Exception), number

        return self.failures[min(self.failures, key=order)]


_HERE = threading.local()
"""The work that a thread takes part in."""


def heeding(progress: Progress | None) -> Progress | None:
    """The progress of a kernel, which also ends when the work it belongs to is stopped.

    Only the thread that began everything hears Ctrl-C.
    """
    work: _Work | None = getattr(_HERE, "work", None)
    if work is None:
        return progress

    def go_on(done: int, total: int) -> bool:
        if work.stopped:
            raise Abandoned
        return progress is None or progress(done, total)

    return go_on


_NAMES = ("reading", "searching patterns", "drawing", "measuring", "comparing settings", "writing")
_START = (0.3, 0.3, 0.1, 0.8, 0.5, 0.2)
"""Seconds of each stage however small the table is."""
_FIRST = (0.0, 2.0e-6, 0.0, 4.0e-6, 1.5e-6, 0.0)
"""Seconds for each of the first cells of the table: of longer ones a part is searched and mined."""
_FIRST_CELLS = 1_500_000
_PER_CELL = (0.15e-6, 0.9e-6, 1.3e-6, 0.8e-6, 0.7e-6, 0.2e-6)
"""Seconds for each cell of the table."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One look at the work."""

    name: str
    number: int
    of: int
    share: float
    """Of all the work, about so much is done."""
    seconds_left: float | None
    """About so long it takes still; unknown before the size of the table is."""


@dataclass
class Stages:
    """The stages of one publication, reported as they come to whoever wants to know.

    The cost of each stage is known roughly from the size of the table, on the machine it was
    measured on; how this machine compares shows in the stages that are done.

    >>> seen = []
    >>> stages = Stages(seen.append, clock=iter([0.0, 10.0]).__next__)
    >>> stages.size = (1_000_000, 15)
    >>> stages.begin("reading")
    >>> stages.begin("searching patterns")
    >>> [(stage.name, stage.number, round(stage.seconds_left)) for stage in seen]
    [('reading', 1, 74), ('searching patterns', 2, 142)]
    """

    tell: Callable[[Stage], None] | None = None
    size: tuple[int, int] | None = None
    """Rows and columns, once they are known."""
    clock: Callable[[], float] = time.monotonic
    _at: int = 0
    _began: float | None = field(default=None, repr=False)

    @classmethod
    def of(cls, progress: Progress | None) -> Stages:
        """Reported to a progress that has a method `stage`; others hear of patterns only."""
        return cls(getattr(progress, "stage", None))

    def begin(self, name: str) -> None:
        """A stage begins, and with it the one before ends."""
        self._at = _NAMES.index(name)
        self._look(0.0)

    def within(self, done: int, total: int) -> bool:
        """So much of the stage is done; the answer is to go on, whatever the time."""
        self._look(min(done / total, 1.0) if total else 0.0)
        return True

    def _look(self, part: float) -> None:
        if self.tell is None:
            return
        now = self.clock()
        self._began = now if self._began is None else self._began
        costs = self._costs()
        done = sum(costs[: self._at]) + part * costs[self._at]
        left = None if self.size is None else self._left(sum(costs) - done, done, now - self._began)
        self.tell(Stage(_NAMES[self._at], self._at + 1, len(_NAMES), done / sum(costs), left))

    def _costs(self) -> list[float]:
        rows, columns = self.size or (10_000, 10)
        cells = rows * columns
        first = min(cells, _FIRST_CELLS)
        return [
            start + early * first + each * cells
            for start, early, each in zip(_START, _FIRST, _PER_CELL, strict=True)
        ]

    @staticmethod
    def _left(left: float, done: float, took: float) -> float:
        """What is left as expected, more and more as fast as what was done went."""
        prior = 5.0  # seconds of work that the expectation is worth
        return left * (took + prior) / (done + prior)


@dataclass(frozen=True, slots=True)
class Run:
    """How the work is run."""

    randomness: Randomness
    threads: int = 1
    progress: Progress | None = None
    stages: Stages = field(default_factory=Stages)
    rows: int | None = None
    """Rows to draw; as many as the original has unless said."""
    keep: tuple[str, ...] = ()
    """Columns that are asked about, and so stay columns of their own."""
    supports: bool = False
    """Whether higher supports are learnt too, so that settings can be compared."""

    def apart(self, name: str) -> Run:
        """The same with randomness of its own."""
        return replace(self, randomness=self.randomness.apart(name))

    def among(self, tasks: int) -> Run:
        """The same for each of several tasks that are worked on at once."""
        return replace(self, threads=max(1, self.threads // max(tasks, 1)))
