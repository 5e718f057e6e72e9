"""The pool: trials in worker processes, several at a time, each kept as soon as it is finished."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

import msgspec

from halfmask.choosing.folder import TrialsFolder
from halfmask.choosing.trial import Trial, TrialOutcome
from halfmask.errors import BadInput, HalfmaskError

TrialProgress = Callable[[str, int, int], bool]
"""Called with (what, done, total); the answer False asks to stop."""

GIB = 2**30


@dataclass(frozen=True, slots=True)
class Limits:
    """How many trials at a time, and what one of them may take."""

    jobs: int = 1
    seconds: float = 120.0
    memory: int = 4 * GIB
    """Bytes that one worker may hold."""

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise BadInput(f"At least one trial is run at a time, not {self.jobs}.")
        if not self.seconds > 0:
            raise BadInput(
                f"The limit of a trial is a number of seconds above 0, not {self.seconds:g}."
            )
        if self.memory < GIB // 2:
            raise BadInput("The memory limit of a trial is at least 0.5 GiB.")


class Worker:
    """One worker process; it is started anew when a trial took it down."""

    def __init__(self, folder: TrialsFolder, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, trial: Trial) -> TrialOutcome:
        """The outcome of a trial, or why there is none."""
        process = self._started()
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        clock = threading.Timer(self._limits.seconds, end)
        clock.start()
        try:
            line = _ask(process, msgspec.json.encode(trial))
        finally:
            clock.cancel()
        if line:
            return msgspec.json.decode(line, type=TrialOutcome)
        self.stop()
        if late.is_set():
            limit = self._limits.seconds
            return TrialOutcome(
                trial.key, failed=f"It took more than {limit:g} seconds.", limit=limit
            )
        return TrialOutcome(trial.key, failed="Its process ended without a result.", limit=0.0)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [
                    sys.executable,
                    "-m",
                    "halfmask.choosing.worker",
                    str(self._folder.path),
                    str(self._limits.memory),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # CPU time is compared, so nobody gets a second thread.
                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
                start_new_session=True,  # Ctrl-C is for the one who started the pool
            )
        return self._process

    def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):  # what was not read is not wanted
                    pipe.close()


def _ask(process: subprocess.Popen[bytes], question: bytes) -> bytes:
    """The answer line; nothing when the process is gone."""
    assert process.stdin is not None  # noqa: S101 - both are pipes
    assert process.stdout is not None  # noqa: S101
    try:
        process.stdin.write(question + b"\n")
        process.stdin.flush()
        return process.stdout.readline()
    except (BrokenPipeError, ValueError):
        return b""


class Pool:
    """Runs trials that are not finished yet; the others are taken from the folder.

    Used in a `with` statement, at whose end the workers are stopped.
    """

    def __init__(
        self,
        folder: TrialsFolder,
        limits: Limits | None = None,
        progress: TrialProgress | None = None,
    ) -> None:
        self._folder = folder
        self._limits = limits or Limits()
        self._progress = progress
        self._workers = [Worker(folder, self._limits) for _ in range(self._limits.jobs)]
        self._free: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        for worker in self._workers:
            self._free.put(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the workers, whatever they do."""
        for worker in self._workers:
            worker.stop()

    def run(self, trials: Sequence[Trial], what: str) -> list[TrialOutcome]:
        """The outcomes in the order of the trials."""
        found = self._finished()
        keys = [trial.key for trial in trials]
        todo = [t for t, key in zip(trials, keys, strict=True) if key not in found]
        self._tell(what, len(trials) - len(todo), len(trials))
        with ThreadPoolExecutor(self._limits.jobs) as threads:
            waiting = [threads.submit(self._run, trial) for trial in todo]
            try:
                for done, future in enumerate(as_completed(waiting), 1):
                    outcome = future.result()
                    self._folder.finish(outcome)
                    found[outcome.key] = outcome
                    self._tell(what, len(trials) - len(todo) + done, len(trials))
            except BaseException:
                for future in waiting:
                    future.cancel()
                self.stop()  # now, so that no thread waits for a trial nobody wants any more
                raise
        return [found[key] for key in keys]

    def _finished(self) -> dict[str, TrialOutcome]:
        """What need not be run again: all but trials that a smaller limit had stopped."""
        return {
            key: outcome
            for key, outcome in self._folder.finished().items()
            if outcome.limit is None or outcome.limit >= self._limits.seconds
        }

    def _run(self, trial: Trial) -> TrialOutcome:
        """Run a trial on whichever worker is free."""
        worker = self._free.get()
        try:
            return worker.run(trial)
        finally:
            self._free.put(worker)

    def _tell(self, what: str, done: int, total: int) -> None:
        if self._progress is not None and not self._progress(what, done, total):
            raise HalfmaskError("The comparison was stopped; finished trials are kept.")
