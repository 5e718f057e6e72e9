"""What type checkers know of halfmask. Made by docs/make_stub.py: do not edit."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, Required, TypedDict, Unpack, overload

from halfmask.choosing.choice import choose_method as choose_method
from halfmask.choosing.selection import Choice as Choice
from halfmask.data import Baskets as Baskets
from halfmask.data.coding.spec import RarePolicy
from halfmask.data.families import Orphans
from halfmask.errors import BadInput as BadInput
from halfmask.errors import HalfmaskError as HalfmaskError
from halfmask.errors import HalfmaskWarning as HalfmaskWarning
from halfmask.errors import TargetNotMet as TargetNotMet
from halfmask.estimators import Generator as Generator
from halfmask.estimators import Model as Model
from halfmask.io.forms import FileOptions, PathLike
from halfmask.methods.anatomy.eligibility import OnIneligible
from halfmask.methods.anatomy.partition import EmptyPolicy
from halfmask.methods.generator.process import Order
from halfmask.methods.generator.settings import SearchName
from halfmask.methods.private.log import PoolSettings
from halfmask.publishing.between import class_dissimilarities as class_dissimilarities
from halfmask.publishing.measure_files import measure_files
from halfmask.publishing.publication import Publication as Publication
from halfmask.run import Progress

__version__: str
measure = measure_files

class _Shared(TypedDict, total=False):
    min_support: float
    nas_at_most: float | None
    risk_at_most: float | None
    ds_at_most: float | None
    moved_at_most: float | None
    moved_by: float
    output: PathLike | None
    external_report: PathLike | None
    force: bool
    keep_formulas: bool
    seed: int | None
    threads: int | None
    reading: FileOptions | None
    progress: Progress | None

class _GeneratorMethod(_Shared, total=False):
    rare_values: RarePolicy
    drop: Sequence[str]
    categorical: Sequence[str]
    schema: Any
    pattern_support: int | None
    hide_together: Sequence[tuple[str, str]]
    max_pattern_length: int | None
    laplace: float
    laplace_for: Mapping[str, float] | None
    calibrate: int
    calibrate_for: Mapping[str, int] | None
    shrink: float | None
    round_margins: int
    target: str | None
    search: SearchName
    candidates: Literal["all", "closed"]
    prune: bool
    order: Order
    effort: float
    max_candidates: int
    search_rows: int | None
    asset: Any
    as_published: bool
    rows: int | None
    runs: int
    leak_at_most: float | None
    holdout: float | None
    reference: Any
    audit_model: bool
    sensitive: str | None
    key: str | Sequence[str]
    orphans: Orphans
    no_trade_off: bool
    memory: str | int | None
    max_time: float | None

class _Private(_Shared, total=False):
    drop: Sequence[str]
    categorical: Sequence[str]
    schema: Any
    epsilon: Required[float]
    delta: float
    rows_per_person: int
    epsilon_in_all: float | None
    ledger: Any
    target: str | None
    child_rows: int | None
    pool: PoolSettings | None
    rows: int | None
    leak_at_most: float | None
    holdout: float | None
    sensitive: str | None
    key: str | Sequence[str]
    orphans: Orphans
    no_trade_off: bool
    memory: str | int | None
    max_time: float | None

class _BasketGenerator(_Shared, total=False):
    rare_values: Literal["keep", "suppress"]
    calibrate: int
    round_margins: int
    max_pattern_length: int | None
    rows: int | None
    leak_at_most: float | None
    holdout: float | None
    reference: Any
    audit_model: bool
    no_trade_off: bool
    max_time: float | None

class _PrivateBaskets(_Shared, total=False):
    epsilon: Required[float]
    delta: float
    rows_per_person: int
    epsilon_in_all: float | None
    ledger: Any
    items: str | None
    items_per_basket: int | None
    rows: int | None
    leak_at_most: float | None
    holdout: float | None

class _Anatomy(_Shared, total=False):
    rare_values: Literal["keep", "suppress"]
    l: Required[float | Fraction]
    columns: int | Sequence[Sequence[str]] | None
    empty: EmptyPolicy
    on_ineligible: OnIneligible

class _TableAnatomy(_Shared, total=False):
    rare_values: RarePolicy
    drop: Sequence[str]
    categorical: Sequence[str]
    schema: Any
    l: Required[int]
    sensitive: Required[str]
    on_ineligible: Literal["error", "suppress"]

class _Distortion(_Shared, total=False):
    rare_values: Literal["keep", "suppress"]
    keep: Required[float]
    keep_rare: float | None
    keep_absent: float | None
    as_printed: bool

class _Hiding(_Shared, total=False):
    rare_values: Literal["keep", "suppress"]
    hide: Sequence[str]
    sensitive: str
    algorithm: str
    disclosure: float | None
    hide_support: float | None
    hide_confidence: float | None
    margin: float | None
    decoys: float | None
    conflict_order: str | None
    window: int | None
    edit_log: PathLike | None

class _Coherent(_Shared, total=False):
    rare_values: Literal["keep", "suppress"]
    k: Required[int]
    known: int
    certainty: float
    private: str | tuple[str, ...]

class _KmAnonymous(_Shared, total=False):
    rare_values: Literal["keep", "suppress"]
    k: Required[int]
    hierarchy: Required[str]
    known: int

class _KAnonymous(_Shared, total=False):
    rare_values: RarePolicy
    drop: Sequence[str]
    categorical: Sequence[str]
    schema: Any
    k: Required[int]
    private: str | tuple[str, ...]
    hierarchy: str | None
    suppress_at_most: float

@overload
def publish(
    source: Any,
    *,
    method: Literal["generator"] | Generator = ...,
    **options: Unpack[_GeneratorMethod],
) -> Publication: ...
@overload
def publish(
    source: Any, *, method: Literal["private"], **options: Unpack[_Private]
) -> Publication: ...
@overload
def publish(
    source: Any, *, method: Literal["baskets"], **options: Unpack[_BasketGenerator]
) -> Publication: ...
@overload
def publish(
    source: Any, *, method: Literal["private-baskets"], **options: Unpack[_PrivateBaskets]
) -> Publication: ...
@overload
def publish(
    source: Any, *, method: Literal["anatomy"], **options: Unpack[_Anatomy]
) -> Publication: ...
@overload
def publish(
    source: Any, *, method: Literal["table-anatomy"], **options: Unpack[_TableAnatomy]
) -> Publication: ...
@overload
def publish(
    source: Any, *, method: Literal["distortion"], **options: Unpack[_Distortion]
) -> Publication: ...
@overload
def publish(
    source: Any, *, method: Literal["hiding"], **options: Unpack[_Hiding]
) -> Publication: ...
@overload
def publish(
    source: Any, *, method: Literal["coherence"], **options: Unpack[_Coherent]
) -> Publication: ...
@overload
def publish(
    source: Any, *, method: Literal["km"], **options: Unpack[_KmAnonymous]
) -> Publication: ...
@overload
def publish(
    source: Any, *, method: Literal["k-anonymity"], **options: Unpack[_KAnonymous]
) -> Publication: ...
