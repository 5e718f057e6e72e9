"""The options of `halfmask publish` are those that its methods declare."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from halfmask.cli.entry import cli
from halfmask.cli.publish import HEADINGS, command_of, method_typed, said
from halfmask.methods import METHODS
from halfmask.publishing.job import Job, options_of

ASSET = """
relation: {key: [], attributes: {ward: {}, outcome: {}}}
asset:
- {name: stay, weight: 1.0, attributes: {ward: {aw: 1.0, cw: 1.0}, outcome: {aw: 0.5}}}
"""
FILES = {
    "lines": "beer, crisps -> snacks\n",
    "item columns": "beer, crisps\ntea, milk\n",
    "schema": '[columns.ward]\nkind = "category"\n',
    "asset": ASSET,
}
TYPED = {"algorithm": "swa", "memory": "8GB", "private": "tea, milk"}
WORDS = {
    "support": ("0.25", 0.25),
    "text": ("ward", "ward"),
    "order": ("ward,outcome", ("ward", "outcome")),
    "file": ("place.csv", "place.csv"),
}
SEVERAL = {
    "names": (("ward", "outcome"), ("ward", "outcome")),
    "pairs": (("ward,age", "sex=f,ward=7"), (("ward", "age"), ("sex=f", "ward=7"))),
    "assignments": (("ward=1", "sex=2"), {"ward": 1.0, "sex": 2.0}),
}
"""How a form is typed, and what the method is to have of it."""

DECLARED = [
    (method.name, one)
    for method in METHODS.values()
    for one in options_of(method).values()
    if one.form != "object"
]


def named(value):
    return value if isinstance(value, str) else value.flag


def parsed(method, *words):
    """What is passed on of these words."""
    command = command_of(method)
    context = command.make_context("publish", ["data.csv", "--method", method, *words])
    return said(METHODS[method], context)


def example(one, folder):
    """Words for an option, and the value that the method is to have."""
    if one.form == "flag":
        return [one.flag], True
    flag = one.flag.split("/")[-1]
    if one.form in SEVERAL:
        words, value = SEVERAL[one.form]
        return [word for given in words for word in (flag, given)], value
    if one.choices:
        value = next(choice for choice in one.choices if choice != one.default)
        return [flag, value], value
    if one.form in ("whole", "number"):
        value = 3 if one.form == "whole" else _fitting(one)
        return [flag, str(value)], value
    text = FILES.get(one.name) or FILES.get(one.form)
    if text is not None:
        path = folder / f"{one.name}.txt"
        path.write_text(text)
        return [flag, str(path)], str(path) if one.form == "file" else path
    word, value = (TYPED[one.name],) * 2 if one.name in TYPED else WORDS[one.form]
    return [flag, word], value


def _fitting(one):
    return next(value for value in (0.25, 0.75, 2.5) if one._fits(value))


def required(method, folder):
    """Words for the options that a method cannot do without."""
    needed = [one for one in options_of(METHODS[method]).values() if one.required]
    return [word for one in needed for word in example(one, folder)[0]]


@pytest.mark.parametrize(("method", "one"), DECLARED, ids=named)
def test_every_declared_option_reaches_the_method(tmp_path, method, one):
    words, value = example(one, tmp_path)
    before = required(method, tmp_path)
    options = parsed(method, *before, *words)
    assert options[one.name] == value
    assert type(options[one.name]) is type(value) or one.form == "lines"
    job = Job.of("data.csv", method, options)
    owner = job.method if one.name in METHODS[method].declared() else job.request
    reached = getattr(owner, one.name)
    if one.name in FILES:
        assert reached != one.default, "the file was read"
    elif isinstance(value, Path):
        assert reached in (FILES[one.form], (("beer", "crisps"), ("tea", "milk")))
    else:
        assert reached == value


@pytest.mark.parametrize("method", METHODS)
def test_what_is_not_typed_is_not_passed_on(method):
    assert parsed(method) == {}


@pytest.fixture(scope="module")
def helps():
    """The help of each method, as it is printed."""
    runner, found = CliRunner(env={"COLUMNS": "200"}), {}
    for method in METHODS:
        ran = runner.invoke(cli, ["publish", "--method", method, "--help"])
        assert ran.exit_code == 0
        found[method] = ran.output
    return found


def listed(text):
    """The options that help lists: what starts a line within a panel."""
    return {word.strip("│*") for line in text.splitlines() if line.startswith("│")
            for word in line[:60].split() if word.startswith("-")}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_help_lists_the_options_of_the_method_and_no_others(helps, method):
    own = {f for name, o in DECLARED if name == method for f in o.flag.split("/")}
    everybody = {f for _, o in DECLARED for f in o.flag.split("/")}
    found = listed(helps[method])
    assert own <= found
    assert not (everybody - own) & {w for w in found if w not in mentioned(method)}


def mentioned(method):
    """Options that the sentences of others speak of."""
    return {w.strip(".,;:()") for o in options_of(METHODS[method]).values() for w in o.help.split()}


@pytest.mark.parametrize("method", METHODS)
def test_help_is_in_groups_and_names_every_method(helps, method):
    used = {one.group for name, one in DECLARED if name == method} | {"output"}
    places = [helps[method].find(f"─ {HEADINGS[group]} ─") for group in HEADINGS if group in used]
    assert places == sorted(places)
    assert min(places) > 0
    for group in set(HEADINGS) - used:
        assert f"─ {HEADINGS[group]} ─" not in helps[method]
    flowing = " ".join(helps[method].split())
    for one in METHODS.values():
        assert f"• {one.name}: {one.summary}" in flowing


@pytest.mark.parametrize(("method", "one"), DECLARED, ids=named)
def test_every_help_is_a_sentence(method, one):
    assert one.help[0].isupper() or one.help.startswith(method) or one.help.split(":")[0].islower()
    assert one.help.endswith(".")
    assert len(one.help.split()) >= 4


REFUSED = {
    "--keep 0.9": "halfmask: --keep is an option of the method distortion, not of generator.\n",
    "-l 3": "-l is an option of the method anatomy or table-anatomy, not of generator.",
    "--method km --child x.csv": "--child is an option of the method generator or private, not",
    "--method km --edit-log log.csv": "--edit-log is an option of the method hiding, not of km.",
    "--min-suport 20": "There is no option --min-suport; did you mean --min-support?",
    "--jsn": "There is no option --jsn; did you mean --json?",
    "--method km --keep-rar 0.7": "--keep-rare is an option of the method distortion, not of km.",
    "--zzz": "halfmask publish --method generator --help lists them all.",
    "--key id": "--key and --orphans speak of child tables; name one (--child).",
    "--orphans drop": "--key and --orphans speak of child tables; name one (--child).",
}


@pytest.mark.parametrize("typed", REFUSED)
def test_misplaced_and_misspelt_options_get_one_sentence(halfmask, files_in, typed):
    ran = halfmask("publish", "data.csv", *typed.split())
    assert (ran.code, ran.out) == (2, "")
    assert REFUSED[typed] in ran.err
    assert len(ran.err.splitlines()) == 1
    assert files_in() == []


def test_a_required_option_is_asked_for(halfmask):
    ran = halfmask("publish", "shop.dat", "--method", "anatomy")
    assert ran.code == 2
    assert "The method anatomy needs 'l' (-l)" in ran.err


@pytest.mark.parametrize(
    ("words", "method"),
    [
        ([], "generator"),
        (["a.csv", "--method", "km"], "km"),
        (["--method=hiding", "a.csv"], "hiding"),
        (["--method", "km", "--method", "anatomy"], "anatomy"),
        (["--method"], "generator"),
        (["--method", "no such"], "generator"),
        (["--", "--method", "km"], "generator"),
        (["--methods", "km"], "generator"),
    ],
)
def test_the_method_is_found_among_the_words(words, method):
    assert method_typed(words) == method


def test_an_unknown_method_is_answered_with_those_there_are(halfmask):
    ran = halfmask("publish", "a.csv", "--method", "anatomi")
    assert ran.code == 2
    assert all(f"'{method}'" in ran.err for method in METHODS)
    assert "\n\n" not in ran.err


def test_an_unknown_choice_is_answered_with_those_of_the_method(halfmask):
    ran = halfmask("publish", "shop.dat", "--method", "baskets", "--rare-values", "group")
    assert ran.code == 2
    assert "'group' is not one of 'keep', 'suppress'" in ran.err


@pytest.mark.parametrize("words", [["--help"], ["--version"]])
def test_help_loads_nothing_heavy(halfmask, words):
    ran = halfmask(*words, PYTHONPROFILEIMPORTTIME="1")
    assert ran.code == 0
    loaded = {line.rsplit("|", 1)[-1].strip() for line in ran.err.splitlines()}
    assert not loaded & {"numpy", "pyarrow", "matplotlib", "rich.markdown", "halfmask.methods"}
