"""One run of AIM or MST of dpmm, in an environment of its own (`pip install dpmm==0.1.9`).

`python private_rival.py aim|mst IN.npy OUT.npy EPSILON SEED` reads codes, writes codes and prints
the processor seconds and the peak memory in megabytes.
"""

import resource
import sys
import time

import numpy as np
import pandas as pd
from numpy.random import RandomState

DELTA = 1e-9


def main(method: str, source: str, to: str, epsilon: float, seed: int) -> None:
    from dpmm.models.aim import AIMGM
    from dpmm.models.mst import MSTGM

    codes = np.load(source)
    frame = pd.DataFrame(codes, columns=[str(c) for c in range(codes.shape[1])])
    domain = {name: int(frame[name].max()) + 1 for name in frame}
    kind = {"aim": AIMGM, "aim3": AIMGM, "mst": MSTGM}[method]
    extra = {"degree": 3} if method == "aim3" else {}
    model = kind(
        epsilon=epsilon,
        delta=DELTA,
        domain=domain,
        random_state=RandomState(seed),
        n_jobs=1,
        **extra,
    )
    model.set_random_state(RandomState(seed))
    begun = time.process_time()
    model.fit(frame)
    drawn = model.generate(n_records=len(codes))
    seconds = time.process_time() - begun
    np.save(to, drawn[list(frame)].to_numpy().astype(np.int32))
    print(round(seconds, 1), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


if __name__ == "__main__":
    main(*sys.argv[1:4], float(sys.argv[4]), int(sys.argv[5]))
