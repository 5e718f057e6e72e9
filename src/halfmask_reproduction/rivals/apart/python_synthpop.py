"""python-synthpop: a tree for every column over all others, as its CART method does it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def release(codes: NDArray[np.int64], _sizes: Sequence[int], typed: Namespace) -> NDArray[np.int64]:
    """Its CART method with its own defaults, on the codes of the values.

    The package's own coding step is left out: it fails on a column of ten or more values, because
    it asks scikit-learn for an option that was taken away there. For fewer values it gives these
    same codes.
    """
    import pandas as pd
    from synthpop import CARTMethod

    frame = pd.DataFrame(codes, columns=[f"c{at}" for at in range(codes.shape[1])])
    np.random.seed(typed.seed)  # noqa: NPY002 - it draws from the global stream
    method = CARTMethod(dict.fromkeys(frame, "categorical"), random_state=typed.seed)
    method.fit(frame)
    return np.asarray(method.sample(len(frame))[list(frame)], np.int64)
