"""Choose: methods are tried on made-up data like the table, and the page says which to take."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from halfmask.choosing.candidates import candidates, variants
from halfmask.documents.asset import parse_asset
from halfmask.errors import BadInput
from halfmask.io.writing import write_bytes
from halfmask.methods.method import Need
from halfmask.studio.app import Studio, see
from halfmask.studio.drafts import TableDraft
from halfmask.studio.promise_page import Begun
from halfmask.studio.wire import Look, Question, Task

BASKETS = """\
# What matters in these baskets: the basket as a whole.
relation:
  key: []
  attributes:
    items: {type: set}
asset:
  - name: baskets
    weight: 1
    attributes:
      items: {aw: 1, cw: 1}
"""


class ChoosingPage:
    """Which method for this table and what matters in it."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    @property
    def routes(self) -> list[Route]:
        """Its addresses."""
        return [
            Route("/tables/{table}/choose", self.choose),
            Route("/tables/{table}/choose", self.start, methods=["POST"]),
        ]

    async def choose(self, request: Request) -> Response:
        """What matters, drafted from the data, and which methods are tried."""
        return await self._choose(self._studio.draft(request), {})

    async def _choose(self, draft: TableDraft, said: dict[str, Any], problem: str = "") -> Response:
        look = await self._studio.look(draft)
        text = said.get("asset") or draft.said.get("choose-asset") or await self._asset(draft, look)
        able = {
            name: (about.words, about.need)
            for name, (method, about) in variants().items()
            if look.kind in method.kinds and about.need != "hierarchy"  # which has no field here
        }
        return self._studio.page(
            "choose.html.j2",
            step="promise",
            draft=draft,
            look=look,
            asset=text,
            said=said,
            able=able,
            columns=[c.name for c in look.columns if c.fate == "codes"],
            problem=problem,
            status=400 if problem else 200,
        )

    async def _asset(self, draft: TableDraft, look: Look) -> str:
        if look.kind == "baskets":
            return BASKETS
        return (await self._studio.desk.ask(Question("asset", draft.source))).text or ""

    async def start(self, request: Request) -> Response:
        """Begin to try."""
        draft, form = self._studio.draft(request), await self._studio.form(request)
        said: dict[str, Any] = {k: str(v) for k, v in form.items() if k != "methods"}
        said["methods"] = [str(name) for name in form.getlist("methods")]
        said["asset"] = said.get("asset", "").replace("\r\n", "\n")
        look = await self._studio.look(draft)
        try:
            parse_asset(said["asset"], "What matters")
            options = _options(said)
            candidates(options["methods"] or None, look.kind, _given(options))
        except BadInput as problem:
            return await self._choose(draft, said, str(problem))
        draft.said["choose-asset"] = said["asset"]
        begun = Begun(self._studio, draft, look)
        kept = {name: said.get(name, "") for name in ("asset", "sensitive", "column", "weights")}
        run = begun.kept("choose", draft.method, kept)
        folder = self._studio.shelf.at(run)
        write_bytes(folder / "asset.yaml", said["asset"].encode())
        task = Task("choose", draft.place, draft.reading, str(folder), "", draft.method, options)
        self._studio.runner.start(run, task)
        await self._studio.desk.rest()
        return see(f"/runs/{run.id}/")


def _given(options: dict[str, Any]) -> frozenset[Need]:
    """What was named that some methods need."""
    found: set[Need] = {"column"} if options["column"] else set()
    if options["sensitive"]:
        found |= {"patterns", "rules"} if "->" in options["sensitive"] else {"patterns"}
    return frozenset(found)


def _options(said: dict[str, Any]) -> dict[str, Any]:
    """What was typed, as `halfmask choose` takes it."""
    found: dict[str, Any] = {"methods": said["methods"]}
    found["sensitive"] = said.get("sensitive", "").strip()
    found["column"] = said.get("column", "")
    try:
        found["weights"] = [float(said.get(f"weight-{n}") or 1) for n in range(3)]
        for name in ("draws", "generic_rows", "test_rows", "seed"):
            if text := said.get(name, "").strip():
                found[name] = int(text)
        if text := said.get("min_support", "").strip():
            found["min_support"] = float(text) if "." in text else int(text)
    except ValueError:
        raise BadInput("Weights, rows and supports are numbers.") from None
    return found
