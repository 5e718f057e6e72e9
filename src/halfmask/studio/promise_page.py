"""Promise: what is promised to people in the table, what that costs, and the start of a run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from halfmask.errors import BadInput
from halfmask.io.addresses import is_address
from halfmask.io.forms import split_name
from halfmask.io.writing import write_bytes
from halfmask.methods import METHODS
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.private.promise import likelier
from halfmask.patterns.mining import absolute_support
from halfmask.publishing.hold_out import cost_of, rows_held_back
from halfmask.publishing.job import Job, options_of
from halfmask.studio.app import Studio, see
from halfmask.studio.drafts import TableDraft, methods_for
from halfmask.studio.fields import ELSEWHERE, fields_of, in_words, values_of
from halfmask.studio.folders import kept_place
from halfmask.studio.keeping import KeptRun
from halfmask.studio.wire import Look, Question, Task

EPSILONS = (0.1, 0.5, 1.0, 3.0, 10.0)
_ENDINGS = {"fimi": ".dat", "basket": ".basket.csv"}


class PromisePage:
    """The third step."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    @property
    def routes(self) -> list[Route]:
        """Its addresses."""
        return [
            Route("/tables/{table}/promise", self.promise),
            Route("/tables/{table}/promise", self.start, methods=["POST"]),
        ]

    async def promise(self, request: Request) -> Response:
        """What is promised; settings may be named in the address, and nothing is changed by it."""
        draft = self._studio.draft(request)
        asked = dict(request.query_params)
        method = asked.pop("method", "")
        return await self._promise(draft, method, {**draft.said, **asked})

    async def _promise(
        self, draft: TableDraft, method: str, said: dict[str, str], problem: str = ""
    ) -> Response:
        look = await self._studio.look(draft)
        able = methods_for(look.kind)
        names = [one.name for one in able]
        method = next((m for m in (method, draft.method) if m in names), names[0])
        columns = [c.name for c in look.columns if c.fate in ("codes", "bins")]
        first, rest = fields_of(METHODS[method], said, columns if look.kind == "table" else [])
        costs = None
        if look.kind == "table" and METHODS[method] is GeneratorMethod:
            costs = (await self._studio.desk.ask(Question("costs", draft.source))).costs
        return self._studio.page(
            "promise.html.j2",
            step="promise",
            draft=draft,
            look=look,
            method=METHODS[method],
            methods=[(one.name, _summary(one.summary)) for one in able],
            first=first,
            rest=rest,
            costs=costs,
            odds=[(epsilon, f"{100 * likelier(epsilon):.4g} %") for epsilon in EPSILONS],
            held_back=_held_back(look),
            problem=problem,
            status=400 if problem else 200,
        )

    async def start(self, request: Request) -> Response:
        """Begin a run with these settings."""
        draft, form = self._studio.draft(request), await self._studio.form(request)
        method = str(form.get("method", ""))
        if method not in METHODS:
            raise BadInput("There is no such method.")
        said = typed(form, method)
        try:
            draft.check_version(str(form.get("version", "")))
            look = await self._studio.look(draft)
            options = values_of(method, said, self._studio.folders)
            job = Job.of(draft.place, method, options)  # refuses what cannot be before it starts
            absolute_support(job.method.min_support, look.rows)
        except BadInput as problem:
            return await self._promise(draft, method, said, str(problem))
        draft.change(method=method, said={**draft.said, **said})
        run = Begun(self._studio, draft, look).published(method, said, options)
        await self._studio.desk.rest()  # its memory is needed now
        return see(f"/runs/{run.id}/")


def _summary(text: str) -> str:
    """What a method does, without how it is typed."""
    return in_words(text).partition(" (")[0].rstrip(".") + "."


def typed(form: FormData, method: str) -> dict[str, str]:
    """The settings of a form as they were typed."""
    names = [name for name in options_of(METHODS[method]) if name not in ELSEWHERE]
    return {name: str(form.get(f"o-{name}", "")).strip() for name in names}


def in_files(method: str, options: dict[str, Any]) -> list[str]:
    """The options whose text the command line reads from a file."""
    declared = options_of(METHODS[method])
    listed = ("lines", "item columns")
    return [n for n, v in options.items() if declared[n].form in listed and not isinstance(v, int)]


def _held_back(look: Look) -> str:
    count = rows_held_back(look.rows)
    what = "rows" if look.kind == "table" else "baskets"
    if not count:
        return f"{look.rows:,} {what} are too few to hold some back, so nothing can be attacked."
    said = cost_of(count, look.rows, what).partition(" (--holdout")[0]
    return f"{said}.".replace("were held", "are held").replace("was learnt", "is learnt")


@dataclass(frozen=True)
class Begun:
    """A run that begins with what a draft says."""

    studio: Studio
    draft: TableDraft
    look: Look

    def published(self, method: str, said: dict[str, str], options: dict[str, Any]) -> KeptRun:
        """A release."""
        run = self.kept("publish", method, said)
        task = Task(
            "publish", self.draft.place, self.draft.reading, str(self.studio.shelf.at(run)),
            str(self._output(run)), method, {**options, **self._files(run, method, options)},
        )  # fmt: skip
        self.studio.runner.start(run, task)
        return run

    def kept(self, do: Any, method: str, said: dict[str, str]) -> KeptRun:
        """What is written down of it."""
        draft, shelf = self.draft, self.studio.shelf
        return KeptRun(
            id=shelf.new_id(),
            do=do,
            name=draft.name,
            place=kept_place(draft.place, self.studio.folders),
            reading=draft.reading,
            schema=draft.schema,
            method=method,
            said={name: text for name, text in said.items() if text},
            began=datetime.now().astimezone().isoformat(timespec="seconds"),
            draft=draft.id,
        )

    def _output(self, run: KeptRun) -> Path:
        form = self.look.form.get("format", "parquet")
        ending = split_name(self.draft.name)[1] or _ENDINGS.get(form, f".{form}")
        return self.studio.shelf.at(run, f"{run.stem}.release{ending}")

    def _files(self, run: KeptRun, method: str, options: dict[str, Any]) -> dict[str, Any]:
        """The options that name files of the run's own folder."""
        declared, at = options_of(METHODS[method]), self.studio.shelf.at
        found: dict[str, Any] = {"external_report": str(at(run, f"{run.stem}.external.html"))}
        if run.schema and "schema" in declared:
            place = at(run, f"{run.stem}.schema.toml")
            write_bytes(place, run.schema.encode())
            found["schema"] = str(place)
        if "edit_log" in declared:
            found["edit_log"] = str(at(run, f"{run.stem}.edits.csv"))
        for name in in_files(method, options):
            write_bytes(at(run, f"{name}.txt"), run.said[name].encode())
        gone = self.studio.folders.is_upload(self.draft.place) or is_address(self.draft.place)
        if "ledger" in declared and "ledger" not in options and gone:
            found["ledger"] = str(self.studio.shelf.folder / f"{run.stem}.ledger.json")
        return found
