"""Association of two attributes or values in a table: Cramér's V.

What a generator says of its release: the claim, the record of the making, and the doubts.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halfmask.data import Claim, Schema, Table
from halfmask.data.release import Fact
from halfmask.methods.calibration.pool import Fit
from halfmask.methods.generator.constraints import Fence
from halfmask.methods.generator.process import Drawn
from halfmask.methods.generator.settings import LARGE_LAPLACE
from halfmask.methods.names import items_named


def cramers_v(table: Table, one: str, other: str) -> float:
    """How strongly two columns, or `column=value`, go together: 0 not at all, 1 fully.

    A value is held against all other values of its column.

    >>> from halfmask.data import Attribute
    >>> schema = Schema((Attribute("sex", ("f", "m")), Attribute("ill", ("no", "yes"))))
    >>> cramers_v(Table(schema, np.array([[0, 1], [1, 0]] * 5)), "sex", "ill=yes")
    1.0
    """
    schema = table.schema
    columns = [int(schema.domains[items_named(schema, name)[0]]) for name in (one, other)]
    counts = table.marginal([schema.names[c] for c in columns])
    counts = _against_rest(schema, one, counts)
    counts = _against_rest(schema, other, counts.T).T
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    total, least = counts.sum(), min(counts.shape) - 1
    if not total or least < 1:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    return float(np.sqrt(((counts - expected) ** 2 / expected).sum() / total / least))


def _against_rest(schema: Schema, name: str, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The lines of a table as the value named and all others; as they are for a column."""
    items = items_named(schema, name)
    if name in schema.names:
        return counts
    first = int(schema.offsets[schema.domains[items[0]]])
    line = counts[items[0] - first]
    return np.stack([line, counts.sum(axis=0) - line])


if TYPE_CHECKING:
    from halfmask.methods.generator.model import GeneratorModel


FEW_PATTERNS = 2.0
"""Below this mean number of patterns per row a table is not suited: if a row takes a < 2 patterns
on average, then at least a share of 2 - a of the rows is one single pattern, that is, a whole row
that stands in the original at least `min_support` times."""

MOST_NAMED = 5
"""Tables named in a sentence."""
WORTH_TELLING = 0.01
"""A table that would be met if this share of the rows changed is no news."""


def claim_of(model: GeneratorModel, fit: Fit | None) -> Claim:
    """What is promised: every combination that was learnt, and every count met, has its rows."""
    met = (
        ""
        if fit is None
        else (f", and every count that the release was made to match is {_met(fit)}")
    )
    values = f"every single value by at least {model.value_support:,}"
    if _rare_values(model):
        values = "single values were kept however rare they are"
    return Claim(
        promise="Every combination of values that was learnt from the original is held by "
        f"at least {model.min_support:,} of its rows, {values}{met}{_rounded(model)}",
        assumption="a combination held by so many rows discloses nothing about one person; no "
        "differential privacy is promised",
        terms={
            "min_support": model.min_support,
            "value_support": model.value_support,
            "differential_privacy": False,
        },
    )


def _rare_values(model: GeneratorModel) -> int:
    """Values that fewer rows hold than each is promised to have; a steward kept them."""
    supports = model.code_table.item_supports
    return int(((supports > 0) & (supports < model.value_support)).sum())


def _rounded(model: GeneratorModel) -> str:
    if model.of_sites:
        return ""
    if model.base == 1:
        return "; counts are exact, so that smaller groups can follow from them"
    return (
        f"; counts are rounded to multiples of {model.base:,} up or down by chance, and no smaller "
        "group follows from them by arithmetic"
    )


def _met(fit: Fit) -> str:
    if not fit.margins.estimated:
        return "of at least as many rows"
    return "an estimate from models of sites that promise the same"


def record_of(
    model: GeneratorModel, drawn: Drawn, fit: Fit | None, *, seeded: bool
) -> dict[str, Fact]:
    """Settings and figures of the making."""
    settings, used = model.settings, drawn.patterns_used
    order = settings.order if isinstance(settings.order, str) else "listed"
    record: dict[str, Fact] = {
        "min_support": model.min_support,
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
        "calibrate": settings.calibration.order if fit else 0,
    }
    if settings.pattern_support is not None:
        record["pattern_support"] = settings.pattern_support
    if settings.search_rows is not None:
        record["search_rows"] = settings.search_rows
    if model.base > 1:
        record["round_margins"] = model.base
    if fit:
        record |= fit.facts()
        record["shrink"] = float(settings.calibration.shrink)
    if model.fence is not None and drawn.attempts:
        record["constraints"] = len(model.fence.rules)
        record["acceptance"] = len(drawn.codes) / drawn.attempts
    if len(used):
        record["patterns_per_row"] = float(used.mean())
        record["rows_of_one_pattern"] = float((used == 1).mean())
    return record


