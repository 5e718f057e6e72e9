"""Keeping: the runs of a steward, each in a folder of its own, found again after a restart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from halfmask.errors import BadInput
from halfmask.io.forms import FileOptions, split_name
from halfmask.io.writing import write_bytes
from halfmask.methods import METHODS

RECORD, SUMMARY, PAIRS, PART = "run.json", "summary.json", "pairs.json", "part.html"
"""What is kept of a run beside its files."""
OWN = frozenset({RECORD, SUMMARY, PAIRS, PART})

State = Literal["waiting", "running", "finished", "refused", "failed", "discarded", "interrupted"]
INTERRUPTED = "The page was closed before this run was through."
OVER: frozenset[str] = frozenset({"finished", "refused", "failed", "discarded", "interrupted"})


class KeptRun(Struct, kw_only=True):
    """One run: what was asked, and how it ended."""

    id: str
    do: Literal["publish", "choose"]
    name: str
    """What the source is called."""
    place: str | None
    """Where it lies; None where it went away with the page, or holds a password."""
    reading: FileOptions
    schema: str
    method: str
    said: dict[str, str]
    """The settings as they were typed."""
    began: str
    draft: str = ""
    """The table on the page that it was made from, while that is open."""
    state: State = "waiting"
    sentence: str = ""
    seconds: float = 0.0
    stopped: bool = False
    """Whether the search was ended before it was through."""
    verdict: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in OVER

    @property
    def stem(self) -> str:
        """The beginning of the names of its files."""
        return safe_name(split_name(self.name)[0])


class RunShelf:
    """The folder that holds the runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise BadInput(
                f"The folder for runs {str(folder)!r} cannot be made: {problem.strerror}."
            ) from None
        self.runs = {run.id: run for run in self._found()}
        for run in self.runs.values():
            if not run.over:  # whoever did it went away with the page
                run.state = "interrupted"
                run.sentence = INTERRUPTED
                self.save(run)

    def _found(self) -> list[KeptRun]:
        found = []
        for path in sorted(self.folder.glob(f"*/{RECORD}")):
            try:
                run = msgspec.json.decode(path.read_bytes(), type=KeptRun)
            except (msgspec.MsgspecError, OSError):
                continue  # not one of ours, or cut off in the middle of a crash
            if run.id == path.parent.name and run.id.isdigit() and run.method in METHODS:
                found.append(run)
        return found

    def new_id(self) -> str:
        """A number that no run has, with a folder of its own."""
        taken = [int(p.name) for p in self.folder.iterdir() if p.name.isdigit()]
        number = f"{max(taken, default=0) + 1:03}"
        (self.folder / number).mkdir(mode=0o700)
        return number

    def at(self, run: KeptRun, name: str = "") -> Path:
        """The folder of a run, or a file in it."""
        return self.folder / run.id / name

    def save(self, run: KeptRun) -> None:
        """Write what is known of a run."""
        self.runs[run.id] = run
        write_bytes(self.at(run, RECORD), msgspec.json.encode(run), force=True)

    def files(self, run: KeptRun) -> dict[str, int]:
        """What may be downloaded, with its size."""
        folder = self.at(run)
        if not folder.is_dir():
            return {}
        every = (path for path in sorted(folder.iterdir()) if path.is_file())
        return {path.name: path.stat().st_size for path in every if path.name not in OWN}

    def listed(self) -> list[KeptRun]:
        """All runs, the latest first."""
        return sorted(self.runs.values(), key=lambda run: -int(run.id))


def safe_name(name: str) -> str:
    """A name that is only a name, whatever was sent.

    >>> safe_name("../../etc/pass wd"), safe_name("..")
    ('.._.._etc_pass wd', 'table')
    """
    plain = re.sub(r"[/\\\x00-\x1f\x7f]+", "_", name).strip()
    return plain[:120] if plain.strip("._ ") else "table"
