"""Sources: the bytes of a file, whatever it is packed in, or one sentence about why not."""

from __future__ import annotations

import io
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from halfmask.errors import BadInput
from halfmask.io.addresses import refuse_address
from halfmask.io.forms import STANDARD, Compression, PathLike

__all__ = ["Source", "check_readable", "open_source", "read_bytes"]

_MAGIC: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_ENDINGS: dict[Compression, str] = {"gzip": ".gz", "zstd": ".zst"}


@dataclass(frozen=True)
class Source:
    """The unpacked content of a file and the name by which sentences speak of it."""

    name: str
    content: bytes

    def line_at(self, offset: int) -> int:
        """The number of the line that holds the byte at `offset`."""
        return self.content.count(b"\n", 0, offset) + 1


def open_source(path: PathLike, compression: Compression | None = None) -> Source:
    """Read a file (or standard input, "-") as it is named: `compression` must be what it holds."""
    if str(path) == STANDARD:
        packed, name = sys.stdin.buffer.read(), "standard input"
        compression = _packing(packed)
    else:
        packed, name = read_bytes(path), repr(Path(path).name)
    if not packed:
        raise BadInput(f"{_sentence(name)} is empty.")
    found = _packing(packed)
    if found != compression:
        raise BadInput(_misnamed(name, found, compression))
    content = packed if compression is None else _unpack(packed, compression, name)
    if not content:
        raise BadInput(f"{_sentence(name)} is empty.")
    return Source(_sentence(name), content)


def check_readable(path: PathLike) -> None:
    """Refuse what is no file, in one sentence."""
    refuse_address(path, "This input")
    with _in_words(Path(path)):
        mode = Path(path).stat().st_mode
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
        raise BadInput(f"There is no file {str(path)!r}.") from None
    except PermissionError:
        raise BadInput(f"The file {str(path)!r} may not be read by this user.") from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "its name is not a path"
        raise BadInput(f"The file {str(path)[:200]!r} cannot be read: {reason}.") from None


def _packing(content: bytes) -> Compression | None:
    return next((c for magic, c in _MAGIC.items() if content.startswith(magic)), None)


def _unpack(packed: bytes, compression: Compression, name: str) -> bytes:
    try:
        with pa.CompressedInputStream(io.BytesIO(packed), compression) as stream:
            content: bytes = stream.read()
    except (OSError, pa.ArrowException):
        raise BadInput(
            f"{_sentence(name)} is a damaged or truncated {compression} file; copy it again."
        ) from None
    return content


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
