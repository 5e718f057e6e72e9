"""What is typed on the page becomes what the methods understand, and back."""

from __future__ import annotations

import asyncio

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.documents.schema import parse_schema
from halfmask.errors import BadInput
from halfmask.io.forms import FileOptions
from halfmask.methods import METHODS
from halfmask.publishing.job import Job, options_of
from halfmask.studio.app import Studio
from halfmask.studio.drafts import TableDraft, as_form, listed_in, names_in, with_column
from halfmask.studio.fields import ELSEWHERE, fields_of, in_words, values_of
from halfmask.studio.folders import Folders, kept_place
from halfmask.studio.keeping import KeptRun, RunShelf, safe_name
from halfmask.studio.spelling import command_line

words = st.text("abc ,\"'x;é", min_size=1, max_size=8).map(str.strip).filter(bool)


@pytest.fixture
def folders(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "up").mkdir()
    return Folders.of([tmp_path / "in"], tmp_path / "up")


@given(st.lists(words.filter(lambda w: not w.startswith('"')), max_size=5))
def test_lists_read_back(names):
    assert names_in(listed_in(names)) == tuple(names)


def test_a_column_reads_back_through_its_form():
    said = ColumnSpec(
        kind="category", role="sensitive", rare="keep", order=("low", "high, very"),
        missing=("-8",), groups={"far": ("a", "b, c")}, laplace_for={"a": 2.0},
    )  # fmt: skip
    text = with_column(TableSpec({"x": said}), "x", as_form(said))
    kept = parse_schema(text.encode(), "schema").of("x")
    assert as_form(kept) == as_form(said)
    assert kept.laplace_for == {"a": 2.0}


@pytest.mark.parametrize(
    ("form", "sentence"),
    [({"groups": "no colon"}, "colon"), ({"range": "3"}, "least and the largest"),
     ({"kind": "numbr"}, "did you mean 'number'"), ({"bins": "0"}, "at least 1 bin")],
)  # fmt: skip
def test_what_cannot_be_said_is_refused(form, sentence):
    with pytest.raises(BadInput, match=sentence):
        with_column(TableSpec(), "x", form)


@pytest.mark.parametrize("name", METHODS)
def test_every_setting_of_every_method_has_a_field_or_a_place_elsewhere(name):
    first, rest = fields_of(METHODS[name], {}, ["a"])
    shown = {field.setting.name for field in (*first, *(f for fs in rest.values() for f in fs))}
    options = options_of(METHODS[name])
    python_only = {n for n, one in options.items() if one.form == "object"}
    assert shown == set(options) - ELSEWHERE - python_only
    for field in first:
        assert field.label
        assert "--" not in field.help


def test_values_are_those_of_the_command_line(folders):
    said = {
        "min_support": "0.02", "calibrate": "1", "hide_together": "a, b\nc, d", "prune": "yes",
        "laplace_for": "a=0.5\nb=x=2", "order": "b, a", "seed": "", "target": "a",
    }  # fmt: skip
    found = values_of("generator", said, folders)
    assert found == {
        "min_support": 0.02, "calibrate": 1, "hide_together": [["a", "b"], ["c", "d"]],
        "prune": True, "laplace_for": {"a": 0.5, "b=x": 2.0}, "order": ["b", "a"], "target": "a",
    }  # fmt: skip
    line = command_line("t.csv", "generator", found, FileOptions(delimiter=";", header=False), {})
    assert line == (
        "halfmask publish t.csv --min-support 0.02 --hide-together a,b --hide-together c,d "
        "--laplace-for a=0.5 --laplace-for b=x=2 --calibrate 1 --target a --prune --order b,a "
        "--delimiter ';' --no-header"
    )


def test_an_epsilon_is_enough_for_a_private_release(folders):
    found = values_of("private", {"epsilon": "1"}, folders)
    assert command_line("t.csv", "private", found, FileOptions(), {}) == (
        "halfmask publish t.csv --epsilon 1"
    )
    assert Job.of("t.csv", "private", found).method.epsilon == 1


def test_help_speaks_of_settings_and_not_of_options():
    assert in_words("any --known items match -k rows") == "any “known” items match k rows"


def test_a_name_is_only_a_name():
    assert safe_name("a/../b\0c") == "a_.._b_c"
    assert safe_name("...") == "table"
    assert len(safe_name("x" * 500)) == 120


def test_a_password_is_never_written_down(folders):
    address = "postgresql://ann:secret@db.example/clinic?table=patients"
    assert kept_place(address, folders) is None
    assert kept_place(str(folders.roots[0] / "a.csv"), folders) is not None
    assert kept_place(str(folders.uploads / "a.csv"), folders) is None


def test_a_draft_that_was_changed_elsewhere_is_not_overwritten():
    draft = TableDraft("a.csv", "a.csv")
    seen = str(draft.version)
    draft.change(method="private")
    with pytest.raises(BadInput, match="another tab"):
        draft.check_version(seen)


def test_a_mistake_of_ours_is_a_page_that_names_no_value(tmp_path, folders, monkeypatch):
    studio = Studio(folders, RunShelf(tmp_path / "runs"), port=1)
    monkeypatch.setattr(Folders, "listing", lambda *_: {}["ann, born 1970"])
    token = studio.door.new_address().partition("token=")[2]
    transport = httpx.ASGITransport(studio.door, raise_app_exceptions=False)

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:1") as client:
            await client.get("/enter", params={"token": token})
            return await client.get("/")

    answer = asyncio.run(ask())
    assert answer.status_code == 500
    assert "This is a mistake in halfmask (KeyError)" in answer.text
    assert "ann" not in answer.text.partition("<main")[2]


def odd_method(run: KeptRun) -> KeptRun:
    return replace(run, id="9", method="none of ours")


def test_a_shelf_skips_what_is_not_a_run(tmp_path):
    (tmp_path / "001").mkdir()
    (tmp_path / "001" / "run.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("mine")
    run = KeptRun(
        id="abc", do="publish", name="a.csv", place=None, reading=FileOptions(), schema="",
        method="generator", said={}, began="2026-01-01T00:00:00", state="finished",
    )  # fmt: skip
    for folder, kept in (("abc", run), ("7", replace(run, id="8")), ("9", odd_method(run))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.json").write_bytes(msgspec.json.encode(kept))
    shelf = RunShelf(tmp_path)
    assert shelf.runs == {}
    assert shelf.listed() == []
    assert shelf.new_id() == "010"
