"""Environments: the folder where other programs live, each with the versions that it needs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "HALFMASK_RIVALS"
"""The environment variable that names the folder."""

HERE = ".venv-rivals"
"""Where `make rivals` puts them in a checkout."""


@dataclass(frozen=True)
class Environments:
    """Python environments by name, none of which has halfmask in it.

    >>> Environments.at("nowhere").python("synthpop") is None
    True
    """

    folder: Path

    @classmethod
    def at(cls, folder: str | Path | None) -> Environments:
        """The folder named, or the one of the environment, or the one of the checkout."""
        return cls(Path(folder or os.environ.get(VARIABLE) or HERE))

    def python(self, name: str) -> Path | None:
        """The interpreter of an environment, where there is one."""
        # Not resolved: an interpreter finds its packages by the path it is called with.
        found = Path.cwd() / self.folder / name / "bin" / "python"
        return found if found.is_file() else None
