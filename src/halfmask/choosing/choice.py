"""Which method for this database and this asset: read, try, rank, write.

(The function is `halfmask.choose_method`: `halfmask.assets` is the room that it uses.)
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

import msgspec

from halfmask import __version__
from halfmask.assets.asset import Asset
from halfmask.assets.enforcing import AssetConstraints, row_rule
from halfmask.choosing.candidates import candidates
from halfmask.choosing.databases import Generic, generic_database, plain_table, stand_in
from halfmask.choosing.folder import TrialsFolder
from halfmask.choosing.making import Database
from halfmask.choosing.pool import Limits, Pool, TrialProgress
from halfmask.choosing.preselection import Thresholds, sizes_up_to
from halfmask.choosing.ranking import LackWeights
from halfmask.choosing.secrets import Secrets
from halfmask.choosing.selection import Choice
from halfmask.choosing.steps import ChoicePlan, Databases, select
from halfmask.choosing.trial import digest_of
from halfmask.choosing.worker import AssetBundle, evaluation_of
from halfmask.data import Baskets, Column, Table
from halfmask.documents.asset import load_asset, load_hierarchies
from halfmask.errors import BadInput, UnknownName
from halfmask.io.forms import FileOptions, PathLike
from halfmask.io.given import Given
from halfmask.io.sources import text_of
from halfmask.methods.generator.constraints import RowRule
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.hiding.sensitive import Sensitive, parse_sensitive
from halfmask.methods.method import DataKind
from halfmask.methods.names import as_baskets
from halfmask.patterns.mining import absolute_support
from halfmask.randomness import Randomness

MOST_TEST_ROWS = 10_000
"""A test database is as large as the target up to this; lacks are shares, and settle sooner."""


@dataclass(frozen=True, slots=True)
class TrialScale:
    """How large the databases are on which methods are tried."""

    generic_rows: int = 4_000
    test_rows: int | None = None
    """Rows of a test database; as the target has, and 10,000 at most, by default."""
    draws: int = 3
    """Test databases; more of them show how much is luck."""

    def __post_init__(self) -> None:
        sizes_up_to(self.generic_rows)
        if self.draws < 1 or (self.test_rows is not None and self.test_rows < 2):
            raise BadInput("At least one test database of at least 2 rows is needed.")


def choose_method(  # noqa: PLR0913 - one keyword for each thing a steward may say
    source: Any,
    *,
    asset: Asset | PathLike,
    methods: Sequence[str] | None = None,
    sensitive: str | PurePath = "",
    column: str | None = None,
    hide_support: float | None = None,
    hide_confidence: float | None = None,
    hierarchy: str | PurePath = "",
    min_support: float = 10,
    generic: Generic | None = None,
    scale: TrialScale | None = None,
    thresholds: Thresholds | None = None,
    weights: LackWeights | None = None,
    limits: Limits | None = None,
    trials: PathLike | None = None,
    drop: Sequence[str] = (),
    seed: int | None = None,
    reading: FileOptions | None = None,
    progress: TrialProgress | None = None,
) -> Choice:
    """Say which method suits a database and what matters in it, by the three steps.

    `source` is a dataframe, a file or baskets, `asset` says what matters. `methods` names methods,
    families or candidates such as `generator:20`; all that suit by default. `sensitive` lists the
    patterns to hide, one a line (or is the path of a file that does), `column` the column that
    anatomy separates, `hierarchy` how items may be generalised (text, or the path of a file).
    Finished trials are kept in the folder `trials` and not run again. The target
    itself is only learnt from: methods are tried on databases drawn from what was learnt.
    """
    target, columns, known = _read(source, asset, min_support, drop, reading)
    groups = hierarchy if isinstance(hierarchy, str) else text_of(hierarchy)
    secrets = replace(
        _secrets(target, sensitive, column, hide_support, hide_confidence), hierarchy=groups
    )
    kind: DataKind = "table" if isinstance(target, Table) else "baskets"
    found, unsuitable = candidates(methods, kind, secrets.given)
    size = scale or TrialScale()
    floor = absolute_support(min_support, len(target))
    bundle = AssetBundle.of(known, _hierarchies(asset, known, columns))
    plan = ChoicePlan(
        candidates=found,
        unsuitable=unsuitable,
        secrets=secrets,
        informations=tuple(one.name for one in known.informations),
        asset=bundle.digest,
        generic=generic or ("stand-in" if kind == "table" else "quest"),
        thresholds=thresholds or Thresholds(),
        weights=weights or LackWeights(),
        min_support=floor,
    )
    with _folder(trials) as folder:
        rules = [row_rule(c, known.relation) for c in known.constraints if c.weight > 0]
        databases = drawn_databases(target, plan, size, seed, folder, rules=rules)
        _check_fits(bundle, databases.tests[0])
        folder.keep_text(f"asset-{bundle.digest}.json", bundle.encoded())
        with Pool(folder, limits, progress) as pool:
            return select(plan, databases, pool)


def _read(
    source: Any,
    asset: Asset | PathLike,
    min_support: float,
    drop: Sequence[str],
    reading: FileOptions | None,
) -> tuple[Database, Sequence[Column], Asset]:
    """The target as it may be learnt from, its columns, and the asset, which must fit it."""
    known = asset if isinstance(asset, Asset) else load_asset(asset)
    held = Given(source).read(reading).content
    if isinstance(held, Baskets):
        return _fitting(known, held), (), known
    # What the asset reads as numbers or dates is held against it by value, not by bin.
    forms = known.relation.attributes.items()
    read = [name for name, form in forms if form.type != "str" and name not in drop]
    names = {column.name for column in held}
    generator = GeneratorMethod(
        min_support=min_support,
        drop=drop,
        categorical=[name for name in read if name in names and name not in known.relation.key],
        asset=AssetConstraints(known),
    )
    table, _ = generator.encode(generator.kept(held), keep=tuple(known.relation.attributes))
    return _fitting(known, plain_table(table)), held, known


def _fitting(asset: Asset, target: Database) -> Database:
    """The target, if it has every attribute that the asset speaks of."""
    names = target.schema.names
    sets = [n for n, form in asset.relation.attributes.items() if form.type == "set"]
    if isinstance(target, Baskets) and sets:
        return target
    for name in asset.relation.attributes:
        if name not in names and name not in asset.relation.key:
            what = "column" if isinstance(target, Table) else "item"
            raise BadInput(f"The asset does not fit the data: {UnknownName(what, name, names)}")
    return target


def _secrets(
    target: Database,
    sensitive: str | PurePath,
    column: str | None,
    support: float | None,
    confidence: float | None,
) -> Secrets:
    if column is not None:
        if not isinstance(target, Table):
            raise BadInput("Baskets have no columns, so no sensitive column can be named.")
        target.schema.position(column)
    found = Sensitive()
    text = sensitive if isinstance(sensitive, str) else text_of(sensitive)
    if text.strip() or not isinstance(sensitive, str):
        rows = as_baskets(target) if isinstance(target, Table) else target
        found = parse_sensitive(text, rows.schema)
    return Secrets(found, support, confidence, column)


def _hierarchies(
    asset: Asset | PathLike, known: Asset, columns: Sequence[Column]
) -> dict[str, Any]:
    if isinstance(asset, Asset) or not columns:
        return {}
    return load_hierarchies(known, Path(asset).parent, columns)


@contextmanager
def _folder(path: PathLike | None) -> Iterator[TrialsFolder]:
    """The folder named, or one that goes away."""
    if path is not None:
        yield TrialsFolder(Path(path))
        return
    with tempfile.TemporaryDirectory(prefix="halfmask-trials-") as name:
        yield TrialsFolder(Path(name))


def drawn_databases(  # noqa: PLR0913 - what they depend on
    target: Database,
    plan: ChoicePlan,
    scale: TrialScale,
    seed: int | None,
    folder: TrialsFolder,
    *,
    rules: Sequence[RowRule] = (),
) -> Databases:
    """The databases of an earlier run of the same choice, or new ones."""
    randomness = Randomness(seed)
    rows = scale.test_rows or max(min(len(target), MOST_TEST_ROWS), 2)
    from_seed = None if seed is None else randomness.key("databases")
    facts = [
        __version__, digest_of(target), plan.generic, scale.generic_rows, rows,
        scale.draws, plan.min_support, plan.asset, from_seed,
    ]  # fmt: skip
    key = hashlib.blake2b(msgspec.json.encode(facts), digest_size=16).hexdigest()
    kept = folder.databases(key)
    if kept is not None:
        return kept
    source = stand_in(target, min_support=plan.min_support, rules=rules, randomness=randomness)
    made = Databases(
        generic_database(target, plan.generic, scale.generic_rows, source, randomness=randomness),
        tuple(source(rows, f"test {n}") for n in range(scale.draws)),
    )
    folder.keep_databases(key, made)
    return made


def _check_fits(bundle: AssetBundle, test: Database) -> None:
    """Hold the test database against itself, so that an asset it cannot bear is refused here."""
    judge = evaluation_of(bundle.encoded())
    for form in ("aligned", "free"):
        judge(test, test, form)
