"""The command line, a thin skin: what was typed, what it means, one call, print."""

from halfmask.cli.entry import main

__all__ = ["main"]
