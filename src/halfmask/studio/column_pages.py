"""Columns: what each is taken for and why, how its values lie, and what the steward corrects."""

from __future__ import annotations

from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from halfmask.errors import BadInput
from halfmask.studio.app import Studio, markup, see
from halfmask.studio.deciding import without_style
from halfmask.studio.drafts import WORDS, TableDraft, as_form, with_column, with_words
from halfmask.studio.wire import Question

KINDS = {
    "number": "number (cut into bins)",
    "date": "date (cut into bins)",
    "category": "category (each value)",
    "key": "key (made anew)",
    "text": "free text (left out)",
}
ROLES = {
    "sensitive": "sensitive",
    "quasi-identifier": "known to others",
    "identifier": "names a person (left out)",
    "ignore": "not wanted (left out)",
}


class ColumnPages:
    """The second step."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    @property
    def routes(self) -> list[Route]:
        """Its addresses."""
        return [
            Route("/tables/{table}/columns", self.columns),
            Route("/tables/{table}/columns", self.say, methods=["POST"]),
            Route("/tables/{table}/columns/{place:int}", self.column),
            Route("/tables/{table}/columns/{place:int}", self.say_one, methods=["POST"]),
            Route("/tables/{table}/schema", self.schema, methods=["POST"]),
            Route("/tables/{table}/schema.toml", self.file),
        ]

    async def columns(self, request: Request) -> Response:
        """All columns."""
        return await self._columns(self._studio.draft(request))

    async def _columns(
        self, draft: TableDraft, problem: str = "", text: str | None = None
    ) -> Response:
        return self._studio.page(
            "columns.html.j2",
            step="columns",
            draft=draft,
            look=await self._studio.look(draft),
            spec=draft.spec,
            kinds=KINDS,
            roles=ROLES,
            text=draft.schema if text is None else text,
            problem=problem,
            status=400 if problem else 200,
        )

    async def say(self, request: Request) -> Response:
        """What is said about all columns at once."""
        draft, form = self._studio.draft(request), await self._studio.form(request)
        look = await self._studio.look(draft)

        def said() -> str:
            draft.check_version(str(form.get("version", "")))
            return with_words(draft.spec, look.names, form)

        problem = await self._changed(draft, said)
        if problem:
            return await self._columns(draft, problem)
        onward = "promise" if form.get("then") == "promise" else "columns"
        return see(f"/tables/{draft.id}/{onward}")

    async def _changed(self, draft: TableDraft, said: Callable[[], str]) -> str:
        """Take a schema over if the table can bear it; otherwise why not."""
        before = draft.schema
        try:
            schema = said()
            if schema == before:
                return ""
            draft.change(schema=schema)
            await self._studio.look(draft)
        except BadInput as problem:
            if draft.schema != before:
                draft.change(schema=before)
            return str(problem)
        return ""

    async def column(self, request: Request) -> Response:
        """One column, with its histogram."""
        return await self._column(self._studio.draft(request), request.path_params["place"])

    async def _column(self, draft: TableDraft, place: int, problem: str = "") -> Response:
        look = await self._studio.look(draft)
        if not 0 <= place < len(look.names) or look.kind != "table":
            raise HTTPException(404, "There is no such column.")
        picture = await self._studio.desk.ask(Question("column", draft.source, place))
        return self._studio.page(
            "column.html.j2",
            step="columns",
            draft=draft,
            look=look,
            place=place,
            column=look.columns[place],
            said=as_form(draft.spec.of(look.names[place])),
            kinds=KINDS,
            roles=ROLES,
            words=WORDS,
            picture=markup(without_style(picture.text or "")),
            problem=problem,
            status=400 if problem else 200,
        )

    async def say_one(self, request: Request) -> Response:
        """What is said about one column."""
        draft, form = self._studio.draft(request), await self._studio.form(request)
        look, place = await self._studio.look(draft), request.path_params["place"]
        if not 0 <= place < len(look.names):
            raise HTTPException(404, "There is no such column.")

        def said() -> str:
            draft.check_version(str(form.get("version", "")))
            return with_column(draft.spec, look.names[place], dict(form))

        problem = await self._changed(draft, said)
        if problem:
            return await self._column(draft, place, problem)
        return see(f"/tables/{draft.id}/columns/{place}")

    async def schema(self, request: Request) -> Response:
        """The schema file as a whole."""
        draft, form = self._studio.draft(request), await self._studio.form(request)
        text = str(form.get("schema", "")).replace("\r\n", "\n")

        def said() -> str:
            draft.check_version(str(form.get("version", "")))
            return text

        problem = await self._changed(draft, said)
        if problem:
            return await self._columns(draft, problem, text)
        return see(f"/tables/{draft.id}/columns")

    async def file(self, request: Request) -> Response:
        """The schema file to keep."""
        draft = self._studio.draft(request)
        name = f"{draft.stem}.schema.toml"
        return Response(
            draft.schema,
            media_type="application/toml",
            headers={"Content-Disposition": saved(name)},
        )


def saved(name: str) -> str:
    """The header that lets a browser keep a file under this name, whatever characters it has.

    >>> saved('a"b.csv')
    "attachment; filename*=UTF-8''a%22b.csv"
    """
    from urllib.parse import quote

    return f"attachment; filename*=UTF-8''{quote(name, safe='')}"
