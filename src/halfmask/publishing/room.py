"""Room: how many rows the greedy steps of a publication may take, and what is said of few."""

from __future__ import annotations

from dataclasses import dataclass

from halfmask.measures.comparison import SAMPLE
from halfmask.memory import READ, SEARCHED, Memory
from halfmask.methods.generator import part as part_searched


@dataclass(frozen=True, slots=True)
class Room:
    """Rows of a table that there is memory for, and those that are looked at with memory enough."""

    rows: int
    search_rows: int
    usual_search: int
    sample_rows: int

    @classmethod
    def within(
        cls, allowed: Memory, *tables: tuple[int, int], search_rows: int | None = None
    ) -> Room:
        """What fits beside tables (rows, columns); those that do not are refused.

        >>> room = Room.within(Memory.of("1GB"), (200_000, 15))
        >>> room.enough, room.remarks
        (False, ('To keep within the memory allowed, patterns were searched in ... rows...',))
        """
        left = allowed.beside(*tables)
        usual = search_rows or part_searched.SEARCHED["slim"]
        rows = max(rows for rows, _ in tables)
        return cls(rows, min(usual, left // SEARCHED), usual, min(SAMPLE, left // READ))

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
        if self.sample_rows < min(SAMPLE, self.rows):
            fewer.append(
                f"measures that mine read {self.sample_rows:,} rows of each side instead of "
                f"{min(SAMPLE, self.rows):,}"
            )
        told = f"To keep within the memory allowed, {' and '.join(fewer)}."
        return (told,) if fewer else ()
