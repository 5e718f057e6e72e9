"""Measure: what a release kept of its original and what it gave away, both given as files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import msgspec

from halfmask.data import Assortment, Baskets, Column, Countable, Encoding, Table
from halfmask.data.coding.alignment import check_common_values, check_same_columns
from halfmask.data.coding.kinds import Plan, plan_each
from halfmask.data.coding.spec import TableSpec
from halfmask.data.secrets import SecretPatterns
from halfmask.documents.schema import table_spec
from halfmask.errors import BadInput
from halfmask.estimators import Model, filled
from halfmask.io.forms import FileOptions, PathLike
from halfmask.io.frames import ARROW, FrameForm, frame_of_rows
from halfmask.io.given import Given, columns_of, form_or_none, is_place, stacked
from halfmask.measures import MEASURES, Comparison, Readings, Unmeasured, compare
from halfmask.measures.comparison import AskedRules
from halfmask.measures.counted import counted_comparison, read_counted
from halfmask.measures.draws import over_draws
from halfmask.memory import Memory
from halfmask.methods.hiding.sensitive import parse_sensitive
from halfmask.methods.method import OF_BASKETS, ON_BASKETS
from halfmask.methods.names import as_baskets
from halfmask.methods.tables import without
from halfmask.patterns.mining import Kind
from halfmask.publishing.beside import answering, generalised
from halfmask.publishing.job import until
from halfmask.randomness import Randomness
from halfmask.run import Progress, thread_count

UNASKED = 10
"""The minimum support where none was asked for; a higher one is mined where this is too low."""


@dataclass(frozen=True)
class Measured(Readings):
    """Readings that know which kind of dataframe they were asked about."""

    form: FrameForm = field(default=ARROW, repr=False)

    def to_frame(self) -> Any:
        """One row for each measure, blanks included, as the caller's kind of dataframe."""
        return frame_of_rows(self.to_rows(), like=self.form)

    def to_json(self) -> str:
        """Everything, particulars included."""
        return msgspec.json.format(msgspec.json.encode(self.to_dict())).decode()


def measure_files(original: Any, release: Any, **options: Any) -> Measured:
    """Say what a release kept of its original and what it gave away.

    Both are dataframes or files of tables, or baskets or files of them. `only` names the measures
    to take (the default set takes seconds), `holdout` is original rows that the release never saw,
    `min_support` the support at which patterns are mined, below which nothing is named (by default
    10, or the smallest above it at which they are few enough), `seed`, `threads` and `max_time` are
    as in `publish`, and `reading` says how text files are written.

    Of tables: `release` may be a model (or its file): rows are then drawn from it, `runs` times,
    and the details of each reading tell mean and standard deviation. `candidates` are the itemsets
    that code tables are searched among, all or only the closed ones, and `moved_by` the δ of the
    measure supports_moved. `sensitive` is the column that
    an attacker wants, `keys` those that he knows, `drop` those that are left out, `schema` says
    what the columns are, and `memory` is what may be used.
    Numbers and dates are compared in bins of the original; keys, and columns that a release
    rightly leaves out, are not compared.

    Of baskets: `beside` is the table published with the release (its channel, its anatomy or its
    unknown cells), `hierarchy` the text of the hierarchy of generalised items: with them the
    release answers for the original's supports.

    Of both: `hide` is the text of the patterns that were to be hidden (items of a table are
    column=value), `hide_support` and `hide_confidence` say when one counts as found; by default it
    does where it is frequent. `rule_confidence` and `rule_items` are those of the rules that
    rules_kept (the accuracy ratio) compares.

    >>> rows = Baskets.of([["beer", "crisps"], ["tea"], ["beer"], ["crisps", "tea"]] * 50)
    >>> measure_files(rows, rows, only=["nas"], seed=1)["nas"].value
    1.0
    """
    of_baskets = Given(original).holds_baskets(options.get("reading"))
    return (_of_baskets if of_baskets else _of_tables)(original, release, **options)


