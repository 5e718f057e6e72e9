"""Writing: nothing is half written, and nothing is overwritten without being asked to.

Every output goes to a temporary file in the folder of its final name. Only when all outputs of a
group are complete and on the disk do they get their names. A process killed at any moment leaves
either the old file or the new one, and at worst a `.part` file beside it. What was opened first is
named last: a release, which its report describes, never stands without it. A table that belongs to
the group waits in an open transaction and is committed last; if that fails the files go again.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Protocol, Self

from halfmask.errors import BadInput
from halfmask.io.addresses import refuse_address
from halfmask.io.forms import STANDARD, PathLike


def check_free(path: PathLike, *, force: bool = False, read: Iterable[object] = ()) -> None:
    """Refuse a path that cannot be written to, before the work that makes its content.

    What is `read` for that work is never overwritten, not even by force; what is no path may stand
    among it.
    """
    if str(path) == STANDARD:
        return
    refuse_address(path, "This output")
    final = Path(path)
    try:
        reason = _why_read(final, read) or _why_not(final, force=force)
    except (OSError, ValueError):  # a name too long, or with a character that names cannot have
        reason = f"{str(final)[:100]!r} cannot be written: it is not a possible file name."
    if reason is not None:
        raise BadInput(reason)


def check_folder(path: PathLike) -> None:
    """Refuse a folder that cannot be made, because a file has its name or is on the way to it."""
    nearest = next(place for place in (Path(path), *Path(path).parents) if place.exists())
    if not nearest.is_dir():
        raise BadInput(f"{str(nearest)!r} is a file; name a folder.")


def _why_read(final: Path, read: Iterable[object]) -> str | None:
    for one in read:
        with suppress(OSError, ValueError):  # one of the two is not there
            if isinstance(one, str | os.PathLike) and final.samefile(one):
                return (
                    f"The file {str(final)!r} is an input and is never overwritten; name another."
                )
    return None


def _why_not(final: Path, *, force: bool) -> str | None:
    if final.is_symlink():
        return f"{str(final)!r} is a symbolic link and is not followed; name the file itself."
    if final.is_dir():
        return f"{str(final)!r} is a directory; name a file in it."
    if not final.parent.is_dir():
        return f"There is no folder {str(final.parent)!r} to write {final.name!r} in."
    if final.exists() and not force:
        return _taken(final)
    if not os.access(final.parent, os.W_OK | os.X_OK):
        return f"The folder {str(final.parent)!r} may not be written to by this user."
    return None


class Transaction(Protocol):
    """Something written elsewhere that is seen by nobody before it is committed."""

    def commit(self) -> None:
        """Let it be seen."""

    def close(self) -> None:
        """Let go of it; without a commit it has never been."""


class Outputs:
    """A group of files that appear together, or not at all.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with Outputs() as outputs, outputs.open(folder / "a.txt") as file:
    ...     _ = file.write(b"hello")
    >>> [path.name for path in folder.iterdir()]
    ['a.txt']
    """

    def __init__(self, *, force: bool = False) -> None:
        self._force = force
        self._parts: dict[Path, Path] = {}
        self._standard: IO[bytes] | None = None
        self._transaction: Transaction | None = None

    def __enter__(self) -> Self:
        return self

    @contextmanager
    def open(self, path: PathLike) -> Iterator[IO[bytes]]:
        """A binary file for the content of `path`, which gets its name when the group is done."""
        check_free(path, force=self._force)
        if str(path) == STANDARD:
            self._standard = tempfile.TemporaryFile()  # noqa: SIM115 - lives until the group is done
            yield self._standard
            return
        final = Path(path).resolve()
        if final in self._parts:
            raise BadInput(
                f"Two outputs would be written to {str(path)!r}; give them different names."
            )
        part = final.with_name(f".{final.name[:80]}.{secrets.token_hex(6)}.part")
        self._parts[final] = part
        try:
            with part.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            reason = problem.strerror or "the system refuses"
            raise BadInput(f"{str(path)!r} cannot be written: {reason}.") from None

    def wait_for(self, transaction: Transaction) -> None:
        """Commit this when every file has its name; close it in any case."""
        self._transaction = transaction

    def checksum(self, path: PathLike) -> str:
        """The SHA-256 of what was written for `path`, which need not have its name yet."""
        found = hashlib.sha256()
        with self._reopened(path) as file:
            while piece := file.read(1 << 20):
                found.update(piece)
        return found.hexdigest()

    @contextmanager
    def _reopened(self, path: PathLike) -> Iterator[IO[bytes]]:
        if str(path) == STANDARD and self._standard is not None:
            self._standard.seek(0)
            yield self._standard  # which must stay open until it is printed
            return
        with self._parts[Path(path).resolve()].open("rb") as file:
            yield file

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._deliver()
        finally:
            with undisturbed():
                self._clear()

    def _clear(self) -> None:
        for part in self._parts.values():
            part.unlink(missing_ok=True)
        if self._transaction is not None:
            self._transaction.close()
        if self._standard is not None:
            self._standard.close()

    def _deliver(self) -> None:
        """Give every finished file its name; all names are looked at before the first is given."""
        for final in self._parts:
            check_free(final, force=self._force)
        with undisturbed():
            self._name()
        for folder in {final.parent for final in self._parts}:
            _sync_folder(folder)
        if self._standard is not None:
            self._standard.seek(0)
            shutil.copyfileobj(self._standard, sys.stdout.buffer)
            sys.stdout.buffer.flush()

    def _name(self) -> None:
        names = _Names(force=self._force)
        try:
            for final, part in reversed(self._parts.items()):
                names.give(part, final)
            if self._transaction is not None:
                self._transaction.commit()
        except BaseException:
            names.take_back()
            raise
        finally:
            names.forget()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let a signal that would stop the process wait until a few steps that belong together end."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are handled elsewhere
        return
    come: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        come.append(number)

    usual = {number: signal.getsignal(number) for number in _STOPPING}
    changed = [number for number, what in usual.items() if callable(what)]
    for number in changed:
        signal.signal(number, note)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, usual[number])
        for number in come:
            signal.raise_signal(number)


_STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


def write_bytes(path: PathLike, content: bytes, *, force: bool = False) -> None:
    """Write one whole file, or nothing."""
    with Outputs(force=force) as outputs, outputs.open(path) as file:
        file.write(content)


class _Names:
    """Names given to finished files, which can be taken back until all of the group is sure."""

    def __init__(self, *, force: bool) -> None:
        self._force = force
        self._given: list[Path] = []
        self._aside: dict[Path, Path] = {}

    def give(self, part: Path, final: Path) -> None:
        """Name a file; one that had the name is kept aside."""
        if self._force:
            aside = part.with_suffix(".before.part")
            with suppress(FileNotFoundError):  # then there is none to keep
                shutil.copy2(final, aside)
                self._aside[final] = aside
        _give_name(part, final, force=self._force)
        self._given.append(final)

    def take_back(self) -> None:
        """As it was before; without force the names were free, so the files are ours."""
        for final in self._given:
            if final in self._aside:
                self._aside[final].replace(final)
            else:
                final.unlink(missing_ok=True)

    def forget(self) -> None:
        """Let go of the files that were kept aside."""
        for aside in self._aside.values():
            aside.unlink(missing_ok=True)


def _give_name(part: Path, final: Path, *, force: bool) -> None:
    if force:
        with suppress(OSError):
            shutil.copymode(final, part)
        part.replace(final)
        return
    try:
        # A link, unlike a rename, never replaces a file that has come into being meanwhile.
        os.link(part, final)
    except FileExistsError:
        raise BadInput(_taken(final)) from None
    except OSError:  # a file system without links
        check_free(final)
        part.replace(final)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # not every system lets a folder be opened
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _taken(final: Path) -> str:
    return f"The file {str(final)!r} already exists; use --force to replace it."
