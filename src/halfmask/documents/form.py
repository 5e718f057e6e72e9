"""Documents: model files as JSON that a person reads line by line, with a version and a checksum.

A file from a stranger is read with bounds on everything; what it says is then checked by whoever
knows what it should mean.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct

from halfmask.errors import BadInput

_T = TypeVar("_T")
_D = TypeVar("_D", bound=Struct)

MAX_BYTES = 64 * 1024 * 1024
"""A larger file is no model: this is room for about half a million patterns."""

Count = Annotated[int, Meta(ge=0, le=2**53)]
Name = Annotated[str, Meta(max_length=10_000)]
Value = Annotated[str, Meta(max_length=65_536)] | None
Weight = Annotated[float, Meta(ge=0, le=1e15)]


class _Envelope(Struct, frozen=True):
    format: Annotated[str, Meta(max_length=200)]
    version: Annotated[int, Meta(ge=1, le=2**31)]
    checksum: Annotated[str, Meta(max_length=200)]
    model: msgspec.Raw


@dataclass(frozen=True, slots=True)
class Form(Generic[_D]):
    """One kind of model file: its name, the newest version of it, and the document inside."""

    format: str
    version: int
    about: str
    document: type[_D]
    fields: tuple[str, ...]
    """In the order in which the file has them; of a list, each element is on a line."""
    newest: tuple[str, ...] = ()
    """What the newest version added; a file with none of it is one of the version before."""

    def to_json(self, document: _D) -> bytes:
        """The content of a file."""
        # Through JSON and back once, so that 1 and 1.0 are the same number to the checksum.
        encode = msgspec.json.encode
        try:
            document = msgspec.json.decode(encode(document), type=self.document)
        except msgspec.ValidationError as problem:
            raise BadInput(f"The model cannot be written{_place(problem)}.") from None
        given = [(name, getattr(document, name)) for name in self.fields]
        inside = [b'    "%s": %s' % (n.encode(), _shown(v)) for n, v in given if v is not UNSET]
        older = self.newest and all(getattr(document, name) is UNSET for name in self.newest)
        content = b"\n".join(
            [
                b"{",
                b'  "format": %s,' % encode(self.format),
                b'  "version": %d,' % (self.version - 1 if older else self.version),
                b'  "about": %s,' % encode(self.about),
                b'  "checksum": %s,' % encode(_checksum(document)),
                b'  "model": {',
                b",\n".join(inside),
                b"  }",
                b"}",
                b"",
            ]
        )
        if len(content) > MAX_BYTES:
            raise BadInput(
                f"The model would be a file of {len(content):,} bytes, and {MAX_BYTES:,} is "
                "the limit; raise the minimum support."
            )
        return content

    def from_json(self, content: bytes, name: str) -> _D:
        """The document in a file, or one sentence about what is wrong with it."""
        envelope = _decode(content, _Envelope, name)
        if envelope.format != self.format:
            raise BadInput(f"{name} is not a {self.format}.")
        if envelope.version > self.version:
            raise BadInput(
                f"{name} is a model of version {envelope.version:,} and this halfmask reads "
                f"version {self.version}; install a newer halfmask."
            )
        document = _decode(bytes(envelope.model), self.document, name)
        if envelope.checksum != _checksum(document):
            raise BadInput(f"{name} was changed after it was written: its checksum does not match.")
        return document


def format_of(content: bytes, name: str) -> str:
    """What kind of model file this says it is."""
    return _decode(content, _Envelope, name).format


def _shown(value: Any) -> bytes:
    if not isinstance(value, list):
        return msgspec.json.encode(value)
    if not value:
        return b"[]"
    lines = b",\n      ".join(msgspec.json.encode(line) for line in value)
    return b"[\n      " + lines + b"\n    ]"


def _checksum(document: Struct) -> str:
    return "sha256:" + hashlib.sha256(msgspec.json.encode(document)).hexdigest()


def _decode(content: bytes, type_: type[_T], name: str) -> _T:
    try:
        return msgspec.json.decode(content, type=type_)
    except msgspec.ValidationError as problem:
        raise BadInput(f"{name} is not a halfmask model{_place(problem)}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        if "truncated" in str(problem):
            raise BadInput(f"{name} is a truncated model file; copy it again.") from None
        raise BadInput(f"{name} is not a halfmask model: it is not JSON.") from None
    except RecursionError:
        raise BadInput(f"{name} is not a halfmask model: it is nested too deeply.") from None


def _place(problem: msgspec.ValidationError) -> str:
    """Where the problem is, without the library's own words, which may quote a value."""
    place = re.search(r"at `\$\.?([\w.\[\]]{1,100})`", str(problem))
    return f": there is something wrong at {place[1]}" if place else ""
