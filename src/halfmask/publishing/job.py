"""Job: what is to be published, by which method, and what is asked of it beside the settings."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import PurePath
from typing import Any

from halfmask.data.families import Orphans
from halfmask.errors import BadInput, UnknownName
from halfmask.estimators import Generator, resolved
from halfmask.io.forms import FileOptions, PathLike
from halfmask.io.given import Given, is_place
from halfmask.io.sources import text_of
from halfmask.judging.verdict import Targets
from halfmask.memory import Memory
from halfmask.methods import METHODS, Method
from halfmask.methods.baskets.method import BasketGenerator
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.names import read_names
from halfmask.methods.private.method import Private
from halfmask.methods.private_baskets.method import PrivateBaskets
from halfmask.methods.settings import Setting, check_settings, setting, settings_of
from halfmask.methods.tables import TableMethod
from halfmask.randomness import Randomness
from halfmask.run import Progress, Run, Stages, thread_count


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a steward may ask of a publication; `halfmask.publish` takes it by these names.

    When a target is missed, `TargetNotMet` is raised, and of all files only the page with the
    reasons is written.

    >>> Request(nas_at_most=0.2, seed=1).targets.given
    ('nas_at_most',)
    """

    rows: int | None = setting(
        None,
        "How many rows to draw (of the parent table in a family); as many as the original has by "
        "default.",
        form="whole", least=1, group="output",
    )  # fmt: skip
    runs: int = setting(
        1,
        "Draw so many releases, publish the first, and report mean and standard deviation of every "
        "reading over all of them.",
        form="whole", least=1, group="quality",
    )  # fmt: skip
    nas_at_most: float | None = setting(
        None,
        "Require an anonymity score (NAS) of at most X: the generator raises the minimum "
        "support of a single table until it is met; otherwise a release above X is refused.",
        form="number", group="privacy", metavar="X",
    )  # fmt: skip
    risk_at_most: float | None = setting(
        None, "Refuse a release on which an attack gains more than X (0 to 1).",
        form="number", group="privacy", metavar="X",
    )  # fmt: skip
    leak_at_most: float | None = setting(
        None,
        "Require that a tracing attack tells members from strangers with an AUC of at most X (0.5 "
        "is chance), by the upper end of its interval: the generator believes the counts of a "
        "single table less, and asks for more rows behind patterns, until it is met; otherwise a "
        "release above X is refused. Without it, above 0.6 asks for a review.",
        form="number", least=0.5, most=1, group="privacy", metavar="X",
    )  # fmt: skip
    ds_at_most: float | None = setting(
        None, "Refuse a release whose dissimilarity (DS) to the original is above X.",
        form="number", group="quality", metavar="X",
    )  # fmt: skip
    moved_at_most: float | None = setting(
        None,
        "Refuse a release in which the support of more than this share of the frequent patterns "
        "moved by more than --moved-by (the papers' requirement 3: their ε).",
        form="number", least=0, most=1, group="quality", metavar="SHARE",
    )  # fmt: skip
    moved_by: float = setting(
        0.01,
        "How far the support of a pattern may move, as a share of the rows (the papers' δ).",
        form="number", least=0, most=1, group="quality", metavar="SHARE",
    )  # fmt: skip
    holdout: float | None = setting(
        None,
        "The share of the rows held back from the method, so that attacks have people to compare "
        "with; by default a fifth, at most 5,000 rows. 0 holds nobody back, and the verdict is "
        'then "not attacked" at best.',
        form="number", group="privacy", metavar="SHARE",
    )  # fmt: skip
    reference: Any = setting(
        None,
        "Rows of other people of the same population, with the same columns, which an attacker may "
        "know; tracing then compares with them. By default with a part of the rows held back. Of a "
        "family: a folder with files of the same names as its tables.",
        form="file", group="privacy",
    )  # fmt: skip
    audit_model: bool = setting(
        default=False,
        help="Attack the counts in the model file too, for a model that is to be handed out.",
        form="flag", group="privacy",
    )  # fmt: skip
    sensitive: str | None = setting(
        None, "The column that an attacker would like to learn; attacks on it are measured.",
        group="privacy", metavar="COLUMN",
    )  # fmt: skip
    key: str | Sequence[str] = setting(
        (),
        "The column that joins a child table to its parent, or parent=child where the names "
        "differ; guessed by default.",
        form="names", group="columns", metavar="COLUMN",
    )  # fmt: skip
    orphans: Orphans = setting(
        "refuse", "What happens to child rows without a parent.", group="columns",
        choices=("refuse", "drop"),
    )  # fmt: skip
    output: PathLike | None = setting(
        None,
        "Where the release goes: a file, a table of a database, or a folder for a family; '-' "
        "prints it. By default it goes beside the input.",
        form="file", group="files", option="-o/--output",
    )  # fmt: skip
    external_report: PathLike | None = setting(
        None,
        "Also write a report without exact counts, which may accompany the release.",
        form="file",
        group="files",
    )
    edit_log: PathLike | None = setting(
        None,
        "Write the edits here, so that `halfmask undo` can reverse them; the log discloses "
        "the original, so keep it internal.",
        form="file", group="files",
    )  # fmt: skip
    force: bool = setting(
        default=False, help="Overwrite files that exist already.", form="flag", group="files"
    )
    keep_formulas: bool = setting(
        default=False,
        help="Leave texts of a CSV or TSV release that a spreadsheet would compute (=…, +…, -…, "
        "@…) as they are; by default an apostrophe is put before them.",
        form="flag", group="files",
    )  # fmt: skip
    no_trade_off: bool = setting(
        default=False,
        help="Leave out what other settings would give, for a pipeline that never looks: the "
        "report then has no curve and no dials, and is made in less time.",
        form="flag", group="running",
    )  # fmt: skip
    memory: str | int | None = setting(
        None,
        "The most memory to use, such as 8GB (by default most of what is free); where it is "
        "short, patterns are searched and measures taken on fewer rows, and the report says "
        "so.",
        group="running", metavar="SIZE",
    )  # fmt: skip
    max_time: float | None = setting(
        None, "Stop searching after SECONDS and use the best patterns so far.",
        form="number", above=0, group="running", metavar="SECONDS",
    )  # fmt: skip
    seed: int | None = setting(
        None, "Make the run repeatable; whoever knows the seed may undo the release, so keep "
              "it as secret as the original.",
        form="whole", least=0, group="running",
    )  # fmt: skip
    threads: int | None = setting(
        None, "How many threads to use (all cores by default); the result does not depend on "
              "it.",
        form="whole", least=1, group="running",
    )  # fmt: skip
    reading: FileOptions | None = setting(
        None, "How a text file is written, where that is not detected.", form="object",
        group="files",
    )  # fmt: skip
    progress: Progress | None = setting(
        None, "Called with (done, total) while patterns are searched; False stops the search.",
        form="object", group="running",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_settings(self)
        self.targets  # noqa: B018 - refuses targets that cannot be

    @property
    def targets(self) -> Targets:
        """What decides whether the answer is no."""
        return Targets(
            self.nas_at_most,
            self.ds_at_most,
            self.risk_at_most,
            self.leak_at_most,
            self.moved_at_most,
        )

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that join child tables to their parent."""
        return (self.key,) if isinstance(self.key, str) else tuple(self.key)


OPTIONS: Mapping[str, Setting] = {one.name: one for one in settings_of(Request)}
"""What may be asked of a publication, by name."""
SOME_METHODS = frozenset().union(*(method.listens for method in METHODS.values()))
"""Options that only methods which list them listen to."""


def options_of(method: type[Method]) -> dict[str, Setting]:
    """Everything that may be said when this method publishes: its settings, then the request."""
    own = method.declared()
    asked = {
        name: one
        for name, one in OPTIONS.items()
        if name not in own and (name not in SOME_METHODS or name in method.listens)
    }
    return {**own, **asked}


@dataclass(frozen=True, eq=False)
class Job:
    """A source, a method with its settings, and what is asked of the publication."""

    given: Mapping[str, Given]
    """The tables by name, the parent of a family first; one for a table or for baskets."""
    is_family: bool
    method: Any
    request: Request
    allowed: Memory
    run: Run = field(repr=False)
    says_support: bool = False
    """Whether the steward chose the minimum support; otherwise it follows small tables down."""

    @classmethod
    def of(cls, source: Any, method: Any, options: Mapping[str, Any]) -> Job:
        """The job that was asked for, checked against what the method declares."""
        family = isinstance(source, Mapping)
        given = source if family else {_name(source): source}
        chosen, rest = _method(method, options)
        request = Request(**rest)
        if family and request.runs > 1:
            raise BadInput("Several runs are for a single table; publish a family with one.")
        threads = request.threads or getattr(chosen, "threads", None)
        return cls(
            {str(name): Given(one) for name, one in given.items()},
            family,
            _ready(chosen),
            request,
            Memory.of(request.memory),
            Run(
                Randomness(request.seed),
                thread_count(threads),
                until(request.progress, request.max_time),
                Stages.of(request.progress),
                rows=request.rows,
                supports=not request.no_trade_off,
            ),
            isinstance(method, Method) or "min_support" in options,
        )

    @property
    def one(self) -> Given:
        """The only table, or the baskets."""
        return next(iter(self.given.values()))

    @property
    def attackable(self) -> bool:
        """Whether rows can be held back from the method: it draws new ones in their place."""
        return "holdout" in self.method.listens

    @property
    def compares(self) -> bool:
        """Whether other settings are looked at: not when whoever watches wants what there is."""
        return self.run.supports and not getattr(self.request.progress, "stopped", False)

    @property
    def sensitive(self) -> str | None:
        """The column that an attacker would like to learn, by name or by the schema."""
        if self.request.sensitive is not None or not isinstance(self.method, TableMethod):
            return self.request.sensitive
        return next(iter(self.method.spec.with_role("sensitive")), None)

    @property
    def known_columns(self) -> tuple[str, ...]:
        """What an attacker knows of a person; empty: all but what is sensitive."""
        if not isinstance(self.method, TableMethod):
            return ()
        known = self.method.spec.with_role("quasi-identifier")
        return tuple(name for name in known if name not in self.method.drop)


def _name(source: Any) -> str:
    return os.path.basename(source) if is_place(source) else "data"  # noqa: PTH119


def _method(given: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The method with those options that are its settings, and the other options."""
    if isinstance(given, Method):
        return _with(given, options)
    if given not in METHODS:
        raise UnknownName("method", str(given), METHODS)
    chosen = METHODS[implied_method(given, options)]
    own, rest = _parted(chosen, options)
    for one in chosen.declared().values():
        if one.required and one.name not in own:
            raise BadInput(f"The method {chosen.name} needs {one.name!r} ({one.flag}): {one.help}")
    return chosen(**own), rest


PRIVATE = {
    GeneratorMethod.name: Private.name,
    BasketGenerator.name: PrivateBaskets.name,
}
"""The methods that draw rows, and those that do so with differential privacy."""


def implied_method(name: str, options: Collection[str]) -> str:
    """The method that is meant: whoever says epsilon asks for a private release.

    >>> implied_method("generator", ["epsilon"]), implied_method("generator", ["rows"])
    ('private', 'generator')
    >>> implied_method("baskets", ["epsilon"])
    'private-baskets'
    """
    return PRIVATE.get(name, name) if "epsilon" in options else name


def _with(method: Method, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A method in Python with options beside it; what is said twice is refused."""
    own, rest = _parted(type(method), options)
    for name in own:
        default = next(f.default for f in fields(method) if f.name == name)  # type: ignore[arg-type]
        if default is MISSING or getattr(method, name) != default:
            raise BadInput(
                f"Both the method and the publication have an option {name}; give one of them."
            )
    return replace(method, **own) if own else method, rest  # type: ignore[type-var]


def _parted(
    method: type[Method], options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings of the method, and what is asked of the publication; nothing else may stand here."""
    own, known = method.declared(), options_of(method)
    for name in options:
        if name not in known:
            raise misplaced(name, method)
    mine = {n: _read(own[n], value) for n, value in options.items() if n in own}
    return mine, {n: value for n, value in options.items() if n not in own}


def misplaced(name: str, method: type[Method]) -> BadInput:
    """Why this method has no option of this name, and what would be possible."""
    owners = [other.name for other in METHODS.values() if name in options_of(other)]
    if owners:
        return BadInput(
            f"{name!r} is an option of the method {' or '.join(owners)}, not of {method.name}."
        )
    near = get_close_matches(name, options_of(method), 1)
    hint = f"; did you mean {near[0]!r}?" if near else "; help(halfmask.publish) lists them."
    elsewhere = get_close_matches(name, {n for m in METHODS.values() for n in options_of(m)}, 1)
    if not near and elsewhere:
        owners = [m.name for m in METHODS.values() if elsewhere[0] in options_of(m)]
        hint = f"; there is {elsewhere[0]!r} of the method {' or '.join(owners)}."
    return BadInput(f"The method {method.name} has no option {name!r}{hint}")


def _read(one: Setting, value: Any) -> Any:
    """The value of a setting; lines that stand in a file are read."""
    if one.form in ("lines", "item columns") and isinstance(value, PurePath):
        text = text_of(value)
        if one.form == "lines":
            return text
        lines = [line for line in text.splitlines() if line.strip()]
        return tuple(tuple(n for side in read_names(line) for n in side) for line in lines)
    return value


def _ready(method: Any) -> Any:
    """The method as the work needs it: checked, with its schema and its asset read."""
    if isinstance(method, Generator):
        return method.as_method()
    return resolved(method) if isinstance(method, TableMethod) else method


def until(progress: Progress | None, max_time: float | None) -> Progress | None:
    """The progress that also stops when the time is over; reading takes none of it."""
    if max_time is None:
        return progress
    begun: list[float] = []

    def go_on(done: int, total: int) -> bool:
        begun[:] = begun or [time.monotonic()]
        wanted = progress is None or progress(done, total)
        return wanted and time.monotonic() < begun[0] + max_time

    return go_on
