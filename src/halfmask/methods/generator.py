"""The generator: learn a code table of the original, then draw new rows from its patterns.

[Vreeken, van Leeuwen & Siebes, Privacy Preservation through Data Generation, 2007]
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Claim, Release, Schema, Table
from halfmask.data.release import Fact
from halfmask.errors import BadInput
from halfmask.methods.constrained import Fence, FencedProcess
from halfmask.methods.expectation import ExpectedHits, distinct_rows, expected_hits
from halfmask.methods.generator_settings import GeneratorSettings
from halfmask.methods.process import Drawn, Process, Progress
from halfmask.patterns.choice import BUDGET, choose_search
from halfmask.patterns.code_table import CodeTable
from halfmask.patterns.krimp import Search, krimp
from halfmask.patterns.reference import Prune
from halfmask.patterns.slim import slim
from halfmask.patterns.support import absolute_support
from halfmask.randomness import Randomness

__all__ = ["GeneratorModel", "GeneratorSettings", "Progress", "learn", "learn_at", "with_search"]

FEW_PATTERNS = 2.0
"""Below this mean number of patterns per row a table is not suited: if a row takes a < 2 patterns
on average, then at least a share of 2 - a of the rows is one single pattern, that is, a whole row
that stands in the original at least `min_support` times."""


def learn(
    table: Table,
    settings: GeneratorSettings | None = None,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> GeneratorModel:
    """Learn a generator; when `progress` says stop, the best one so far comes back.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> table = Table(schema, np.array([[0, 1], [1, 0]] * 20 + [[0, 0]] * 5))
    >>> model = learn(table, GeneratorSettings(min_support=5))
    >>> [(p.labels, p.usage) for p in model.code_table.patterns()][:2]
    [(('sex=m', 'ill=no'), 20), (('sex=f', 'ill=yes'), 20)]
    >>> model.sample(1000, randomness=Randomness(7)).size
    1000.0
    """
    settings = with_search(table, settings or GeneratorSettings(), progress=progress)
    search = _search(table, settings, threads=threads, progress=progress)
    return GeneratorModel(search.code_table, settings, complete=search.complete)


def learn_at(
    table: Table,
    settings: GeneratorSettings,
    supports: Collection[int],
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> dict[int, GeneratorModel]:
    """The generators of several minimum supports, with Krimp from one search to the smallest.

    Krimp's candidates come most frequent first, so the table of a larger support is a stage on
    the way; a search that was stopped gives the supports that it had reached, and the best table
    so far for the smallest. Slim has no such stages and searches for each support by itself.
    """
    if not supports:
        raise BadInput("Name at least one minimum support.")
    settings = with_search(table, replace(settings, min_support=min(supports)), progress=progress)
    if settings.search == "slim":
        every = (replace(settings, min_support=support) for support in sorted(supports))
        learnt = (learn(table, each, threads=threads, progress=progress) for each in every)
        return {model.min_support: model for model in learnt}
    search = _search(table, settings, threads=threads, progress=progress, snapshots=supports)
    reached = search.tables | {min(supports): search.code_table}
    return {
        support: GeneratorModel(
            reached[support],
            replace(settings, min_support=support),
            complete=search.complete or support > min(supports),
        )
        for support in sorted(reached)
    }


def with_search(
    table: Table, settings: GeneratorSettings, *, progress: Progress | None = None
) -> GeneratorSettings:
    """The settings with "auto" made into the search that fits this table; names checked."""
    settings.check_names(table.schema)
    if not len(table):
        raise BadInput("The table has no rows; a generator needs some to learn from.")
    if settings.search != "auto":
        return settings
    chosen = choose_search(
        table.transactions,
        min_support=absolute_support(settings.min_support, len(table)),
        candidates=settings.candidates,
        max_length=settings.max_pattern_length,
        forbidden=settings.forbidden(table.schema),
        budget=min(BUDGET, settings.max_candidates),
        progress=progress,
    )
    return replace(settings, search=chosen)


def _search(
    table: Table,
    settings: GeneratorSettings,
    *,
    threads: int,
    progress: Progress | None,
    snapshots: Collection[int] = (),
) -> Search:
    floor = absolute_support(settings.min_support, len(table))
    forbidden = settings.forbidden(table.schema)
    prune: Prune = "repaired" if settings.prune else "none"
    if settings.search == "slim":
        return slim(
            table.transactions,
            table.schema,
            min_support=floor,
            prune=prune,
            max_length=settings.max_pattern_length,
            forbidden=forbidden,
            threads=threads,
            progress=progress,
        )
    return krimp(
        table.transactions,
        table.schema,
        min_support=floor,
        candidates=settings.candidates,
        prune=prune,
        max_length=settings.max_pattern_length,
        forbidden=forbidden,
        limit=settings.max_candidates,
        threads=threads,
        progress=progress,
        snapshots=snapshots,
    )


@dataclass(frozen=True, eq=False)
class GeneratorModel:
    """A code table with the settings it was learnt with: all that drawing rows needs."""

    code_table: CodeTable
    settings: GeneratorSettings
    complete: bool = True
    """False when the search was stopped before its end."""
    fence: Fence | None = None
    """Rules that the rows drawn must keep."""

    def __post_init__(self) -> None:
        if not isinstance(self.code_table.schema, Schema):
            raise BadInput("A generator needs a table with columns; baskets have none.")
        self.settings.check_names(self.schema)

    @property
    def schema(self) -> Schema:
        """The columns and values of the rows it draws."""
        schema = self.code_table.schema
        assert isinstance(schema, Schema)  # noqa: S101 - the constructor refused others
        return schema

    @property
    def min_support(self) -> int:
        """The minimum support as a number of rows."""
        return absolute_support(self.settings.min_support, self.code_table.rows)

    @property
    def value_support(self) -> int:
        """The rows that hold each single value, at least."""
        return self.settings.value_support or self.min_support

    @cached_property
    def process(self) -> Process:
        """The random process: every pattern X has the weight usage(X) + max λ(item) over X."""
        table, corrections = self.code_table, self.settings.item_corrections(self.schema)
        singles = [(item,) for item in range(self.schema.n_items)]
        raised = [corrections[list(pattern)].max() for pattern in table.sets]
        usages = np.concatenate([table.usages, table.item_usages]).astype(np.float64)
        weights = usages + np.concatenate([np.array(raised, np.float64), corrections])
        return Process.of(self.schema, [*table.sets, *singles], weights, self.settings.order)

    @property
    def source(self) -> Process | FencedProcess:
        """What rows are drawn from: the process, with the rules in its way if there are any."""
        return self.process if self.fence is None else self.fence.around(self.process)

    def sample(
        self,
        rows: int,
        *,
        randomness: Randomness,
        threads: int = 1,
        progress: Progress | None = None,
        first_row: int = 0,
    ) -> Release:
        """Draw rows; the same randomness gives the same rows whatever the number of threads.

        `first_row` skips rows, so that a long release can be drawn piece by piece.
        """
        drawn = self.source.draw(
            rows,
            key=randomness.key("rows of the generator"),
            first_row=first_row,
            threads=threads,
            progress=progress,
        )
        return Release(
            data=Table(self.schema, drawn.codes),
            kind="synthetic",
            method="generator",
            iso_class="synthetic data",
            claim=self._claim(),
            record=self._record(drawn, seeded=randomness.seeded),
            notes=self._notes(drawn, asked=rows),
        )

    def probability(
        self,
        table: Table,
        *,
        tolerance: float = 0.0,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> NDArray[np.float64]:
        """The logarithm (base 2) of the probability that a drawn row equals each row of a table.

        Exact when `tolerance` is 0; the cost then doubles with each column of a random order, and
        20 columns are the most. Otherwise a lower bound, too low by at most `tolerance`.
        """
        self._check_schema(table)
        distinct = distinct_rows(table)
        found = self.process.log2_probabilities(
            distinct.codes, tolerance=tolerance, threads=threads, progress=progress
        )
        return found[distinct.row_of]

    def expected_patterns_per_row(self, *, tolerance: float = 0.0) -> float:
        """The mean number of patterns that make a row, without drawing one."""
        return self.process.steps(tolerance=tolerance).patterns

    def expected_hits(
        self,
        table: Table,
        rows: int,
        *,
        randomness: Randomness,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> ExpectedHits:
        """How probable each distinct row of a table is, good enough for its NAS among `rows` rows.

        Exact where that is quick, within certified bounds up to 16 columns, estimated beyond.
        """
        self._check_schema(table)
        return expected_hits(
            self.process, table, rows, randomness=randomness, threads=threads, progress=progress
        )

    def _check_schema(self, table: Table) -> None:
        if table.schema != self.schema:
            raise BadInput("The table does not have the columns and values that the model learnt.")

    def _claim(self) -> Claim:
        return Claim(
            promise="Every combination of values that was learnt from the original is held by "
            f"at least {self.min_support:,} of its rows, every single value by at least "
            f"{self.value_support:,}",
            assumption="a combination held by so many rows tells nothing about one person; "
            "no differential privacy is promised",
            terms={
                "min_support": self.min_support,
                "value_support": self.value_support,
                "differential_privacy": False,
            },
        )

    def _record(self, drawn: Drawn, *, seeded: bool) -> dict[str, Fact]:
        settings, used = self.settings, drawn.patterns_used
        order = settings.order if isinstance(settings.order, str) else "listed"
        record: dict[str, Fact] = {
            "min_support": self.min_support,
            "laplace": float(settings.laplace),
            "prune": settings.prune,
            "candidates": settings.candidates,
            "max_pattern_length": settings.max_pattern_length,
            "pairs_hidden": len(settings.hide_together),
            "corrections_raised": len(settings.laplace_for),
            "order": order,
            "search": settings.search,
            "rare_values": settings.rare_values,
            "rows": len(drawn.codes),
            "seeded": seeded,
        }
        if self.fence is not None and drawn.attempts:
            record["constraints"] = len(self.fence.rules)
            record["acceptance"] = len(drawn.codes) / drawn.attempts
        if len(used):
            record["patterns_per_row"] = float(used.mean())
            record["rows_of_one_pattern"] = float((used == 1).mean())
        return record

    def _notes(self, drawn: Drawn, *, asked: int) -> tuple[str, ...]:
        notes = []
        used, floor = drawn.patterns_used, self.min_support
        if len(used) and len(self.schema) > 2 and used.mean() < FEW_PATTERNS:
            notes.append(
                f"Not well suited: a row takes {used.mean():.2f} patterns on average at minimum "
                f"support {floor:,}, and {(used == 1).mean():.0%} of the rows are one single "
                "pattern, so many rows of the original come back whole; raise min_support or set "
                "max_pattern_length."
            )
        supports = self.code_table.item_supports
        rare = int(((supports > 0) & (supports < self.value_support)).sum())
        if rare:
            notes.append(
                f"{rare:,} value(s) held by fewer than {self.value_support:,} rows can appear in "
                "the release; group or suppress rare values to keep them out."
            )
        if self.settings.hide_together:
            notes.append(
                "No pattern holds what is hidden together, yet an association can remain "
                "indirectly, through other columns and through which patterns fit beside each "
                "other; compare the marginals of the pair before publishing."
            )
        notes += _notes_of_fence(self.fence, drawn)
        if not self.complete:
            notes.append("The search for patterns was stopped; the best table so far was used.")
        if len(drawn.codes) < asked:
            notes.append(f"Drawing was stopped after {len(drawn.codes):,} of {asked:,} rows.")
        return tuple(notes)


def _notes_of_fence(fence: Fence | None, drawn: Drawn) -> list[str]:
    """What keeping the rules meant: those the original breaks, and how many rows were rejected."""
    if fence is None:
        return []
    notes = list(fence.accounts)
    if drawn.attempts > len(drawn.codes):
        share = len(drawn.codes) / drawn.attempts
        notes.append(
            f"{share:.1%} of the rows begun kept the constraints; the others were given up, so the "
            "release follows the patterns less closely than one without constraints."
        )
    return notes
