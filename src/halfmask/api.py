"""The library's front door: dataframes in, the same kind of dataframe out.

`Generator` has scikit-learn's manners without scikit-learn: keyword parameters stored as given,
checked in `fit`, what is learnt ends in an underscore, and `clone` works.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import msgspec

from halfmask.choose.asset import Asset
from halfmask.choose.enforcing import fence_of
from halfmask.data import Column, Encoding, Release, Schema, Table
from halfmask.data.asked import asked_rows, log2_within_bins
from halfmask.data.comparable import check_common_values, check_same_columns
from halfmask.data.dependencies import Coded, fold
from halfmask.data.encoding import RarePolicy
from halfmask.data.filling import fill
from halfmask.data.kinds import Plan, plan_columns, plan_each
from halfmask.data.spec import TableSpec
from halfmask.errors import BadInput, UnknownName
from halfmask.io.addresses import shown
from halfmask.io.asset_files import load_asset
from halfmask.io.files import TableFile, read
from halfmask.io.forms import FileOptions, PathLike
from halfmask.io.frames import ARROW, FrameForm, form_of, frame_of_rows, from_table, to_columns
from halfmask.io.models import load, save
from halfmask.io.schema_files import table_spec
from halfmask.measures import Comparison, Readings, compare
from halfmask.methods.calibration import CalibrationSettings
from halfmask.methods.constrained import Fence
from halfmask.methods.expectation import LogProbability
from halfmask.methods.generator import GeneratorModel, GeneratorSettings, learn
from halfmask.methods.generator_settings import SearchName
from halfmask.methods.merging import merge
from halfmask.methods.process import Order
from halfmask.patterns.mining import DEFAULT_LIMIT
from halfmask.patterns.support import absolute_support
from halfmask.randomness import Randomness

__all__ = ["Generator", "Model", "measure"]

MOST_COLUMNS = 1_000
"""A search for patterns over more columns would not end in a day."""
FEWEST = 5
"""With a smaller minimum support, columns seem to follow from one another by chance."""


class Generator:
    """Learns which patterns describe a table, so that new rows can be drawn from them.

    >>> import polars
    >>> frame = polars.DataFrame({"sex": ["f", "m"] * 20, "ill": ["no", "no", "yes", "no"] * 10})
    >>> model = Generator(min_support=5).fit(frame)
    >>> model.sample(3, seed=1).columns
    ['sex', 'ill']
    """

    def __init__(  # noqa: PLR0913 - one keyword for each dial, as scikit-learn's manners ask
        self,
        *,
        min_support: float = 10,
        laplace: float = 0.001,
        prune: bool = False,
        candidates: Literal["all", "closed"] = "all",
        search: SearchName = "auto",
        max_candidates: int = DEFAULT_LIMIT,
        max_pattern_length: int | None = None,
        hide_together: Sequence[tuple[str, str]] = (),
        laplace_for: Mapping[str, float] | None = None,
        order: Order = "random",
        rare_values: RarePolicy = "group",
        calibrate: int = 2,
        calibrate_for: Mapping[str, int] | None = None,
        round_margins: int = 1,
        target: str | None = None,
        drop: Sequence[str] = (),
        categorical: Sequence[str] = (),
        constraints: Asset | PathLike | None = None,
        schema: PathLike | TableSpec | None = None,
        threads: int = 1,
    ) -> None:
        self.min_support = min_support
        self.laplace = laplace
        self.prune = prune
        self.candidates = candidates
        self.search = search
        self.max_candidates = max_candidates
        self.max_pattern_length = max_pattern_length
        self.hide_together = hide_together
        self.laplace_for = laplace_for
        self.order = order
        self.rare_values = rare_values
        self.calibrate = calibrate
        self.calibrate_for = calibrate_for
        self.round_margins = round_margins
        self.target = target
        self.drop = drop
        self.categorical = categorical
        self.constraints = constraints
        self.schema = schema
        self.threads = threads

    def fit(self, data: Any, y: None = None) -> Model:  # noqa: ARG002 - scikit-learn passes y
        """Learn a model of a dataframe or file; it is returned, and kept as `model_`."""
        columns = self.kept(columns_of(data))
        table, _ = self.encode(columns)
        learnt = learn(table, self.settings(len(table)), threads=self.threads)
        fenced = replace(learnt, fence=self.fence(columns, table.schema))
        self.model_ = Model(fenced, form_or_none(data))
        return self.model_

    def kept(self, columns: Sequence[Column]) -> list[Column]:
        """The columns that are not dropped.

        The key of an asset identifies rows, and a synthetic row is nobody's: it is left out.
        """
        asset = self.asset()
        key = () if asset is None else asset.relation.key
        return without(without(columns, self.drop), key, strict=False)

    def encode(
        self, kept: Sequence[Column], *, keep: Collection[str] = ()
    ) -> tuple[Table, Encoding]:
        """The table that is learnt from: each column by its kind, rare values by the rule.

        A column that follows from another is left to it, unless it is one to `keep`.
        """
        floor = absolute_support(self.min_support, len(kept[0]))
        _check_width(len(kept))
        least = 1 if self.rare_values == "keep" else floor
        plans = plan_columns(kept, self.spec([column.name for column in kept]), floor=least)
        encoding = Encoding.fit(kept, min_support=floor, rare=self.rare_values, plans=plans)
        coded = Coded(encoding.encode(kept), encoding)
        if least >= FEWEST:
            spoken = self._spoken_of([column.name for column in kept])
            coded = fold(coded, keep=spoken | set(keep))
        return coded.table, coded.encoding

    def _spoken_of(self, names: Sequence[str]) -> set[str]:
        """Columns that a parameter names: they stay even if they follow from others."""
        given, asset = table_spec(self.schema), self.asset()
        pairs = (*given.hide_together, *self.hide_together)
        spoken = {part for pair in pairs for part in pair} | set(self.laplace_for or {})
        spoken |= {*given.laplace_for, *self.categorical, *given.with_role("sensitive")}
        spoken |= set(given.with_role("quasi-identifier"))
        spoken |= set() if isinstance(self.order, str) else set(self.order)
        spoken |= set() if asset is None else {n for c in asset.constraints for n in c.attributes}
        return {name for name in names for said in spoken if said.split("=", 1)[0] == name}

    def asset(self) -> Asset | None:
        """The asset whose constraints are kept, read if it was given as a file."""
        if self.constraints is None or isinstance(self.constraints, Asset):
            return self.constraints
        return load_asset(self.constraints)

    def fence(self, kept: Sequence[Column], schema: Schema) -> Fence | None:
        """The constraints of the asset as rules over the rows that are drawn."""
        asset = self.asset()
        if asset is None:
            return None
        floor = absolute_support(self.min_support, len(kept[0]))
        return fence_of(asset, kept, schema, min_support=floor, dropped=self.drop)

    def spec(self, names: Sequence[str]) -> TableSpec:
        """What is said about the columns of these names, by the schema and the other parameters."""
        given = table_spec(self.schema)
        for name in self.categorical:
            if name not in names:
                raise UnknownName("column", name, names)
        told = {
            name: replace(given.of(name), kind="category")
            for name in (*self._constrained(given, names), *self.categorical)
        }
        kept = {name: spec for name, spec in given.columns.items() if name not in self.drop}
        return replace(given, columns={**kept, **told})

    def _constrained(self, given: TableSpec, names: Sequence[str]) -> list[str]:
        """Columns that a constraint reads: whether it holds is known of values, not of bins."""
        asset = self.asset()
        read = [] if asset is None else [n for c in asset.constraints for n in c.attributes]
        return [name for name in read if name in names and given.of(name).kind is None]

    def settings(self, rows: int) -> GeneratorSettings:
        """The settings of the method, with the support as a number of rows."""
        given = table_spec(self.schema)
        return GeneratorSettings(
            min_support=absolute_support(self.min_support, rows),
            laplace=self.laplace,
            prune=self.prune,
            candidates=self.candidates,
            search=self.search,
            max_candidates=self.max_candidates,
            max_pattern_length=self.max_pattern_length,
            hide_together=(*given.hide_together, *self.hide_together),
            laplace_for={**given.laplace_for, **(self.laplace_for or {})},
            order=self.order,
            rare_values=self.rare_values,
            calibration=CalibrationSettings(
                order=self.calibrate,
                order_for=dict(self.calibrate_for or {}),
                base=self.round_margins,
                target=self.target,
            ),
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002, FBT001, FBT002
        """The parameters by name, as given."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Generator:
        """Change parameters by name."""
        known = inspect.signature(type(self)).parameters
        for name, value in params.items():
            if name not in known:
                raise UnknownName("parameter", name, list(known))
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = (
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value != defaults[name].default
        )
        return f"Generator({', '.join(changed)})"


