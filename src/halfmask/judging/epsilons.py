"""Other ε: what more or less privacy would keep of the table, for the house to choose by.

Each point is a fit of its own, read in the codes of the release. It asks the original again without
being accounted for, so it stays in the house with all other readings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from halfmask.data import Encoding, Table
from halfmask.data.coding.filling import fill
from halfmask.errors import BadInput
from halfmask.measures import Comparison, Readings, compare
from halfmask.methods.method import Made
from halfmask.methods.private.log import PoolSettings
from halfmask.methods.private.method import Private
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.methods.private.promise import likelier
from halfmask.run import Run

FACTORS = (0.3, 3.0)
"""Times the ε of the release."""
QUICK = PoolSettings(rows=20_000, last_rows=50_000, last_rounds=10)
READ = ("marginals_1", "marginals_2")


@dataclass(frozen=True, slots=True)
class EpsilonPoint:
    """One ε and what it keeps: mean distances of single columns and of pairs."""

    epsilon: float
    noise: float | None
    """The standard deviation of a count; None where the table is too small for this ε."""
    singles: float | None = None
    pairs: float | None = None
    pairs_people: float | None = None
    """The distance of pairs to people that were held out, where there are any."""
    here: bool = False

    @property
    def even_odds(self) -> float:
        """What even odds about a person become at most."""
        return likelier(self.epsilon)

    def to_dict(self) -> dict[str, Any]:
        """The point in plain types."""
        return asdict(self)


def over_epsilons(
    method: Private, columns: Sequence[Any], made: Made, comparison: Comparison, run: Run
) -> tuple[EpsilonPoint, ...]:
    """The release, and what other ε would give, from the least to the largest."""
    assert isinstance(made.model, NoisyModel)  # noqa: S101 - what a private method makes
    found = [_point(method.epsilon, made.model, comparison, here=True)]
    quiet = replace(run, progress=None, rows=None)
    for factor in FACTORS:
        other = replace(method, epsilon=float(f"{factor * method.epsilon:.2g}"), pool=QUICK)
        run_apart = quiet.apart(f"epsilon {factor}")
        try:
            model = other.fit(columns, run_apart).model
        except BadInput:
            found.append(EpsilonPoint(other.epsilon, None))
            continue
        rows = _in_codes_of(made, model, run_apart)
        if rows is None:
            found.append(EpsilonPoint(other.epsilon, model.noise))
        else:
            beside = replace(comparison, release=rows, drawn_per_row=None)
            found.append(_point(other.epsilon, model, beside))
    return tuple(sorted(found, key=lambda point: point.epsilon))


def _in_codes_of(made: Made, model: NoisyModel, run: Run) -> Table | None:
    """Rows of another model in the codes of the release: what those do not know is left out.

    Nothing where the other model does not have all columns of the release.
    """
    assert made.encoding is not None  # noqa: S101 - of a table
    filled = fill(Table(model.schema, model.drawn), run.randomness)
    columns = Encoding.of_schema(filled.schema).decode(filled)
    wanted = {*made.encoding.schema.names}
    kept = [column for column in columns if column.name in wanted]
    if len(kept) < len(wanted):
        return None
    return made.encoding.encode(kept, unknown="leave out")


def _point(
    epsilon: float, model: NoisyModel, comparison: Comparison, *, here: bool = False
) -> EpsilonPoint:
    readings: Readings = compare(comparison, READ, yardsticks=comparison.holdout is not None)
    singles, pairs = (readings.taken(name) for name in READ)
    return EpsilonPoint(
        epsilon,
        model.noise,
        None if singles is None else singles.value,
        None if pairs is None else pairs.value,
        None if pairs is None else pairs.against_holdout,
        here,
    )
