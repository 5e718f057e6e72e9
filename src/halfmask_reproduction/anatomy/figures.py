"""Figures 3 to 7 with the parameters that exist, in both readings of the empty value."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from halfmask.data import Baskets
from halfmask.measures.privacy.item_disclosure import fake_records
from halfmask.methods.anatomy.anatomise import anatomise
from halfmask.methods.anatomy.columns import Clusterer
from halfmask.methods.anatomy.eligibility import Ineligible
from halfmask.methods.anatomy.partition import EmptyPolicy
from halfmask.methods.anatomy.release import AnatomisedRelease
from halfmask.patterns.mining import absolute_support, mine, rules
from halfmask_reproduction import pictures
from halfmask_reproduction.anatomy.worked import DATA, PAPER
from halfmask_reproduction.description import Experiment
from halfmask_reproduction.lab import Lab
from halfmask_reproduction.result import Found, Grid

EMPTY: tuple[EmptyPolicy, ...] = ("count", "exempt")
MOST_ITEMS = 4
IMPOSSIBLE = 1_000_000
"""An l that nothing allows: the refusal says what would be."""

Rules = dict[tuple[tuple[int, ...], int], float]
"""Confidences of rules by body and head."""


def _baskets(lab: Lab, name: str) -> Baskets:
    return lab.once(("anatomy", name), lambda: lab.shelf.baskets(DATA[name]))


def _columns(lab: Lab, name: str, p: int) -> list[list[str]]:
    """The columns that the article's clustering gives, found once."""

    def make() -> list[list[str]]:
        baskets = _baskets(lab, name)
        found = Clusterer().columns(baskets, p, randomness=lab.randomness("columns", name, p))
        label = baskets.schema.label
        return [
            [label(int(item)) for item in np.flatnonzero(found.of_item == column)]
            for column in range(found.n)
        ]

    return lab.once(("columns", name, p), make)


def _largest_level(lab: Lab, name: str, p: int, empty: EmptyPolicy) -> float:
    """The largest l for which an l-diverse partition of all rows exists."""
    try:
        _anatomised(lab, name, p, IMPOSSIBLE, empty, joining=False)
    except Ineligible as refusal:
        return min(line.largest_l for line in refusal.table)
    return float(IMPOSSIBLE)


def _anatomised(  # noqa: PLR0913 - what the article varies
    lab: Lab, name: str, p: int, level: float, empty: EmptyPolicy, *, joining: bool
) -> AnatomisedRelease:
    """A release of this level; `joining` joins columns until it exists."""
    return anatomise(
        _baskets(lab, name),
        l=level,
        columns=_columns(lab, name, p),
        empty=empty,
        on_ineligible="merge_columns" if joining else "error",
        randomness=lab.randomness("anatomy", name, p, level, empty),
    )


def _fake(lab: Lab) -> Found:
    """Figure 3: ln of the number of fake records over l, for several p."""
    name = "T40I10D100K"
    series: dict[str, list[tuple[float, float]]] = {}
    rows, limits = [], []
    for p in (5, 10, 20):
        limits.append((str(p), *(f"{_largest_level(lab, name, p, e):.2f}" for e in EMPTY)))
        for empty in EMPTY:
            for level in (2, 4, 6, 8):
                lab.tell(f"figure 3: p = {p}, l = {level}, the empty value: {empty}")
                try:
                    release = _anatomised(lab, name, p, level, empty, joining=False)
                except Ineligible:
                    continue
                counted = fake_records(release.data)
                logarithm = math.log(max(counted.fake, 1))
                series.setdefault(f"p = {p}, {empty}", []).append((level, logarithm))
                least = math.log(counted.least(level))
                rows.append((str(p), str(level), empty, f"{logarithm:.1f}", f"{least:.1f}"))
    drawing = pictures.lines(
        "anatomy-figure3",
        "T40I10D100K: ln of the number of fake records",
        series,
        across="l",
        up="ln(fake records)",
    )
    header = ("p", "l", "empty value", "ln fake records", "ln of Theorem 2's bound")
    limit_grid = Grid(
        "The largest l that exists", ("p", "empty counts", "empty exempt"), tuple(limits)
    )
    grids = (limit_grid, Grid("Fake records", header, tuple(rows)))
    return Found(grids=grids, pictures=(drawing,))


