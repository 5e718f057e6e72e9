"""Generator: the settings of the method, and what they make of a dataframe.

It has scikit-learn's manners without scikit-learn: keyword parameters stored as given, checked in
`fit`, what is learnt ends in an underscore, and `clone` works.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from halfmask.api.model import Model
from halfmask.assets.asset import Asset
from halfmask.assets.enforcing import fence_of
from halfmask.data import Column, Encoding, Schema, Table
from halfmask.data.coding.dependencies import Coded, fold
from halfmask.data.coding.kinds import plan_columns
from halfmask.data.coding.spec import RarePolicy, TableSpec
from halfmask.documents.asset import load_asset
from halfmask.documents.schema import table_spec
from halfmask.errors import BadInput, UnknownName
from halfmask.io.forms import PathLike
from halfmask.io.given import columns_of, form_or_none, without
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.generator.constraints import Fence
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.process import Order
from halfmask.methods.generator.settings import GeneratorSettings, SearchName
from halfmask.patterns.mining import DEFAULT_LIMIT, absolute_support

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
        effort: float = 1.0,
        search_rows: int | None = None,
        pattern_support: int | None = None,
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
        self.effort = effort
        self.search_rows = search_rows
        self.pattern_support = pattern_support
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
        if self.target is not None and not self.calibrate:
            raise BadInput(
                f"What {self.target!r} follows from is kept by counts that a release meets, and "
                "with calibrate 0 it meets none; calibrate more, or leave the target out."
            )
        given = table_spec(self.schema)
        return GeneratorSettings(
            min_support=absolute_support(self.min_support, rows),
            laplace=self.laplace,
            prune=self.prune,
            candidates=self.candidates,
            search=self.search,
            max_candidates=self.max_candidates,
            effort=self.effort,
            search_rows=self.search_rows,
            pattern_support=self.pattern_support,
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


def _check_width(columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise BadInput(
            f"The table has {columns:,} columns and a model of {MOST_COLUMNS:,} is the most; leave "
            "columns out (--drop), or publish it in parts."
        )
