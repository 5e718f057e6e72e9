"""Extras: libraries that only some formats need, named in a sentence where they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from halfmask.errors import BadInput


def needs(module: str, extra: str, what: str) -> Any:
    """The module, or how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise BadInput(
            f"{what}, {module} is needed; install it with pip install 'halfmask[{extra}]'."
        ) from None
