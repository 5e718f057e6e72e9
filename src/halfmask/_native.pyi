"""What the engine room offers: kernels over arrays, without names, files or options."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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
