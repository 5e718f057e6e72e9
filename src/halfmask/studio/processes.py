"""Processes: who answers questions about a table, and who does the runs, one after the other."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from halfmask.errors import BadInput
from halfmask.studio.keeping import INTERRUPTED, SUMMARY, KeptRun, RunShelf
from halfmask.studio.wire import Answer, Happening, Question, Task

_LONGEST = 256 * 1024 * 1024
"""Bytes of one line: a look at a thousand columns is long."""


async def _started(what: str, errors: Path | None = None) -> asyncio.subprocess.Process:
    log = None if errors is None else errors.open("ab")
    try:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "halfmask.studio.worker",
            what,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL if log is None else log,
            limit=_LONGEST,
            start_new_session=True,  # Ctrl-C is for the page
        )
    finally:
        if log is not None:
            log.close()


def gone(code: int | None) -> str:
    """Why a process ended that should not have, as a sentence.

    >>> gone(-9)
    'The process that did this was ended by the system, most likely because memory ran out; use
    fewer rows or columns, or allow it less memory (memory).'
    """
    if code == -signal.SIGKILL:
        return (
            "The process that did this was ended by the system, most likely because memory ran "
            "out; use fewer rows or columns, or allow it less memory (memory)."
        )
    how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
    return (
        f"The process that did this ended unexpectedly ({how}). This is a mistake in halfmask; the "
        "page goes on, and the same can be tried again."
    )


class Desk:
    """Questions about a table, answered by a process that keeps what it read."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._one = asyncio.Lock()

    async def ask(self, question: Question) -> Answer:
        """The answer; what went wrong is raised as a sentence."""
        async with self._one:
            if self._process is None or self._process.returncode is not None:
                self._process = await _started("questions")
            process = self._process
            assert process.stdin is not None  # noqa: S101 - both are pipes
            assert process.stdout is not None  # noqa: S101 - idem
            line, self._process = b"", None  # an answer that nobody waited for is nobody's
            with suppress(BrokenPipeError, ConnectionResetError):
                process.stdin.write(msgspec.json.encode(question) + b"\n")
                await process.stdin.drain()
                line = await process.stdout.readline()
            if not line:
                raise BadInput(gone(await process.wait()))
            self._process = process
        answer = msgspec.json.decode(line, type=Answer)
        if answer.error is not None:
            raise BadInput(answer.error)
        return answer

    async def rest(self) -> None:
        """Let go of the table that was read; the next question reads it again."""
        async with self._one:
            await _ended(self._process)
            self._process = None


async def _ended(process: asyncio.subprocess.Process | None) -> None:
    if process is not None and process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@dataclass(eq=False)
class Live:
    """A run that is waiting or working."""

    run: KeptRun
    task: Task
    last: Happening = field(default_factory=Happening)
    process: asyncio.subprocess.Process | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)
    discarded: bool = False

    def tell(self, happening: Happening) -> None:
        """Let everybody who watches know."""
        self.last = happening
        self.news.set()
        self.news = asyncio.Event()


class Runner:
    """Does runs one after the other: two at a time would take each other's memory."""

    def __init__(self, shelf: RunShelf) -> None:
        self._shelf = shelf
        self._one = asyncio.Lock()
        self._doing: set[asyncio.Task[None]] = set()
        self._closing = False
        self.live: dict[str, Live] = {}

    def start(self, run: KeptRun, task: Task) -> None:
        """Begin a run, as soon as those before it are through."""
        self._shelf.save(run)
        live = self.live[run.id] = Live(run, task)
        doing = asyncio.create_task(self._do(live))
        self._doing.add(doing)
        doing.add_done_callback(self._doing.discard)

    async def _do(self, live: Live) -> None:
        run = live.run
        async with self._one:
            if not live.discarded:
                began = time.monotonic()
                run.state = "running"
                self._shelf.save(run)
                live.tell(live.last)
                end = await self._worked(live)
                run.seconds = time.monotonic() - began
                run.state, run.sentence = end.end or "failed", end.sentence
        if live.discarded:
            run.state, run.sentence = "discarded", "This run was given up; nothing was written."
        elif self._closing and run.state == "failed":
            run.state, run.sentence = "interrupted", INTERRUPTED
        self._finish(live)

    def _finish(self, live: Live) -> None:
        run = live.run
        if run.state == "finished" and run.do == "publish":
            with suppress(OSError, msgspec.MsgspecError):
                summary = msgspec.json.decode(self._shelf.at(run, SUMMARY).read_bytes())
                run.verdict = summary["verdict"]
        log = self._shelf.at(run, "log.txt")
        if log.exists() and not log.stat().st_size:
            log.unlink()
        self._shelf.save(run)
        del self.live[run.id]
        live.tell(Happening(end="finished"))

    async def _worked(self, live: Live) -> Happening:
        """What the process of a run tells, to its end."""
        log = self._shelf.at(live.run, "log.txt")
        process = live.process = await _started("task", log)
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101 - idem
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(msgspec.json.encode(live.task) + b"\n")
            await process.stdin.drain()
        end = None
        while line := await process.stdout.readline():
            told = msgspec.json.decode(line, type=Happening)
            if told.end:
                end = told
            else:
                live.tell(told)
        code = await process.wait()
        return end or Happening(end="failed", sentence=gone(code))

    async def stop(self, run_id: str) -> None:
        """Let the search end with the best so far; the release is still made."""
        live = self.live.get(run_id)
        if live is None or live.process is None or live.process.stdin is None:
            return
        live.run.stopped = True
        with suppress(BrokenPipeError, ConnectionResetError):
            live.process.stdin.write(b"stop\n")
            await live.process.stdin.drain()
        live.tell(live.last)

    async def discard(self, run_id: str) -> None:
        """Give a run up; nothing of it is written."""
        live = self.live.get(run_id)
        if live is None:
            return
        live.discarded = True
        await _ended(live.process)

    async def watch(self, run_id: str, patience: float = 15.0) -> AsyncIterator[Happening | None]:
        """What happens to a run, from now to its end; None now and then when nothing does."""
        while (live := self.live.get(run_id)) is not None:
            news = live.news
            yield live.last
            while not news.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(patience):
                        await news.wait()
                if not news.is_set():
                    yield None

    async def close(self) -> None:
        """End whatever works; a run that was not through is interrupted."""
        self._closing = True
        for live in list(self.live.values()):
            live.discarded = live.process is None  # it did not even begin
            await _ended(live.process)
        await asyncio.gather(*self._doing, return_exceptions=True)