def _of_tables(  # noqa: PLR0913 - what is compared, and under which questions
    original: Any,
    release: Any,
    *,
    holdout: Any = None,
    sensitive: str | None = None,
    keys: Sequence[str] = (),
    drop: Sequence[str] = (),
    min_support: int | None = None,
    candidates: Kind = "all",
    hide: str | None = None,
    hide_support: float | None = None,
    hide_confidence: float | None = None,
    rule_confidence: float = 0.7,
    rule_items: int = 4,
    runs: int | None = None,
    moved_by: float = 0.01,
    only: Sequence[str] | None = None,
    seed: int | None = None,
    threads: int | None = None,
    max_time: float | None = None,
    progress: Progress | None = None,
    reading: FileOptions | None = None,
    schema: PathLike | TableSpec | None = None,
    memory: str | int | None = None,
) -> Measured:
    allowed, sizes = Memory.of(memory), list[tuple[int, int]]()

    def read(source: Any) -> Sequence[Column]:
        columns = columns_of(source, reading, partial(_expect, allowed, sizes))
        sizes.append((len(columns[0]), len(columns)))
        return columns

    known = without(read(original), drop)
    roles, randomness = table_spec(schema), Randomness(seed)
    ruler = _Ruler(
        known,
        None if holdout is None else without(read(holdout), drop),
        roles,
        min_support or UNASKED,
    )

    def comparison(release: Sequence[Column]) -> Comparison:
        sides = ruler.tables(without(release, drop, strict=False))
        items = as_baskets(sides[0]).schema
        return Comparison(
            *sides,
            secrets=_secrets(items, hide, hide_support, hide_confidence) or SecretPatterns(),
            randomness=randomness,
            sensitive=sensitive or next(iter(roles.with_role("sensitive")), None),
            keys=tuple(keys or roles.with_role("quasi-identifier")),
            min_support=min_support or UNASKED,
            evaluation_support=min_support,
            candidates=candidates,
            delta=moved_by,
            rules=AskedRules(rule_confidence, rule_items),
            threads=thread_count(threads),
            progress=until(progress, max_time),
        )

    releases = _drawn(release, len(known[0]), runs, randomness) or iter([read(release)])
    found = compare(comparison(next(releases)), only)
    others = [compare(comparison(one), only, yardsticks=False) for one in releases]
    items = over_draws(found, others).items if others else found.items
    return Measured(items, form_or_none(original) or ARROW)


def _drawn(
    release: Any, rows: int, runs: int | None, randomness: Randomness
) -> Iterator[Sequence[Column]] | None:
    """Fresh draws of a model, as many rows as the original has; none where it is no model."""
    is_file = is_place(release) and str(release).endswith(".model.json")
    if not is_file and not isinstance(release, Model):
        if runs is not None:
            raise BadInput(
                "Several runs need a model to draw from; give the model (NAME.model.json) in "
                "place of the release."
            )
        return None
    learnt = (Model.load(release) if is_file else release).learnt

    def draws() -> Iterator[Sequence[Column]]:
        for number in range(runs or 1):
            own = randomness.apart(f"draw {number}")
            whole = filled(learnt.sample(rows, randomness=own), own).whole
            yield Encoding.of_schema(whole.schema).decode(whole)

    return draws()


