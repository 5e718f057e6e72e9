"""A worker: one trial a line comes in, one outcome a line goes out.

It is a process of its own, so that a trial that takes too long can be ended and one that needs too
much memory takes nothing down with it. It reads drawn databases from the trials folder; the target
is never given to it.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO

import msgspec

from halfmask.choosing.evaluating import evaluation_of
from halfmask.choosing.folder import TrialsFolder
from halfmask.choosing.making import Database
from halfmask.choosing.trial import Evaluate, Trial, TrialOutcome, run_trial

TOO_MUCH = "It needs more memory than a trial may take."


def serve(folder: TrialsFolder, asked: IO[bytes], answers: IO[bytes]) -> None:
    """Run trials until there are no more."""

    @lru_cache(maxsize=2)
    def database(digest: str) -> Database:
        return folder.database(digest)

    @lru_cache(maxsize=1)
    def evaluation(digest: str) -> Evaluate:
        return evaluation_of(folder.text(f"asset-{digest}.json"))

    for line in asked:
        trial = msgspec.json.decode(line, type=Trial)
        # Made before the trial: when memory is short there may be none for a sentence.
        answer = msgspec.json.encode(TrialOutcome(trial.key, failed=TOO_MUCH))
        with suppress(MemoryError):
            judge = None if trial.asset is None else evaluation(trial.asset)
            answer = msgspec.json.encode(run_trial(trial, database(trial.database), judge))
        answers.write(answer + b"\n")
        answers.flush()


def limit_memory(most: int) -> None:
    """Let this process take so many bytes and no more, where the system can promise that."""
    try:
        import resource
    except ImportError:  # not a Unix system
        return
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def main() -> None:
    """`python -m halfmask.choosing.worker FOLDER BYTES`."""
    limit_memory(int(sys.argv[2]))
    # What a library prints must not stand among the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(TrialsFolder(Path(sys.argv[1])), sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
