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
_HOME = {
    "BadInput": "halfmask.errors",
    "Baskets": "halfmask.data",
    "Choice": "halfmask.choosing.selection",
    "Generator": "halfmask.estimators",
    "HalfmaskError": "halfmask.errors",
    "HalfmaskWarning": "halfmask.errors",
    "Model": "halfmask.estimators",
    "Publication": "halfmask.publishing.publication",
    "TargetNotMet": "halfmask.errors",
    "class_dissimilarities": "halfmask.publishing.between",
    "choose_method": "halfmask.choosing.choice",
    "measure": "halfmask.publishing.measure_files:measure_files",
    "publish": "halfmask.publishing.publish",
}
"""The public names, and the modules that hold them."""
__all__ = [*_HOME]  # noqa: PLE0604 - text, all of it


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: `import halfmask` itself costs next to nothing."""
    if name not in _HOME:
        raise AttributeError(f"module 'halfmask' has no attribute {name!r}")
    module, _, inner = _HOME[name].partition(":")
    return getattr(import_module(module), inner or name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