class Model:
    """A fitted generator: the patterns, and the kind of dataframe they came from."""

    def __init__(self, learnt: GeneratorModel, form: FrameForm | None = None) -> None:
        self.learnt = learnt
        self._form = form

    def sample(
        self,
        rows: int | None = None,
        *,
        seed: int | None = None,
        threads: int = 1,
        calibrate: bool = True,
    ) -> Any:
        """Draw new rows (as many as the original had, unless told) as a dataframe.

        The same seed gives the same rows whatever the number of threads; without one, randomness
        comes from the operating system. The rows meet the model's margins unless `calibrate` is
        False.
        """
        wanted = self.learnt.code_table.rows if rows is None else rows
        randomness = Randomness(seed)
        release = self.learnt.sample(
            wanted, randomness=randomness, threads=threads, calibrate=calibrate
        )
        return self.framed(filled(release, randomness))

    def framed(self, rows: Table) -> Any:
        """Released rows as the kind of dataframe that the model was fitted on, or Arrow."""
        return from_table(rows, like=self._form or ARROW)

    def patterns(self) -> Any:
        """The code table as a dataframe, most used first: pattern, length, usage, support, bits."""
        listed = sorted(self.learnt.code_table.patterns(), key=lambda p: -p.usage)
        rows = [
            {
                "pattern": ", ".join(p.labels),
                "length": len(p.items),
                "usage": p.usage,
                "support": p.support,
                "bits": p.bits,
            }
            for p in listed
        ]
        return frame_of_rows(rows, like=self._form or ARROW)

    def margins(self) -> Any:
        """The checked margins as a dataframe: table, cell (none for the rest) and count."""
        told = self.learnt.margins
        rows = [] if told is None else list(told.to_rows(self.learnt.schema))
        return frame_of_rows(rows, like=self._form or ARROW)

    def log_probability(
        self, data: Any, *, seed: int | None = None, threads: int = 1
    ) -> LogProbability:
        """How probable these rows (a dataframe, a file, a table of a database) are, in bits.

        It is that of the process that draws rows, before they are weighed to meet counts and before
        rules reject any. Of numbers and dates it is that of the bins, and of the value within each
        bin. Keys count for nothing, and a column that follows from another for nothing more. A
        value that the model does not know counts as its group "other"; without one, the row is
        impossible.

        >>> import polars
        >>> frame = polars.DataFrame({"sex": ["f", "m"] * 20})
        >>> Generator(min_support=5).fit(frame).log_probability(frame).bits_per_row
        1.0
        """
        columns = columns_of(data)
        table = asked_rows(columns, self.learnt.schema)
        found = self.learnt.log_probability(table, randomness=Randomness(seed), threads=threads)
        return replace(found, rows=found.rows + log2_within_bins(columns, table))

    def merge(self, *others: Model) -> Model:
        """One model of the rows of this site and others; see `halfmask.methods.merging`."""
        return Model(merge([self.learnt, *(other.learnt for other in others)]), self._form)

    def save(self, path: PathLike, *, force: bool = False) -> None:
        """Write the model as a JSON document that a person can read."""
        save(self.learnt, path, force=force)

    @classmethod
    def load(cls, path: PathLike) -> Model:
        """Read a model file; a damaged or foreign one is refused with the reason."""
        return cls(load(path))

    def __repr__(self) -> str:
        table = self.learnt.code_table
        return f"<halfmask.Model of {table.rows:,} rows: {len(table.sets):,} patterns>"


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


