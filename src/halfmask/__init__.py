"""halfmask: publish the patterns, not the people."""

from importlib.metadata import version as _version

__version__ = _version("halfmask")
