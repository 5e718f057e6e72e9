"""The runs behind the tables on distortion: the mechanism described beside the one that fits."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np

from halfmask.data import Baskets, Itemset, Transactions
from halfmask.data.published.distorted import Channel
from halfmask.data.published.restored import bit_privacy, eq17_as_printed
from halfmask.methods.distortion.distort import distort
from halfmask.methods.distortion.mechanisms import (
    Alg2Literal,
    DeleteOnly,
    Frequent,
    Mask,
    Mechanism,
    Selective,
)
from halfmask.patterns.mining import absolute_support, mine
from halfmask_reproduction import pictures
from halfmask_reproduction.distortion.estimated import frequent_by_estimate
from halfmask_reproduction.distortion.mined_errors import mined_errors
from halfmask_reproduction.distortion.printed import (
    BETTER_A,
    BETTER_P,
    BMS_1,
    BMS_2,
    FALSE,
    FREQUENT,
    KEEPS,
    MASK_PRINTED,
    MISSED,
    NORMAL_A,
    NORMAL_P,
    NORMAL_TABLES,
    RETAIL,
    RHO,
    Source,
    keeps_column,
)
from halfmask_reproduction.distortion.published import published_release
from halfmask_reproduction.files import FILES
from halfmask_reproduction.lab import Lab
from halfmask_reproduction.result import Found, Grid, Measured, Picture, mean_of, rounded

DESCRIBED, FITTING = "as described", "items dropped"
DRAWN, PRINTED_17 = "as described, drawn", "equation (17) as printed"
DRAWABLE = ((BMS_1.name, 0.95), (BMS_2.name, 0.95))
"""What can be drawn in seconds: other settings insert tens of millions of items."""
LITERAL, TRUE_PRIVACY = "Algorithm 2 as printed", "of what fits the accuracy"
MADE_OF = dict[tuple[str, str], tuple[Measured, ...]]


def _baskets(lab: Lab, source: Source) -> Baskets:
    return lab.once(("baskets", source.name), lambda: lab.shelf.baskets(source.file))


def _frequent(lab: Lab, source: Source) -> dict[Itemset, float]:
    """The frequent itemsets of the original."""
    baskets = _baskets(lab, source)
    return lab.once(("frequent", source.name), lambda: _mined(baskets, source.support))


def _mined(baskets: Baskets, share: float) -> dict[Itemset, float]:
    rows = baskets.transactions
    found = mine(rows, min_support=absolute_support(share, rows.size))
    return {tuple(sorted(items)): float(support) for items, support in found}


def _both_privacies(
    lab: Lab, source: Source, described: Mechanism, fitting: Mechanism
) -> tuple[Measured, ...]:
    """The privacy of two mechanisms for the ones of these baskets."""
    baskets = _baskets(lab, source)
    shares = baskets.transactions.item_counts / baskets.size
    return tuple(
        Measured(words, rounded(bit_privacy(shares, mechanism.channel(baskets)).overall))
        for words, mechanism in ((DESCRIBED, described), (TRUE_PRIVACY, fitting))
    )


def _sum_of_means(lab: Lab, source: Source, mechanism: Selective) -> Measured:
    """Equation (17) as it is printed: a mean over frequent items plus one over the others."""
    baskets = _baskets(lab, source)
    shares = baskets.transactions.item_counts / baskets.size
    frequent = mechanism.frequent.mask(baskets)
    found = eq17_as_printed(shares, mechanism.channel(baskets), frequent)
    return Measured(PRINTED_17, rounded(found))


def _really_drawn(lab: Lab, source: Source, keep: float) -> Measured:
    """Accuracy of flips that were drawn: the original's frequent itemsets counted in the noise."""
    baskets, original = _baskets(lab, source), _frequent(lab, source)
    least = absolute_support(source.support, round(baskets.size))
    found = []
    for number in range(lab.repeats(5, quick=1)):
        lab.tell(f"{source.name}: flips with {keep:.2f}, run {number + 1}")
        randomness = lab.randomness("flips", source.name, keep, number)
        noisy = distort(baskets, Mask(keep), randomness=randomness).baskets
        found.append(100 * float((noisy.support(list(original)) >= least).mean()))
    return mean_of(DRAWN, found)


def _dropping(lab: Lab, source: Source, keep: float) -> Measured:
    """Accuracy as it fits the print: empty baskets lost, the support applied to what is left."""
    original, found = _frequent(lab, source), []
    for number in range(lab.repeats(5, quick=1)):
        lab.tell(f"{source.name}: items kept with {keep:.2f}, run {number + 1}")
        release = published_release(
            _baskets(lab, source),
            DeleteOnly(keep),
            randomness=lab.randomness("dropping", source.name, keep, number),
        )
        assert isinstance(release.data, Baskets)  # noqa: S101 - it is what was counted
        mined = _mined(release.data, source.support)
        found.append(mined_errors(original, mined).accuracy())
    return mean_of(FITTING, found)


