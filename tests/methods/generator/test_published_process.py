"""The process drawn from the authors' own code tables, against exact values."""

from __future__ import annotations

import numpy as np
import pytest
from published import read_coded, read_process
from scipy import stats

# Exact values for the published tables: expected NAS, mass on original rows, patterns per row,
# bits of the original.
EXACT = {
    ("iris", "iris-all-1d-nop", "random"): (0.69542, 0.87260, 1.86011, 747.8),
    ("iris", "iris-all-1d-nop", "columns"): (0.69541, 0.87262, 1.86009, 747.8),
    ("led7", "led7-all-1d-nop", "random"): (0.66152, 0.92576, 1.15350, 21299.1),
    ("led7", "led7-all-1d-nop", "columns"): (0.66168, 0.92681, 1.15444, 21308.1),
    ("pima", "pima-all-1d-nop", "random"): (0.63469, 0.84333, 1.79226, 4094.4),
    ("pima", "pima-all-1d-nop", "columns"): (0.63093, 0.82861, 1.82450, 4108.9),
    ("page-blocks", "pageblocks-all-1d-nop", "random"): (0.75155, 0.99617, 1.02638, 6438.3),
    ("page-blocks", "pageblocks-all-1d-nop", "columns"): (0.76315, 0.99687, 1.02230, 6432.1),
    ("nursery", "nursery-all-1d-nop", "random"): (0.49587, 0.75209, 2.75974, 185428.5),
    ("nursery", "nursery-all-1d-nop", "columns"): (0.48532, 0.72809, 2.80238, 186086.9),
    ("kr-k", "chessBig-all-1d-nop", "random"): (0.29385, 0.37684, 2.26376, 468792.6),
    ("kr-k", "chessBig-all-1d-nop", "columns"): (0.29370, 0.38038, 2.24577, 471172.8),
    ("kr-k", "chessBig-all-50d-nop", "random"): (0.14486, 0.16665, 3.28721, 505092.1),
    ("kr-k", "chessBig-all-50d-nop", "columns"): (0.14506, 0.16892, 3.24242, 507641.9),
}


def nas(found, multiplicities):
    """Σ over levels s of (mean of found) / s, divided by Σ 1/s."""
    levels = np.unique(multiplicities)
    return sum(found[multiplicities == s].mean() / s for s in levels) / (1 / levels).sum()


@pytest.mark.parametrize(("data", "name", "order"), EXACT)
def test_exact_values_of_the_published_tables(data, name, order, data_folder):
    table = read_coded(data_folder / f"{data}.csv.gz")
    process = read_process(name, table, order=order)
    rows, multiplicities = np.unique(table.codes, axis=0, return_counts=True)
    p = process.chances(rows).at_least
    expected_nas, mass, patterns, bits = EXACT[data, name, order]
    assert nas(1 - (1 - p) ** len(table), multiplicities) == pytest.approx(expected_nas, abs=6e-6)
    assert p.sum() == pytest.approx(mass, abs=6e-6)
    assert process.steps().patterns == pytest.approx(patterns, abs=6e-6)
    assert -(multiplicities * np.log2(p)).sum() == pytest.approx(bits, abs=0.06)


@pytest.mark.parametrize("order", ["random", "columns"])
def test_sampled_nas_and_patterns_agree_with_the_exact_ones(order, data_folder):
    table = read_coded(data_folder / "led7.csv.gz")
    process = read_process("led7-all-1d-nop", table, order=order)
    rows, multiplicities = np.unique(table.codes, axis=0, return_counts=True)
    sizes = [a.size for a in table.schema]
    original = np.ravel_multi_index(tuple(rows.T), sizes)
    runs, scores = 60, []
    drawn = process.draw(runs * len(table), key=2007)
    keys = np.ravel_multi_index(tuple(drawn.codes.T), sizes).reshape(runs, -1)
    scores = [nas(np.isin(original, run).astype(float), multiplicities) for run in keys]
    expected_nas, _, patterns, _ = EXACT["led7", "led7-all-1d-nop", order]
    assert abs(np.mean(scores) - expected_nas) < 4 * np.std(scores) / np.sqrt(runs)
    error = drawn.patterns_used.std() / np.sqrt(len(drawn.codes))
    assert abs(drawn.patterns_used.mean() - patterns) < 4 * error


def test_the_first_column_in_column_order_keeps_its_marginal(data_folder):
    table = read_coded(data_folder / "led7.csv.gz")
    process = read_process("led7-all-1d-nop", table, laplace=0.0, order="columns")
    drawn = process.draw(100_000, key=4)
    counts = np.bincount(drawn.codes[:, 0], minlength=table.schema.attributes[0].size)
    original = table.marginal([table.schema.names[0]])
    assert stats.chisquare(counts, original * len(drawn.codes) / len(table)).pvalue > 0.001
