"""Open: a file that is dropped, picked or named, or a table of a database; and how it is read."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from halfmask.documents.schema import read_schema
from halfmask.documents.schema_said import said_text
from halfmask.errors import BadInput, HalfmaskError
from halfmask.io.addresses import is_address
from halfmask.io.forms import FileOptions
from halfmask.io.places import beside
from halfmask.studio.app import Studio, see
from halfmask.studio.drafts import TableDraft
from halfmask.studio.folders import called
from halfmask.studio.keeping import safe_name

FORMATS = ("csv", "tsv", "parquet", "arrow", "fimi", "basket")
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
ENCODINGS = ("utf-8", "latin-1", "cp1252", "utf-16")


class OpenPages:
    """The first step."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    @property
    def routes(self) -> list[Route]:
        """Its addresses."""
        return [
            Route("/", self.home),
            Route("/upload", self.upload, methods=["POST"]),
            Route("/open", self.open, methods=["POST"]),
            Route("/tables/{table}/", self.table),
            Route("/tables/{table}/", self.read_again, methods=["POST"]),
        ]

    async def home(self, request: Request) -> Response:
        """Where a table is opened, and the runs there were."""
        return self._home(request.query_params.get("folder"))

    def _home(self, folder: str | None = None, problem: str = "") -> Response:
        folders = self._studio.folders
        where, listed = folders.listing(folder)
        return self._studio.page(
            "home.html.j2",
            step="open",
            folder=where,
            above=folders.above(where),
            listed=listed,
            roots=folders.roots,
            problem=problem,
            upload_bytes=self._studio.upload_bytes,
            status=400 if problem else 200,
        )

    async def upload(self, request: Request) -> Response:
        """A file that was dropped; it stays in a private folder until the page is closed."""
        form = await self._studio.form(request)
        sent = form.get("file")
        if not isinstance(sent, UploadFile) or not sent.filename:
            return self._home(problem="No file was chosen.")
        place = self._studio.folders.place_for(sent.filename)
        with place.open("xb") as kept:
            await run_in_threadpool(shutil.copyfileobj, sent.file, kept)
        return self._opened(str(place), safe_name(sent.filename))

    async def open(self, request: Request) -> Response:
        """A file that was picked, or the address of a database."""
        form = await self._studio.form(request)
        try:
            place = self._studio.folders.source(str(form.get("place", "")))
            return self._opened(place, called(place))
        except HalfmaskError as problem:
            return self._home(problem=str(problem))

    def _opened(self, place: str, name: str) -> Response:
        draft = self._studio.opened(TableDraft(place, name, schema=self._schema_beside(place)))
        return see(f"/tables/{draft.id}/")

    def _schema_beside(self, place: str) -> str:
        """What a schema file beside the table says already."""
        if is_address(place) or self._studio.folders.is_upload(place):
            return ""
        found = Path(beside(place, ".schema.toml"))
        try:
            return said_text(read_schema(found)) if found.is_file() else ""
        except HalfmaskError:
            return ""  # the page shows what is guessed, and the file is left as it is

    async def table(self, request: Request) -> Response:
        """The first rows, and how the file is read."""
        return await self._table(self._studio.draft(request))

    async def _table(self, draft: TableDraft, problem: str = "") -> Response:
        look = None
        try:
            look = await self._studio.look(draft)
        except BadInput as found:
            problem = problem or str(found)
        if look is not None and not draft.method:
            draft.method = "generator" if look.kind == "table" else "baskets"
        return self._studio.page(
            "table.html.j2",
            step="open",
            draft=draft,
            look=look,
            formats=FORMATS,
            delimiters=DELIMITERS,
            encodings=ENCODINGS,
            problem=problem,
            status=400 if problem else 200,
        )

    async def read_again(self, request: Request) -> Response:
        """Read the file as the steward says."""
        draft, form = self._studio.draft(request), await self._studio.form(request)
        try:
            draft.check_version(str(form.get("version", "")))
        except BadInput as problem:
            return await self._table(draft, str(problem))
        draft.change(reading=_reading(form))
        return see(f"/tables/{draft.id}/")


def _reading(form: Any) -> FileOptions:
    """What a form says about a file; nothing chosen is found out."""

    def said(name: str) -> str | None:
        return str(form.get(name, "")) or None

    header = {"yes": True, "no": False}.get(str(form.get("header", "")))
    return FileOptions(said("format"), said("delimiter"), said("encoding"), header)
