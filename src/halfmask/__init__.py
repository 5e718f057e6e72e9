"""halfmask: publish the patterns, not the people.

A data steward has a table of people or a list of baskets that must not leave the house. halfmask
makes a release that may: patterns kept, individuals hidden, both measured.

(`__init__.pyi` tells type checkers where the public names come from.)
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version as _version
from typing import Any

__version__ = _version("halfmask")
__all__ = [
    "BadInput",
    "Choice",
    "Generator",
    "HalfmaskError",
    "HalfmaskWarning",
    "Model",
    "Publication",
    "TargetNotMet",
    "choose_method",
    "measure",
    "publish",
]

_HOME = {
    "Generator": "halfmask.api",
    "Model": "halfmask.api",
    "measure": "halfmask.front",
    "Publication": "halfmask.publishing",
    "publish": "halfmask.front",
    "Choice": "halfmask.choosing.choice",
    "choose_method": "halfmask.choosing.choice",
    "BadInput": "halfmask.errors",
    "HalfmaskError": "halfmask.errors",
    "HalfmaskWarning": "halfmask.errors",
    "TargetNotMet": "halfmask.errors",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: `import halfmask` itself costs next to nothing."""
    if name not in _HOME:
        raise AttributeError(f"module 'halfmask' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
