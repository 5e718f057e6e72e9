"""DataSynthesizer: a Bayesian network of the columns, with or without noise on its counts."""

from __future__ import annotations

import contextlib
import io
import tempfile
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PARENTS = 2
"""As in the package's own example; its automatic choice of three takes an hour on 17 columns."""


def release(codes: NDArray[np.int64], _sizes: Sequence[int], typed: Namespace) -> NDArray[np.int64]:
    """Its correlated attribute mode; every column is a category, and nothing is guessed."""
    from DataSynthesizer.DataDescriber import DataDescriber
    from DataSynthesizer.DataGenerator import DataGenerator

    names = [f"c{at}" for at in range(codes.shape[1])]
    with tempfile.TemporaryDirectory() as home, contextlib.redirect_stdout(io.StringIO()):
        original, description = str(Path(home, "original.csv")), str(Path(home, "network.json"))
        np.savetxt(original, codes, "%d", delimiter=",", header=",".join(names), comments="")
        describer = DataDescriber()
        describer.describe_dataset_in_correlated_attribute_mode(
            original,
            k=PARENTS,
            epsilon=typed.epsilon,
            attribute_to_datatype=dict.fromkeys(names, "Integer"),
            attribute_to_is_categorical=dict.fromkeys(names, True),
            attribute_to_is_candidate_key=dict.fromkeys(names, False),
            seed=typed.seed,
        )
        describer.save_dataset_description_to_file(description)
        generator = DataGenerator()
        generator.generate_dataset_in_correlated_attribute_mode(
            len(codes), description, seed=typed.seed
        )
    return np.asarray(generator.synthetic_dataset[names], np.int64)