@dataclass(frozen=True, slots=True)
class Mined:
    """What is mined: supports and confidences, which the article does not give."""

    data: str
    p: int
    levels: tuple[int, ...]
    support: float
    confidences: tuple[float, ...]


CONNECT = Mined("Connect", 10, (5, 6, 8, 10), 0.9, (0.9, 0.95, 0.97, 0.99))
T40 = Mined("T40I10D100K", 20, (6, 8, 10, 12), 0.01, (0.1, 0.3, 0.5, 0.7, 0.9))
HIGHER = Mined("T40I10D100K", 20, (6, 8, 10, 12), 0.02, (0.1, 0.2, 0.3, 0.4, 0.5))
"""At a support of 2 % rules between columns are a larger part of all, as the article's seem to
be."""


def _rules(baskets: Baskets, mined: Mined) -> Rules:
    rows = baskets.transactions
    least = absolute_support(mined.support, rows.size)
    itemsets = mine(rows, min_support=least, max_length=MOST_ITEMS)
    found = rules(itemsets, min_confidence=min(mined.confidences))
    return {one.what: one.confidence for one in found}


@dataclass(frozen=True, slots=True)
class Anatomised:
    """The rules of one release, by minimum confidence."""

    words: str
    columns: int
    buckets: int
    counts: tuple[int, ...]
    common: tuple[int, ...]
    phases: dict[str, float]


def _counted(found: Rules, confidences: Sequence[float]) -> tuple[int, ...]:
    values = np.fromiter(found.values(), np.float64, len(found))
    return tuple(int((values >= least).sum()) for least in confidences)


def _releases(lab: Lab, mined: Mined) -> tuple[tuple[int, ...], list[Anatomised]]:
    """The rules of the original and of a release for each level and reading."""
    return lab.once(("anatomised", mined.data, mined.support), lambda: _mine_all(lab, mined))


def _mine_all(lab: Lab, mined: Mined) -> tuple[tuple[int, ...], list[Anatomised]]:
    ours = _rules(_baskets(lab, mined.data), mined)
    made = []
    levels = mined.levels[:: len(mined.levels) - 1] if lab.quick else mined.levels
    for empty in EMPTY:
        for level in levels:
            words = f"l = {level}, {empty}"
            lab.tell(f"{mined.data}: {words}")
            release, joined = _joined(lab, mined, level, empty)
            theirs = _rules(joined, mined)
            both = {what: min(ours[what], theirs[what]) for what in ours.keys() & theirs.keys()}
            made.append(
                Anatomised(
                    words,
                    release.data.n_columns,
                    release.data.n_buckets,
                    _counted(theirs, mined.confidences),
                    _counted(both, mined.confidences),
                    dict(release.house.seconds),
                )
            )
    return _counted(ours, mined.confidences), made


def _joined(
    lab: Lab, mined: Mined, level: int, empty: EmptyPolicy
) -> tuple[AnatomisedRelease, Baskets]:
    """A release and its rows joined at random, made once for all supports."""

    def make() -> tuple[AnatomisedRelease, Baskets]:
        release = _anatomised(lab, mined.data, mined.p, level, empty, joining=True)
        randomness = lab.randomness("joined", mined.data, level, empty)
        joined = release.as_baskets(randomness=randomness).data
        assert isinstance(joined, Baskets)  # noqa: S101 - that is what was asked
        return release, joined

    return lab.once(("joined", mined.data, mined.p, level, empty), make)