@dataclass(frozen=True, eq=False)
class _Ruler:
    """The original and its hold-out, to be laid beside any release."""

    known: Sequence[Column]
    held_back: Sequence[Column] | None
    roles: TableSpec
    min_support: int

    def tables(self, released: Sequence[Column]) -> list[Table]:
        """All sides over one schema: the original, the release, the hold-out if there is one."""
        # Few rows are cut into bins that fewer share: the bins are a ruler, nothing is published.
        floor = min(self.min_support, max(1, len(self.known[0]) // 20))
        plans = plan_each(self.known, self.roles, floor=floor)
        ignored = _not_compared(plans, {column.name for column in released})
        known, released = (without(s, ignored, strict=False) for s in (self.known, released))
        held_back = self.held_back and without(self.held_back, ignored, strict=False)
        check_same_columns(known, released, "release")
        if held_back:
            check_same_columns(known, held_back, "hold-out")
        whole = stacked(known, held_back) if held_back else known
        encoding = Encoding.align(whole, released, min_support=floor, plans=plans)
        tables = [encoding.encode(columns) for columns in (known, released, held_back) if columns]
        for table, what in zip(tables[1:], ("release", "hold-out"), strict=False):
            check_common_values(tables[0], table, what)
        return tables


def _expect(allowed: Memory, before: Sequence[tuple[int, int]], rows: int, columns: int) -> None:
    """Refuse a table of about so many rows beside those that are read already."""
    allowed.beside(*before, (rows, columns), about=True, drawn=False)


def _not_compared(plans: Mapping[str, Plan], released: Collection[str]) -> tuple[str, ...]:
    """Keys, which mean nothing, and columns that a release is right to leave out."""
    return tuple(
        name
        for name, plan in plans.items()
        if plan.fate == "key" or (plan.fate == "drop" and name not in released)
    )


def _of_baskets(  # noqa: PLR0913 - what is compared, and under which questions
    original: Any,
    release: Any,
    *,
    holdout: Any = None,
    beside: PathLike | None = None,
    hierarchy: str | None = None,
    hide: str | None = None,
    hide_support: float | None = None,
    hide_confidence: float | None = None,
    rule_confidence: float = 0.7,
    rule_items: int = 4,
    min_support: int | None = None,
    only: Sequence[str] | None = None,
    seed: int | None = None,
    threads: int | None = None,
    max_time: float | None = None,
    progress: Progress | None = None,
    reading: FileOptions | None = None,
) -> Measured:
    first, second = _read(original, reading), _read(release, reading)
    third = None if holdout is None else _read(holdout, reading)
    if hierarchy is not None:
        counted: Countable = generalised(first.schema, second, hierarchy)
    else:
        parts = [part for part in (first, second, third) if part is not None]
        schema = Assortment(tuple(dict.fromkeys(n for part in parts for n in part.schema.names)))
        first, second = first.over(schema), second.over(schema)
        third = None if third is None else third.over(schema)
        counted = second if beside is None else answering(second, beside)
    secrets = _secrets(first.schema, hide, hide_support, hide_confidence)
    others = [measure.name for measure in MEASURES if measure.of_one_method]
    comparison = counted_comparison(
        first,
        counted,
        holdout=third,
        min_support=min_support or UNASKED,
        evaluation_support=min_support,
        randomness=Randomness(seed),
        threads=thread_count(threads),
        progress=until(progress, max_time),
    )
    comparison = replace(comparison, rules=AskedRules(rule_confidence, rule_items))
    attacks = () if third is None else ON_BASKETS
    found = read_counted(comparison, second, only or (*OF_BASKETS, *attacks, *others), secrets)
    # A measure of another method is worth a word only when it was asked for.
    told = (i for i in found if only or not (isinstance(i, Unmeasured) and i.name in others))
    return Measured(tuple(told), ARROW)


def _secrets(
    schema: Assortment, hide: str | None, support: float | None, confidence: float | None
) -> SecretPatterns | None:
    """The patterns that were to be hidden, with the thresholds at which they count as found."""
    if hide is None:
        if support is not None or confidence is not None:
            raise BadInput("hide_support and hide_confidence speak of patterns; name some (hide).")
        return None
    return parse_sensitive(hide, schema).below(support, confidence)


def _read(source: Any, reading: FileOptions | None) -> Baskets:
    found = Given(source).read(reading).content
    if not isinstance(found, Baskets):
        raise BadInput(f"{Given(source).words} holds a table; the other side holds baskets.")
    return found
