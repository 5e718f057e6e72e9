"""Pages: the kept results of a paper as Markdown, published and measured side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from halfmask_reproduction.description import Experiment, Paper
from halfmask_reproduction.result import NOT_MEASURED, Compared, Grid, Result

PICTURES = "pictures"
"""The folder of the drawings, beside the pages."""


_ABOUT = (
    "Every table, figure and checkable statement of the papers behind halfmask, rerun by one "
    "command and put beside what was printed. These pages are written by that command; the same "
    "seed gives the same pages."
)
_COMMANDS = (
    "```text\n"
    "halfmask reproduce --list\n"
    "halfmask reproduce generator-table3 --data DIR\n"
    "halfmask reproduce --quick --data DIR -o reproduction\n"
    "```"
)
_DATA = (
    "The data are public and stay where they are published; a message names the file that is "
    "missing, and each is checked against its SHA-256 before it is used. DIR can also be set as "
    "`HALFMASK_DATA`."
)
_REACHED = (
    "A number counts as **reached** when the printed value lies within its own rounding and twice "
    "the standard error of the two means. “Reached by” names another reading of the paper than "
    "the one it describes. What is missed is explained where it stands."
)
_RUNS = (
    "Runs: *full* is as many as published, five where a paper does not say; *quick* is three, two "
    "where one search takes seconds (LetterRecog, PenDigits, Quest B) and one elsewhere. *Quick, "
    "at most 10* is ten runs, but two of those slow ones. Every ± is the standard deviation of "
    "single runs; that of an average of sizes is by jackknife, and a peak has a quarter of a bar."
)


def paper_page(
    paper: Paper, experiments: Sequence[Experiment], results: Mapping[str, Result]
) -> str:
    """The page of a paper: every experiment that has a result, in the paper's order."""
    parts = [f"# {paper.title}", paper.citation, paper.preface]
    for experiment in experiments:
        if experiment.name in results:
            parts += _section(experiment, results[experiment.name])
    return _joined(parts)


def index_page(papers: Mapping[Paper, Sequence[Experiment]], results: Mapping[str, Result]) -> str:
    """The way in: what was rerun, and how much of it came out."""
    parts = ["# The papers, rerun", _ABOUT, _COMMANDS, _DATA, _REACHED, _RUNS]
    header = ("experiment", "printed numbers", "reached", "by another reading", "missed", "runs")
    for paper, experiments in papers.items():
        here = [one for one in experiments if one.name in results]
        if here:
            rows = [_line(paper, one, results[one.name]) for one in here]
            parts += [f"## [{paper.title}]({paper.name}.md)", paper.citation, _rows(header, rows)]
    full = sum(one.minutes for every in papers.values() for one in every)
    parts.append(
        f"A full run of everything takes about {full:.0f} minutes of one processor core, "
        "`--quick` about seven. Times are the only results that depend on the machine; they are in "
        "`timings.json` and not in these pages."
    )
    return _joined(parts)


def reached(experiment: Experiment, numbers: Iterable[Compared]) -> tuple[int, int, int]:
    """How many printed numbers are reached as described, by another reading, and missed."""
    words = [one.verdict(experiment.averaged) for one in numbers]
    plain = sum(word == "reached" for word in words)
    other = sum(word.startswith("reached by") for word in words)
    missed = sum(word.startswith("missed") or word == NOT_MEASURED for word in words)
    return plain, other, missed


def _line(paper: Paper, experiment: Experiment, result: Result) -> tuple[str, ...]:
    plain, other, missed = reached(experiment, result.numbers)
    link = f"[{experiment.title}]({paper.name}.md#{_anchor(experiment.title)})"
    counts = ("–",) * 4 if not result.numbers else tuple(
        str(number) for number in (len(result.numbers), plain, other, missed)
    )  # fmt: skip
    return (link, *counts, result.effort)


def _section(experiment: Experiment, result: Result) -> list[str]:
    parts = [
        f"## {experiment.title}",
        experiment.about,
        f"`halfmask reproduce {experiment.name}`, runs: {result.effort}, seed {result.seed}.",
    ]
    for column in dict.fromkeys(one.column for one in result.numbers):
        chosen = [one for one in result.numbers if one.column == column]
        parts += [f"### {column}", _numbers(experiment, chosen)]
    for grid in result.grids:
        parts += [f"### {grid.title}", grid_text(grid)]
    for drawing in result.pictures:
        parts += [f"![{drawing.title}]({PICTURES}/{drawing.name}.svg)", f"*{drawing.title}*"]
    remarks = [*experiment.notes, *_doubts(result), *result.remarks]
    parts.append("\n".join(f"- {note}" for note in remarks))
    return parts


def _doubts(result: Result) -> list[str]:
    return [f"{one.column}, {one.row}: {one.doubt}" for one in result.numbers if one.doubt]


def _numbers(experiment: Experiment, numbers: Sequence[Compared]) -> str:
    variants = list(dict.fromkeys(m.variant for one in numbers for m in one.measured))
    rows = []
    for one in numbers:
        by_variant = {m.variant: m.text(one.digits + 1) for m in one.measured}
        sign = {"=": "", ">": "more than ", "<": "at most "}[one.relation]
        printed = f"{sign}{one.printed:.{one.digits}f}" + ("\\*" if one.doubt else "")
        cells = [by_variant.get(variant, "") for variant in variants]
        rows.append((one.row, printed, *cells, one.verdict(experiment.averaged)))
    return _rows(("", "published", *variants, ""), rows)


def grid_text(grid: Grid) -> str:
    """A grid as a Markdown table."""
    return _rows(grid.header, grid.rows)


def _rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    ruler = ["---", *("---:" for _ in header[1:])]
    lines = [header, ruler, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _anchor(title: str) -> str:
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"
