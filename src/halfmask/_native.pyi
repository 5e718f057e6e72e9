"""What the engine room offers: kernels over arrays, without names, files or options."""

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