def _both(parts: Sequence[Found]) -> Found:
    """Grids and pictures of several supports on one page."""
    return Found(
        grids=tuple(grid for part in parts for grid in part.grids),
        pictures=tuple(one for part in parts for one in part.pictures),
    )


def _rule_counts(mined: Mined, name: str, lab: Lab) -> Found:
    """Figures 4 and 5: the number of rules over the minimum confidence."""
    ours, made = _releases(lab, mined)
    header = ("", "columns left", "buckets", *(f"{c:.0%}" for c in mined.confidences))
    rows = [("original", "", "", *(f"{count:,}" for count in ours))]
    series = {"original": list(zip(mined.confidences, map(float, ours), strict=True))}
    for one in made:
        counts = tuple(f"{count:,}" for count in one.counts)
        rows.append((one.words, str(one.columns), f"{one.buckets:,}", *counts))
        series[one.words] = list(zip(mined.confidences, map(float, one.counts), strict=True))
    drawing = pictures.lines(
        name,
        f"{mined.data}: number of association rules at a support of {mined.support:.0%}",
        series,
        across="minimum confidence",
        up="rules",
    )
    title = f"Rules of 2 to {MOST_ITEMS} items at a support of {mined.support:.0%}"
    return Found(grids=(Grid(title, header, tuple(rows)),), pictures=(drawing,))


def _accuracy(mined: Mined, name: str, lab: Lab) -> Found:
    """Figure 6: the share of the original's rules that are found."""
    ours, made = _releases(lab, mined)
    series, rows = {}, []
    for one in made:
        ratios = _shares(one.common, ours)
        series[one.words] = list(zip(mined.confidences, ratios, strict=True))
        precise = _shares(one.common, one.counts)
        cells = [
            f"{a:.2f} / {b:.2f}" if count else "–"
            for a, b, count in zip(ratios, precise, ours, strict=True)
        ]
        rows.append((one.words, *cells))
    drawing = pictures.lines(
        name,
        f"{mined.data}: accuracy ratio at a support of {mined.support:.0%}",
        series,
        across="minimum confidence",
        up="accuracy ratio",
    )
    header = ("", *(f"{c:.0%}" for c in mined.confidences))
    title = (
        f"Accuracy ratio at a support of {mined.support:.0%}, and the share of the release's "
        "rules that are the original's"
    )
    return Found(grids=(Grid(title, header, tuple(rows)),), pictures=(drawing,))


def _shares(parts: Sequence[int], wholes: Sequence[int]) -> list[float]:
    """Each part of its whole; nothing of nothing is 0."""
    return [part / max(whole, 1) for part, whole in zip(parts, wholes, strict=True)]


def _seconds(lab: Lab) -> Found:
    """Figure 7: time over l, with the clustering that all levels share."""
    _, made = _releases(lab, T40)
    start = time.process_time()
    randomness = lab.randomness("columns", T40.data, T40.p)
    Clusterer().columns(_baskets(lab, T40.data), T40.p, randomness=randomness)
    pam = time.process_time() - start
    seconds = {"columns by PAM, once for all levels": pam}
    seconds |= {f"{one.words}, {phase}": t for one in made for phase, t in one.phases.items()}
    series: dict[str, list[tuple[float, float]]] = {}
    for one in made:
        level, empty = one.words.removeprefix("l = ").split(", ")
        whole = pam + sum(one.phases.values())
        series.setdefault(f"empty: {empty}", []).append((float(level), whole))
    drawing = pictures.lines(
        "anatomy-figure7", "T40I10D100K: seconds of one run of ours, PAM included", series,
        across="l", up="seconds",
    )  # fmt: skip
    rows = tuple(
        (one.words, str(one.columns), f"{one.buckets:,}", f"{_rows_each(lab, one):.1f}")
        for one in made
    )
    grid = Grid("The work", ("", "columns", "buckets", "rows a bucket"), rows)
    return Found(grids=(grid,), pictures=(drawing,), seconds=seconds)


