"""Lab: what a running experiment is given: the data, the randomness and how much work to do."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from halfmask.randomness import Randomness
from halfmask_reproduction.environments import Environments
from halfmask_reproduction.shelf import Shelf

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Lab:
    """Data, randomness and effort; what several experiments need is made once.

    >>> Lab(Shelf.at(None), seed=1, quick=True).repeats(10, quick=2)
    2
    >>> Lab(Shelf.at(None), seed=1, most_runs=4, quick=True).repeats(10, quick=2)
    4
    >>> Lab(Shelf.at(None), seed=1, most_runs=4, quick=True).repeats(10, quick=2, slow=True)
    2
    """

    shelf: Shelf
    seed: int
    most_runs: int | None = None
    quick: bool = False
    small: bool = False
    """Whether data that an experiment makes itself are tiny, for a trial of the whole."""
    threads: int = 1
    environments: Environments = field(default_factory=lambda: Environments.at(None))
    """Where other programs are, for experiments that run beside them."""
    tell: Callable[[str], None] = field(default=lambda _: None)
    """Told what is being done."""
    _made: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def effort(self) -> str:
        """How many runs, in words."""
        parts = ["quick"] if self.quick else []
        if self.most_runs is not None:
            parts.append(f"at most {self.most_runs}")
        return ", ".join(parts) or "full"

    def repeats(self, full: int, *, quick: int, slow: bool = False) -> int:
        """How many runs an experiment does that was published with `full` of them.

        The number asked for is the most; in a quick run it holds for all but what is slow.
        """
        asked = self.most_runs
        if self.quick and (slow or asked is None):
            return quick if asked is None else min(quick, asked)
        return full if asked is None else min(full, asked)

    def randomness(self, *use: object) -> Randomness:
        """The randomness of one use; another use, or another run, gets its own."""
        return Randomness(Randomness(self.seed).key(" / ".join(map(str, use))))

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """What several experiments need, made by the first that asks."""
        if name not in self._made:
            self._made[name] = make()
        made: T = self._made[name]
        return made
