"""Keys: columns that number the rows, and the fresh numbers that stand in their place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args
from uuid import UUID

from halfmask.errors import BadInput
from halfmask.randomness import stream_from

KeyStyle = Literal["number", "text", "uuid"]


@dataclass(frozen=True, slots=True)
class Key:
    """A column that tells every row from every other: a release numbers its rows afresh.

    >>> Key("id", 0).fresh(2, first=10, stream=1)
    ['11', '12']
    >>> Key("id", 0, "string", "text").fresh(1, first=0, stream=1)
    ['00000001']
    """

    name: str
    position: int
    """Where the column stands in the release."""
    storage: str = "int64"
    style: KeyStyle = "number"

    def __post_init__(self) -> None:
        if self.style not in get_args(KeyStyle) or self.position < 0:
            raise BadInput(f"The key {self.name!r} has an unknown place or style.")

    def fresh(self, rows: int, *, first: int, stream: int) -> list[str]:
        """New keys for the rows after the `first` ones; they say nothing about the old.

        `stream` keys the randomness of UUIDs: a row has the same however the table is cut.
        """
        if self.style == "uuid":
            words = stream_from(stream, 2 * first).bytes(16 * rows)
            return [str(UUID(bytes=words[16 * i : 16 * i + 16], version=4)) for i in range(rows)]
        width = 8 if self.style == "text" else 1
        return [f"{number:0{width}d}" for number in range(first + 1, first + rows + 1)]
