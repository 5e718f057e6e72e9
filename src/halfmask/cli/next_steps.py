"""Next steps: what a steward may type after a publication, made for its very result."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halfmask.methods import METHODS

if TYPE_CHECKING:
    from halfmask.io.forms import FileOptions
    from halfmask.publishing.publication import Publication

MOST = 3
SAFE_SUPPORT = 10
"""What is proposed where nearly nothing is hidden: the default of `publish`."""
GROUPS = 20
"""A larger minimum support is proposed only where so many groups of that size fit."""
REPEATS = ("Tracing", "Unique rows", "Rows that reappear", "How rows are made")
"""Checks that a larger minimum support helps, beside those of attacks."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """A command, and what it is good for."""

    why: str
    command: str


@dataclass(frozen=True)
class Typed:
    """What was typed, so that it can be typed again with something changed."""

    place: str
    method: str
    options: Mapping[str, Any]
    reading: FileOptions
    children: tuple[str, ...] = ()

    @property
    def repeatable(self) -> bool:
        """Whether the same words find the same table: not standard input, and no password."""
        from halfmask.io.addresses import without_credentials

        line = self.again()
        return self.place != "-" and without_credentials(line) == line

    def again(self, **changed: Any) -> str:
        """The same command with other options, over what it wrote; None takes one out."""
        from halfmask.studio.spelling import command_line

        options = {**self.options, "force": True, **changed}
        said = {name: value for name, value in options.items() if value is not None}
        line = command_line(self.place, self.method, said, self.reading, {})
        words = [word for child in self.children for word in ("--child", child)]
        return " ".join([line, *([shlex.join(words)] if words else [])])

    def on_file(self, command: str, *words: str) -> str:
        """Another command that reads the same file."""
        from halfmask.studio.spelling import reading_words

        first = ["halfmask", *command.split(), self.place]
        return shlex.join([*first, *words, *reading_words(self.reading)])


def next_steps(typed: Typed, published: Publication) -> tuple[NextStep, ...]:
    """Up to three, the most urgent first."""
    found = [
        *(_about_verdict(typed, published) if typed.repeatable else ()),
        *(_about_columns(typed, published) if typed.repeatable else ()),
        *_about_release(typed, published),
    ]
    return tuple(islice({step.command: step for step in found}.values(), MOST))


def _about_verdict(typed: Typed, published: Publication) -> Iterator[NextStep]:
    """What would answer a doubt of the verdict."""
    doubts = {
        "Attack" if "Attack:" in check.what else check.what.rpartition(": ")[2]
        for check in published.verdict.checks
        if check.outcome in ("review", "not attacked")
    }
    if doubts & {"Attacks", "Tracing"} and typed.options.get("holdout") == 0:
        yield NextStep("hold rows back, so that the release is attacked", typed.again(holdout=None))
    if "Promise" in doubts and "seed" in typed.options:
        yield NextStep("without a seed, so that the promise holds", typed.again(seed=None))
    if "Rare items" in doubts and "rare_values" in METHODS[typed.method].declared():
        why = "take items out that few baskets hold"
        yield NextStep(why, typed.again(rare_values="suppress"))
    yield from _other_support(typed, published, doubts)


def _other_support(typed: Typed, published: Publication, doubts: set[str]) -> Iterator[NextStep]:
    """A larger minimum support where people show, a smaller one where relations were lost."""
    first = published.first
    if typed.method not in ("generator", "baskets"):
        return
    floor, rows = first.made.model.min_support, round(first.made.original.size)
    held = {"holdout": None} if typed.options.get("holdout") == 0 else {}
    if "Minimum support" in doubts and rows >= GROUPS * SAFE_SUPPORT:
        why = f"let nothing in that fewer than {SAFE_SUPPORT} rows hold"
        yield NextStep(why, typed.again(min_support=SAFE_SUPPORT, **held))
    elif doubts & {"Attack", *REPEATS} and rows >= GROUPS * 2 * floor:
        why = f"learn from groups of {2 * floor:,} rows or more, which discloses less about people"
        yield NextStep(why, typed.again(min_support=2 * floor, **held))
    elif "Relations preserved" in doubts and floor >= SAFE_SUPPORT:
        why = f"learn from groups of {floor // 2:,} rows or more, which preserves more relations"
        yield NextStep(why, typed.again(min_support=floor // 2, **held))


def _about_columns(typed: Typed, published: Publication) -> Iterator[NextStep]:
    """A look at what was guessed, where something was left out or grouped."""
    from halfmask.data.coding.notices import notices
    from halfmask.io.places import beside

    made = published.first.made
    said = made.encoding is not None and (notices(made.encoding, drawn=True) or made.encoding.rare)
    if "schema" in typed.options or not said or beside(typed.place, ".schema.toml").exists():
        return
    public = ["--public"] if typed.method == "private" else []
    why = "see what was guessed about each column, correct it, and publish with --schema"
    yield NextStep(why, typed.on_file("schema init", *public))


def _about_release(typed: Typed, published: Publication) -> Iterator[NextStep]:
    """What can be done with what was written; a release in a database has no file of its own."""
    files = [one for one in published.files if isinstance(one, Path)]
    release = files[0] if published.files[:1] == tuple(files[:1]) else None
    model = next((one for one in files if one.name.endswith(".model.json")), None)
    private = typed.method in ("private", "private-baskets")
    if private and typed.repeatable:
        yield NextStep("what all private releases of this table come to", _ledger(typed))
    if release is not None and typed.repeatable and not private:
        yield from _page_for_receivers(typed, release, published)
    if model is not None and not private:
        why = "check that no small group follows from what the model discloses"
        yield NextStep(why, shlex.join(["halfmask", "inspect", str(model), "--audit"]))
    if model is not None and release is not None:
        yield from _more_rows(release, model, published)
    elif release is not None and typed.repeatable and typed.method != "table-anatomy":
        yield _measured(typed, files, published)


def _page_for_receivers(typed: Typed, release: Path, published: Publication) -> Iterator[NextStep]:
    page = release.with_name(f"{release.name.partition('.')[0]}.external.html")
    asked = "external_report" in typed.options or page.exists()
    if published.verdict.word == "publish" and not asked:
        why = "publish with a page for the receivers, which shows no exact counts"
        yield NextStep(why, typed.again(external_report=str(page)))


def _ledger(typed: Typed) -> str:
    return shlex.join(["halfmask", "ledger", typed.place])


def _more_rows(release: Path, model: Path, published: Publication) -> Iterator[NextStep]:
    from halfmask.io.forms import split_name

    stem, ending = split_name(release.name)
    if not ending or published.is_family:
        return
    more = release.with_name(f"{stem.removesuffix('.release')}.more{ending}")
    rows = str(10 * max(1, round(published.first.release.size)))
    if not more.exists():
        words = ["halfmask", "generate", str(model), "--rows", rows, "-o", str(more)]
        yield NextStep("draw ten times as many rows", shlex.join(words))


def _measured(typed: Typed, files: list[Path], published: Publication) -> NextStep:
    """Every measure; of baskets the table beside the release, if any, answers for supports."""
    from halfmask.data import Baskets

    beside = [one for one in files[1:] if one.suffix == ".csv" and ".release." in one.name]
    beside = beside if isinstance(published.first.made.original, Baskets) else []
    words = [str(files[0]), *(word for one in beside for word in ("--beside", str(one)))]
    groups = typed.options.get("hierarchy")
    words += [] if groups is None else ["--hierarchy", str(groups)]
    return NextStep("every measure of the release", typed.on_file("measure", *words))
