"""A small made-up clinic to publish: fast, with relations, and with room for planted rows."""

from __future__ import annotations

import numpy as np
import polars as pl

import halfmask as hm
from halfmask.publishing.publication import Publication

DIAGNOSES = ("asthma", "fracture", "infection", "hernia")


def clinic(rows: int = 600) -> pl.DataFrame:
    """Patients whose ward and stay follow from their diagnosis, mostly."""
    rng = np.random.default_rng(3)
    diagnosis = rng.integers(4, size=rows)
    ward = np.where(rng.random(rows) < 0.85, diagnosis // 2, 1 - diagnosis // 2)
    return pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], rows),
            "decade": rng.integers(2, 8, size=rows) * 10,
            "diagnosis": [DIAGNOSES[d] for d in diagnosis],
            "ward": [("north", "south")[w] for w in ward],
            "stay": np.where(rng.random(rows) < 0.7, diagnosis % 2, 2).astype(str),
        }
    )


def published(frame: pl.DataFrame, **options) -> Publication:
    """The clinic published with the same seed every time."""
    method = hm.Generator(min_support=10, pattern_support=10)
    options = {"holdout": 0.2, "seed": 5, "method": method} | options
    return hm.publish(frame, **options)
