"""Memory: how much may be used, what a table needs of it, and what gives way when it is short.

A table is kept as small numbers from end to end; what that takes cannot be made smaller. The search
for patterns and the measures that mine take more for each row, and so they read fewer rows where
there is no room for more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from halfmask.errors import BadInput

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
          "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}  # fmt: skip
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Z]*)", re.ASCII)
_OURS = 0.8
"""Of what the machine has free, so much is taken unless the steward says otherwise."""

PROGRAM = 450_000_000
"""The interpreter, its libraries, the report and its pictures."""
OF_ROW, OF_CELL = 60, 20
"""Bytes of a row and of each of its cells: columns, codes, release, and what is counted in them."""
POOL, POOLED = 900_000_000, 1_000
"""Rows drawn to choose from: bytes for each row of the release, and in all at most."""
STOCK, STOCKED = 600_000_000, 90
"""Child rows drawn to be dealt out to parents: bytes for each cell of the release, and at most."""
SEARCHED, READ = 6_000, 1_500
"""Bytes of a row of the part that is searched, and of one that mining measures read."""
FEWEST = 20_000
"""With fewer rows than this a search finds too little, and a measure says too little."""


def give_back() -> None:
    """Give what was freed back to the system.

    The C library keeps it for its next allocations, in a heap for each few threads: after searches
    in several threads that is more than all that is in use.
    """
    from halfmask import _native  # `halfmask doctor` says what memory there is without it

    _native.give_back()


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes that may be used in all."""

    size: int
    said: bool = True
    """Whether the steward said so; otherwise it is what the machine has free."""

    @classmethod
    def of(cls, given: str | int | None = None) -> Memory:
        """What is allowed: a number of bytes, a text such as 8GB, or what the machine has free.

        >>> Memory.of("1.5GB").size, Memory.of("512 MiB").size
        (1500000000, 536870912)
        >>> Memory.of("a lot")
        Traceback (most recent call last):
        halfmask.errors.BadInput: Memory is a size such as 8GB or 512MB, not 'a lot'.
        """
        if given is None:
            return cls(int(_OURS * _free()), said=False)
        found = _SIZE.fullmatch(str(given).strip().upper())
        size = 0 if found is None else float(found[1]) * _UNITS.get(found[2], 0)
        if size < 1:
            raise BadInput(f"Memory is a size such as 8GB or 512MB, not {str(given)[:40]!r}.")
        return cls(int(size))

    def beside(self, *tables: tuple[int, int], about: bool = False, drawn: bool = True) -> int:
        """The bytes that are left beside tables (rows, columns), or why they do not fit.

        The first is the one to publish, or the parent of the others. `about` says that the rows of
        the last are not known exactly, `drawn` that releases are drawn and not only compared.

        >>> Memory(1_000_000_000).beside((10_000_000, 15))
        Traceback (most recent call last):
        halfmask.errors.BadInput: 10,000,000 rows of 15 columns need 5.1 GB of memory, and 1.0 GB
        are allowed; allow more (--memory), leave columns out (--drop), or publish fewer rows.
        """
        most = max(rows for rows, _ in tables)
        kept = PROGRAM + sum(rows * (OF_ROW + OF_CELL * columns) for rows, columns in tables)
        if drawn:
            dealt = max((rows * columns for rows, columns in tables[1:]), default=0)
            kept += min(POOL, POOLED * most) + min(STOCK, STOCKED * dealt)
        needed = kept + max(SEARCHED, READ) * min(most, FEWEST)
        if needed > self.size:
            verb = "publish" if drawn else "compare"
            raise BadInput(self._too_small(tables, needed, verb, about=about))
        return self.size - kept

    def _too_small(
        self, tables: Sequence[tuple[int, int]], needed: int, verb: str, *, about: bool
    ) -> str:
        sizes = [f"{rows:,} rows of {columns:,} columns" for rows, columns in tables]
        if about:
            rows, columns = tables[-1]
            sizes[-1] = f"about {float(f'{rows:.2g}'):,.0f} rows of {columns:,} columns"
        there = "are allowed" if self.said else "are free on this machine"
        named = " and ".join(sizes)
        return (
            f"{named[0].upper()}{named[1:]} need {spelled(needed)} of memory, and "
            f"{spelled(self.size)} {there}; allow more (--memory), leave columns out (--drop), "
            f"or {verb} fewer rows."
        )


def spelled(size: int) -> str:
    """Bytes as a person says them.

    >>> spelled(5_140_000_000), spelled(1_000_000)
    ('5.1 GB', '1 MB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 10**8 else f"{size / 1e6:,.0f} MB"


def _free() -> int:
    """Bytes that this process could still take: of the machine, or of the group it runs in."""
    limits = [_available()]
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            limits.append(int(Path(path).read_text(encoding="ascii")))
        except (OSError, ValueError):  # no such group, or no limit ("max")
            continue
    return min(limits)


def _available() -> int:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(1024 * int(x.split()[1]) for x in lines if x.startswith("MemAvailable"))
    except (OSError, StopIteration):  # not Linux: half of what is built in
        pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 1 << 20
        return pages * (os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096) // 2


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """Rows of a table that there is memory for, and those that are read with memory enough."""

    rows: int
    search_rows: int
    usual_search: int
    sample_rows: int
    usual_sample: int

    @classmethod
    def within(
        cls, allowed: Memory, *tables: tuple[int, int], search_rows: int, sample_rows: int
    ) -> MemoryBudget:
        """What fits beside tables (rows, columns); those that do not fit are refused.

        >>> small = MemoryBudget.within(
        ...     Memory.of("1GB"), (200_000, 15), search_rows=100_000, sample_rows=1_000_000
        ... )
        >>> small.enough, small.remarks
        (False, ('To keep within the memory allowed, patterns were searched in ... rows...',))
        """
        left = allowed.beside(*tables)
        rows = max(rows for rows, _ in tables)
        searched, read = min(search_rows, left // SEARCHED), min(sample_rows, left // READ)
        return cls(rows, searched, search_rows, read, sample_rows)

    @property
    def enough(self) -> bool:
        """Whether the search looks at as many rows as it would with any memory."""
        return self.search_rows >= min(self.usual_search, self.rows)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What gave way, as a sentence."""
        fewer = []
        if not self.enough:
            fewer.append(
                f"patterns were searched in {self.search_rows:,} rows instead of "
                f"{min(self.usual_search, self.rows):,}"
            )
        if self.sample_rows < min(self.usual_sample, self.rows):
            fewer.append(
                f"measures that mine read {self.sample_rows:,} rows of each side instead of "
                f"{min(self.usual_sample, self.rows):,}"
            )
        said = f"To keep within the memory allowed, {' and '.join(fewer)}."
        return (said,) if fewer else ()
