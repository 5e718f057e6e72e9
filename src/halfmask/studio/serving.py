"""Serving: a port of this machine, a private folder, and the page until it is closed."""

from __future__ import annotations

import contextlib
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import python_multipart  # noqa: F401 - forms are read with it; said now rather than later
import uvicorn

from halfmask.errors import BadInput, HalfmaskError
from halfmask.studio.app import Studio
from halfmask.studio.drafts import TableDraft
from halfmask.studio.folders import Folders, called
from halfmask.studio.keeping import RunShelf

HERE = "127.0.0.1"


@dataclass(frozen=True)
class PageWish:
    """What was asked for on the command line."""

    source: str | None = None
    folders: Sequence[Path] = ()
    runs: Path | None = None
    port: int = 0
    upload_bytes: int = 2_000_000_000
    on_address: Callable[[str], None] = field(default=print)
    """Told every address that opens the page."""


@contextmanager
def private_folder() -> Iterator[Path]:
    """A folder for uploads that nobody else may read, removed with all that is in it."""
    folder = Path(tempfile.mkdtemp(prefix="halfmask-studio-"))  # made with mode 0700
    before = tempfile.tempdir
    tempfile.tempdir = str(folder)  # where parts of an upload wait for the rest
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)


def bound(port: int) -> socket.socket:
    """A socket on this machine only; without a port, on one that is free."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HERE, port))
        found.listen(128)  # whoever comes before all is ready waits
    except OSError as problem:
        found.close()
        raise BadInput(f"Port {port} cannot be used: {problem.strerror}.") from None
    return found


def serve(wanted: PageWish) -> None:
    """Open the page and keep it until it is closed (Ctrl-C)."""
    with private_folder() as uploads, bound(wanted.port) as door:
        studio = studio_of(wanted, uploads, door.getsockname()[1])
        server = uvicorn.Server(
            uvicorn.Config(
                _Closing(studio), log_level="critical", access_log=False, server_header=False,
                date_header=False, timeout_graceful_shutdown=2, lifespan="on", ws="none",
            )
        )  # fmt: skip
        wanted.on_address(studio.door.new_address())
        if sys.stdin is not None and sys.stdin.isatty():
            threading.Thread(target=_new_addresses, args=(studio, wanted), daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[door])


def studio_of(wanted: PageWish, uploads: Path, port: int) -> Studio:
    """The page with its folders, and the table that was named opened already."""
    named = list(wanted.folders)
    local = None if wanted.source is None or "://" in wanted.source else Path(wanted.source)
    if local is not None:
        named.append(local.resolve().parent)
    folders = Folders.of(named or [Path.cwd()], uploads, wanted.runs)
    shelf = RunShelf(folders.runs)
    studio = Studio(folders, shelf, port=port, upload_bytes=wanted.upload_bytes)
    if wanted.source is not None:
        place = folders.source(wanted.source if local is None else str(local.resolve()))
        studio.door.landing = f"/tables/{studio.opened(TableDraft(place, called(place))).id}/"
    return studio


def _new_addresses(studio: Studio, wanted: PageWish) -> None:
    """Every Enter in the terminal gives a new address: each works once."""
    with contextlib.suppress(OSError, ValueError):
        for _ in sys.stdin:
            wanted.on_address(studio.door.new_address())


class _Closing:
    """The page, whose processes end with it."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def __call__(self, scope, receive, send) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
        if scope["type"] != "lifespan":
            await self._studio.door(scope, receive, send)
            return
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            else:
                with contextlib.suppress(HalfmaskError, OSError):
                    await self._studio.close()
                await send({"type": "lifespan.shutdown.complete"})
                return
