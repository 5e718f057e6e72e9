"""The generator as a method: new rows drawn from the patterns of a table, or of a family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from halfmask.data import Column, Encoding, Schema, Table
from halfmask.data.coding.filling import Filling
from halfmask.data.coding.ordering import fit_ranks
from halfmask.data.column import AnyColumn, Labelled
from halfmask.data.counted import CountedRows
from halfmask.data.rows import Rows
from halfmask.errors import BadInput
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.generator.constraints import Fence, RowConstraints
from halfmask.methods.generator.learn import (
    LEVELS,
    calibrated,
    learn_at,
    support_levels,
    with_search,
)
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.process import Order
from halfmask.methods.generator.settings import LARGE_LAPLACE, GeneratorSettings, SearchName
from halfmask.methods.method import DataKind, Made, Variant
from halfmask.methods.settings import setting
from halfmask.methods.tables import TableMethod, without
from halfmask.patterns.mining import DEFAULT_LIMIT, absolute_support
from halfmask.run import Run

_AS_PUBLISHED: Mapping[str, Any] = {
    "search": "krimp",
    "calibrate": 0,
    "rare_values": "keep",
    "prune": False,
    "target": None,
}
"""What the papers' generator is made of; their dials (supports, Laplace, candidates, lengths, what
is hidden together) stay a steward's."""


SHRINK = 2.0
"""Counts are matched half as far as they say more than chance does."""
LONG_TABLE = 5_000
"""From so many rows on, what patterns of few rows tell is little among so many."""
FEWEST_OF_PATTERNS, LEAST_SHARE = 50, 20
"""Patterns of shorter tables are held by so many rows, at most by one row in so many."""


