"""Rivals that are packages of their own: each runs in its own environment, CSV in and CSV out."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halfmask.data import Table
from halfmask.data.table import ABSENT
from halfmask.errors import NotMeasurable
from halfmask_reproduction.environments import HERE, VARIABLE, Environments

TIME_LIMIT = 30 * 60.0
"""Seconds that a rival has for one release."""

_HOME = Path(__file__).parent
_APART = _HOME / "apart"


@dataclass(frozen=True)
class Rival:
    """A program that makes a release, the environment it lives in and how it is called."""

    name: str
    program: str
    """Its name in `apart`."""
    environment: str
    options: tuple[str, ...] = ()

    @property
    def packages(self) -> tuple[str, ...]:
        """What its environment holds, the rival first, each with its version."""
        return tuple((_APART / f"{self.environment}.txt").read_text(encoding="utf-8").split())

    @property
    def how_to_install(self) -> str:
        """A sentence for those who miss it."""
        package = " ".join(self.packages[0].split("=="))
        home = f"{HERE}/{self.environment}"
        return (
            f"{package} is not installed; what needs it is left out. In a checkout, `make rivals` "
            f"installs it; elsewhere `python -m venv {home}` and then `{home}/bin/pip install "
            f"{' '.join(self.packages)}` do ({VARIABLE} can name another folder than {HERE})."
        )

    def release(
        self, table: Table, *, seed: int, homes: Environments, seconds: float = TIME_LIMIT
    ) -> Table:
        """As many rows as the table has; the reason is raised where there are none."""
        python = homes.python(self.environment)
        if python is None:
            raise NotMeasurable(self.how_to_install)
        # An absent value is a value of its own to the others: the one after the last.
        absent = (table.codes == ABSENT).any(axis=0)
        sizes = np.array([len(one.values) for one in table.schema]) + absent
        codes = np.where(table.codes == ABSENT, sizes - 1, table.codes)
        with tempfile.TemporaryDirectory() as folder:
            original, made = Path(folder, "original.csv"), Path(folder, "release.csv")
            names = ",".join(f"c{at}" for at in range(len(sizes)))
            np.savetxt(original, codes, "%d", delimiter=",", header=names, comments="")
            told = ("--sizes", ",".join(map(str, sizes)), "--seed", str(seed), *self.options)
            command = (str(python), "-W", "ignore", "-m", "apart", self.program)
            self._run((*command, str(original), str(made), *told), folder, seconds)
            drawn = np.loadtxt(made, np.int32, delimiter=",", skiprows=1, ndmin=2)
        if drawn.shape != codes.shape or (drawn < 0).any() or (drawn >= sizes).any():
            raise NotMeasurable(f"{self.name} made a table that is not of the original's form.")
        drawn[absent & (drawn == sizes - 1)] = ABSENT
        return Table(table.schema, drawn)

    def _run(self, command: tuple[str, ...], folder: str, seconds: float) -> None:
        """Let it run to its end or to the end of its time; nothing it started outlives it."""
        with Path(folder, "complaint").open("w+", encoding="utf-8", errors="replace") as complaint:
            running = subprocess.Popen(  # noqa: S603 - our own program by its environment's Python
                command,
                cwd=folder,
                env=_surroundings(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=complaint,
                start_new_session=True,
            )
            try:
                code = running.wait(seconds)
            except subprocess.TimeoutExpired:
                raise NotMeasurable(
                    f"{self.name} did not finish within {seconds / 60:g} minutes."
                ) from None
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(running.pid, signal.SIGKILL)
                running.wait()
            complaint.seek(0)
            lines = complaint.read().split("\n")
        if code:
            last = next((line for line in reversed(lines) if line.strip()), "it did not say why")
            raise NotMeasurable(f"{self.name} stopped with an error: {last.strip()}")


def _surroundings() -> dict[str, str]:
    """One thread and one order of sets, so that a seed decides everything."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {
        **kept,
        "PYTHONPATH": str(_HOME),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    }
