"""Sources: the bytes of a file, whatever it is packed in, or one sentence about why not.

A `Source` is all of them in memory, a `FileSource` a file that is read block by block.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pyarrow as pa

from halfmask.errors import BadInput, nearest
from halfmask.io.addresses import refuse_address
from halfmask.io.forms import STANDARD, Compression, PathLike
from halfmask.memory import Memory

BLOCK = 16 << 20
"""Bytes that are read at a time."""

OF_MEMORY = 4
"""What is read whole may take so large a part of the free memory: work on it takes the rest."""

Progress = Callable[[int, int], bool]
"""Called with (bytes read, bytes in all)."""

Expect = Callable[[int, int], None]
"""Called with the rows (about) and the columns of a table before it is read; may refuse it."""

_MAGIC: dict[bytes, Compression] = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}
_LONGEST_MAGIC = max(map(len, _MAGIC))
_ENDINGS: dict[Compression, str] = {"gzip": ".gz", "zstd": ".zst", "zip": ".zip (or .xlsx)"}


@dataclass(frozen=True)
class Source:
    """The unpacked content of a file and the name by which sentences speak of it."""

    name: str
    content: bytes

    def line_at(self, offset: int) -> int:
        """The number of the line that holds the byte at `offset`."""
        return self.content.count(b"\n", 0, offset) + 1

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """The content piece by piece."""
        for start in range(0, len(self.content), size):
            yield self.content[start : start + size]

    def share_of(self, size: int) -> float:
        """The share of the whole that its first bytes are."""
        return min(1.0, size / len(self.content))


@dataclass(frozen=True)
class FileSource:
    """A file that is read anew, block by block, as often as it is asked for."""

    name: str
    path: Path
    compression: Compression | None = None
    progress: Progress | None = None

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """The unpacked content piece by piece; a damaged file is refused where it breaks off."""
        with _in_words(self.path), self.path.open("rb") as file:
            whole = max(os.fstat(file.fileno()).st_size, 1)
            stream = _unpacked(file, self.compression)
            while block := self._next(stream, size):
                if self.progress is not None:
                    self.progress(min(file.tell(), whole), whole)
                yield block

    def share_of(self, size: int) -> float:
        """The share of the whole that its first bytes are, as far as packing lets it be known."""
        with _in_words(self.path), self.path.open("rb") as file:
            stream = _unpacked(file, self.compression)  # one let go of would close the file
            self._next(stream, size)
            return min(1.0, file.tell() / max(os.fstat(file.fileno()).st_size, 1))

    def _next(self, stream: IO[bytes], size: int) -> bytes:
        try:
            return stream.read(size)
        except (OSError, pa.ArrowException, zipfile.BadZipFile, zlib.error, EOFError):
            if self.compression is None:
                raise
            raise BadInput(_damaged(self.name, self.compression)) from None


def open_file(
    path: PathLike, compression: Compression | None = None, *, progress: Progress | None = None
) -> Source | FileSource:
    """A file to be read block by block; standard input and a pipe can be read only once, whole."""
    if str(path) == STANDARD or Path(path).is_fifo():
        return open_source(path, compression)
    name = repr(Path(path).name)
    _check_packing(read_bytes(path, _LONGEST_MAGIC), compression, name)
    source = FileSource(_sentence(name), Path(path), compression, progress)
    if not next(source.blocks(1), b""):
        raise BadInput(f"{source.name} is empty.")
    return source


def open_source(path: PathLike, compression: Compression | None = None) -> Source:
    """Read a file (or standard input, "-") as it is named: `compression` must be what it holds."""
    if str(path) == STANDARD:
        name = "standard input"
        packed = within_memory(sys.stdin.buffer, name)
        compression = _packing(packed)
    else:
        packed, name = read_bytes(path), repr(Path(path).name)
    _check_packing(packed, compression, name)
    content = packed if compression is None else _unpack(packed, compression, name)
    if not content:
        raise BadInput(f"{_sentence(name)} is empty.")
    return Source(_sentence(name), content)


def check_readable(path: PathLike) -> None:
    """Refuse what is no file, in one sentence."""
    refuse_address(path, "This input")
    with _in_words(Path(path)):
        try:
            mode = Path(path).stat().st_mode
        except ValueError:  # characters that no file's name can hold
            raise _unreadable(Path(path), "its name is not a path") from None
        if stat.S_ISDIR(mode):
            raise BadInput(f"{str(path)!r} is a directory; name one file in it.")
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise BadInput(f"{str(path)!r} is a device, not a file.")


def read_bytes(path: PathLike, limit: int = -1) -> bytes:
    """The bytes of a file, at most `limit` of them, or one sentence about why not."""
    check_readable(path)
    with _in_words(Path(path)), Path(path).open("rb") as file:
        return file.read(limit)


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """What the operating system has against a file, as a sentence."""
    try:
        yield
    except FileNotFoundError:
        raise BadInput(f"There is no file {str(path)!r}{_or_rather(path)}") from None
    except PermissionError:
        raise BadInput(f"The file {str(path)!r} may not be read by this user.") from None
    except OSError as problem:
        raise _unreadable(path, problem.strerror or str(problem)) from None


def _or_rather(path: Path) -> str:
    """The end of the sentence: which file of the same folder may have been meant."""
    try:
        names = [one.name for one in path.parent.iterdir() if one.is_file()]
    except OSError:
        names = []
    near = nearest(path.name, names)
    return "." if near is None else f"; did you mean {str(path.with_name(near))!r}?"


def _unreadable(path: Path, reason: str) -> BadInput:
    return BadInput(f"The file {str(path)[:200]!r} cannot be read: {reason}.")


def _check_packing(beginning: bytes, compression: Compression | None, name: str) -> None:
    if not beginning:
        raise BadInput(f"{_sentence(name)} is empty.")
    found = _packing(beginning)
    if found != compression:
        raise BadInput(_misnamed(name, found, compression))


def _packing(content: bytes) -> Compression | None:
    return next((c for magic, c in _MAGIC.items() if content.startswith(magic)), None)


def _unpack(packed: bytes, compression: Compression, name: str) -> bytes:
    try:
        with _unpacked(io.BytesIO(packed), compression) as stream:
            return within_memory(stream, name)
    except (OSError, pa.ArrowException):
        raise BadInput(_damaged(_sentence(name), compression)) from None


def within_memory(stream: IO[bytes], name: str) -> bytes:
    """All of a stream that can be read only once; what there is no memory for is refused.

    A few kilobytes can unpack to more than any machine holds.
    """
    room = Memory.of().size // OF_MEMORY
    parts, size = [], 0
    while block := stream.read(BLOCK):
        parts.append(block)
        size += len(block)
        if size > room:
            raise BadInput(
                f"{_sentence(name)} holds more than {room / 1e6:,.0f} MB when it is unpacked, more "
                "than there is memory for; split it, or use a machine with more memory."
            )
    return b"".join(parts)


def member_of(path: PathLike) -> str:
    """The name of the only file in a zip archive."""
    with _in_words(Path(path)), Path(path).open("rb") as file:
        return _only_member(file)[1]


def _only_member(file: IO[bytes]) -> tuple[zipfile.ZipFile, str]:
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile:
        raise OSError(_NO_ARCHIVE) from None
    inside = [n for n in archive.namelist() if not n.endswith("/") and not n.startswith("__MACOSX")]
    if len(inside) != 1:
        raise BadInput(
            f"The zip archive holds {len(inside):,} files, and one table is read from it; unpack "
            "it and name one."
        )
    return archive, inside[0]


_NO_ARCHIVE = "it is a damaged or truncated zip archive"


def _unpacked(file: IO[bytes], compression: Compression | None) -> IO[bytes]:
    if compression == "zip":
        archive, inside = _only_member(file)
        return archive.open(inside)
    return file if compression is None else pa.CompressedInputStream(file, compression)


def _damaged(name: str, compression: Compression) -> str:
    return f"{name} is a damaged or truncated {compression} file; copy it again."


def _misnamed(name: str, found: Compression | None, promised: Compression | None) -> str:
    if found is None:
        assert promised is not None  # noqa: S101 - found differs from promised
        return (
            f"{_sentence(name)} is not {promised}-compressed though its name ends in "
            f"{_ENDINGS[promised]}."
        )
    return (
        f"{_sentence(name)} is {found}-compressed; give it a name that ends in {_ENDINGS[found]}."
    )


def _sentence(name: str) -> str:
    return name[0].upper() + name[1:]


def text_of(path: PathLike) -> str:
    """A small text file that a person wrote."""
    check_readable(path)
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{os.fspath(path)!r} is not a text file in UTF-8.") from None
