"""One seed, or the operating system's entropy, and a named child generator for each use.

The seed itself never leaves: it is not stored in a release, a model or a report, because a reader
who knows it can replay a generator or undo a distortion.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from halfmask.errors import BadInput


class Randomness:
    """A source of named, independent streams.

    The same seed and the same name give the same stream, whatever was drawn before:

    >>> Randomness(7).child("rows").integers(9, size=4).tolist()
    [0, 5, 0, 7]
    >>> Randomness(7).key("rows") == Randomness(7).key("columns")
    False
    """

    __slots__ = ("_entropy", "seeded")

    def __init__(self, seed: int | None = None) -> None:
        if seed is not None and (isinstance(seed, bool) or int(seed) != seed or seed < 0):
            raise BadInput(f"A seed is a whole number of at least 0, not {seed!r}.")
        self.seeded = seed is not None
        entropy = np.random.SeedSequence(None if seed is None else int(seed)).entropy
        assert isinstance(entropy, int)  # noqa: S101 - SeedSequence was given an int or nothing
        self._entropy = entropy

    def child(self, name: str) -> np.random.Generator:
        """A numpy generator for the use called `name`."""
        return np.random.default_rng(self._sequence(name))

    def key(self, name: str) -> int:
        """A 64-bit key for a native kernel that makes its own counter-based streams."""
        return int(self._sequence(name).generate_state(1, np.uint64)[0])

    def long_key(self, name: str) -> NDArray[np.uint64]:
        """A 256-bit key, as four words, for the streams that protect a release."""
        return np.asarray(self._sequence(name).generate_state(4, np.uint64), np.uint64)

    def apart(self, name: str) -> Randomness:
        """Another source: its streams have nothing to do with those of the same names here.

        >>> Randomness(7).apart("visits").key("rows") == Randomness(7).key("rows")
        False
        """
        other = Randomness(int.from_bytes(self.long_key(name).tobytes(), "little"))
        other.seeded = self.seeded
        return other

    def _sequence(self, name: str) -> np.random.SeedSequence:
        digest = hashlib.blake2b(name.encode(), digest_size=16).digest()
        words = tuple(int(word) for word in np.frombuffer(digest, np.uint32))
        return np.random.SeedSequence(self._entropy, spawn_key=words)

    def __repr__(self) -> str:
        return f"Randomness({'seeded' if self.seeded else 'from the operating system'})"


def stream_from(key: int, first: int) -> np.random.Generator:
    """The endless stream of a key from its number `first` on, 64 bits each.

    >>> stream_from(7, 0).random(6)[2:].tolist() == stream_from(7, 2).random(4).tolist()
    True
    """
    bits = np.random.Philox(key=key)
    bits.advance(first // 4)  # it makes four at each step
    bits.random_raw(first % 4)
    return np.random.Generator(bits)
