"""One sound call of every native function and type; the tests damage its arguments one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

I32, I64, F64, U64 = np.int32, np.int64, np.float64, np.uint64

ROWS = {
    "offsets": np.array([0, 2, 5, 6, 8], I64),
    "items": np.array([0, 1, 0, 1, 2, 2, 1, 3], I32),
    "weights": np.array([3, 2, 1, 1], I64),
    "n_items": 4,
}
SETS = {"set_offsets": np.array([0, 1, 3], I64), "set_items": np.array([2, 0, 1], I32)}
KEY = np.array([1, 2, 3, 4], U64)

PROCESS = {
    "first_item": np.array([0, 2, 4], I32),
    "offsets": np.array([0, 1, 2, 3, 4, 6], I64),
    "items": np.array([0, 1, 2, 3, 0, 2], I32),
    "weights": np.array([1.0, 2.0, 1.0, 1.0, 3.0]),
    "order": np.array([1, 0], I32),
}
CODES = np.array([0, 1, 1, 0, 0, 1], I32)

SEARCH = ROWS | {
    "ranks": np.array([1, 0, 2, 3], I32),
    "min_support": 1,
    "max_length": 4,
    "forbidden": [(0, 3)],
    "prune": "repaired",
    "threads": 2,
    "progress": None,
}
CELLS = {"cells": np.array([0, 2, 1, 3, 0, 3, 1, 2], I32), "columns": 2}
BOUNDS = {"rises": np.array([2, 2, 2, 2], I64), "falls": np.array([1, 1, 1, 1], I64)}
ENTRIES = {
    "buckets": np.array([0, 0, 1, 1, 0, 1], I32),
    "values": np.array([0, 1, 0, 1, 2, 3], I32),
    "counts": np.array([1, 1, 1, 1, 2, 2], I64),
    "starts": np.array([0, 4, 6], I64),
    "value_offsets": np.array([0, 0, 1, 2, 4], I64),
    "value_items": np.array([0, 1, 2, 3], I32),
    "bucket_sizes": np.array([2, 2], I64),
}
BASKETS = {
    "offsets": np.array([0, 1, 2, 4], I64),
    "items": np.array([0, 1, 1, 2], I32),
    "weights": np.array([1.0, 2.0, 1.0]),
    "n_items": 3,
    "sizes": np.array([1, 3, 2], I64),
    "key": 7,
}
DISTANCES = {
    "distances": np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.5], [2.0, 1.5, 0.0]]).ravel(),
    "n": 3,
}
REFERENCE = np.array([[0, 1, 0], [1, 1, 0]], np.uint8)
QUERIES = np.array([[0, 1], [1, 0]], np.uint8)


def sound_calls(native: Any) -> dict[str, dict[str, Any]]:
    """Arguments that every function takes without complaint, by name."""
    process = native.Process(**PROCESS)
    return {
        "Process": PROCESS,
        "supports": ROWS | SETS,
        "holders": ROWS | SETS,
        "distinct": ROWS,
        "relabelled": _without(ROWS, "n_items") | {"new_of_old": np.array([3, 1, 0, 2], I32)},
        "encode": ROWS | SETS | {"lengths": np.array([1.0, 2.0, 1.0, 2.0, 3.0, np.inf])},
        "mine": _without(ROWS, "n_items")
        | {
            "item_of_rank": np.array([3, 1, 0, 2], I32),
            "min_support": 1,
            "closed": True,
            "max_length": 3,
            "forbidden": [(0, 2)],
            "max_itemsets": 1000,
            "max_bytes": 1 << 20,
            "threads": 2,
            "progress": None,
        },
        "krimp": SEARCH | {"closed": False, "max_itemsets": 1000, "snapshots": [4, 2]},
        "slim": SEARCH | {"gain": "estimate", "min_gain": 0.0, "most_steps": 1000},
        "sample_rows": {
            "process": process,
            "size": 10,
            "key": 1,
            "first_row": 0,
            "threads": 2,
            "cache_bytes": 1000,
            "progress": None,
            "forbidden_offsets": np.array([0, 2], I64),
            "forbidden_items": np.array([1, 3], I32),
        },
        "row_probabilities": _of_rows(process) | {"tolerance": 0.0, "max_states": 1000},
        "estimate_probabilities": _of_rows(process) | {"paths": 10, "key": 3},
        "walk_process": {
            "process": process,
            "tolerance": 0.1,
            "max_states": 1000,
            "progress": None,
        },
        "philox": {"key": 1, "stream": 2, "index": 3},
        "chacha": {"key": KEY, "number": 1, "n": 5},
        **_calibration(),
        **_anatomy(),
        **_baskets(),
        **_distances(),
    }


def _without(arguments: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key != name}


def _of_rows(process: object) -> dict[str, Any]:
    return {"process": process, "codes": CODES, "threads": 2, "progress": None}


def _calibration() -> dict[str, dict[str, Any]]:
    return {
        "grow_tree": {
            "codes": np.array([0, 1, 1, 0, -1, 1, 0, 1], I32),
            "classes": np.array([0, 1, 1, 0], I32),
            "drawn": np.array([0, 1, 1, 1, 0, 1], I32),
            "shares": np.full(6, 0.5),
            "sizes": np.array([2, 2], I32),
            "apart": np.zeros(4, np.uint8),
            "most": np.array([2, 2], I32),
            "n_classes": 2,
            "floor": 1,
            "leaves": 4,
            "caution": 0.25,
            "progress": None,
        },
        "fit_classes": {
            "leaf_of": np.array([0, 1, 0, 2, 3, 2], I32),
            "leaf_offsets": np.array([0, 2, 4], I64),
            "told": np.array([3.0, 2.0, -1.0, 4.0, 1.0, 1.0, 2.0, -1.0]),
            "rest": np.array([0.0, -1.0, 0.0, 2.0]),
            "few": np.array([1.0, 0.0]),
            "shares": np.full(6, 0.5),
            "n_classes": 2,
            "floor": 2,
            "size": 10.0,
            "rounds": 3,
            "progress": None,
        },
        "lead_rows": {
            "codes": np.array([0, 1, -1, 0, 0, 1, 2, 0, 2, 1], I32),
            "sizes": np.array([2, 3], I32),
            "path_offsets": np.array([0, 2, 3], I64),
            "columns": np.array([0, 1, 0], I32),
            "values": np.array([0, 2, 1], I32),
            "wanted": np.array([1, 0, 1], np.uint8),
            "threads": 2,
            "progress": None,
        },
        "count_cells": {
            "codes": np.array([0, 1, 1, 0, 1, 2], I32),
            "sizes": np.array([2, 3], I32),
            "column_offsets": np.array([0, 1, 3], I64),
            "columns": np.array([0, 0, 1], I32),
            "cell_offsets": np.array([0, 2, 8], I64),
            "threads": 2,
            "progress": None,
        },
        "fit_loglinear": {
            "codes": np.array([0, 1, 1, 0, 1, 2], I32),
            "sizes": np.array([2, 3], I32),
            "column_offsets": np.array([0, 1, 3], I64),
            "columns": np.array([0, 0, 1], I32),
            "cell_offsets": np.array([0, 2, 8], I64),
            "counts": np.array([1.0, 2.0, 0.5, 0.5, 0.0, 1.0, 0.5, 0.5]),
            "variances": np.ones(8),
            "priors": np.array([10.0, 1.0]),
            "sampling": 0.0,
            "total": 3.0,
            "potentials": np.zeros(8),
            "steps": np.array([1.0, 0.5]),
            "passes": 2,
            "last_steps": np.array([0.5, 0.25]),
            "drawn": np.array([1, 1], np.uint8),
            "pairs": np.array([0, 1], I32),
            "key": 7,
            "threads": 2,
            "progress": None,
        },
        "balance": {
            "codes": np.array([0, 1, 1, 0, 1, 2], I32),
            "sizes": np.array([2, 3], I32),
            "column_offsets": np.array([0, 1, 3], I64),
            "columns": np.array([0, 0, 1], I32),
            "cell_offsets": np.array([0, 2, 8], I64),
            "weights": np.array([1.0, 2.0, 0.5]),
            "chosen": np.array([0, 0, 1, 2], I32),
            "link_columns": np.array([0, 1, 1, 0], I32),
            "score_offsets": np.array([0, 2, 2, 0], I64),
            "scores": np.array([-1.0, 1.0, -1.0, 0.0, 1.0]),
            "wanted": np.array([2.0, 1.0]),
            "passes": 3,
            "key": 7,
            "progress": None,
        },
        "settle": {
            "low": np.array([40, 35, 0], I64),
            "high": np.array([40, 35, 40], I64),
            "offsets": np.array([0, 3], I64),
            "unknowns": np.array([0, 1, 2], I64),
            "signs": np.array([1, -1, -1], I64),
            "groups": np.array([2, 1], I64),
            "floors": np.array([10, 10], I64),
            "most_work": 1_000,
        },
        "rake": {
            "codes": np.array([0, 1, 1, 0, 1, 2], I32),
            "sizes": np.array([2, 3], I32),
            "multiplicities": np.array([1.0, 20.0, 3.0]),
            "column_offsets": np.array([0, 1, 3], I64),
            "columns": np.array([0, 0, 1], I32),
            "cell_offsets": np.array([0, 2, 8], I64),
            "class_of": np.array([0, 1, 2, 2, 2, 3, 3, 3], I32),
            "class_offsets": np.array([0, 2, 4], I64),
            "targets": np.array([0.5, 0.5, 0.4, 0.6]),
            "factors": np.array([1.0, 2.0, 1.0, 0.5]),
            "rounds": 5,
            "tolerance": 0.01,
            "max_factor": 10.0,
            "stalled": 0.99,
            "threads": 2,
            "progress": None,
        },
        "row_order": {"codes": np.array([0, 1, 1, 0, 1, 2], I32), "sizes": np.array([2, 3], I32)},
        "rake_sets": {
            "multiplicities": np.array([1.0, 2.0, 3.0]),
            "offsets": np.array([0, 1, 3], I64),
            "holders": np.array([0, 1, 2], I32),
            "targets": np.array([0.5, 0.25]),
            "rounds": 5,
            "tolerance": 0.01,
            "max_factor": 10.0,
            "progress": None,
        },
    }


def _anatomy() -> dict[str, dict[str, Any]]:
    return {
        "column_values": ROWS | {"column_of": np.array([0, 0, 1, 1], I32), "columns": 2},
        "close_buckets": CELLS
        | BOUNDS
        | {"order": np.array([0, 1, 3, 2], I64), "min_bucket": 2, "callback": None},
        "settle_leftovers": CELLS
        | BOUNDS
        | {
            "bucket_of": np.array([0, 0, -1, -1], I32),
            "leftovers": np.array([2, 3], I64),
            "key": KEY,
            "absorb": True,
            "callback": None,
        },
        "tabulate": CELLS
        | {"n_values": 4, "bucket_of": np.array([0, 0, 1, -1], I32), "n_buckets": 2},
        "expected_supports": ENTRIES | SETS | {"column_of": np.array([0, 1, 1, 1], I32)},
        "join_at_random": ENTRIES | {"n_items": 4, "key": KEY},
        "build_start": DISTANCES | {"k": 2},
        "swap_medoids": DISTANCES | {"start": np.array([0, 1], I32), "callback": None},
        "distort": ROWS
        | {
            "keeps": np.full(4, 0.5),
            "inserts": np.array([0.1, 0.2, 0.0, 1.0]),
            "key": KEY,
            "threads": 2,
            "callback": None,
        },
    }


def _baskets() -> dict[str, dict[str, Any]]:
    return {
        "sample_baskets": BASKETS,
        "sample_linked_baskets": BASKETS
        | {
            "link_offsets": np.array([0, 1, 3, 3], I64),
            "link_items": np.array([1, 0, 2], I32),
            "link_weights": np.array([1.0, 1.0, 2.0]),
            "fresh": 0.5,
            "first": 4,
            "callback": None,
        },
        "fill_baskets": {
            "offsets": np.array([0, 1, 3], I64),
            "items": np.array([0, 1, 2], I32),
            "cumulative": np.array([0.25, 1.0]),
            "corruption": np.array([0.5, 0.0]),
            "n_items": 3,
            "sizes": np.array([1, 2], I64),
            "retries": 2,
            "key": 5,
            "callback": None,
        },
    }


def _distances() -> dict[str, dict[str, Any]]:
    return {
        "cell_moments": {
            "cells": np.array([0, 2, 1, 2], I32),
            "shares": np.array([0.25, 0.75]),
            "sets": 2,
            "vector": np.array([1.0, 2.0, 3.0]),
        },
        "give_back": {},
        "pair_counts": ROWS | {"slots": np.array([0, 1, -1, 2], I32), "n": 3, "callback": None},
        "cross_counts": ROWS
        | {
            "left": np.array([0, 1, -1, -1], I32),
            "n_left": 2,
            "right": np.array([-1, -1, 0, 1], I32),
            "n_right": 2,
        },
        "nearest": {"reference": REFERENCE, "queries": QUERIES, "threads": 2},
        "nearest_votes": {
            "reference": REFERENCE,
            "labels": np.array([0, 1, -1], I32),
            "n_labels": 2,
            "queries": QUERIES,
            "threads": 2,
        },
        "coincidences": {
            "reference_a": REFERENCE,
            "queries_a": QUERIES,
            "at_a": np.array([0, 1], I32),
            "reference_b": REFERENCE,
            "queries_b": QUERIES,
            "at_b": np.array([1, 0], I32),
            "threads": 2,
        },
    }
