"""Text: bytes to UTF-8 without guessing; what cannot be told is asked for."""

from __future__ import annotations

import codecs
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, TextIO

from halfmask.errors import BadInput
from halfmask.io.sources import BLOCK, FileSource, Source

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_LONGEST_MARK = max(map(len, _MARKS))


@dataclass(frozen=True)
class Text:
    """A text as UTF-8 without a byte order mark, read block by block as often as asked for."""

    source: Source | FileSource
    codec: str | None
    """The encoding that was said or marked; none if the text must be UTF-8."""

    @classmethod
    def of(cls, source: Source | FileSource, encoding: str | None = None) -> Text:
        """Without `encoding` a byte order mark decides, and otherwise the text must be UTF-8."""
        marked = _marked(next(source.blocks(_LONGEST_MARK), b""))
        if encoding is None and marked is None:
            marked = _found(source)
        known = _codec(encoding) if encoding is not None else marked
        if encoding is not None and marked == "utf-8-sig" and known == "utf-8":
            known = "utf-8-sig"
        return cls(source, known)

    @property
    def name(self) -> str:
        """What sentences call it."""
        return self.source.name

    @property
    def encoding(self) -> str:
        """The encoding of the file."""
        return self.codec or "utf-8"

    @cached_property
    def head(self) -> Source:
        """The first block: all of a small file, and more than a header of a large one."""
        first = next(self.blocks(), b"")
        if not first:
            raise BadInput(f"{self.name} is empty.")
        return Source(self.name, first)

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """The text piece by piece; a byte that is no text is refused with its line."""
        decoder = codecs.getincrementaldecoder(self.encoding)()
        plain = self.codec in (None, "utf-8")
        lines = 1
        for block in chain(self.source.blocks(size), [b""]):
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as problem:
                line = lines + problem.object.count(b"\n", 0, problem.start)
                raise BadInput(_wrong(self.name, self.codec, line)) from None
            content = block if plain else text.encode()
            nul = content.find(b"\0")
            if nul >= 0:
                line = lines + content.count(b"\n", 0, nul)
                raise BadInput(
                    f"{self.name} holds a NUL character (line {line}): it is not text, "
                    f"or it is UTF-16 without a mark (--encoding utf-16-le)."
                )
            lines += content.count(b"\n")
            if content:
                yield content

    def lines(self) -> TextIO:
        """The text from its beginning as Python reads it, line ends kept."""
        blocks = io.BufferedReader(BlockReader(self.blocks()))
        return io.TextIOWrapper(blocks, encoding="utf-8", newline="")


class BlockReader(io.RawIOBase):
    """Blocks as a file that can be read once, without its first `skip` bytes."""

    def __init__(self, blocks: Iterator[bytes], *, skip: int = 0) -> None:
        self._blocks = blocks
        self._left = memoryview(b"")
        self.read(skip)

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """As many bytes as asked for while there are any."""
        wanted = sys.maxsize if size < 0 else size
        parts = []
        while wanted:
            if not self._left:
                self._left = memoryview(next(self._blocks, b""))
            if not self._left:
                break
            parts.append(self._left[:wanted])
            self._left = self._left[wanted:]
            wanted -= len(parts[-1])
        return b"".join(parts)

    def readinto(self, buffer: Any, /) -> int:
        """The same into a buffer of that size."""
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)


def as_utf8(source: Source, encoding: str | None = None) -> tuple[Source, str]:
    r"""The content as UTF-8 without a byte order mark, and the encoding it had.

    >>> as_utf8(Source("'x.csv'", b"caf\xe9"))
    Traceback (most recent call last):
    halfmask.errors.BadInput: 'x.csv' is not UTF-8 text (line 1); if it is Latin-1, use
    --encoding latin-1.
    """
    text = Text.of(source, encoding)
    content = b"".join(text.blocks())
    if not content:
        raise BadInput(f"{source.name} is empty.")
    return replace(source, content=content), text.encoding


def from_utf8(content: bytes, encoding: str, *, first: bool) -> bytes:
    """UTF-8 in another encoding; only the `first` piece of a file carries a byte order mark."""
    if encoding == "utf-8":
        return content
    if not first:
        encoding = {"utf-8-sig": "utf-8", "utf-16": _native_utf16()}.get(encoding, encoding)
    try:
        return content.decode().encode(encoding)
    except UnicodeEncodeError:
        raise BadInput(
            f"The data have characters that {encoding} cannot encode; use --encoding utf-8."
        ) from None


def _native_utf16() -> str:
    return "utf-16-le" if "".encode("utf-16") == codecs.BOM_UTF16_LE else "utf-16-be"


_LOOKED_AT = 1 << 26
"""Bytes of a file that are looked at to find its encoding."""
_NEVER_1252 = b"\x81\x8d\x8f\x90\x9d"
_UTF_8 = re.compile(rb"[\xc3-\xdf][\x80-\xbf]")
"""Letters of UTF-8: beside bytes that are none of it, two programs wrote the file."""


def _found(source: Source | FileSource) -> str | None:
    """The encoding of a text without a mark: UTF-8 if it can be, or what spreadsheets write."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    seen, plain, mixed = 0, True, False
    for number, block in enumerate(source.blocks()):
        if not number and (wide := _wide(block[:4096])) is not None:
            return wide
        try:
            decoder.decode(block)
        except UnicodeDecodeError:
            plain = False
        mixed |= _UTF_8.search(block) is not None
        foreign = mixed or any(byte in block for byte in _NEVER_1252)
        if b"\0" in block or (not plain and foreign):
            return None
        seen += len(block)
        if seen > _LOOKED_AT:
            break
    return None if plain else "cp1252"


def _wide(beginning: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of Western text is 0."""
    odd, even = beginning[1::2], beginning[::2]
    if len(beginning) >= 8 and odd.count(0) > 0.4 * len(odd) and not even.count(0):
        return "utf-16-le"
    if len(beginning) >= 8 and even.count(0) > 0.4 * len(even) and not odd.count(0):
        return "utf-16-be"
    return None


def _marked(content: bytes) -> str | None:
    return next((name for mark, name in _MARKS.items() if content.startswith(mark)), None)


def _codec(encoding: str) -> str:
    try:
        info = codecs.lookup(encoding)
        "a".encode(info.name).decode(info.name)
    except (LookupError, TypeError, ValueError):
        raise BadInput(
            f"There is no text encoding {encoding[:40]!r}; known are utf-8, utf-16, latin-1 "
            "and cp1252, among others."
        ) from None
    return {"iso8859-1": "latin-1"}.get(info.name, info.name)


def _wrong(name: str, known: str | None, line: int) -> str:
    if known is None:
        return f"{name} is not UTF-8 text (line {line}); if it is Latin-1, use --encoding latin-1."
    return f"{name} is not {known} text (line {line}); give its --encoding."
