"""Next steps: what a steward may type after a publication, made for its very result."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

        return self.place != "-" and without_credentials(self.place) == self.place

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
    if "Rare items" in doubts:
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
        why = f"learn from groups of {2 * floor:,} rows or more, which tells less about people"
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
    """What can be done with what was written."""
    files = [Path(str(one)) for one in published.files]
    model = next((one for one in files if one.name.endswith(".model.json")), None)
    private = typed.method in ("private", "private-baskets")
    if private and typed.repeatable:
        yield NextStep("what all private releases of this table come to", _ledger(typed))
    if "external_report" not in typed.options and typed.repeatable and files:
        page = files[0].with_name(f"{files[0].name.partition('.')[0]}.external.html")
        if published.verdict.word == "publish" and not private and not page.exists():
            why = "publish with a page for the receivers, which tells no exact counts"
            yield NextStep(why, typed.again(external_report=str(page)))
    if model is not None and not private:
        why = "check that no small group follows from what the model tells"
        yield NextStep(why, shlex.join(["halfmask", "inspect", str(model), "--audit"]))
    if model is not None:
        yield from _more_rows(files[0], model, published)
    elif typed.repeatable and files:
        yield _measured(typed, files)


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


def _measured(typed: Typed, files: list[Path]) -> NextStep:
    """Every measure; the table beside the release, where there is one, answers for supports."""
    beside = [one for one in files[1:] if one.suffix == ".csv" and ".release." in one.name]
    words = [str(files[0]), *(word for one in beside for word in ("--beside", str(one)))]
    return NextStep("every measure of the release", typed.on_file("measure", *words))
