"""The random numbers of a kernel, for its plain Python twin."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from halfmask import _native


def uniforms(key: int, stream: int = 0) -> Iterator[float]:
    """The numbers in [0, 1) of one stream of a key, as native/common/uniforms.hpp makes them.

    >>> first = uniforms(7)
    >>> all(0 <= next(first) < 1 for _ in range(5)), next(uniforms(7)) == next(uniforms(7, 1))
    (True, False)
    """
    for index in count():
        for word in _native.philox(key, stream, index):
            yield (word >> 11) * 2.0**-53
