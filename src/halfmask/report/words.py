"""Words: names, labels and numbers as a steward reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halfmask.measures import Reading, Readings

TITLES = {
    "people": "Pairs, to other people",
    "marginals_1": "Single attributes",
    "marginals_2": "Pairs of attributes",
    "marginals_3": "Triples of attributes",
    "item_frequencies": "Frequencies of values",
    "pair_frequencies": "Frequencies of pairs",
    "basket_lengths": "Lengths of baskets",
    "ds": "Dissimilarity (DS)",
    "ds_internal": "Internal dissimilarity (halves)",
    "nas": "Anonymity score (NAS)",
    "nas_excess": "NAS beyond the hold-out",
    "unique_found": "Unique rows found",
    "unique_excess": "Unique rows beyond the hold-out",
    "copied_rows": "Rows matching fewer than k people",
    "k_anonymity": "k-anonymity",
    "identity_disclosure": "Identity disclosure (repU)",
    "attribute_disclosure": "Attribute disclosure (DiSCO)",
    "sensitive_guess": "Inference of the sensitive attribute",
    "membership": "Membership inference",
    "membership_unique": "Membership of unique people",
    "tracing": "Tracing",
    "tracing_tree": "Tracing with trees",
    "tracing_model": "Tracing from the model file",
    "singling_out": "Singling out",
    "closest_record": "Closest record (diagnostic)",
    "child_counts": "Numbers of children",
    "parent_child": "Parent and child columns",
    "siblings_alike": "Agreement of siblings",
    "families_found": "Whole families found",
    "learning": "Machine-learning use",
    "propensity": "Distinguishability (propensity)",
}

SETTINGS = {
    "min_support": "Minimum support",
    "laplace": "Laplace correction",
    "prune": "Superfluous patterns pruned",
    "candidates": "Candidate patterns",
    "pattern_support": "Minimum support of patterns",
    "max_pattern_length": "Limit on the length of patterns",
    "pairs_hidden": "Pairs never in the same pattern",
    "corrections_raised": "Laplace corrections set by name",
    "order": "Order in which columns are filled",
    "search": "Search for patterns",
    "rare_values": "Rare values",
    "rows": "Rows drawn",
    "seeded": "A seed was used (keep it secret)",
    "patterns_per_row": "Patterns per row, mean",
    "rows_of_one_pattern": "Rows made of a single pattern",
    "most_of_one_parent": "Most rows of one parent learnt from",
    "min_parents": "Fewest parents behind anything learnt",
    "context": "Columns of the parent used as context",
    "context_agreed": "Rows that agree with their parent in the whole context",
    "round_margins": "Disclosed counts are multiples of",
    "shrink": "Share of the counts taken for chance (shrink)",
    "calibrate": "Counts matched for combinations of up to (columns or items)",
    "calibrated_tables": "Tables of counts matched",
    "calibrated_cells": "Counts matched",
    "calibrated_trees": "Trees matched for the target",
    "calibrated_smallest_count": "Smallest count matched",
    "calibration_rounds": "Rounds of raking",
    "calibration_pool": "Rows in the drawn pool",
    "calibration_largest_error": "Worst count off by (share of rows)",
    "calibration_mean_distance": "Tables off by, on average (share of rows)",
    "calibration_missed": "Tables not matched to within chance",
    "calibration_sets_missed": "Counts not matched to within chance",
    "calibration_unreachable": "Target counts unreachable from the drawn pool",
    "patterns_per_basket": "Patterns and linked items per basket, mean",
}

MOST_NAMED = 8
"""Parts of a list that are shown."""


def title_of(name: str) -> str:
    """The title of a measure.

    >>> title_of("nas"), title_of("rules_kept")
    ('Anonymity score (NAS)', 'Rules kept')
    """
    return TITLES.get(name, name.replace("_", " ").capitalize())


def setting_label(name: str) -> str:
    """The name of a setting in words."""
    return SETTINGS.get(name, name.replace("_", " ").capitalize())


def number(value: object) -> str:
    """A value as a person writes it.

    >>> number(12960), number(0.12345), number(True), number(None), number(-0.00004)
    ('12,960', '0.123', 'yes', 'none', '−4e-05')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        named = ", ".join(number(part) for part in value[:MOST_NAMED]) or "none"
        more = len(value) - MOST_NAMED
        return f"{named} and {more:,} more" if more > 0 else named
    if not isinstance(value, int | float):
        return str(value)
    return _figure(value).replace("-", "−", 1) if value < 0 else _figure(value)


def rounded(value: object) -> str:
    """A value that was rounded, without digits that it does not have.

    >>> rounded(2.7), rounded(0.049), rounded(650)
    ('2.7', '0.049', '650')
    """
    text = number(value)
    decimal = isinstance(value, float) and "." in text and "e" not in text
    return text.rstrip("0").rstrip(".") if decimal else text


def gain(value: float) -> str:
    """A difference that may lie on either side of 0.

    >>> gain(0.0401), gain(-0.00007)
    ('0.040', '0.000')
    """
    return f"{value:.3f}".replace("-0.000", "0.000").replace("-", "−")


def interval(reading: Reading) -> str:
    """The interval of a reading; empty where nothing was estimated."""
    return "" if reading.exact else f"{gain(reading.low)} to {gain(reading.high)}"


def _figure(value: float) -> str:
    if float(value).is_integer():
        return f"{int(value):,}"
    size = abs(value)
    if size >= 10:
        return f"{value:,.1f}"
    return f"{value:.3f}" if size >= 0.0005 else f"{value:.1g}"


def share(value: float) -> str:
    """A share in per cent.

    >>> share(0.0532), share(0.4), share(1.0)
    ('5.3 %', '40 %', '100 %')
    """
    percent = 100 * value
    return f"{percent:.1f} %" if 0 < abs(percent) < 10 else f"{percent:.0f} %"


def short(label: str, most: int = 30) -> str:
    """A label cut to fit; what is cut shows.

    >>> short("a very long diagnosis", 10)
    'a very lo…'
    """
    return label if len(label) <= most else label[: most - 1] + "…"


def details_of(readings: Readings, name: str, *needed: str) -> Mapping[str, Any] | None:
    """The particulars of a reading, or None where one that is needed is not told."""
    reading = readings.taken(name)
    if reading is None or any(key not in reading.details for key in needed):
        return None
    return reading.details
