"""The generator against the field: quality and privacy of each release, with a hold-out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfmask.data import Table
from halfmask.errors import NotMeasurable
from halfmask.measures import Comparison, compare, measure_named
from halfmask_reproduction import pictures
from halfmask_reproduction.description import DataFile, Experiment, Paper
from halfmask_reproduction.files import FILES
from halfmask_reproduction.lab import Lab
from halfmask_reproduction.result import Found, Grid, Measured, Picture, mean_of
from halfmask_reproduction.rivals import siblings
from halfmask_reproduction.rivals.releases import HELD_OUT, Method, methods

PAPER = Paper(
    name="rivals",
    title="Past the papers: the field",
    citation="The generator beside what people use today.",
    preface="Four fifths of the rows are the original, the rest is held out. Every method makes "
    "a release as large as the original. Quality: the share of rows that would have to change "
    "for two- and three-way tables to agree with the **held-out people** (total variation, less "
    "is better), beside what the original itself, a second sample of these people, has; then the "
    "same to the original, where a release gains by repeating its noise. Privacy: the AUC of the "
    "tracing attack (½ is chance), NAS, and its **excess**, the NAS less what held-out persons of "
    "the same rarity get, which is what the release remembers of those who were in the original "
    "(less is better). A release of held-out rows shows what the truth itself would get.",
)

SUPPORTS = {"Nursery": (5, 20, 80), "Chess (kr-k)": (5, 20, 80), "PenDigits": (50, 100, 200)}
"""PenDigits has too many itemsets below."""
TO_PEOPLE = ("marginals_2", "marginals_3")
"""What is read against the held-out people before it is read against the original."""
ASKED = ("tracing", "marginals_2", "marginals_3", "nas", "nas_excess", "copied_rows")
HEADER = (
    "method", "two-way, to people", "three-way, to people", "tracing", "two-way", "three-way",
    "NAS", "NAS excess", "copied rare rows",
)  # fmt: skip
SECOND_SAMPLE = "second sample"
DATA: dict[str, DataFile] = {
    "Nursery": FILES["nursery"],
    "Chess (kr-k)": FILES["kr-k"],
    "PenDigits": FILES["pendigits"],
}


def _split(lab: Lab, name: str) -> tuple[Table, Table]:
    table = lab.shelf.table(DATA[name])
    order = lab.randomness("split", name).child("rows").permutation(len(table))
    seen = int(0.8 * len(table))
    return table.take(np.sort(order[:seen])), table.take(np.sort(order[seen:]))


def _one(lab: Lab, name: str) -> tuple[Grid, Picture, list[str]]:
    table, held = _split(lab, name)
    first = Comparison(
        table, table, held, randomness=lab.randomness("rivals"), min_support=20, threads=lab.threads
    )
    rows, missing = [], []
    places: dict[str, dict[str, tuple[float, float]]] = {}
    for method in methods(lab, table, held, SUPPORTS[name]):
        lab.tell(f"{name}: {method.name}")
        try:
            found = _measured(lab, name, method, first)
        except NotMeasurable as reason:
            missing.append(str(reason))
            lab.tell(str(reason))
            continue
        rows.append((method.name, *("–" if one is None else one.text(4) for one in found.values())))
        across, up = found["people marginals_3"], found["nas_excess"]
        if across is not None and up is not None and method.name != HELD_OUT:
            place = (across.mean or 0.0, up.mean or 0.0)
            places.setdefault(method.group, {})[method.label or method.name] = place
    rows.append(_second_sample(first))
    drawing = pictures.points(
        f"rivals-{name.split(maxsplit=1)[0].lower()}",
        f"{name}: quality against privacy",
        places,
        across="three-way tables, total variation from held-out people (left is better)",
        up="NAS excess (low is better, logarithmic above 0.05)",
        wide_below=0.05,
    )
    return Grid(name, HEADER, tuple(rows)), drawing, missing


def _second_sample(first: Comparison) -> tuple[str, ...]:
    """What the original has as a second sample of the people: nothing is expected to be nearer."""
    found = [measure_named(one).people(first)[1] for one in TO_PEOPLE]
    told = ["–" if value is None else f"{value:.4f}" for value in found]
    return (SECOND_SAMPLE, *told, *(["–"] * len(ASKED)))


def _measured(lab: Lab, name: str, method: Method, first: Comparison) -> dict[str, Measured | None]:
    """Each measure over the runs of a method; None where it has no value for one of them."""
    found = []
    for run in range(1 if method.once else lab.repeats(3, quick=1)):
        release = method.make(lab.randomness(name, method.name, run))
        judged = first.with_release(release, keep=False)
        people = {
            # Held-out rows are no nearer to people than others; they are these people.
            f"people {one}": None
            if method.name == HELD_OUT
            else measure_named(one).people(judged)[0]
            for one in TO_PEOPLE
        }
        readings = compare(judged, ASKED, yardsticks=False)
        read = {one: readings.get(one) for one in ASKED}
        values = {one: None if item is None else item.value for one, item in read.items()}
        found.append(people | values)
    return {one: _mean([values[one] for values in found]) for one in found[0]}


def _mean(found: Sequence[float | None]) -> Measured | None:
    values = [float(one) for one in found if one is not None]
    return mean_of("", values) if len(values) == len(found) else None


def _run(lab: Lab) -> Found:
    names = list(DATA)[:2] if lab.quick else list(DATA)
    made = [_one(lab, name) for name in names]
    return Found(
        grids=tuple(grid for grid, _, _ in made),
        pictures=tuple(drawing for _, drawing, _ in made),
        remarks=tuple(dict.fromkeys(word for _, _, missing in made for word in missing)),
    )


RIVALS = (
    Experiment(
        name="rivals-quality-privacy",
        paper=PAPER,
        title="Quality against privacy",
        about="The generator of the papers and the calibrated one, each at three minimum supports "
        "(behind its name); independent columns; a bootstrap of the rows; sequential CART as "
        "synthpop does it (smallest leaf 5); python-synthpop's CART; DataSynthesizer's network of "
        "two parents, without noise and with ε=1; MST with ε=1, δ=10⁻⁹ and the sampler of the next "
        "section; and the held-out rows themselves. Means and standard deviations of three runs, "
        "of one run of DataSynthesizer, which takes minutes. Packages of others run in "
        "environments of their own (`make rivals`) and have 30 minutes for a release.",
        run=_run,
        files=tuple(DATA.values()),
        notes=(
            (
                "**Where we lose.** Sequential CART keeps three-way tables best of all that draw "
                "new values: up to a tenth better than the calibrated generator at its best on "
                "Nursery and Chess, a fifth on PenDigits, where python-synthpop does as well. The "
                "generator of the papers loses to python-synthpop everywhere, and on Nursery and "
                "PenDigits to DataSynthesizer without noise and even to MST; on PenDigits it keeps "
                "two-way tables hardly better than independent columns."
            ),
            (
                "**What we do not promise.** MST and DataSynthesizer at ε=1 bound what any one "
                "person can change in the release (DataSynthesizer but for the values that occur, "
                "which it takes as they are). The generators promise a minimum support of what "
                "they publish, which is weaker."
            ),
            (
                "**What CART pays.** Where most rows are one of a kind (Nursery, Chess), a third "
                "of the weight of the original's rows and more comes back from it that would not "
                "come back of like persons who were held out; the generators and the packages give "
                "back at most a twentieth beyond what such persons get. The bootstrap publishes "
                "its people."
            ),
            (
                "**Where we win.** No other method keeps two-way tables as well as the calibrated "
                "generator at its best, the bootstrap included, and on Nursery and Chess none of "
                "the packages comes near its three-way tables."
            ),
            (
                "python-synthpop is not sequential: it draws every column from the leaf of a tree "
                "over all other columns of a resampled row of the original. It is given the codes "
                "of values, because its own coding step fails on a column of ten values or more."
            ),
            (
                "The calibrated generator has a larger NAS than the one of the papers: nearer to "
                "the original, it hits more of its rows. Its excess shows that this is "
                "likeness, not memory."
            ),
            (
                "The excess of the held-out rows themselves is below 0 by construction: they are "
                "held-out persons. They are not in the plots."
            ),
        ),
        minutes=10.0,
    ),
    Experiment(
        name="rivals-siblings",
        paper=PAPER,
        title="How MST draws its rows",
        about="A parent of four values and two children, each of which repeats the parent in half "
        "of 4,000 rows and is drawn evenly otherwise. MST at ε=1 measures parent and child, and so "
        "the children are independent among rows with the same parent; three samplers draw rows "
        "from the same model. Quality is measured as above.",
        run=siblings.run,
        notes=(
            (
                "mbi 1.1.0 hands out the values of a column in the order of the rows of each "
                "parent group, so that siblings rise together: a correlation of 0 becomes nearly "
                "1, and half of the rows would have to change for the three-way table to agree. "
                "mbi 2.0.0 shuffles every group and does not have this fault."
            ),
            (
                "Ours deals values anew in each group, the expected number of each rounded at "
                "random. It makes MST independent of the release of mbi that is installed."
            ),
        ),
        minutes=1.0,
    ),
)
