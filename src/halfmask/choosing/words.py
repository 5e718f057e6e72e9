"""Words: small sentences of the framework."""

from __future__ import annotations

from collections.abc import Sequence


def listed(parts: Sequence[str]) -> str:
    """Several things in one breath.

    >>> listed(["accuracy"]), listed(["a", "b", "c"])
    ('accuracy', 'a, b and c')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