def notes_of(
    model: GeneratorModel, drawn: Drawn, fit: Fit | None, *, asked: int, done: int | None = None
) -> tuple[str, ...]:
    """Sentences the steward should read before publishing; `done` rows of those asked for.

    Where `drawn` are not all of them, they speak for the others.
    """
    done = len(drawn.codes) if done is None else done
    notes = [*_doubts(model, drawn), *([] if fit is None else (*_loosened(model), *_missed(fit)))]
    if model.settings.hide_together:
        notes.append(_hidden(model, drawn))
    notes += _kept_rules(model.fence, drawn)
    if model.settings.search_rows is not None:
        notes.append(
            f"Patterns were searched in {model.settings.search_rows:,} of "
            f"{model.code_table.rows:,} rows, drawn at random, and counted in all of them."
        )
    if not model.complete:
        notes.append(_ended(model))
    if done < asked:
        notes.append(f"Drawing was stopped after {done:,} of {asked:,} rows.")
    return tuple(notes)


def _ended(model: GeneratorModel) -> str:
    if model.settings.search != "slim":
        return "The search for patterns was stopped; the best table so far was used."
    found = len(model.code_table.sets)
    return (
        "The search for patterns ended before it was complete (effort "
        f"{model.settings.effort:g}, or its time); the {found:,} strongest were used. A higher "
        "--effort finds more."
    )


def _doubts(model: GeneratorModel, drawn: Drawn) -> list[str]:
    notes = []
    used, floor = drawn.patterns_used, model.min_support
    possible = prod(attribute.size for attribute in model.schema)
    # Where there are so few different rows that each has enough holders, they may come back.
    crowded = possible * floor <= model.code_table.rows
    if len(used) and len(model.schema) > 2 and used.mean() < FEW_PATTERNS and not crowded:
        notes.append(
            f"Not well suited: a row takes {used.mean():.2f} patterns on average at minimum "
            f"support {floor:,}, and {(used == 1).mean():.0%} of the rows are one single "
            "pattern, so many rows of the original reappear whole; raise min_support or set "
            "max_pattern_length."
        )
    rare = _rare_values(model)
    if rare:
        notes.append(
            f"{rare:,} value(s) held by fewer than {model.value_support:,} rows can appear in "
            "the release; group or suppress rare values to keep them out."
        )
    return notes


def _loosened(model: GeneratorModel) -> list[str]:
    """That a large Laplace correction leaves no counts of two columns."""
    settings = model.settings
    if settings.laplace < LARGE_LAPLACE or settings.calibration.order != 1:
        return []
    return [
        (
            f"A Laplace correction of {settings.laplace:g} loosens the patterns. Counts of two "
            "columns would tighten what it loosens, so only those of single columns are matched."
        )
    ]


def _kept_rules(fence: Fence | None, drawn: Drawn) -> list[str]:
    """What keeping the rules meant: those the original breaks, and how many rows were rejected."""
    if fence is None:
        return []
    notes = list(fence.accounts)
    if drawn.attempts > len(drawn.codes):
        share = len(drawn.codes) / drawn.attempts
        notes.append(
            f"{share:.1%} of the rows begun satisfied the constraints; the others were "
            "rejected, so the release follows the patterns less closely than one without "
            "constraints."
        )
    return notes


def _missed(fit: Fit) -> list[str]:
    """Which tables are off so far that a reader should know, and by how much."""
    far = {name: off for name, off in fit.missed.items() if off >= WORTH_TELLING}
    if not far:
        return []
    named = ", ".join(f"{name} ({off:.1%})" for name, off in list(far.items())[:MOST_NAMED])
    sentence = (
        f"{len(far):,} of {len(fit.margins):,} tables of counts are not matched to within chance "
        f"and {WORTH_TELLING:.0%} of the rows: what may be chance of the sample is left out "
        "(--shrink), and the patterns produce few rows for some cells. All tables are off by "
        f"{fit.mean_distance:.1%} of the rows on "
        f"average, the furthest are {named}. Do not draw conclusions from small counts of "
        "these combinations."
    )
    return [sentence]


def _hidden(model: GeneratorModel, drawn: Drawn) -> str:
    """What is left of the association of what is hidden together, for each pair."""
    release = Table(model.schema, drawn.codes)
    pairs = model.settings.hide_together
    left = "; ".join(
        f"{one} and {other} {cramers_v(release, one, other):.3f}"
        for one, other in pairs[:MOST_NAMED]
    )
    return (
        "No pattern contains a pair that is hidden together and no count of it is matched, "
        "yet an association can remain indirectly, through other columns and through which "
        "patterns fit beside each other. In this release it is (Cramér's V, 0 none, 1 full): "
        f"{left}."
    )
