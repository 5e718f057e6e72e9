"""Estimators: a generator with scikit-learn's manners, and the model that it fits.

Keyword parameters are stored as given, checked in `fit`; what is learnt ends in an underscore, and
`clone` works: scikit-learn's manners without scikit-learn.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from halfmask.assets.asset import Asset
from halfmask.assets.enforcing import AssetConstraints
from halfmask.data import Release, Table
from halfmask.data.coding.filling import Filling, asked_rows, fill, log2_within_bins
from halfmask.documents.asset import load_asset
from halfmask.documents.model import load, load_any, save
from halfmask.documents.schema import table_spec
from halfmask.errors import BadArray, BadInput, UnknownName
from halfmask.io.forms import PathLike
from halfmask.io.frames import ARROW, FrameForm, frame_of_rows, from_table
from halfmask.io.given import columns_of, form_or_none
from halfmask.methods.calibration.choose_margins import MOST_POOL_CELLS
from halfmask.methods.calibration.pool import Gathered
from halfmask.methods.generator.draw import Drawing
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.merge import merge
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.probability import LogProbability
from halfmask.methods.generator.process import Drawn
from halfmask.methods.private.method import Private
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.methods.settings import documented, setting
from halfmask.methods.tables import TableMethod
from halfmask.randomness import Randomness
from halfmask.run import Run, thread_count
from halfmask.shown import grid, number, told


def resolved(method: TableMethod) -> Any:
    """The method with its schema and its asset read, where they were given as files."""
    given: dict[str, Any] = {"schema": table_spec(method.schema)}
    asset = getattr(method, "asset", None)
    if asset is not None and not isinstance(asset, AssetConstraints):
        found = asset if isinstance(asset, Asset) else load_asset(asset)
        given["asset"] = AssetConstraints(found)
    return replace(method, **given)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class Generator(GeneratorMethod):
    """Learns which patterns describe a table, so that new rows can be drawn from them.

    >>> import polars
    >>> frame = polars.DataFrame({"sex": ["f", "m"] * 20, "ill": ["no", "no", "yes", "no"] * 10})
    >>> model = Generator(min_support=5).fit(frame)
    >>> model.sample(3, seed=1).columns
    ['sex', 'ill']
    """

    threads: int | None = setting(
        None, "How many threads to use (all cores by default); the result does not depend on "
              "it.",
        form="whole", least=1, group="running",
    )  # fmt: skip

    epsilon: float | None = setting(
        None, "Learn with differential privacy: counts get noise so that no release becomes more "
              "than e^ε times as probable by one person's data.",
        form="number", above=0, group="privacy",
    )  # fmt: skip
    delta: float = setting(
        1e-9, "The probability with which the bound of epsilon may fail.",
        form="number", above=0, most=1, group="privacy",
    )  # fmt: skip
    rows_per_person: int = setting(
        1, "The most rows that one person has in the table, for epsilon.",
        form="whole", least=1, group="privacy",
    )  # fmt: skip

    def __post_init__(self) -> None:
        """Parameters are stored as given, and checked in `fit`."""

    def fit(self, data: Any, y: None = None) -> Model:  # noqa: ARG002 - scikit-learn passes y
        """Learn a model of a dataframe, array or file; it is returned, and kept as `model_`."""
        method, given = self.as_method(), columns_of(data)
        if isinstance(method, Private):
            run = Run(Randomness(), thread_count(self.threads))
            model = Model(method.fit(given, run).model, form_or_none(data))
        else:
            columns = method.kept(given)
            table = method.with_ranks(columns, *method.encode(columns))
            learnt = learn(table, method.learning(len(table)), threads=thread_count(self.threads))
            fenced = learnt.fenced(method.fence(columns, len(table), table.schema))
            model = Model(fenced, form_or_none(data))
        self.model_, self.n_features_in_ = model, len(given)
        self.feature_names_in_ = np.array([column.name for column in given], dtype=object)
        return model

    def _fitted(self) -> Model:
        if not hasattr(self, "model_"):
            raise BadInput("This generator has learnt nothing yet; call fit first.")
        return self.model_

    def sample(self, rows: int | None = None, *, seed: int | None = None) -> Any:
        """Draw rows from the model that was fitted, as `Model.sample` does; for pipelines."""
        return self._fitted().sample(rows, seed=seed, threads=self.threads)

    def score_samples(self, data: Any) -> NDArray[np.float64]:
        """The natural logarithm of how probable each row is, as scikit-learn's densities have it.

        See `Model.log_probability`, which counts in bits.
        """
        model = self._fitted()
        if isinstance(data, np.ndarray) and data.shape[1:] != (self.n_features_in_,):
            raise BadArray(
                f"X has {data.shape[-1]} features, but Generator is expecting "
                f"{self.n_features_in_} features as input."
            )
        found = model.log_probability(data, seed=0, threads=self.threads)
        natural: NDArray[np.float64] = found.rows * np.log(2)
        return natural

    def score(self, data: Any, y: None = None) -> float:  # noqa: ARG002 - scikit-learn passes y
        """The mean of `score_samples`, so that a search can compare settings; higher is better."""
        return float(self.score_samples(data).mean())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn, which asks for this, should know."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type="density_estimator",
            target_tags=TargetTags(required=False),
            input_tags=InputTags(allow_nan=True, string=True, categorical=True),
        )

    def as_method(self) -> GeneratorMethod | Private:
        """The settings as a checked method, with schema and asset read; private with an epsilon."""
        if self.epsilon is not None:
            return self._as_private()
        names = [one.name for one in fields(GeneratorMethod)]
        found: GeneratorMethod = resolved(
            GeneratorMethod(**{name: getattr(self, name) for name in names})
        )
        return found

    def _as_private(self) -> Private:
        own = Private.declared()
        for one in fields(self):
            default = one.default if one.default_factory is MISSING else one.default_factory()
            if one.name not in (*own, "threads") and getattr(self, one.name) != default:
                raise BadInput(f"With an epsilon there is no {one.name}; leave it out.")
        found: Private = resolved(
            Private(**{name: getattr(self, name) for name in own if hasattr(self, name)})
        )
        return found

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002, FBT001, FBT002
        """The parameters by name, as given."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
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


