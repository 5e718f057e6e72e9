"""What the engine room offers: kernels over arrays, without names, files or options."""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

_Code = TypeVar("_Code", np.uint8, np.uint16)
"""Two bytes where a column has more than 256 codes or there are more than 255 columns."""

def supports(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_items: int,
    set_offsets: NDArray[np.int64],
    set_items: NDArray[np.int32],
) -> NDArray[np.int64]:
    """Weighted number of rows that contain each itemset."""

def fill_baskets(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    cumulative: NDArray[np.float64],
    corruption: NDArray[np.float64],
    n_items: int,
    sizes: NDArray[np.int64],
    retries: int,
    key: int,
    callback: Callable[[int, int], bool] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Offsets and items of baskets filled with corrupted patterns of the pool."""

class TooManyItemsets(Exception):
    """More itemsets than allowed; its arguments are how many were found, and a fitting support."""

def mine(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64],
    item_of_rank: NDArray[np.int32],
    min_support: int,
    closed: bool,
    max_length: int,
    forbidden: list[tuple[int, int]],
    max_itemsets: int,
    max_bytes: int,
    threads: int,
    progress: Callable[[int, int], bool] | None,
) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.uint32], bool]:
    """Itemsets of rows of ranks in candidate order: offsets, items, supports, stopped."""

def distinct(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_items: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Equal rows merged into one with their weight, in lexicographic order."""

def relabelled(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64],
    new_of_old: NDArray[np.int32],
) -> NDArray[np.int32]:
    """The items of all rows under other numbers, increasing inside each row again."""