def _literally(lab: Lab, source: Source, fp: float, nfp: float) -> Measured:
    """Accuracy of Algorithm 2 as printed, from what it does to frequent items.

    It drops them with probability 1 − fp and never inserts one. What it inserts, infrequent items,
    is in no itemset that counts, but leaves no basket empty; so the rows stay.
    """
    original, baskets, found = _frequent(lab, source), _baskets(lab, source), []
    for number in range(lab.repeats(5, quick=1)):
        lab.tell(f"{source.name}: Algorithm 2, {fp:.2f} and {nfp:.2f}, run {number + 1}")
        randomness = lab.randomness("literally", source.name, fp, nfp, number)
        release = distort(baskets, DeleteOnly(fp), randomness=randomness)
        mined = _mined(release.baskets, source.support)
        found.append(mined_errors(original, mined).accuracy())
    return mean_of(LITERAL, found)


def _as_described(lab: Lab, source: Source, mechanism: Mechanism) -> Measured:
    """Accuracy of the described flips when the noisy baskets are mined as they are.

    In expectation, without drawing: a noisy file of 88,162 rows over 16,470 items is too long to
    be mined, and its supports lie close to these.
    """
    baskets, original = _baskets(lab, source), _frequent(lab, source)
    channel = mechanism.channel(baskets)
    least = absolute_support(source.support, round(baskets.size))
    kept = sum(
        _expected_support(items, original, channel, baskets.size) >= least for items in original
    )
    return Measured(DESCRIBED, rounded(100 * kept / len(original)))


def _expected_support(
    items: Itemset, supports: Mapping[Itemset, float], channel: Channel, rows: float
) -> float:
    """Σ over the subsets Y of c(Y) · Π (keep − insert) over Y · Π insert over the rest."""
    total = 0.0
    for size in range(len(items) + 1):
        for part in combinations(items, size):
            term = supports[part] if part else rows
            for item in items:
                insert = float(channel.insert[item])
                term *= float(channel.keep[item]) - insert if item in part else insert
            total += term
    return total


def normal_and_improved(source: Source) -> Callable[[Lab], Found]:
    """Tables 1 to 3: both procedures over the keep probability, frequent items kept with 0.95."""

    def run(lab: Lab) -> Found:
        measured: MADE_OF = {}
        frequent = Frequent(min_support=source.support)
        for keep in KEEPS:
            row = f"{keep:.2f}"
            plain = Mask(keep), DeleteOnly(keep)
            better = Selective(0.95, keep, frequent), Alg2Literal(0.95, keep, frequent)
            measured[row, NORMAL_P] = _both_privacies(lab, source, *plain)
            measured[row, BETTER_P] = (
                *_both_privacies(lab, source, *better),
                _sum_of_means(lab, source, better[0]),
            )
            drawn = (source.name, keep) in DRAWABLE and not lab.small
            measured[row, NORMAL_A] = (
                _as_described(lab, source, plain[0]),
                _dropping(lab, source, keep),
                *((_really_drawn(lab, source, keep),) if drawn else ()),
            )
            measured[row, BETTER_A] = (
                _as_described(lab, source, better[0]),
                _literally(lab, source, 0.95, keep),
            )
        return Found(measured, pictures=(_curves(source, measured),))

    return run


def _curves(source: Source, measured: MADE_OF) -> Picture:
    """Accuracy over the keep probability: printed, described and fitting."""
    tables = {row[0]: row for row in NORMAL_TABLES[source.name]}
    series: dict[str, list[tuple[float, float]]] = {"printed": [], DESCRIBED: [], FITTING: []}
    for keep in sorted(KEEPS):
        series["printed"].append((keep, tables[keep][2]))
        for one in measured[f"{keep:.2f}", NORMAL_A][:2]:
            series[one.variant].append((keep, one.mean or 0.0))
    return pictures.lines(
        f"distortion-{source.name.lower()}",
        f"{source.name}: accuracy of normal distortion",
        series,
        across="probability that a bit is kept",
        up="accuracy (recall), %",
    )


def other_keeps(source: Source) -> Callable[[Lab], Found]:
    """Tables 4 and 5: the improved procedure with frequent items kept with 0.98 and 0.90."""

    def run(lab: Lab) -> Found:
        measured: MADE_OF = {}
        frequent = Frequent(min_support=source.support)
        for fp in (0.98, 0.90):
            for keep in KEEPS:
                both = Selective(fp, keep, frequent), Alg2Literal(fp, keep, frequent)
                row, privacy = f"{keep:.2f}", keeps_column(fp, "privacy")
                measured[row, privacy] = _both_privacies(lab, source, *both)
                accuracy = keeps_column(fp, "accuracy")
                measured[row, accuracy] = (
                    _as_described(lab, source, both[0]),
                    _literally(lab, source, fp, keep),
                )
        return Found(measured)

    return run