_SHOWN = 10
"""How many patterns a notebook shows."""


class Model:
    """A fitted generator: the patterns, and the kind of dataframe they came from."""

    def __init__(self, learnt: GeneratorModel | NoisyModel, form: FrameForm | None = None) -> None:
        self.learnt = learnt
        self._form = form

    def sample(
        self,
        rows: int | None = None,
        *,
        seed: int | None = None,
        threads: int | None = None,
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
            wanted, randomness=randomness, threads=thread_count(threads), calibrate=calibrate
        )
        return self.framed(filled(release, randomness).whole)

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
        """The checked margins as a dataframe: table, cell (none for the rest) and count.

        Of a private model these are the noisy counts, with the standard deviation of the noise.
        """
        if isinstance(self.learnt, NoisyModel):
            return frame_of_rows(self.learnt.cells(), like=self._form or ARROW)
        margins = self.learnt.margins
        rows = [] if margins is None else list(margins.to_rows(self.learnt.schema))
        return frame_of_rows(rows, like=self._form or ARROW)

    def log_probability(
        self, data: Any, *, seed: int | None = None, threads: int | None = None
    ) -> LogProbability:
        """How probable these rows (a dataframe, a file, a table of a database) are, in bits.

        It is that of the process that draws rows, before they are weighed to meet counts and before
        rules reject any. Of numbers and dates it is that of the bins, and of the value within each
        bin. Keys count for nothing, and a column that follows from another for nothing more. A
        value that the model does not know counts as its group "other"; without one, the row is
        impossible.

        >>> import polars
        >>> from halfmask.estimators import Generator
        >>> frame = polars.DataFrame({"sex": ["f", "m"] * 20})
        >>> Generator(min_support=5).fit(frame).log_probability(frame).bits_per_row
        1.0
        """
        learnt = self._of_patterns("tells no probabilities")
        columns = columns_of(data)
        table = asked_rows(columns, learnt.schema)
        found = learnt.log_probability(
            table, randomness=Randomness(seed), threads=thread_count(threads)
        )
        return replace(found, rows=found.rows + log2_within_bins(columns, table))

    def merge(self, *others: Model) -> Model:
        """One model of the rows of this site and others; see `halfmask.methods.generator.merge`."""
        every = [one._of_patterns("cannot be merged") for one in (self, *others)]  # noqa: SLF001
        return Model(merge(every), self._form)

    def _of_patterns(self, lack: str) -> GeneratorModel:
        if isinstance(self.learnt, NoisyModel):
            raise BadInput(f"The model of a private release {lack}.")
        return self.learnt

    def ledger(self) -> Any:
        """What a private model spent, as a dataframe: part, rho, and its share of the budget."""
        if not isinstance(self.learnt, NoisyModel):
            raise BadInput("Only a private model (epsilon=...) has a budget.")
        spent, shares = self.learnt.log.ledger.by_part(), self.learnt.shares
        rows = [{"part": part, "rho": rho, "share": shares[part]} for part, rho in spent.items()]
        return frame_of_rows(rows, like=self._form or ARROW)

    def save(self, path: PathLike, *, force: bool = False) -> None:
        """Write the model as a JSON document that a person can read."""
        save(self.learnt, path, force=force)

    @classmethod
    def load(cls, path: PathLike) -> Model:
        """Read a model file; a damaged or foreign one is refused with the reason."""
        found = load_any(path)
        return cls(found if isinstance(found, NoisyModel) else load(path))

    def __repr__(self) -> str:
        table = self.learnt.code_table
        private = isinstance(self.learnt, NoisyModel)
        about = f"about {table.rows:,}" if private else f"{table.rows:,}"
        return f"<halfmask.Model of {about} rows: {len(table.sets):,} patterns>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the size of the model and its most used patterns."""
        listed = sorted(self.learnt.code_table.patterns(), key=lambda p: (-p.usage, p.items))
        lines = [(", ".join(p.labels), number(p.usage), number(p.support)) for p in listed[:_SHOWN]]
        more = f" The {_SHOWN} used most:" if len(listed) > _SHOWN else ""
        return f"<p>{told(repr(self))}{more}</p>{grid(('pattern', 'usage', 'support'), lines)}"


