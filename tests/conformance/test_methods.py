"""What every method owes: repeatable, harmless to its input, honest in its claim, calm at edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

from halfmask.data import (
    Baskets,
    Countable,
    DistortedBaskets,
    Encoding,
    GeneralisedTable,
    Release,
    SeparatedTable,
    Table,
)
from halfmask.data.binary_domains import binary_table
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.errors import HalfmaskError, UnknownName
from halfmask.methods import METHODS
from halfmask.methods.anatomy.anatomise import anatomise
from halfmask.methods.anatomy.table import anatomise_table
from halfmask.methods.baskets.learn import learn_baskets
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.distortion.distort import distort
from halfmask.methods.distortion.mechanisms import (
    Alg2Literal,
    DeleteOnly,
    Emask,
    Frequent,
    Mask,
    MaskItems,
    Mechanism,
    Selective,
)
from halfmask.methods.generator.learn import learn
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.methods.hiding.blocked import BlockedBaskets
from halfmask.methods.hiding.hide import ALGORITHMS, hide
from halfmask.methods.hiding.rules import HideRules
from halfmask.methods.hiding.sensitive import Sensitive, SensitiveRule, parse_sensitive
from halfmask.methods.private.accounting import epsilon_of
from halfmask.methods.private.log import PoolSettings
from halfmask.methods.private.method import Private
from halfmask.methods.private_baskets.method import PrivateBaskets
from halfmask.methods.quest import Quest, quest
from halfmask.methods.suppression.coherence import Coherence, find_moles, suppress_moles
from halfmask.methods.suppression.hierarchy import Hierarchy
from halfmask.methods.suppression.km_anonymity import generalise, km_violations
from halfmask.methods.suppression.method import KAnonymous
from halfmask.randomness import Randomness
from halfmask.run import Run

Publish = Callable[[Baskets, Randomness], Release]


@dataclass(frozen=True)
class Case:
    """One method with ordinary settings, and how its promises are checked."""

    name: str
    publish: Publish
    holds: Callable[[Baskets, Release], bool]
    """Whether the claim is true, counted in the published content (and the steward's list)."""
    identity: Publish | None = None
    """Settings under which nothing changes."""
    unknown: Publish | None = None
    """The same with a name that does not exist."""
    as_table: bool = False
    """Whether the release is over a column for each item."""
    of: str = ""
    """The method by the name in the list of methods, where the case is not called so."""

    def __str__(self) -> str:
        return self.name

    @property
    def method(self) -> str:
        """The method that `publish` knows."""
        return self.of or self.name.partition(",")[0].partition(" ")[0]


# --- hiding --------------------------------------------------------------------------------------

FOR_RULES = ("1.a", "1.b", "2.a", "cr", "cr2")
BY_SUPPORT = ("2.b", "2.c", "gih")


def secrets_of(name: str, baskets: Baskets) -> Sensitive:
    """The first two items together, or the first implying the second."""
    if baskets.schema.n_items < 2:
        return Sensitive(((0,),), ())
    return (
        Sensitive(rules=(SensitiveRule((0,), (1,)),)) if name in FOR_RULES else Sensitive(((0, 1),))
    )


def hiding(name: str) -> Case:
    def settings(*, gently: bool) -> dict[str, float]:
        if name in FOR_RULES:
            return {"min_support": 10**6 if gently else 2, "min_confidence": 0.5}
        if name in BY_SUPPORT:
            return {"min_support": 10**6 if gently else 2}
        return {"psi": 1.0 if gently else 0.0}

    def publish(baskets: Baskets, randomness: Randomness, *, gently: bool = False) -> Release:
        algorithm = ALGORITHMS[name](**settings(gently=gently))
        return hide(baskets, secrets_of(name, baskets), algorithm, randomness=randomness).release

    def identity(baskets: Baskets, randomness: Randomness) -> Release:
        return publish(baskets, randomness, gently=True)

    def unknown(baskets: Baskets, randomness: Randomness) -> Release:
        secrets = parse_sensitive("no such item", baskets.schema)
        return hide(baskets, secrets, ALGORITHMS["iga"](), randomness=randomness).release

    def holds(baskets: Baskets, release: Release) -> bool:
        found = int(release.claim.terms["hidden"])
        return found == hidden_in(release.data, secrets_of(name, baskets), release)

    return Case(f"hiding {name}", publish, holds, identity, unknown)


def hidden_in(data: Countable, secrets: Sensitive, release: Release) -> int:
    """How many secrets a reader of these rows cannot be sure of."""
    floor = int(release.claim.terms.get("min_support") or 1)
    below = release.claim.terms.get("min_confidence")
    found = 0
    for itemset in secrets.all_itemsets:
        blocked = isinstance(data, BlockedBaskets)
        whole = data.support_bounds([itemset])[0, 0] if blocked else data.support([itemset])[0]
        rule = next((r for r in secrets.rules if r.itemset == itemset), None)
        left = None
        if rule is not None:
            left = data.support_bounds([rule.lhs])[0, 1] if blocked else data.support([rule.lhs])[0]
        sure = left and below is not None and whole / left >= float(below)
        found += whole < floor or (rule is not None and not sure)
    return found


# --- the others ----------------------------------------------------------------------------------


def one_group(baskets: Baskets) -> Hierarchy:
    return Hierarchy.of(dict.fromkeys(baskets.schema.names, "anything at all"), baskets.schema)


def table_anatomy(baskets: Baskets, randomness: Randomness, *, l: int = 2) -> Release:  # noqa: E741
    table = binary_table(baskets)
    return anatomise_table(
        table, sensitive=table.schema.names[0], l=l, randomness=randomness, ineligible="suppress"
    )


def groups_are_diverse(_: Baskets, release: Release) -> bool:
    data = release.data
    assert isinstance(data, SeparatedTable)
    worst = (data.counts / data.counts.sum(axis=1, keepdims=True)).max()
    return worst <= release.claim.terms["probability"] <= 1 / int(release.claim.terms["l"])


def buckets_are_diverse(_: Baskets, release: Release) -> bool:
    """Each (bucket, column) of the anatomised tables: no value above 1 in l."""
    level = float(release.claim.terms["l"])
    for column in range(release.data.n_columns):
        sizes: dict[int, list[int]] = {}
        for line in release.data.lines(column):
            sizes.setdefault(line.bucket, []).append(line.count)
        if any(max(counts) * level > sum(counts) + 1e-9 for counts in sizes.values()):
            return False
    return True


def permuted_anatomy(baskets: Baskets, randomness: Randomness, *, l: int = 2) -> Release:  # noqa: E741
    tables = anatomise(
        baskets, l=l, columns=2, on_ineligible="merge_columns", randomness=randomness
    )
    return tables.as_baskets(randomness=randomness)


def single_items_are_as_before(baskets: Baskets, release: Release) -> bool:
    """An item lies in one column, and inside a column nothing changes."""
    items = [(item,) for item in range(baskets.schema.n_items)]
    return bool((release.support(items) == baskets.support(items)).all())


def distortion(mechanism: Mechanism, identity: Mechanism, unknown: Mechanism | None = None) -> Case:
    def through(chosen: Mechanism) -> Publish:
        return lambda baskets, randomness: distort(baskets, chosen, randomness=randomness)

    return Case(
        f"distortion {mechanism.name}",
        through(mechanism),
        noise_is_as_claimed,
        through(identity),
        None if unknown is None else through(unknown),
    )


def noise_is_as_claimed(_: Baskets, release: Release) -> bool:
    """The ε of the claim is that of the published probabilities, or there is none."""
    assert isinstance(release.data, DistortedBaskets)
    keep, insert = release.data.channel.keep, release.data.channel.insert
    claimed = release.claim.terms["epsilon_item"]
    if claimed is None:
        chosen_by_data = "looking at the data" in release.claim.promise
        return chosen_by_data or bool(((insert == 0) | (keep == 1)).any())
    odds = np.log([keep / insert, insert / keep, (1 - keep) / (1 - insert)])
    return bool(np.isclose(claimed, abs(odds).max()))


NAMELESS = Frequent(names=("no such item",))


def drawn_items_are_common(baskets: Baskets, release: Release) -> bool:
    rows = release.data.transactions
    drawn = rows.item_counts > 0
    return bool(
        (baskets.transactions.item_counts[drawn] >= release.claim.terms["min_support"]).all()
    )


def calibrated_generator(baskets: Baskets, randomness: Randomness) -> Release:
    settings = GeneratorSettings(min_support=2, calibration=CalibrationSettings(order=2))
    table = binary_table(baskets)
    return learn(table, settings).sample(len(table), randomness=randomness)


def plain_generator(baskets: Baskets, randomness: Randomness) -> Release:
    table = binary_table(baskets)
    return learn(table, GeneratorSettings(min_support=2)).sample(len(table), randomness=randomness)


def values_are_held_by_enough(baskets: Baskets, release: Release) -> bool:
    """Without smoothing no value is drawn that no row of the original has."""
    single = [(item,) for item in range(release.schema.n_items)]
    before = binary_table(baskets).support(single)
    return bool((before[release.support(single) > 0] > 0).all())


def counts_have_their_rows(_: Baskets, release: Release) -> bool:
    return int(release.record.get("calibrated_smallest_count") or 2) >= 2


def k_anonymous(baskets: Baskets, randomness: Randomness, **said: object) -> Release:
    table = binary_table(baskets)
    method = KAnonymous(min_support=1, rare_values="keep", **said)
    return method.make(Encoding.of_schema(table.schema).decode(table), Run(randomness)).release


def rows_agree(published: Table, k: int) -> bool:
    return bool((np.unique(published.codes, axis=0, return_counts=True)[1] >= k).all())


def private_release(baskets: Baskets, randomness: Randomness) -> Release:
    table = binary_table(baskets)
    said = {name: ColumnSpec(values=("0", "1")) for name in table.schema.names}
    pool = PoolSettings(rows=2000, last_rows=4000, last_rounds=4)
    method = Private(epsilon=1000.0, min_support=2, schema=TableSpec(said), pool=pool)
    return method.make(Encoding.of_schema(table.schema).decode(table), Run(randomness)).release


def the_ledger_keeps_the_promise(_: Baskets, release: Release) -> bool:
    terms = release.claim.terms
    return epsilon_of(terms["rho"], terms["delta"]) <= terms["epsilon"] == 1000.0


CASES = (
    *(hiding(name) for name in ALGORITHMS),
    Case(
        "coherence",
        lambda baskets, _: suppress_moles(baskets, Coherence(k=3, p=2)),
        lambda _, release: len(find_moles(release.data, Coherence(k=3, p=2))) == 0,
        lambda baskets, _: suppress_moles(baskets, Coherence(k=1, p=2)),
        lambda baskets, _: suppress_moles(baskets, Coherence(k=1, p=2, private=("no such item",))),
    ),
    Case(
        "km-anonymity",
        lambda baskets, _: generalise(baskets, one_group(baskets), k=2, m=2),
        lambda _, release: km_violations(release.data, k=2, m=2) == [],
        lambda baskets, _: generalise(baskets, one_group(baskets), k=1, m=2),
        of="km",
    ),
    Case(
        "k-anonymity",
        lambda baskets, randomness: k_anonymous(baskets, randomness, k=3),
        lambda _, release: rows_agree(release.data.published, 3),
        lambda baskets, randomness: k_anonymous(baskets, randomness, k=1),
        lambda baskets, randomness: k_anonymous(baskets, randomness, k=1, private="no such item"),
        as_table=True,
    ),
    Case(
        "table anatomy",
        table_anatomy,
        groups_are_diverse,
        lambda baskets, randomness: table_anatomy(baskets, randomness, l=1),
        lambda baskets, randomness: anatomise_table(
            binary_table(baskets), sensitive="no such item", l=1, randomness=randomness
        ),
        as_table=True,
        of="table-anatomy",
    ),
    Case(
        "anatomy",
        lambda baskets, randomness: anatomise(
            baskets, l=2, columns=2, on_ineligible="suppress", randomness=randomness
        ),
        buckets_are_diverse,
        lambda baskets, randomness: anatomise(baskets, l=1, columns=2, randomness=randomness),
        lambda baskets, randomness: anatomise(
            baskets, l=1, columns=[["no such item"]], randomness=randomness
        ),
    ),
    Case(
        "anatomy, permuted",
        permuted_anatomy,
        single_items_are_as_before,
        lambda baskets, randomness: permuted_anatomy(baskets, randomness, l=1),
    ),
    distortion(Mask(0.9), Mask(1.0)),
    distortion(
        MaskItems({}, otherwise=0.8),
        MaskItems({}, otherwise=1.0),
        MaskItems({"no such item": 0.9}, otherwise=0.9),
    ),
    distortion(
        Selective(0.95, 0.8, Frequent(min_support=2)),
        Selective(1.0, 1.0, Frequent(min_support=2)),
        Selective(0.95, 0.8, NAMELESS),
    ),
    distortion(
        Alg2Literal(0.95, 0.8, Frequent(min_support=2)),
        Alg2Literal(1.0, 1.0, Frequent(min_support=2)),
        Alg2Literal(0.95, 0.8, NAMELESS),
    ),
    distortion(DeleteOnly(0.9), DeleteOnly(1.0)),
    distortion(Emask(0.95, 0.9), Emask(1.0, 1.0)),
    Case("generator", plain_generator, values_are_held_by_enough, as_table=True),
    Case("generator, calibrated", calibrated_generator, counts_have_their_rows, as_table=True),
    Case("private", private_release, the_ledger_keeps_the_promise, as_table=True),
    Case(
        "private baskets",
        lambda baskets, randomness: (
            PrivateBaskets(epsilon=1000.0, min_support=2).make(baskets, Run(randomness)).release
        ),
        the_ledger_keeps_the_promise,
        of="private-baskets",
    ),
    Case(
        "basket generator",
        lambda baskets, randomness: learn_baskets(baskets, min_support=2).sample(
            len(baskets), randomness=randomness
        ),
        drawn_items_are_common,
        of="baskets",
    ),
)

ORDINARY = Baskets.of(["abc", "ab", "ab", "bcd", "acd", "cd", "bd", "abd", "ac", "bc"] * 3)

EDGES = {
    "ordinary": ORDINARY,
    "some baskets are empty": Baskets.of(["ab", "", "abc", "", "b", "bc", "ac"]),
    "all baskets are empty": Baskets.of(["", "", ""], names="abc"),
    "no basket": Baskets.of([], names="abc"),
    "one basket": Baskets.of(["abc"]),
    "one item": Baskets.of(["a", "a", "", "a"]),
    "an item in every basket": Baskets.of(["ab", "abc", "a", "ac", "abd"]),
    "a basket with all items": Baskets.of(["abcdef", "ab", "cd", "ef", "ab", "cd"]),
    "items that never occur": Baskets.of(["bd", "bd", "b", "d"], names="abcdef"),
}


def fingerprint(release: Release) -> object:
    """All that is published, as something that can be compared."""
    data = release.data
    data = data.published if isinstance(data, GeneralisedTable) else data
    if isinstance(data, Baskets):
        return data.schema.names, list(data.transactions)
    if isinstance(data, BlockedBaskets):
        return list(data.certain), list(data.unknown)
    if isinstance(data, DistortedBaskets):
        return list(data.observed.transactions), data.channel.keep.tolist()
    if isinstance(data, Table):
        return data.codes.tolist()
    if isinstance(data, SeparatedTable):
        return data.known.codes.tolist(), data.groups.tolist(), data.counts.tolist()
    return [list(data.lines(column)) for column in range(data.n_columns)]


def published_or_refused(case: Case, baskets: Baskets) -> Release | str:
    """The release, or the sentence that says why there is none."""
    try:
        return case.publish(baskets, Randomness(5))
    except HalfmaskError as refusal:
        return str(refusal)


def all_pairs(baskets: Baskets) -> list[tuple[int, ...]]:
    items = range(baskets.schema.n_items)
    return [*((i,) for i in items), *combinations(items, 2)]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestEveryMethod:
    def test_same_randomness_same_release(self, case):
        assert fingerprint(case.publish(ORDINARY, Randomness(5))) == fingerprint(
            case.publish(ORDINARY, Randomness(5))
        )

    def test_the_input_is_untouched(self, case):
        before = list(ORDINARY.transactions)
        case.publish(ORDINARY, Randomness(5))
        assert list(ORDINARY.transactions) == before

    @pytest.mark.parametrize("edge", EDGES)
    def test_edges_are_published_or_refused_in_a_sentence(self, case, edge):
        baskets = EDGES[edge]
        release = published_or_refused(case, baskets)
        if isinstance(release, str):
            assert edge != "ordinary"
            assert release.endswith(".")
            assert len(release) > 20
            return
        lost = int(release.record.get("rows_suppressed") or 0)
        assert release.size == len(baskets) - lost
        assert np.isfinite(release.support([(), (0,)])).all()
        assert case.holds(baskets, release)

    def test_the_release_says_what_it_is_and_holds_no_seed(self, case):
        release = case.publish(ORDINARY, Randomness(5))
        assert release.claim.promise
        assert release.claim.assumption
        assert not any("seed" in key and key != "seeded" for key in release.record)


@pytest.mark.parametrize("case", [case for case in CASES if case.identity], ids=str)
def test_identity_settings_give_the_original_back(case):
    pairs = all_pairs(ORDINARY)
    release = case.identity(ORDINARY, Randomness(5))
    asked = [tuple(2 * i + 1 for i in z) for z in pairs] if case.as_table else pairs
    assert release.support(asked).tolist() == ORDINARY.support(pairs).tolist()


@pytest.mark.parametrize("case", [case for case in CASES if case.unknown], ids=str)
def test_unknown_names_are_refused_with_a_proposal(case):
    with pytest.raises(UnknownName, match="no such item"):
        case.unknown(ORDINARY, Randomness(5))


def test_no_case_is_forgotten():
    assert len({case.name for case in CASES}) == len(CASES) == len(ALGORITHMS) + 17
    assert {case.method for case in CASES} == set(METHODS)


def test_quest_and_rules_that_cannot_be_hidden_are_honest_about_it():
    drawn = [quest(50, Quest(items=30), randomness=Randomness(5)).transactions for _ in range(2)]
    assert list(drawn[0]) == list(drawn[1])
    baskets = Baskets.of(["ab", "ab"])
    secrets = Sensitive(rules=(SensitiveRule((0,), (1,)),))
    hidden = hide(baskets, secrets, HideRules("1.a", 1, 0.5), randomness=Randomness(1))
    assert not hidden.succeeded
    assert hidden_in(hidden.release.data, secrets, hidden.release) == 0