@dataclass(kw_only=True, eq=False)
class GeneratorMethod(TableMethod):
    """Learns which patterns describe a table, so that new rows can be drawn from them."""

    name: ClassVar[str] = "generator"
    summary: ClassVar[str] = (
        "New rows drawn from the patterns of a table; protects what fewer than --min-support rows "
        "hold."
    )
    kinds: ClassVar[tuple[DataKind, ...]] = ("table", "family")
    listens: ClassVar[frozenset[str]] = frozenset(
        {
            "rows",
            "runs",
            "holdout",
            "leak_at_most",
            "reference",
            "audit_model",
            "sensitive",
            "memory",
            "max_time",
            "no_trade_off",
            "child",
            "key",
            "orphans",
        }
    )
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "generator",
            "synthetic",
            "draws new rows from the patterns of the table",
            dials=("min_support", "laplace", "search", "calibrate"),
            tried=(
                {"min_support": 5},
                {"min_support": 20},
                {"min_support": 80},
                {"min_support": 20, "laplace": 1.0},
                {"min_support": 20, "search": "slim"},
                {"min_support": 20, "calibrate": 0},
            ),
        ),
    )

    pattern_support: int | None = setting(
        None,
        "Minimum support of patterns, where it is to be higher than --min-support; fewer "
        "original rows reappear, and calibration restores most of what rarer patterns say. By "
        "default 50 for tables of up to 5,000 rows, and a twentieth of the rows at most.",
        form="whole", least=1, group="privacy", metavar="ROWS",
    )  # fmt: skip
    hide_together: Sequence[tuple[str, str]] = setting(
        (),
        "Never learn this pair of columns (or column=value) together, such as diagnosis,postcode; "
        "repeat for more.",
        form="pairs", group="privacy",
    )  # fmt: skip
    max_pattern_length: int | None = setting(
        None,
        "Limit patterns, and the combinations that --calibrate matches, to this many columns; "
        "with shorter ones fewer original rows reappear.",
        form="whole", least=1, group="privacy",
    )  # fmt: skip
    laplace: float = setting(
        0.001,
        "Laplace pseudo-count added to every pattern; larger values give more varied rows. From 1 "
        "on, no count of two columns is matched, which would restore what it loosens.",
        form="number", least=0, group="privacy",
    )  # fmt: skip
    laplace_for: Mapping[str, float] | None = setting(
        None,
        "A different --laplace for one column or value, such as diagnosis=50; repeat for more. A "
        "larger one loosens the column from the others, and no count of both is matched.",
        form="assignments", group="privacy",
    )  # fmt: skip
    calibrate: int = setting(
        2,
        "Match the original's counts for combinations of up to this many columns; 0 switches it "
        "off.",
        form="whole", least=0, most=3,
    )  # fmt: skip
    calibrate_for: Mapping[str, int] | None = setting(
        None, "A lower --calibrate for one column, such as diagnosis=1; repeat for more.",
        form="assignments", group="privacy",
    )  # fmt: skip
    shrink: float | None = setting(
        None,
        "How much of the counts of several columns is taken for chance of the sample: more says "
        "less about who was in it, 0 matches them as they are (2 by default, 1 in a family of "
        "tables).",
        form="number", least=0, group="privacy",
    )  # fmt: skip
    round_margins: int = setting(
        1,
        "Round every disclosed count to multiples of 3, 5 or 10, where that is coarser than "
        "what --min-support asks for anyway (half of it and 1).",
        form="whole", least=1, group="privacy",
    )  # fmt: skip
    target: str | None = setting(
        None,
        "The column that readers will predict: preserve how it depends on the others.",
        metavar="COLUMN",
    )
    search: SearchName = setting(
        "auto",
        "How patterns are searched: krimp tries every frequent itemset, slim joins patterns, "
        "auto uses krimp while the itemsets are few enough.",
        choices=("krimp", "slim", "auto"),
    )
    candidates: Literal["all", "closed"] = setting(
        "all", "Which frequent itemsets krimp tries as patterns.", choices=("all", "closed")
    )
    prune: bool = setting(
        default=False,
        help="Prune patterns that later ones made superfluous, for a smaller model.",
        form="flag",
    )
    order: Order = setting(
        "random",
        "The order in which the columns of a row are filled: random, columns (as in the table), "
        "or a list of names.",
        form="order",
    )
    effort: float = setting(
        0.1,
        "How much work slim may do: 0.1 is about three seconds; 1, half a minute, finds a few more "
        "patterns in tables of many columns.",
        form="number", above=0, group="running",
    )  # fmt: skip
    max_candidates: int = setting(
        DEFAULT_LIMIT,
        "The most itemsets that krimp may hold, 30 to 45 bytes each; lower it on a small machine.",
        form="whole", least=1, group="running",
    )  # fmt: skip
    search_rows: int | None = setting(
        None,
        "Search patterns in a random sample of this many rows (they are still counted in "
        "all); by default 100,000 (slim) or a million (krimp).",
        form="whole", least=1, group="running",
    )  # fmt: skip
    asset: Any = setting(
        None,
        "Draw only rows that satisfy the constraints of this asset file.",
        form="file",
    )

    as_published: bool = setting(
        default=False,
        help="The generator of the papers and nothing else: krimp, no calibration, rare values "
        "kept, plain usages as weights; no model file, for its counts are exact.",
        form="flag",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.as_published:
            return
        for name, kept in _AS_PUBLISHED.items():
            default = self.declared()[name].default
            if getattr(self, name) not in (default, kept):
                raise BadInput(
                    f"The generator as published has {name}={kept!r}, not "
                    f"{getattr(self, name)!r}; leave one of the two out."
                )
            setattr(self, name, kept)

    @property
    def has_model(self) -> bool:
        """Its model can draw more rows anywhere, unless its counts are exact."""
        return not self.as_published

    @property
    def constraints(self) -> RowConstraints | None:
        """What the asset asks of every row; one that stands in a file is read before the work."""
        return None if self.asset is None else self.asset

    def kept(self, columns: Sequence[AnyColumn]) -> list[AnyColumn]:
        """The columns that take part: neither dropped nor the key of the asset."""
        if self.constraints is None:
            return super().kept(columns)
        self.constraints.check([column.name for column in columns])
        return without(super().kept(columns), self.constraints.key, strict=False)

    def categories(self, names: Sequence[str]) -> Sequence[str]:
        """Columns taken as they are: whether a constraint holds is known of values, not bins."""
        read = () if self.constraints is None else self.constraints.attributes
        given = self.spec
        plain = [name for name in read if name in names and given.of(name).kind is None]
        return [*plain, *self.categorical]

    def spoken_of(self, names: Sequence[str]) -> set[str]:
        """Columns that a setting names: they stay even if they follow from others."""
        given = self.spec
        pairs = (*given.hide_together, *self.hide_together)
        said = {part for pair in pairs for part in pair} | set(self.laplace_for or {})
        said |= set(given.laplace_for) | (set() if isinstance(self.order, str) else {*self.order})
        said |= set() if self.constraints is None else {*self.constraints.attributes}
        named = {name for name in names for word in said if word.split("=", 1)[0] == name}
        return named | super().spoken_of(names)

    def learning(self, rows: int) -> GeneratorSettings:
        """The settings of the search, with the support as a number of rows."""
        if self.target is not None and not self.calibrate:
            raise BadInput(
                f"The target {self.target!r} is preserved by matching counts, and calibrate=0 "
                "matches none; raise calibrate, or leave the target out."
            )
        given = self.spec
        return GeneratorSettings(
            min_support=absolute_support(self.min_support, rows),
            laplace=self.laplace,
            prune=self.prune,
            candidates=self.candidates,
            search=self.search,
            max_candidates=self.max_candidates,
            effort=self.effort,
            search_rows=self.search_rows,
            pattern_support=self.pattern_support or self._fewest_of_patterns(rows),
            max_pattern_length=self.max_pattern_length,
            hide_together=(*given.hide_together, *self.hide_together),
            laplace_for={**given.laplace_for, **(self.laplace_for or {})},
            order=self.order,
            rare_values=self.rare_values,
            exact=self.as_published,
            calibration=CalibrationSettings(
                order=self.matched,
                order_for=self._orders(),
                base=self.round_margins,
                shrink=SHRINK if self.shrink is None else self.shrink,
                target=self.target,
            ),
        )

    @property
    def matched(self) -> int:
        """Counts of so many columns are matched; a dial that they would cancel bounds them."""
        loosest = 1 if self.laplace >= LARGE_LAPLACE else self.calibrate
        return min(self.calibrate, self.max_pattern_length or self.calibrate, loosest)

    def _orders(self) -> dict[str, int]:
        """Lower orders of some columns: what is loosened by Laplace is tied by no count."""
        given = {**self.spec.laplace_for, **(self.laplace_for or {})}
        loosened = {name.split("=", 1)[0] for name, more in given.items() if more > self.laplace}
        orders = dict.fromkeys(sorted(loosened), 1)
        for name, order in (self.calibrate_for or {}).items():
            orders[name] = min(order, orders.get(name, order))
        return orders

    def _fewest_of_patterns(self, rows: int) -> int | None:
        """The rows that patterns of a short table need, where nothing is said.

        Where tables of two columns are matched, rare patterns of few rows tell of these rows and
        bring no release nearer to people (decision 92).
        """
        if self.matched < 2 or rows >= LONG_TABLE:
            return None
        return min(FEWEST_OF_PATTERNS, rows // LEAST_SHARE) or None

    def fence(
        self, original: Sequence[Column] | CountedRows, rows: int, schema: Schema
    ) -> Fence | None:
        """The constraints of the asset as rules over the rows that are drawn."""
        if self.constraints is None:
            return None
        floor = absolute_support(self.min_support, rows)
        return self.constraints.fence(original, schema, min_support=floor, dropped=self.drop)

    def with_ranks(self, columns: Sequence[Column], table: Table, encoding: Encoding) -> Table:
        """The coded table with the rank correlations that a release is to have."""
        if self.matched < 2:
            return table
        ranks = fit_ranks(columns, encoding, apart=self.apart(columns))
        return Table(replace(table.schema, ranks=ranks), table.codes)

    def apart(self, columns: Sequence[Labelled]) -> list[tuple[str, str]]:
        """Pairs of columns of which no rank correlation is told."""
        said = (*self.spec.hide_together, *self.hide_together)
        apart = [(one.split("=", 1)[0], other.split("=", 1)[0]) for one, other in said]
        loose = [name for name, order in self._orders().items() if order < 2]
        apart += [(name, column.name) for name in loose for column in columns]
        return apart

    def make(self, data: Any, run: Run) -> Made:
        """Learn the columns of a table, and draw a release."""
        columns = self.kept(data)
        run.stages.begin("searching patterns")
        table, encoding = self.encode(columns, keep=run.keep)
        check_kept(run.keep, encoding)
        table = self.with_ranks(columns, table, encoding)
        models = self.models(table, run)
        lowest = calibrated(models[min(models)], table, threads=run.threads)
        model = lowest.fenced(self.fence(columns, len(table), table.schema))
        return drawn(model, table, encoding, run, models=models)

    def models(self, table: Rows, run: Run) -> dict[int, GeneratorModel]:
        """The model of the support asked for, and those of higher ones where they are wanted."""
        settings = with_search(table, self.learning(len(table)))
        lowest = int(settings.min_support)
        count = LEVELS if settings.search == "krimp" else LEVELS // 3  # Slim searches each anew
        levels = support_levels(lowest, len(table) // 2, count) if run.supports else [lowest]
        return learn_at(table, settings, levels, threads=run.threads, progress=run.progress)


def check_kept(names: Sequence[str], encoding: Encoding) -> None:
    """Refuse to go on where a column that is spoken of is not published."""
    for name in names:
        if name not in encoding.schema.names:
            raise BadInput(
                f"Column {name!r} is not published ({encoding.plans[name].reason}), so no "
                "option can refer to it; say in a schema what it is (--schema)."
            )


def drawn(
    model: GeneratorModel,
    table: Table,
    encoding: Encoding,
    run: Run,
    *,
    models: Mapping[int, GeneratorModel],
) -> Made:
    """A release of this model."""
    run.stages.begin("drawing")
    release = model.sample(
        len(table) if run.rows is None else run.rows,
        randomness=run.randomness,
        threads=run.threads,
        progress=run.stages.within,
    )
    assert isinstance(release.data, Table)  # noqa: S101 - a generator draws tables
    return Made(
        release,
        table,
        Filling(release.data, run.randomness),
        release.data,
        model=model,
        models=models,
        encoding=encoding,
    )
