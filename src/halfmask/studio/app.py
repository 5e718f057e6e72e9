"""The app: what the page knows, its addresses, and how a page is put together."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from halfmask import __version__
from halfmask.errors import HalfmaskError
from halfmask.report.html import environment, filters
from halfmask.studio.door import Door
from halfmask.studio.drafts import TableDraft
from halfmask.studio.fields import in_words
from halfmask.studio.folders import Folders
from halfmask.studio.keeping import KeptRun, RunShelf
from halfmask.studio.processes import Desk, Runner
from halfmask.studio.wire import Look, Question
from halfmask.studio.worker import sentence_of

MOST_FIELDS = 20_000
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class Studio:
    """Everything that the page knows: folders, tables on their way, and runs."""

    def __init__(
        self, folders: Folders, shelf: RunShelf, *, port: int, upload_bytes: int = 2_000_000_000
    ) -> None:
        self.folders = folders
        self.shelf = shelf
        self.desk = Desk()
        self.runner = Runner(shelf)
        self.drafts: dict[str, TableDraft] = {}
        self.upload_bytes = upload_bytes
        self._templates = environment(
            {**filters(external=False), "size": file_size, "duration": duration}, "halfmask.studio"
        )
        self._templates.globals["zip_self"] = _twice
        app = Starlette(
            routes=[*self._own_routes(), *self._page_routes()],
            exception_handlers={
                HalfmaskError: self._problem,
                HTTPException: self._missing,
                Exception: self._mistake,
            },
        )
        self.door = Door(app, port=port, upload_bytes=upload_bytes)

    def _own_routes(self) -> list[Route]:
        return [Route("/static/{name}", _static)]

    def _page_routes(self) -> list[Route]:
        from halfmask.studio.choosing_page import ChoosingPage
        from halfmask.studio.column_pages import ColumnPages
        from halfmask.studio.open_pages import OpenPages
        from halfmask.studio.promise_page import PromisePage
        from halfmask.studio.run_pages import RunPages

        rooms = (OpenPages, ColumnPages, PromisePage, ChoosingPage, RunPages)
        return [route for room in rooms for route in room(self).routes]

    def draft(self, request: Request) -> TableDraft:
        """The table that an address names."""
        found = self.drafts.get(request.path_params["table"])
        if found is None:
            raise HTTPException(404, "This table is not open any more; open it again.")
        return found

    def run(self, request: Request) -> KeptRun:
        """The run that an address names."""
        found = self.shelf.runs.get(request.path_params["run"])
        if found is None:
            raise HTTPException(404, "There is no such run.")
        return found

    def opened(self, draft: TableDraft) -> TableDraft:
        """Keep a table that was opened."""
        self.drafts[draft.id] = draft
        return draft

    async def look(self, draft: TableDraft) -> Look:
        """What the table holds, looked at again when something was changed."""
        if draft.look is None:
            answer = await self.desk.ask(Question("look", draft.source))
            draft.look = answer.look
        assert draft.look is not None  # noqa: S101 - a look was asked for
        return draft.look

    async def form(self, request: Request) -> FormData:
        """What was sent by a form of this page; anything else is turned away."""
        form = await request.form(max_files=1, max_fields=MOST_FIELDS, max_part_size=2**23)
        if not self.door.check_form(form.get("form_token")):
            raise HTTPException(403, "This form was not sent by this page; go back and reload it.")
        return form

    def page(self, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """A page of the studio."""
        shared = {
            "form_token": self.door.form_token,
            "version": __version__,
            "runs": self.shelf.listed(),
            "drafts": self.drafts.values(),
            "step": "",
            "draft": None,
            "run": None,
            "problem": "",
            "refresh": 0,
        }
        found = {**shared, **values}
        found["problem"] = in_words(found["problem"])
        text = self._templates.get_template(template).render(**found)
        return HTMLResponse(text, status_code=status)

    def _problem(self, _request: Request, problem: Exception) -> Response:
        return self.page("problem.html.j2", problem=sentence_of(problem), status=400)

    def _missing(self, _request: Request, problem: Exception) -> Response:
        assert isinstance(problem, HTTPException)  # noqa: S101 - the only kind that comes here
        return self.page("problem.html.j2", problem=problem.detail, status=problem.status_code)

    def _mistake(self, _request: Request, problem: Exception) -> Response:
        sentence = f"This is a mistake in halfmask ({type(problem).__name__}); the page goes on."
        return self.page("problem.html.j2", problem=sentence, status=500)

    async def close(self) -> None:
        """End whatever works for the page."""
        await self.runner.close()
        await self.desk.rest()


def _twice(words: Sequence[str]) -> list[tuple[str, str]]:
    """Words that are their own labels."""
    return [(word, word) for word in words]


def see(address: str) -> RedirectResponse:
    """Where to look after a form: a reload then sends nothing twice."""
    return RedirectResponse(address, status_code=303)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    place = files("halfmask.studio").joinpath("static", name)
    ending = f".{name.rpartition('.')[2]}"
    if "/" in name or "\\" in name or ending not in _TYPES or not place.is_file():
        raise HTTPException(404, "There is no such file.")
    content = place.read_bytes()
    if name == "studio.css":  # the report's own rules first, so that its parts look the same
        content = files("halfmask.report").joinpath("templates/report.css").read_bytes() + content
    return Response(content, media_type=_TYPES[ending])


def file_size(count: int) -> str:
    """The size of a file as a person says it.

    >>> file_size(999), file_size(12_345), file_size(3_400_000), file_size(2_000_000_000)
    ('999 bytes', '12 kB', '3.4 MB', '2.0 GB')
    """
    for size, unit in ((1e9, "GB"), (1e6, "MB")):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count} bytes" if count < 1_000 else f"{count / 1e3:.0f} kB"


def duration(seconds: float) -> str:
    """A length of time as a person says it.

    >>> duration(0.4), duration(42), duration(150)
    ('under a second', '42 s', '2 min 30 s')
    """
    if seconds < 1:
        return "under a second"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


def markup(text: str) -> Markup:
    """Markup that our own templates and pictures made; every value in it is escaped there."""
    return Markup(text)  # noqa: S704
