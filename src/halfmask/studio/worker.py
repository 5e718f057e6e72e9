"""A worker: answers questions about a source, or does one run; always in a process of its own.

What goes wrong here, up to an end by the system for want of memory, is a sentence on the page.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import IO

import msgspec

from halfmask.errors import HalfmaskError, TargetNotMet
from halfmask.io.addresses import without_credentials
from halfmask.run import Stage
from halfmask.studio.wire import Answer, Happening, Question, Task

NO_MEMORY = "There is not enough memory for this. Use fewer rows or columns, or a larger machine."


def answer_all(asked: IO[bytes], answers: IO[bytes]) -> None:
    """Answer questions until there are no more."""
    from halfmask.studio.looking import Looker

    looker = Looker()
    for line in asked:
        try:
            answer = looker.answer(msgspec.json.decode(line, type=Question))
        except MemoryError:
            answer = Answer(error=NO_MEMORY)
        except (HalfmaskError, OSError) as problem:
            answer = Answer(error=sentence_of(problem))
        answers.write(msgspec.json.encode(answer) + b"\n")
        answers.flush()


class Teller:
    """The progress of a run: told line by line, and stopped when the page says so."""

    def __init__(self, asked: IO[bytes], told: IO[bytes]) -> None:
        self._told = told
        self._stopped = threading.Event()
        threading.Thread(target=self._listen, args=(asked,), daemon=True).start()

    def _listen(self, asked: IO[bytes]) -> None:
        for line in asked:
            if line.strip() == b"stop":
                self._stopped.set()
        os._exit(1)  # whoever asked is gone, and nobody will look

    @property
    def stopped(self) -> bool:
        """Whether what there is by now shall do."""
        return self._stopped.is_set()

    def __call__(self, _done: int, _total: int) -> bool:
        """See `halfmask.run.Progress`."""
        return not self.stopped

    def stage(self, stage: Stage) -> None:
        """See `halfmask.run.Stages`."""
        left = stage.seconds_left
        self.tell(Happening(stage.name, stage.number, stage.of, stage.share, left))

    def trials(self, what: str, done: int, total: int) -> bool:
        """See `halfmask.choosing.pool.TrialProgress`."""
        self.tell(Happening(what, done, total, done / total if total else 0.0))
        return not self.stopped

    def tell(self, happening: Happening) -> None:
        """Write one line."""
        self._told.write(msgspec.json.encode(happening) + b"\n")
        self._told.flush()


def do_task(asked: IO[bytes], told: IO[bytes]) -> None:
    """Do the run that the first line names, and say how it ended."""
    task = msgspec.json.decode(asked.readline(), type=Task)
    teller = Teller(asked, told)
    # Made before the work: when memory is short there may be none for a sentence.
    end = Happening(end="failed", sentence=NO_MEMORY)
    try:
        _doing(task)(task, teller)
        end = Happening(end="finished")
    except MemoryError:
        pass
    except TargetNotMet as problem:
        end = Happening(end="refused", sentence=sentence_of(problem))
    except (HalfmaskError, OSError) as problem:
        end = Happening(end="failed", sentence=sentence_of(problem))
    teller.tell(end)


def _doing(task: Task) -> Callable[[Task, Teller], None]:
    if task.do == "choose":
        from halfmask.studio.trying import try_methods

        return try_methods
    from halfmask.studio.making import make_release

    return make_release


def sentence_of(problem: BaseException) -> str:
    """What went wrong, without user and password of a database."""
    return without_credentials(str(problem))


def main() -> None:
    """`python -m halfmask.studio.worker questions|task`."""
    # What a library prints must not stand among the answers.
    told = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    (answer_all if sys.argv[1] == "questions" else do_task)(sys.stdin.buffer, told)
    told.flush()
    os._exit(0)  # a thread that waits for the page must not keep the process


if __name__ == "__main__":
    main()
