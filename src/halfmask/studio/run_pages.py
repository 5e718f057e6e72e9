"""Make and Decide: how a run goes on, what came of it, and several of them beside each other."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from halfmask.errors import BadInput, HalfmaskError
from halfmask.methods import METHODS
from halfmask.publishing.job import options_of
from halfmask.studio.app import Studio, markup, see
from halfmask.studio.column_pages import saved
from halfmask.studio.comparing import compared
from halfmask.studio.door import ALONE
from halfmask.studio.drafts import TableDraft
from halfmask.studio.fields import ELSEWHERE, values_of
from halfmask.studio.keeping import PAIRS, PART, SUMMARY, KeptRun
from halfmask.studio.promise_page import in_files
from halfmask.studio.spelling import command_line, python_code

ROLES = {
    ".external.html": "the report that may go out with the release",
    ".report.html": "the report for the house: it holds exact counts",
    ".refused.html": "why it was refused, for the house",
    ".model.json": "the model, which can draw more rows; for the house",
    ".schema.toml": "what was said about the columns",
    ".edits.csv": "the edits: they give the original back, so keep them",
    ".release.channel.csv": "belongs to the release: its noise",
    ".release.anatomy.csv": "belongs to the release: its buckets",
    ".release.unknown.csv": "belongs to the release: cells that are unknown",
    "choice.html": "every candidate beside the others",
    "asset.yaml": "what matters",
    "log.txt": "what the process printed, for a bug report",
}


class RunPages:
    """The fourth and the fifth step."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    @property
    def routes(self) -> list[Route]:
        """Their addresses."""
        return [
            Route("/runs/{run}/", self.run),
            Route("/runs/{run}/events", self.events),
            Route("/runs/{run}/stop", self.stop, methods=["POST"]),
            Route("/runs/{run}/discard", self.discard, methods=["POST"]),
            Route("/runs/{run}/forget", self.forget, methods=["POST"]),
            Route("/runs/{run}/again", self.again),
            Route("/runs/{run}/files/{name}", self.file),
            Route("/runs/{run}/pages/{name}", self.view),
            Route("/compare", self.compare),
        ]

    async def run(self, request: Request) -> Response:
        """How it goes on, or what came of it."""
        run = self._studio.run(request)
        if not run.over:
            live = self._studio.runner.live.get(run.id)
            return self._studio.page(
                "make.html.j2",
                step="make",
                run=run,
                draft=self._studio.drafts.get(run.draft),
                last=None if live is None else live.last,
                refresh=5,
            )
        return self._decide(run, request)

    def _decide(self, run: KeptRun, request: Request) -> Response:
        if run.do == "choose" and run.state == "finished":
            return self._chosen(run)
        summary, parts = None, ["", ""]
        if run.state == "finished":
            summary = self._read(run, SUMMARY)
            text = self._studio.shelf.at(run, PART).read_text()
            parts = text.split("<!--split-->", 1)
        return self._studio.page(
            "decide.html.j2",
            step="decide",
            run=run,
            draft=self._studio.drafts.get(run.draft),
            summary=summary,
            verdict=markup(parts[0]),
            rest=markup(parts[1]),
            files=self._files(run),
            spelled=self._spelled(run),
            pair=self._pair(run, request) if summary else None,
        )

    def _chosen(self, run: KeptRun) -> Response:
        kept = self._read(run, SUMMARY)
        if "asset" in options_of(METHODS[kept["method"]]):
            kept["settings"]["asset"] = str(self._studio.shelf.at(run, "asset.yaml"))
        return self._studio.page(
            "chosen.html.j2",
            step="promise",
            run=run,
            draft=self._studio.drafts.get(run.draft),
            choice=kept,
            files=self._files(run),
        )

    def _read(self, run: KeptRun, name: str) -> Any:
        try:
            return msgspec.json.decode(self._studio.shelf.at(run, name).read_bytes())
        except (OSError, msgspec.MsgspecError):
            raise BadInput(
                f"Files of run {run.id} are gone or damaged; what is left is in its folder."
            ) from None

    def _files(self, run: KeptRun) -> list[tuple[str, int, str]]:
        """What may be downloaded: its name, its size and what it is; the release first."""
        found = []
        for name, size in self._studio.shelf.files(run).items():
            role = next((words for end, words in ROLES.items() if name.endswith(end)), None)
            if role is None:
                role = "the release" if ".release." in name else "a setting of several lines"
            found.append((name, size, role))
        return sorted(found, key=lambda one: (one[2] != "the release", one[0]))

    def _spelled(self, run: KeptRun) -> dict[str, str]:
        """The command line and the Python code that do the same."""
        if run.do != "publish":
            return {}
        try:
            options = values_of(run.method, run.said, self._studio.folders)
        except HalfmaskError:
            return {}  # a file that was named is not here any more
        at = self._studio.shelf.at
        held = {name: str(at(run, f"{name}.txt")) for name in in_files(run.method, options)}
        if run.schema and "schema" in options_of(METHODS[run.method]):
            options["schema"] = str(at(run, f"{run.stem}.schema.toml"))
        place = run.place or run.name
        asked = (place, run.method, options, run.reading, held)
        return {"command": command_line(*asked), "code": python_code(*asked)}

    def _pair(self, run: KeptRun, request: Request) -> dict[str, Any] | None:
        """Two columns of the original and of the release, as they were asked for."""
        pairs = self._read(run, PAIRS)
        if len(pairs["names"]) < 2:
            return None
        try:
            one, other = (
                int(request.query_params.get(k, d)) for k, d in (("one", -1), ("other", -1))
            )
        except ValueError:
            one, other = -1, -1
        if one > other:
            one, other = other, one
        if f"{one},{other}" not in pairs["tables"]:
            worst = max(pairs["tables"], key=lambda key: pairs["tables"][key]["distance"])
            one, other = map(int, worst.split(","))
        table = pairs["tables"][f"{one},{other}"]
        known = {key: pairs[key] for key in ("names", "of", "sizes", "floor")}
        return {**known, "one": one, "other": other, "table": table}

    async def events(self, request: Request) -> Response:
        """What happens to a run, as it happens."""
        run = self._studio.run(request)

        async def told() -> AsyncIterator[bytes]:
            async for happening in self._studio.runner.watch(run.id):
                if happening is None:
                    yield b": still working\n\n"
                elif not run.over:
                    shown = {**msgspec.to_builtins(happening), "state": run.state}
                    yield b"data: " + msgspec.json.encode(shown) + b"\n\n"
            yield b"event: end\ndata: {}\n\n"

        return StreamingResponse(told(), media_type="text/event-stream")

    async def stop(self, request: Request) -> Response:
        """End the search and keep the best so far."""
        await self._studio.form(request)
        run = self._studio.run(request)
        await self._studio.runner.stop(run.id)
        return see(f"/runs/{run.id}/")

    async def discard(self, request: Request) -> Response:
        """Give the run up."""
        await self._studio.form(request)
        run = self._studio.run(request)
        await self._studio.runner.discard(run.id)
        return see(f"/runs/{run.id}/")

    async def forget(self, request: Request) -> Response:
        """Remove a run that is over, with its files."""
        await self._studio.form(request)
        run = self._studio.run(request)
        if not run.over:
            raise BadInput("This run is still working; stop it first.")
        shutil.rmtree(self._studio.shelf.at(run), ignore_errors=True)
        del self._studio.shelf.runs[run.id]
        return see("/")

    async def again(self, request: Request) -> Response:
        """The settings of a run, with those of the address, to be tried; nothing starts yet."""
        run, folders = self._studio.run(request), self._studio.folders
        draft = self._studio.drafts.get(run.draft)
        if draft is None:
            if run.place is None:
                raise BadInput(
                    f"{run.name!r} went away when the page was closed; open it again to try "
                    "another setting."
                )
            place = folders.source(run.place)
            draft = self._studio.opened(TableDraft(place, run.name, run.reading, run.schema))
            run.draft = draft.id
        known = {name for m in METHODS.values() for name in options_of(m)} - ELSEWHERE
        asked = {k: v for k, v in request.query_params.items() if k in known}
        method = request.query_params.get("method", run.method)
        own = run.said if run.do == "publish" else {}
        if "epsilon" in asked:
            method = "private"
        look = await self._studio.look(draft)  # says what is wrong before the form is shown
        draft.change(method=method, said={**own, **asked}, look=look)
        return see(f"/tables/{draft.id}/promise")

    async def file(self, request: Request) -> Response:
        """A file of a run, to be kept."""
        run, name = self._studio.run(request), request.path_params["name"]
        if name not in self._studio.shelf.files(run):
            raise HTTPException(404, "There is no such file.")
        return FileResponse(
            self._studio.shelf.at(run, name), headers={"Content-Disposition": saved(name)}
        )

    async def view(self, request: Request) -> Response:
        """A page that was written as a file, shown with no rights at all."""
        run, name = self._studio.run(request), request.path_params["name"]
        if name not in self._studio.shelf.files(run) or not name.endswith(".html"):
            raise HTTPException(404, "There is no such page.")
        return FileResponse(
            self._studio.shelf.at(run, name),
            media_type="text/html",
            headers={"Content-Security-Policy": ALONE},
        )

    async def compare(self, request: Request) -> Response:
        """Several runs beside each other."""
        wanted = request.query_params.getlist("run")
        finished = [r for r in self._studio.shelf.listed() if r.state == "finished"]
        able = [run for run in finished if run.do == "publish"]
        chosen = [run for run in reversed(able) if run.id in wanted] or list(reversed(able[:4]))
        summaries = {run.id: self._read(run, SUMMARY) for run in chosen}
        return self._studio.page(
            "compare.html.j2",
            chosen=chosen,
            able=able,
            table=compared(chosen, summaries),
        )
