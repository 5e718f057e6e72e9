"""Every table, figure and checkable statement of the papers, and where each is rerun or tested.

An experiment is named as `halfmask reproduce` names it and has a result on its page; what is true
by construction, or by hand, has a test. The lists follow the papers from front to back.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from halfmask_reproduction.catalogue import EXPERIMENTS
from halfmask_reproduction.runner import kept_results

ROOT = Path(__file__).resolve().parents[2]

GENERATOR = {
    "Definition 1: where all rows are unique, AS is the probability that one comes back": (
        "tests/measures/test_counting.py::test_nas_equals_its_definition"
    ),
    "Definition 2: NAS is 1 of the original itself": (
        "tests/conformance/test_measures.py::test_a_copy_reads_as_perfect_quality_and_worst_privacy"
    ),
    "(3): supports move by more than δ with a probability below ε": (
        "tests/measures/quality/test_patterns.py::"
        "test_supports_moved_is_requirement_three_for_one_delta"
    ),
    "DS is computationally much cheaper than comparing pattern sets": "generator-cost",
    "(4) to (8): code lengths, sizes, and the total that Krimp makes small": (
        "tests/patterns/test_krimp.py::*"
    ),
    "No pruning keeps more patterns": "tests/patterns/test_krimp.py::*",
    "Definition 3: DS is 0 for equal databases": (
        "tests/conformance/test_measures.py::test_a_copy_reads_as_perfect_quality_and_worst_privacy"
    ),
    "Figure 1 and the worked example": "generator-figure1",
    "A million rows follow Figure 1": (
        "tests/methods/generator/test_process.py::test_a_million_drawn_rows_follow_figure_1"
    ),
    "Algorithm KRIMPGENERATOR": (
        "tests/methods/generator/test_process.py::"
        "test_native_probabilities_are_those_of_the_enumeration"
    ),
    "With a Laplace correction every row can be generated": (
        "tests/methods/generator/test_generator.py::"
        "test_probabilities_sum_to_one_over_all_rows_and_follow_the_draws"
    ),
    "A larger correction dampens the original's distribution": (
        "tests/methods/generator/test_generator.py::test_a_large_correction_flattens_one_column"
    ),
    "Patterns of fewer than min-sup rows are never used": (
        "tests/methods/generator/test_generator.py::"
        "test_one_search_gives_the_generators_of_several_supports"
    ),
    "Table 1: generated against original": "generator-table1",
    "Table 1: a generated database is nearer than a random half": "generator-table1",
    "Classes of the original databases differ by 0.29 up to 12": "generator-classes",
    "Figure 2: histograms of a thousand databases": "generator-figure2",
    "Higher min-sup, slightly larger dissimilarity": "generator-figure3-right",
    "Figure 3, left: correlated databases are far more similar": "generator-figure3-left",
    "Figure 3, right: lower min-sup, more similar": "generator-figure3-right",
    "Single values keep their frequencies at every min-sup": "generator-figure3-right",
    "Table 2: pattern sets": "generator-table2",
    "Of PenDigits' generated patterns more than 90 % are original": "generator-pendigits",
    "Figure 4: differences of support are small": "generator-figure4",
    "Table 3: NAS": "generator-table3",
    "Chess at min-sup 50: DS 0.19, NAS 0.15": "generator-chess50",
    "PenDigits: 3 % of the rare rows are rare originals": "generator-pendigits",
    "Figure 5: few patterns a row, high NAS": "generator-figure5",
    "Increasing min-sup leads to better privacy while DS remains good": "generator-supports",
    "Laplace for single domains dampens their correlations": (
        "tests/methods/generator/test_dials.py::"
        "test_a_column_loosened_by_laplace_is_tied_by_no_count"
    ),
    "l-diversity is mimicked by diversity of rows": (
        "tests/measures/privacy/test_l_diversity.py::test_by_hand"
    ),
    "Patterns that hold both A and B can be removed": (
        "tests/methods/generator/test_generator.py::test_no_pattern_holds_what_is_hidden_together"
    ),
    "A maximum length increases anonymity": (
        "tests/methods/generator/test_dials.py::test_the_length_of_patterns_bounds_the_counts_too"
    ),
    "A generator for each site of a distributed system": (
        "tests/methods/generator/test_merging.py::"
        "test_the_merged_model_is_nearly_as_good_as_that_of_the_pooled_rows"
    ),
    "More rows than the original can be drawn": (
        "tests/cli/test_commands.py::test_generate_draws_any_number_of_rows_in_any_format"
    ),
    "Probabilities of transactions and databases": (
        "tests/methods/generator/test_probability.py::"
        "test_of_databases_of_two_rows_the_probabilities_sum_to_one"
    ),
}

EVALUATION = {
    "Related work: misclassification error": (
        "tests/measures/quality/test_misclassification.py::"
        "test_noise_moves_rows_between_clusters_and_nothing_moves_none"
    ),
    "Related work: privacy and information loss of Agrawal & Aggarwal": (
        "tests/measures/privacy/test_amplification.py::"
        "test_privacy_loss_is_mutual_information_by_drawing"
    ),
    "Definitions 1 and 2: accurate, complete; what went missing counts once": (
        "tests/assets/test_beside.py::test_a_missing_value_counts_once_in_both_forms"
    ),
    "Definition 3: consistent": "tests/assets/test_constraints.py::*",
    "Definitions 4 to 8: classes, graph, schema, asset": "tests/documents/test_asset_files.py::*",
    "(1) to (3): lacks of an information": (
        "tests/assets/test_evaluation.py::test_therapy_has_the_lacks_worked_by_hand"
    ),
    "Figure 1: the search finds the keys of modified tuples": (
        "tests/assets/test_beside.py::test_the_evalset_on_the_command_line"
    ),
    "Figure 2: the evaluation": (
        "tests/assets/test_evaluation.py::test_pregnancy_has_the_lacks_worked_by_hand"
    ),
    "(4) to (6): lacks of the asset": (
        "tests/assets/test_evaluation.py::test_the_asset_has_the_lacks_worked_by_hand"
    ),
    "By four parameters, algorithms that change least are not in the best set": (
        "evaluation-framework"
    ),
    "(7): coarse quality by item frequencies": (
        "tests/choosing/test_making.py::test_the_published_numbers_of_interest_and_dissimilarity"
    ),
    "(8): coarse quality of generalised data": (
        "tests/assets/test_beside.py::test_coarse_quality_of_generalised_items_is_formula_eight"
    ),
    "(8) as in the case of k-anonymity": (
        "tests/methods/suppression/test_k_anonymity.py::test_by_hand_with_a_hierarchy_of_two_levels"
    ),
    "The three steps": "evaluation-framework",
}

ANATOMY = {
    "Table I (B) to (E), Example 4": "anatomy-table1",
    "Definition 5: shares of at most 1/l": (
        "tests/methods/anatomy/test_release.py::test_table_d_is_two_diverse"
    ),
    "Definition 7 and Example 5: matching buckets, 1/6": "anatomy-table1",
    "Lemma 1": (
        "tests/methods/anatomy/test_release.py::test_table_e_shares_are_those_of_lemma_one"
    ),
    "Corollary 1 and Theorem 1: no attack above 1/l": (
        "tests/methods/anatomy/test_release.py::test_no_attack_beats_one_over_l"
    ),
    "Theorem 2: at least l^p records": "anatomy-figure3",
    "(3) and (4): correlation of items": (
        "tests/methods/anatomy/test_columns.py::test_phi_of_the_example"
    ),
    "PAM ends where no swap improves": (
        "tests/methods/anatomy/test_columns.py::test_no_swap_improves_the_end"
    ),
    "Figure 2: the algorithm": (
        "tests/methods/anatomy/test_partition.py::test_scan_and_passes_equal_the_reference"
    ),
    "Table II: the data, their sizes": "anatomy-table2",
    "Figure 3: fake records rise with l, exponentially with p": "anatomy-figure3",
    "Figure 4: rules of Connect": "anatomy-figure4",
    "Figure 5: rules of T40I10D100K, equal at 10 %, 40 to 60 % apart above": "anatomy-figure5",
    "Figure 6: the accuracy ratio rises as the confidence falls": "anatomy-figure6",
    "Figure 7: time rises slightly with l": "anatomy-figure7",
}

DISTORTION = {
    "The medical table: females with malaria contract tuberculosis": (
        "tests/measures/test_hiding_failure.py::test_rules_of_a_table"
    ),
    "Algorithm 1": (
        "tests/methods/distortion/test_noise.py::"
        "test_plain_algorithms_have_the_channels_of_their_mechanisms"
    ),
    "Algorithm 2, as printed": (
        "tests/methods/distortion/test_tables.py::"
        "test_algorithm_two_as_printed_needs_its_second_probability"
    ),
    "(13) to (16): privacy": (
        "tests/measures/privacy/test_bit_privacy.py::test_probability_to_restore_a_one"
    ),
    "(17): privacy of the improved procedure": "distortion-table1",
    "Algorithm 7: accuracy, its counter from 1": (
        "tests/methods/distortion/test_estimates.py::"
        "test_accuracy_counted_from_one_can_pass_one_hundred"
    ),
    "Table 1": "distortion-table1",
    "Table 2": "distortion-table2",
    "Table 3": "distortion-table3",
    "Table 4, and that privacy falls as fp rises": "distortion-table4",
    "Table 5, and that accuracy rises as fp rises": "distortion-table5",
    "Improved distortion does well where few items are frequent": "distortion-few-frequent",
    "Table 6: item lists are faster than bitmaps": "distortion-table6",
    "MASK: mining through the noise": "distortion-mask",
    "The retrieval engine, kept on disk": (
        "tests/documents/test_index_files.py::test_there_and_back"
    ),
    "Rows with the fewest conflicts are edited first": (
        "tests/measures/test_hiding_failure.py::test_the_order_of_conflicts_can_be_said"
    ),
    "IGA is best in dissimilarity, legitimate patterns and time": "distortion-sanitising",
    "Hiding failure, misses cost, artifactual patterns": (
        "tests/measures/test_hiding.py::test_costs_in_the_example_of_oliveira_and_zaiane"
    ),
    "A rule can be hidden where its itemset cannot": (
        "tests/measures/test_hiding_failure.py::"
        "test_a_rule_below_its_confidence_is_hidden_everywhere"
    ),
    "Evfimievski's amplification": (
        "tests/measures/privacy/test_amplification.py::test_no_posterior_exceeds_the_bound"
    ),
    "Agrawal & Srikant's intervals": (
        "tests/measures/privacy/test_amplification.py::test_intervals_by_drawing"
    ),
}

PAPERS = {
    "generator": GENERATOR,
    "evaluation": EVALUATION,
    "anatomy": ANATOMY,
    "distortion": DISTORTION,
}
STATEMENTS = [
    pytest.param(where, id=f"{paper}: {statement}")
    for paper, found in PAPERS.items()
    for statement, where in found.items()
]


@pytest.mark.parametrize("where", STATEMENTS)
def test_a_statement_is_rerun_or_tested(where):
    if "::" not in where:
        assert where in {one.name for one in EXPERIMENTS}
        assert where in kept_results(ROOT / "docs" / "reproduction"), "it has no result on its page"
        return
    path, name = where.split("::")
    text = (ROOT / path).read_text()
    assert name == "*" or re.search(rf"^def {name}\(", text, re.MULTILINE), f"no test {where}"


@pytest.mark.parametrize("paper", PAPERS)
def test_no_experiment_is_without_a_statement(paper):
    mine = {one.name for one in EXPERIMENTS if one.paper.name == paper}
    assert mine == {where for where in PAPERS[paper].values() if "::" not in where}