def encode(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_items: int,
    set_offsets: NDArray[np.int64],
    set_items: NDArray[np.int32],
    lengths: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Bits of one copy of each row, and usages of sets (in cover order) then items."""

KrimpTable: TypeAlias = tuple[
    NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]
]
"""Set offsets, set ranks, usages, supports; usages of items by rank."""

def krimp(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_items: int,
    ranks: NDArray[np.int32],
    min_support: int,
    closed: bool,
    max_length: int,
    forbidden: list[tuple[int, int]],
    max_itemsets: int,
    prune: str,
    snapshots: list[int],
    threads: int,
    progress: Callable[[int, int], bool] | None,
) -> tuple[list[KrimpTable], int, int, bool]:
    """Mine and search: a table for each snapshot and the last, seen, accepted, complete."""

def slim(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_items: int,
    ranks: NDArray[np.int32],
    min_support: int,
    gain: str,
    prune: str,
    min_gain: float,
    max_length: int,
    forbidden: list[tuple[int, int]],
    most_steps: int,
    threads: int,
    progress: Callable[[int, int], bool] | None,
) -> tuple[KrimpTable, int, int, bool]:
    """Join pairs: the table, evaluated, accepted, complete."""

class Process:
    """Weighted patterns that fill the columns of a row; owns its arrays."""

    def __init__(
        self,
        first_item: NDArray[np.int32],
        offsets: NDArray[np.int64],
        items: NDArray[np.int32],
        weights: NDArray[np.float64],
        order: NDArray[np.int32],
    ) -> None: ...

class SampledRows:
    """Rows drawn, and how it went."""

    @property
    def codes(self) -> NDArray[np.int32]:
        """Codes, column by column."""

    @property
    def patterns_used(self) -> NDArray[np.uint16]:
        """How many patterns made each row."""

    @property
    def done(self) -> int:
        """Rows drawn; fewer than asked for after a stop."""

    @property
    def stuck(self) -> bool:
        """Whether a row could not be completed."""

    @property
    def attempts(self) -> int:
        """Rows begun."""

def sample_rows(
    process: Process,
    size: int,
    key: int,
    first_row: int,
    threads: int,
    cache_bytes: int,
    progress: Callable[[int, int], bool] | None,
    forbidden_offsets: NDArray[np.int64],
    forbidden_items: NDArray[np.int32],
) -> SampledRows:
    """Rows drawn from the process."""

def row_probabilities(
    process: Process,
    codes: NDArray[np.int32],
    tolerance: float,
    max_states: int,
    threads: int,
    progress: Callable[[int, int], bool] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Probability of each row given column by column, the mass not followed, rows done."""

def estimate_probabilities(
    process: Process,
    codes: NDArray[np.int32],
    paths: int,
    key: int,
    threads: int,
    progress: Callable[[int, int], bool] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Estimated probability of each row given column by column, standard errors, rows done."""

def walk_process(
    process: Process,
    tolerance: float,
    max_states: int,
    progress: Callable[[int, int], bool] | None,
) -> tuple[float, float, float]:
    """Probability to complete, expected patterns per row, the mass not followed."""

def grow_tree(
    codes: NDArray[np.int32],
    classes: NDArray[np.int32],
    drawn: NDArray[np.int32],
    shares: NDArray[np.float64],
    sizes: NDArray[np.int32],
    apart: NDArray[np.uint8],
    most: NDArray[np.int32],
    n_classes: int,
    floor: int,
    leaves: int,
    caution: float,
    progress: Callable[[int, int], bool] | None,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Of each node of a tree: the column asked, the value, and the nodes for yes and no."""

def fit_classes(
    leaf_of: NDArray[np.int32],
    leaf_offsets: NDArray[np.int64],
    told: NDArray[np.float64],
    rest: NDArray[np.float64],
    few: NDArray[np.float64],
    shares: NDArray[np.float64],
    n_classes: int,
    floor: int,
    size: float,
    rounds: int,
    progress: Callable[[int, int], bool] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares of the classes in each row, and the factors of each leaf."""

def lead_rows(
    codes: NDArray[np.int32],
    sizes: NDArray[np.int32],
    path_offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.int32],
    wanted: NDArray[np.uint8],
    threads: int,
    progress: Callable[[int, int], bool] | None,
) -> NDArray[np.int32]:
    """The number of the first path of splits that each row follows, or -1."""

def rake(
    codes: NDArray[np.int32],
    sizes: NDArray[np.int32],
    multiplicities: NDArray[np.float64],
    column_offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    cell_offsets: NDArray[np.int64],
    class_of: NDArray[np.int32],
    class_offsets: NDArray[np.int64],
    targets: NDArray[np.float64],
    factors: NDArray[np.float64],
    rounds: int,
    tolerance: float,
    max_factor: float,
    stalled: float,
    threads: int,
    progress: Callable[[int, int], bool] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int]:
    """Weights of the rows, factors and shares of the classes, rounds."""

def holders(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_items: int,
    set_offsets: NDArray[np.int64],
    set_items: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Offsets and numbers of the rows that hold each set."""

def rake_sets(
    multiplicities: NDArray[np.float64],
    offsets: NDArray[np.int64],
    holders: NDArray[np.int32],
    targets: NDArray[np.float64],
    rounds: int,
    tolerance: float,
    max_factor: float,
    progress: Callable[[int, int], bool] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Weights of the rows, shares of the margins, rounds."""

def row_order(codes: NDArray[np.int32], sizes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Row numbers in lexicographic order of codes given column by column."""

def philox(key: int, stream: int, index: int) -> tuple[int, int]:
    """Number `index` of a stream: two 64-bit numbers."""

def distort(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_items: int,
    keeps: NDArray[np.float64],
    inserts: NDArray[np.float64],
    key: NDArray[np.uint64],
    threads: int = 1,
    callback: Callable[[int, int], bool] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Offsets and items of the rows after keeping and inserting items at random."""

def chacha(key: NDArray[np.uint64], number: int, n: int) -> NDArray[np.uint32]:
    """The first n words of a stream, for tests of the generator."""

def cell_moments(
    cells: NDArray[np.int32],
    shares: NDArray[np.float64],
    sets: int,
    vector: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Second moments of the cells of rows, times a vector."""

def give_back() -> None:
    """Give memory that was freed back to the system, where the C library keeps it."""

def pair_counts(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_items: int,
    slots: NDArray[np.int32],
    n: int,
    callback: Callable[[int, int], bool] | None = None,
) -> NDArray[np.uint32]:
    """Joint counts of the items that have a slot, n × n, row-major."""

def cross_counts(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_items: int,
    left: NDArray[np.int32],
    n_left: int,
    right: NDArray[np.int32],
    n_right: int,
) -> NDArray[np.uint32]:
    """Joint counts of items on the left with items on the right, row-major."""

def build_start(distances: NDArray[np.float64], n: int, k: int) -> NDArray[np.int32]:
    """Greedy first medoids of an n × n matrix of distances."""

def swap_medoids(
    distances: NDArray[np.float64],
    n: int,
    start: NDArray[np.int32],
    callback: Callable[[int, int], bool] | None = None,
) -> tuple[NDArray[np.int32], float, int]:
    """Medoids that no single swap improves, their loss and the number of swaps."""

def column_values(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_items: int,
    column_of: NDArray[np.int32],
    columns: int,
    callback: Callable[[int, int], bool] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Cells, first value of each column, and the items of all values as runs."""

def close_buckets(
    cells: NDArray[np.int32],
    columns: int,
    rises: NDArray[np.int64],
    falls: NDArray[np.int64],
    order: NDArray[np.int64],
    min_bucket: int,
    callback: Callable[[int, int], bool] | None = None,
) -> NDArray[np.int32]:
    """The bucket of each row after one scan, or -1."""

def settle_leftovers(
    cells: NDArray[np.int32],
    columns: int,
    rises: NDArray[np.int64],
    falls: NDArray[np.int64],
    bucket_of: NDArray[np.int32],
    leftovers: NDArray[np.int64],
    key: NDArray[np.uint64],
    absorb: bool,
    callback: Callable[[int, int], bool] | None = None,
) -> tuple[NDArray[np.int32], int, int, int, int]:
    """The bucket of each row, passes, rows placed, rows absorbed, and merges."""

def tabulate(
    cells: NDArray[np.int32],
    columns: int,
    n_values: int,
    bucket_of: NDArray[np.int32],
    n_buckets: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Buckets, values and counts of the entries, and where each column starts."""

def expected_supports(
    buckets: NDArray[np.int32],
    values: NDArray[np.int32],
    counts: NDArray[np.int64],
    starts: NDArray[np.int64],
    value_offsets: NDArray[np.int64],
    value_items: NDArray[np.int32],
    bucket_sizes: NDArray[np.int64],
    column_of: NDArray[np.int32],
    set_offsets: NDArray[np.int64],
    set_items: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Expected number of rows with each itemset."""

def join_at_random(
    buckets: NDArray[np.int32],
    values: NDArray[np.int32],
    counts: NDArray[np.int64],
    starts: NDArray[np.int64],
    value_offsets: NDArray[np.int64],
    value_items: NDArray[np.int32],
    n_items: int,
    bucket_sizes: NDArray[np.int64],
    key: NDArray[np.uint64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Rows as offsets and items, and the bucket each came from."""

def nearest(
    reference: NDArray[_Code], queries: NDArray[_Code], threads: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Distance, first row and number of the closest reference rows of each query."""

def nearest_votes(
    reference: NDArray[_Code],
    labels: NDArray[np.int32],
    n_labels: int,
    queries: NDArray[_Code],
    threads: int,
) -> NDArray[np.int64]:
    """How many of the closest reference rows of each query carry each label."""

def coincidences(
    reference_a: NDArray[_Code],
    queries_a: NDArray[_Code],
    at_a: NDArray[np.int32],
    reference_b: NDArray[_Code],
    queries_b: NDArray[_Code],
    at_b: NDArray[np.int32],
    threads: int,
) -> NDArray[np.int64]:
    """How many reference rows lie at the given distances in both sets of columns."""

def sample_baskets(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.float64],
    n_items: int,
    sizes: NDArray[np.int64],
    key: int,
    callback: Callable[[int, int], bool] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Offsets and items of baskets filled with disjoint patterns, and the usage of each pattern."""

def sample_linked_baskets(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.float64],
    n_items: int,
    link_offsets: NDArray[np.int64],
    link_items: NDArray[np.int32],
    link_weights: NDArray[np.float64],
    fresh: float,
    sizes: NDArray[np.int64],
    key: int,
    first: int,
    callback: Callable[[int, int], bool] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Offsets and items of baskets filled along links, and the steps that each took."""

def count_cells(
    codes: NDArray[np.int32],
    sizes: NDArray[np.int32],
    column_offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    cell_offsets: NDArray[np.int64],
    threads: int,
    progress: Callable[[int, int], bool] | None,
) -> NDArray[np.int64]:
    """The rows in each cell of each table."""

def fit_loglinear(
    codes: NDArray[np.int32],
    sizes: NDArray[np.int32],
    column_offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    cell_offsets: NDArray[np.int64],
    counts: NDArray[np.float64],
    variances: NDArray[np.float64],
    priors: NDArray[np.float64],
    sampling: float,
    total: float,
    potentials: NDArray[np.float64],
    steps: NDArray[np.float64],
    passes: int,
    last_steps: NDArray[np.float64],
    drawn: NDArray[np.uint8],
    pairs: NDArray[np.int32],
    key: int,
    threads: int,
    progress: Callable[[int, int], bool] | None,
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Codes and weights of the pool, potentials and expected counts of the cells."""

def balance(
    codes: NDArray[np.int32],
    sizes: NDArray[np.int32],
    column_offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    cell_offsets: NDArray[np.int64],
    weights: NDArray[np.float64],
    chosen: NDArray[np.int32],
    link_columns: NDArray[np.int32],
    score_offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    wanted: NDArray[np.float64],
    passes: int,
    key: int,
    progress: Callable[[int, int], bool] | None,
) -> NDArray[np.int32]:
    """Rows of the pool, as many as were chosen, whose tables are near what the weights say."""

def settle(
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    offsets: NDArray[np.int64],
    unknowns: NDArray[np.int64],
    signs: NDArray[np.int64],
    groups: NDArray[np.int64],
    floors: NDArray[np.int64],
    most_work: int,
) -> NDArray[np.int8]:
    """Of each group 0 if some solution has none of it or its floor, 1 if none has, 2 if open."""