def measure(  # noqa: PLR0913 - what is compared, and under which questions
    original: Any,
    release: Any,
    *,
    holdout: Any = None,
    sensitive: str | None = None,
    keys: Sequence[str] = (),
    drop: Sequence[str] = (),
    min_support: int = 10,
    only: Sequence[str] | None = None,
    seed: int | None = None,
    threads: int = 1,
    reading: FileOptions | None = None,
    schema: PathLike | TableSpec | None = None,
) -> Measured:
    """Say what a release kept of its original and what it gave away.

    Original, release and hold-out (original rows that the release never saw) are dataframes or
    file names. `only` names the measures to take; the default set takes seconds. Numbers and
    dates are compared in bins of the original; keys, and columns that a release rightly leaves
    out, are not compared.

    >>> import polars
    >>> frame = polars.DataFrame({"sex": ["f", "m"] * 20, "ill": ["no", "no", "yes", "no"] * 10})
    >>> measure(frame, frame, only=["nas"], seed=1).to_frame()["value"].to_list()
    [1.0]
    """
    known = without(columns_of(original, reading), drop)
    released = without(columns_of(release, reading), drop, strict=False)
    # Few rows are cut into bins that fewer share: the bins are a ruler here, nothing is published.
    floor = min(min_support, max(1, len(known[0]) // 20))
    plans = plan_each(known, table_spec(schema), floor=floor)
    ignored = _not_compared(plans, {column.name for column in released})
    known, released = (without(side, ignored, strict=False) for side in (known, released))
    held_back = (
        None
        if holdout is None
        else without(columns_of(holdout, reading), (*drop, *ignored), strict=False)
    )
    check_same_columns(known, released, "release")
    if held_back is not None:
        check_same_columns(known, held_back, "hold-out")
    roles = table_spec(schema)
    sensitive = sensitive or next(iter(roles.with_role("sensitive")), None)
    keys = keys or roles.with_role("quasi-identifier")
    whole = known if held_back is None else stacked(known, held_back)
    encoding = Encoding.align(whole, released, min_support=floor, plans=plans)
    tables = [encoding.encode(columns) for columns in (known, released, held_back) if columns]
    for table, what in zip(tables[1:], ("release", "hold-out"), strict=False):
        check_common_values(tables[0], table, what)
    comparison = Comparison(
        *tables,
        randomness=Randomness(seed),
        sensitive=sensitive,
        keys=tuple(keys),
        min_support=min_support,
        threads=threads,
    )
    return Measured(compare(comparison, only).items, form_or_none(original) or ARROW)


def _check_width(columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise BadInput(
            f"The table has {columns:,} columns and a model of {MOST_COLUMNS:,} is the most; leave "
            "columns out (--drop), or publish it in parts."
        )


def _not_compared(plans: Mapping[str, Plan], released: Collection[str]) -> tuple[str, ...]:
    """Keys, which mean nothing, and columns that a release is right to leave out."""
    return tuple(
        name
        for name, plan in plans.items()
        if plan.fate == "key" or (plan.fate == "drop" and name not in released)
    )


def filled(release: Release, randomness: Randomness) -> Table:
    """The released rows with a value drawn for every bin, and fresh keys."""
    assert isinstance(release.data, Table)  # noqa: S101 - a generator draws tables
    return fill(release.data, randomness)


def columns_of(source: Any, reading: FileOptions | None = None) -> Sequence[Column]:
    """The columns of a dataframe, or of the table in the file of this name."""
    if not isinstance(source, str | os.PathLike):
        return to_columns(source)
    found = read(source, reading or FileOptions())
    if not isinstance(found, TableFile):
        raise BadInput(f"{shown(source)} holds baskets; this needs a table.")
    return found.columns


def form_or_none(source: Any) -> FrameForm | None:
    """The kind of dataframe that came in; none for a file."""
    return None if isinstance(source, str | os.PathLike) else form_of(source)


def without(columns: Sequence[Column], drop: Sequence[str], *, strict: bool = True) -> list[Column]:
    """The columns that are not dropped; each name must exist when `strict`."""
    names = [column.name for column in columns]
    for name in drop if strict else ():
        if name not in names:
            raise UnknownName("column", name, names)
    kept = [column for column in columns if column.name not in set(drop)]
    if not kept:
        raise BadInput("No column is left: every one of them is dropped.")
    return kept


def stacked(columns: Sequence[Column], more: Sequence[Column]) -> list[Column]:
    """The rows of two tables with the same columns."""
    by_name = {column.name: column for column in more}
    return [column.followed_by(by_name[column.name]) for column in columns]