def _rows_each(lab: Lab, one: Anatomised) -> float:
    return len(_baskets(lab, T40.data)) / max(one.buckets, 1)


_JOINED = (
    "Where a level does not exist, columns are joined until it does, which keeps Definition 5 "
    "and every row; the table says how many columns are left."
)


def _figure(
    number: int,
    title: str,
    run: Callable[[Lab], Found],
    about: str,
    *notes: str,
    data: str = "T40I10D100K",
) -> Experiment:
    return Experiment(
        name=f"anatomy-figure{number}",
        paper=PAPER,
        title=f"Figure {number}: {title}",
        about=about,
        run=run,
        files=(DATA[data],),
        notes=notes,
        minutes=0.5,
    )


FIGURES = (
    _figure(
        3,
        "fake records of T40I10D100K",
        _fake,
        "The article says that the number of fake records rises with l, and exponentially with p.",
        "Both statements hold where a release exists. When the empty value counts, no l of the "
        "article (6, 8, 10, 12 in 20 columns) exists; when it is exempt, 10 and 12 still do not.",
    ),
    _figure(
        4,
        "association rules of Connect",
        lambda lab: _rule_counts(CONNECT, "anatomy-figure4", lab),
        "The article asks for p = 10 and l = 5, 6, 8, 10 and says that the numbers of rules are "
        "close to the original's.",
        "**No l of 2 or more exists for Connect in ten columns**, whatever the empty value counts "
        "for: one value stands in four fifths of the rows of its column. The article's four "
        "settings are impossible by its own Definition 5.",
        _JOINED,
        data="Connect",
    ),
    _figure(
        5,
        "association rules of T40I10D100K",
        lambda lab: _both(
            [
                _rule_counts(T40, "anatomy-figure5", lab),
                _rule_counts(HIGHER, "anatomy-figure5-higher", lab),
            ]
        ),
        "The article asks for p = 20 and l = 6, 8, 10, 12 and says that the numbers are nearly "
        "equal at a confidence of 10 % and differ by 40 to 60 % above.",
        "The article gives no minimum support. **At 2 % its statement has its shape**: at a "
        "confidence "
        "of 10 % a quarter of the rules is gone, at 20 % two fifths, from 30 % on three quarters; "
        "“very small” at 10 % and “40 to 60 %” above are less than what is lost here. At 1 % the "
        "release has a third to a half fewer rules at every confidence. The level l and the "
        "reading "
        "of the empty value hardly matter: what is lost lies between columns.",
        _JOINED,
    ),
    _figure(
        6,
        "accuracy ratio of T40I10D100K",
        lambda lab: _both(
            [
                _accuracy(T40, "anatomy-figure6", lab),
                _accuracy(HIGHER, "anatomy-figure6-higher", lab),
            ]
        ),
        "The share of the original's rules that are found in the release; the article says that "
        "it rises as the minimum confidence falls.",
        "**At a support of 2 % the ratio rises as the confidence falls, as the article says**: "
        "0.27 of "
        "the eleven rules of 50 %, 0.21 at 40 and 30 %, 0.47 at 20 %, 0.63 at 10 %. At 1 % it "
        "does not: "
        "there most rules have a high confidence and lie inside one column, where anatomy changes "
        "nothing. Nearly all rules that are found are true. For other confidences and lengths: "
        "`halfmask measure --only rules_kept --rule-confidence 0.3 --rule-items 3`.",
    ),
    _figure(
        7,
        "time",
        _seconds,
        "The article says that the time rises slightly with l. Processor seconds are in "
        "`timings.json`, phase by phase, the clustering of the items (PAM) once for all levels; "
        "the "
        "picture is of one run of ours.",
        "**It comes out**: from l = 6 to 12 the processor time goes from 0.7 s to 1.0 s where the "
        "empty "
        "value is exempt and from 2.1 s to 3.0 s where it counts, PAM's 0.3 s included. Part of "
        "the "
        "rise is the search for columns that can be joined.",
    ),
)