def bitmap_or_list(lab: Lab) -> Found:
    """Table 6: the times stay out of the page, the work done stays in."""
    measured: MADE_OF = {}
    rows, seconds = [], {}
    for source in (RETAIL, BMS_1, BMS_2):
        lab.tell(f"{source.name}: bitmap or list")
        baskets = _baskets(lab, source)
        randomness = lab.randomness("table 6", source.name)
        start = time.process_time()
        left = _flip_lists(baskets, 0.95, randomness.child("lists"))
        seconds[f"{source.name}, item list"] = time.process_time() - start
        start = time.process_time()
        _flip_bitmap(baskets, 0.95, randomness.child("bitmap"))
        seconds[f"{source.name}, bitmap"] = time.process_time() - start
        start = time.process_time()
        distort(baskets, Mask(0.95), randomness=randomness)
        seconds[f"{source.name}, item list, the product's kernel"] = time.process_time() - start
        touched = left + len(baskets.transactions.items)
        bits = len(baskets) * baskets.schema.n_items
        rows.append((source.name, f"{bits:,}", f"{touched:,}", f"{bits / touched:.0f}"))
        for form in ("bitmap", "item list"):
            measured[source.name, f"{form}, seconds"] = (
                Measured("ours", None, why="see timings.json"),
            )
    header = ("data set", "bits looked at", "items read and written", "times fewer")
    return Found(measured, grids=(Grid("The work", header, tuple(rows)),), seconds=seconds)


def _flip_bitmap(baskets: Baskets, keep: float, rng: np.random.Generator) -> int:
    """Flip every bit of a bitmap by a random number of its own; the ones that are left."""
    ones, rows = 0, baskets.transactions
    for start in range(0, len(rows), 1000):
        stop = min(start + 1000, len(rows))
        bits = np.zeros((stop - start, rows.n_items), bool)
        lengths = np.diff(rows.offsets[start : stop + 1])
        items = rows.items[rows.offsets[start] : rows.offsets[stop]]
        bits[np.repeat(np.arange(stop - start), lengths), items] = True
        bits ^= rng.random(bits.shape, np.float32) > keep
        ones += int(bits.sum())
    return ones


def _flip_lists(baskets: Baskets, keep: float, rng: np.random.Generator) -> int:
    """The same flips on lists: gaps between flips are drawn, and only what they meet is touched."""
    ones, rows = 0, baskets.transactions
    for start in range(0, len(rows), 1000):
        stop = min(start + 1000, len(rows))
        cells = (stop - start) * rows.n_items
        lengths = np.diff(rows.offsets[start : stop + 1])
        items = rows.items[rows.offsets[start] : rows.offsets[stop]].astype(np.int64)
        held = np.repeat(np.arange(stop - start), lengths) * rows.n_items + items
        expected = cells * (1 - keep)
        gaps = rng.geometric(1 - keep, int(expected + 10 * np.sqrt(expected) + 10))
        flips = np.cumsum(gaps) - 1
        flipped = np.setxor1d(held, flips[flips < cells], assume_unique=True)
        ones += len(flipped)
    return ones


def mask_levels(lab: Lab) -> Found:
    """MASK on BMS-WebView-1, repeated ten times as its authors did."""
    source = Source("BMS-WebView-1, ten-fold", FILES["bms-webview-1"], 0.0025)
    ten_fold = _repeated(lab.shelf.baskets(source.file), 10)
    lab.once(("baskets", source.name), lambda: ten_fold)
    original = _frequent(lab, source)
    least = absolute_support(source.support, round(ten_fold.size))
    found: dict[tuple[str, str], list[float]] = {}
    for number in range(lab.repeats(5, quick=1)):
        release = distort(ten_fold, Mask(0.9), randomness=lab.randomness("mask", number))
        for relaxation in (0.0, 0.1):
            lab.tell(f"MASK: relaxation {relaxation:.0%}, run {number + 1}")
            mined = frequent_by_estimate(
                release.data, min_support=least, relaxation=relaxation, max_length=4
            )
            errors = mined_errors(original, {one.items: one.support for one in mined})
            for level in errors.levels:
                row = f"level {level.length}, relaxation {relaxation:.0%}"
                for column, value in (
                    (FREQUENT, level.frequent),
                    (RHO, level.support_error),
                    (MISSED, level.missed),
                    (FALSE, level.false_found),
                ):
                    if value is not None:
                        found.setdefault((row, column), []).append(value)
    nothing = Measured("estimated", None, why="none frequent")
    keys = [(one.row, one.column) for one in MASK_PRINTED]
    return Found(
        {key: (mean_of("estimated", found[key]) if key in found else nothing,) for key in keys}
    )


def _repeated(baskets: Baskets, times: int) -> Baskets:
    rows = baskets.transactions
    lengths = np.tile(np.diff(rows.offsets), times)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    weights, items = np.tile(rows.weights, times), np.tile(rows.items, times)
    return Baskets(baskets.schema, Transactions(offsets, items, weights, rows.n_items))