@dataclass(eq=False)
class Streamed:
    """A release that is drawn, filled and let go of while it is written.

    >>> import polars
    >>> from halfmask.estimators import Generator
    >>> learnt = Generator(min_support=5).fit(polars.DataFrame({"sex": ["f", "m"] * 20})).learnt
    >>> rows = Streamed(Drawing(learnt, 300_000, Randomness(1)))
    >>> [len(piece) for piece in rows.pieces()], rows.release.notes
    ([262144, 37856], ())
    """

    drawing: Drawing
    done: int = 0
    """Rows written so far."""
    _first: list[Drawn] = field(default_factory=list)

    def pieces(self) -> Iterator[Table]:
        """The rows as they are to be written, once."""
        schema, randomness = self.drawing.model.schema, self.drawing.randomness
        for part in self.drawing.parts():
            if self.done * len(schema) < MOST_POOL_CELLS:
                self._first.append(part)
            for piece in Table(schema, part.codes).pieces():
                yield fill(piece, randomness, first_row=self.done, rows=self.drawing.rows)
                self.done += len(piece)

    @property
    def release(self) -> Release:
        """What is said of the release, when it is written; of its rows only the first are in it."""
        gathered = Gathered.of(
            sum(len(part.codes) for part in self._first), len(self.drawing.model.schema)
        )
        for part in self._first:
            gathered.add(part)
        return self.drawing.released(gathered.drawn, done=self.done)


def filled(release: Release, randomness: Randomness) -> Filling:
    """The released rows with a value drawn for every bin, and fresh keys, once they are asked."""
    assert isinstance(release.data, Table)  # noqa: S101 - a generator draws tables
    return Filling(release.data, randomness)
