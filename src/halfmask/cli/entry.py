"""The way in: the group of commands, and what becomes of an error.

Exit codes: 0 done, 1 error, 2 bad input or usage, 3 privacy target not met.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import warnings
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import rich_click as click

# Our own threads do the work; those of a linear algebra library would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from halfmask import __version__
from halfmask.cli.options import Commands
from halfmask.cli.printing import say
from halfmask.errors import BadInput, HalfmaskError, HalfmaskWarning, TargetNotMet

_ELSEWHERE = {"reproduce": "halfmask_reproduction.command"}
"""Commands of packages that come with this one; each of the others is a module beside this."""

COMMANDS = {
    "publish": "Turn a table of people, or baskets, into a release and its report.",
    "studio": "Open a page on this machine on which a table becomes a release.",
    "generate": "Draw rows from a model file.",
    "ledger": "Add up the private releases of a table.",
    "merge": "Make one model of the models of several sites.",
    "inspect": "Show what is in a model file or a data file.",
    "schema": "Write what the columns of a table seem to be, to be corrected.",
    "measure": "Compare a release with its original.",
    "audit": "Fit a method many times with a person and without, and bound its ε from below.",
    "asset": "Write down what matters in a table, and hold a release against it.",
    "choose": "Find the method that keeps what matters in a file.",
    "quest": "Make synthetic shopping baskets with known patterns in them.",
    "undo": "Take back the edits of hiding, from their log.",
    "index": "Ask which baskets hold these items and not those.",
    "reproduce": "Rerun the tables and figures of the papers.",
    "demo": "Publish a hospital table that halfmask makes itself.",
    "doctor": "Say what is installed, which extras are missing, and what this machine has.",
}


class LazyGroup(Commands):
    """Commands that are imported when they are called, so that `halfmask --help` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The commands in the order a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """What help lists of a command, without importing it."""
        if cmd_name not in COMMANDS:
            return None
        return click.RichCommand(name=cmd_name, help=COMMANDS[cmd_name])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called: its own module has it under its own name."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, None if listed is None else load_command(str(name)), rest


def load_command(name: str) -> click.Command:
    """A command by its name, imported; help lists its own options before the shared ones."""
    command = getattr(import_module(_ELSEWHERE.get(name, f"halfmask.cli.{name}")), name)
    assert isinstance(command, click.Command)  # noqa: S101 - ours, listed above
    inner = command.commands.values() if isinstance(command, click.Group) else [command]
    for one in inner:
        if isinstance(one, click.RichCommand) and not one.panels:
            one.add_panel(click.RichOptionPanel("Options"))
    return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="halfmask")
def cli() -> None:
    """Publish the patterns, not the people.

    Nothing leaves this machine: halfmask reads your file, writes the release beside it, and never
    uses the network.
    """


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    warnings.showwarning = _show_warning
    _listen()
    code = _run()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # closed by whoever read it
            stream.flush()
    # At a normal exit the threads of a library that are just starting can abort the process, after
    # all is done and said.
    os._exit(code)


class _Stopped(BaseException):
    """The system, or the end of a session, asked the process to end."""

    def __init__(self, number: int) -> None:
        self.signal = signal.Signals(number)


def _listen() -> None:
    """End in order when asked to; a signal that is ignored (nohup) stays so."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # not every system has both
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # once is enough
    raise _Stopped(number)


def _run() -> int:
    try:
        cli.main(prog_name="halfmask", standalone_mode=False)
    except click.ClickException as error:
        say(f"halfmask: {_without_credentials(_of_usage(error))}", err=True)
        return error.exit_code
    except HalfmaskError as error:
        say(f"halfmask: {_without_credentials(str(error))}", err=True)
        return _exit_code(error)
    except (KeyboardInterrupt, click.Abort, _Stopped) as stopped:
        return _stopped(stopped)
    except BrokenPipeError:  # the reader of our output went away (`| head`): leave quietly
        return 1
    except (MemoryError, OSError) as error:
        say(f"halfmask: {_without_credentials(_in_words(error))}", err=True)
        return 1
    return 0


def _of_usage(error: click.ClickException) -> str:
    """What was typed that cannot be, or was not, and where all is listed."""
    context = getattr(error, "ctx", None)
    command = "halfmask" if context is None else context.command_path
    found = f"{error.format_message().removesuffix('.')}."
    if isinstance(error, click.MissingParameter) and error.param is not None:
        wanted = error.param
        name = wanted.opts[-1] if isinstance(wanted, click.Option) else wanted.human_readable_name
        about = getattr(wanted, "help", None)
        found = f"{command} needs {name}{f': {about}' if about else '.'}"
    return f"{found} See {command} --help."


def _stopped(how: BaseException) -> int:
    if isinstance(how, _Stopped):
        say(f"halfmask: stopped by {how.signal.name}; no file is half written.", err=True)
        return 128 + how.signal
    say("halfmask: stopped; nothing was written.", err=True)
    return 130


def _without_credentials(text: str) -> str:
    """No sentence of ours repeats a password; this holds for those of libraries too."""
    from halfmask.io.addresses import without_credentials

    return without_credentials(text)


def _exit_code(error: HalfmaskError) -> int:
    if isinstance(error, BadInput):
        return 2
    return 3 if isinstance(error, TargetNotMet) else 1


def _in_words(error: MemoryError | OSError) -> str:
    if isinstance(error, MemoryError):
        return "the memory of this machine is used up; raise the minimum support."
    where = f" ({error.filename})" if error.filename else ""
    return f"{error.strerror or error}{where}."


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Our own warnings are sentences for the steward; others keep their class's name."""
    prefix = "" if issubclass(category, HalfmaskWarning) else f"{category.__name__}: "
    say(f"halfmask: {prefix}{message}", err=True)
