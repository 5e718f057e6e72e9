"""Text: bytes to UTF-8 without guessing; what cannot be told is asked for."""

from __future__ import annotations

import codecs
from dataclasses import replace

from halfmask.errors import BadInput
from halfmask.io.sources import Source

__all__ = ["as_utf8", "from_utf8"]

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def as_utf8(source: Source, encoding: str | None = None) -> tuple[Source, str]:
    r"""The content as UTF-8 without a byte order mark, and the encoding it had.

    Without `encoding` a byte order mark decides, and otherwise the file must be UTF-8.

    >>> as_utf8(Source("'x.csv'", b"caf\xe9"))
    Traceback (most recent call last):
    halfmask.errors.BadInput: 'x.csv' is not UTF-8 text (line 1); if it is Latin-1, say so:
    --encoding latin-1.
    """
    known = _codec(encoding) if encoding is not None else _marked(source.content)
    if encoding is not None and _marked(source.content) == "utf-8-sig" and known == "utf-8":
        known = "utf-8-sig"
    try:
        text = source.content.decode(known or "utf-8")
    except UnicodeDecodeError as problem:
        raise BadInput(_wrong(source, known, source.line_at(problem.start))) from None
    content = source.content if known in (None, "utf-8") else text.encode()
    nul = content.find(b"\0")
    decoded = replace(source, content=content)
    if nul >= 0:
        raise BadInput(
            f"{source.name} holds a NUL character (line {decoded.line_at(nul)}): it is not text, "
            f"or it is UTF-16 without a mark (--encoding utf-16-le)."
        )
    if not content:
        raise BadInput(f"{source.name} is empty.")
    return decoded, known or "utf-8"


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
            f"The data have characters that {encoding} cannot write; say --encoding utf-8."
        ) from None


def _native_utf16() -> str:
    return "utf-16-le" if "".encode("utf-16") == codecs.BOM_UTF16_LE else "utf-16-be"


def _marked(content: bytes) -> str | None:
    return next((name for mark, name in _MARKS.items() if content.startswith(mark)), None)


def _codec(encoding: str) -> str:
    try:
        info = codecs.lookup(encoding)
        "a".encode(info.name).decode(info.name)
    except (LookupError, TypeError, ValueError):
        raise BadInput(
            f"There is no text encoding {encoding[:40]!r}; there is utf-8, utf-16, latin-1, cp1252."
        ) from None
    return {"iso8859-1": "latin-1"}.get(info.name, info.name)


def _wrong(source: Source, known: str | None, line: int) -> str:
    if known is None:
        return (
            f"{source.name} is not UTF-8 text (line {line}); "
            f"if it is Latin-1, say so: --encoding latin-1."
        )
    return f"{source.name} is not {known} text (line {line}); say which encoding it has."
