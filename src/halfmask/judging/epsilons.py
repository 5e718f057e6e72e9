"""Other ε: what more or less privacy would keep of the table, for the house to choose by.

Each point is a fit of its own, read in the codes of the release. It asks the original again without
being accounted for, so it stays in the house with all other readings.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from halfmask.data import Baskets, Encoding, Table
from halfmask.data.coding.filling import fill
from halfmask.errors import BadInput
from halfmask.measures import Comparison, Readings, compare
from halfmask.methods.method import Made
from halfmask.methods.private.log import PoolSettings
from halfmask.methods.private.method import Private
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.methods.private.promise import PromisedModel, likelier
from halfmask.methods.private_baskets.method import PrivateBaskets
from halfmask.run import Run

FACTORS = (0.3, 3.0)
"""Times the ε of the release."""
QUICK = PoolSettings(rows=20_000, last_rows=50_000, last_rounds=10)
READ = {Table: ("marginals_1", "marginals_2"), Baskets: ("item_frequencies", "pair_frequencies")}
"""What is read of single columns or items, and of pairs."""


@dataclass(frozen=True, slots=True)
class EpsilonPoint:
    """One ε and what it keeps: mean distances of single columns, or items, and of pairs."""

    epsilon: float
    noise: float | None
    """The standard deviation of a count; None where the table is too small for this ε."""
    singles: float | None = None
    pairs: float | None = None
    pairs_people: float | None = None
    """The distance of pairs to people that were held out, where there are any."""
    second_sample: float | None = None
    """The same of a second sample of real rows: nothing can be expected to be nearer."""
    here: bool = False

    @property
    def even_odds(self) -> float:
        """What even odds about a person become at most."""
        return likelier(self.epsilon)

    def to_dict(self) -> dict[str, Any]:
        """The point in plain types."""
        return asdict(self)


def over_epsilons(
    method: Private | PrivateBaskets, data: Any, made: Made, comparison: Comparison, run: Run
) -> tuple[EpsilonPoint, ...]:
    """The release, and what other ε would give, from the least to the largest."""
    found = [_point(method.epsilon, made.model, comparison, here=True)]
    quiet = replace(run, progress=None, rows=None)
    for factor in FACTORS:
        epsilon = float(f"{factor * method.epsilon:.2g}")
        run_apart = quiet.apart(f"epsilon {factor}")
        try:
            model, rows = _another(method, epsilon, data, made, run_apart)
        except BadInput:
            found.append(EpsilonPoint(epsilon, None))
            continue
        if rows is None:
            found.append(EpsilonPoint(epsilon, model.noise))
        else:
            beside = replace(comparison, release=rows, drawn_per_row=None)
            found.append(_point(epsilon, model, beside))
    return tuple(sorted(found, key=lambda point: point.epsilon))


def _another(
    method: Private | PrivateBaskets, epsilon: float, data: Any, made: Made, run: Run
) -> tuple[PromisedModel, Table | Baskets | None]:
    """A model with another ε, and rows of it in the codes of the release."""
    if isinstance(method, PrivateBaskets):
        baskets = replace(method, epsilon=epsilon).fit(data, run)
        assert isinstance(made.original, Baskets)  # noqa: S101 - what it works on
        return baskets, baskets.drawn.over(made.original.schema)
    model = replace(method, epsilon=epsilon, pool=QUICK).fit(data, run).model
    return model, _in_codes_of(made, model, run)


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
    epsilon: float, model: PromisedModel, comparison: Comparison, *, here: bool = False
) -> EpsilonPoint:
    names = READ[type(comparison.original)]
    readings: Readings = compare(comparison, names, yardsticks=comparison.holdout is not None)
    singles, pairs = (readings.taken(name) for name in names)
    return EpsilonPoint(
        epsilon,
        model.noise,
        None if singles is None else singles.value,
        None if pairs is None else pairs.value,
        None if pairs is None else pairs.against_holdout,
        None if pairs is None else pairs.second_sample,
        here,
    )
