"""What holds for every way of hiding: honest counts, exact undo, clear refusals."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Baskets
from halfmask.errors import BadInput, UnknownName
from halfmask.methods.hiding.blocked import BlockedBaskets
from halfmask.methods.hiding.blocking import Block
from halfmask.methods.hiding.edits import Cell, EditDraft, Edits, apply, undo
from halfmask.methods.hiding.hide import ALGORITHMS, hide
from halfmask.methods.hiding.index import Index
from halfmask.methods.hiding.outcome import recount
from halfmask.methods.hiding.rules import HideRules
from halfmask.methods.hiding.sanitise import Sanitise, SlidingWindow
from halfmask.methods.hiding.sensitive import Sensitive, SensitiveRule, parse_sensitive
from halfmask.randomness import Randomness

LETTERS = "abcdef"
rows_of_letters = st.lists(st.sets(st.sampled_from(LETTERS)), min_size=1, max_size=40)
itemsets = st.sets(st.integers(0, 5), min_size=1, max_size=3).map(lambda s: tuple(sorted(s)))
rules = (
    st.lists(st.integers(0, 5), min_size=2, max_size=4, unique=True)
    .flatmap(lambda items: st.tuples(st.just(items), st.integers(1, len(items) - 1)))
    .map(lambda t: SensitiveRule(tuple(sorted(t[0][: t[1]])), tuple(sorted(t[0][t[1] :]))))
)
sanitisers = st.sampled_from(
    ["naive", "minfia", "maxfia", "iga", "iga-greedy", "rra", "ra"]
).flatmap(lambda v: st.builds(Sanitise, st.just(v), keep_nonempty=st.booleans()))
for_itemsets = st.one_of(
    sanitisers,
    st.builds(SlidingWindow, st.integers(1, 50), ties=st.sampled_from(["random", "first"])),
    st.builds(HideRules, st.sampled_from(["2.b", "2.c"]), st.integers(1, 5)),
    st.builds(Block, st.just("gih"), st.integers(1, 5), decoys=st.sampled_from([0.0, 1.0])),
)
for_rules = st.one_of(
    st.builds(
        HideRules,
        st.sampled_from(["1.a", "1.b", "2.a"]),
        st.integers(1, 5),
        st.sampled_from([0.3, 0.5, 0.8]),
    ),
    st.builds(
        Block,
        st.sampled_from(["cr", "cr2"]),
        st.integers(1, 5),
        st.sampled_from([0.3, 0.5, 0.8]),
        margin=st.sampled_from([0.0, 0.1]),
        decoys=st.sampled_from([0.0, 0.5]),
    ),
)


def letters(rows) -> Baskets:
    return Baskets.of([sorted(row) for row in rows], names=LETTERS)


def same(left: Baskets, right: Baskets) -> bool:
    return np.array_equal(left.transactions.offsets, right.transactions.offsets) and np.array_equal(
        left.transactions.items, right.transactions.items
    )


@given(rows_of_letters, st.lists(itemsets, min_size=1, max_size=4), for_itemsets)
def test_hidden_itemsets_are_below_their_bound_and_undo_restores(rows, secrets, algorithm):
    baskets = letters(rows)
    hidden = hide(baskets, Sensitive(tuple(secrets)), algorithm, randomness=Randomness(3))
    assert hidden.succeeded  # taking items out always can
    assert same(hidden.undo(), baskets)
    assert hidden.release.size == len(rows)
    floor = algorithm.min_support if isinstance(algorithm, HideRules | Block) else 1
    published = hidden.release.data
    if isinstance(published, BlockedBaskets):
        assert (published.support_bounds(secrets)[:, 0] < floor).all()
    else:
        assert (published.support(secrets) < floor).all()


@given(rows_of_letters, st.lists(rules, min_size=1, max_size=3), for_rules)
def test_rules_are_claimed_hidden_only_when_they_are(rows, secrets, algorithm):
    baskets = letters(rows)
    hidden = hide(baskets, Sensitive(rules=tuple(secrets)), algorithm, randomness=Randomness(3))
    assert same(hidden.undo(), baskets)
    index = Index.of(baskets)
    targets = algorithm.targets(index, Sensitive(rules=tuple(secrets)))
    again = recount(hidden.release.data, targets)
    assert again == hidden.outcomes
    found = sum(outcome.hidden for outcome in again)
    assert hidden.release.claim.terms["hidden"] == found
    assert (
        hidden.succeeded
        == (found == len(again))
        == (not hidden.release.notes or "can still" not in hidden.release.notes[0])
    )


@given(rows_of_letters, st.lists(itemsets, min_size=1, max_size=4), st.floats(0, 1), sanitisers)
def test_a_disclosure_threshold_leaves_at_most_its_share(rows, secrets, psi, algorithm):
    baskets = letters(rows)
    algorithm = Sanitise(algorithm.victim, psi=psi)
    hidden = hide(baskets, Sensitive(tuple(secrets)), algorithm, randomness=Randomness(3))
    before, after = baskets.support(secrets), hidden.release.support(secrets)
    assert (after <= psi * before + 1e-6).all()
    assert psi < 1 or len(hidden.edits) == 0


@given(
    rows_of_letters,
    st.lists(st.tuples(st.integers(0, 39), st.integers(0, 5), st.booleans()), max_size=30),
    st.lists(itemsets, max_size=5),
)
def test_watched_counts_are_the_counts_of_the_edited_rows(rows, pencil, watched):
    baskets = letters(rows)
    draft = EditDraft(baskets.transactions, Index.of(baskets))
    early = [draft.watch(itemset) for itemset in watched[::2]]
    log = []
    for row, item, put_in in pencil:
        if row < len(rows) and put_in != (item in draft.row(row)):
            (draft.add if put_in else draft.remove)(row, item)
            log.append((row, item, Cell(not put_in), Cell(put_in)))
    edited = apply(Edits.of(log), baskets.transactions).certain
    assert [sorted(draft.row(r)) for r in range(len(rows))] == [list(row) for row in edited]
    for itemset in early + [draft.watch(itemset) for itemset in watched]:
        assert itemset.support == edited.support([itemset.itemset])[0]
    assert list(undo(Edits.of(log), edited)) == list(baskets.transactions)


@given(rows_of_letters, st.data())
def test_expected_supports_of_unknowns_are_those_of_all_worlds(rows, data):
    baskets = letters(rows[:6])
    cells = [(r, i) for r in range(len(baskets)) for i in range(6)]
    unknown = data.draw(st.lists(st.sampled_from(cells), max_size=5, unique=True))
    log = [(r, i, Cell(int(i in tuple(baskets.transactions)[r])), Cell.UNKNOWN) for r, i in unknown]
    marked = apply(Edits.of(log), baskets.transactions)
    blocked = BlockedBaskets(baskets.schema, marked.certain, marked.unknown)
    asked = [(), (0,), (0, 1), (0, 1, 2), (3, 4)]
    worlds = []
    for mask in range(2 ** len(unknown)):
        tossed = [(r, i, Cell.UNKNOWN, Cell(mask >> n & 1)) for n, (r, i) in enumerate(unknown)]
        worlds.append(apply(Edits.of(tossed), marked).certain.support(asked))
    assert blocked.support(asked) == pytest.approx(np.mean(worlds, axis=0))
    assert blocked.support_bounds(asked)[:, 0].tolist() == np.min(worlds, axis=0).tolist()
    assert blocked.support_bounds(asked)[:, 1].tolist() == np.max(worlds, axis=0).tolist()
    joint = blocked.marginal(["a", "b"])
    assert joint.sum() == pytest.approx(len(baskets))
    assert joint[1, 1] == pytest.approx(blocked.support([(0, 1)])[0])


def test_sensitive_patterns_are_named_nowhere_in_the_release():
    baskets = Baskets.of([["gin", "jam"], ["gin", "jam", "tea"], ["tea"]])
    hidden = hide(baskets, parse_sensitive("gin, jam", baskets.schema), randomness=Randomness(1))
    said = f"{hidden.release.claim} {hidden.release.claim.terms} {hidden.release.record}"
    assert "gin" not in said
    assert "jam" not in said


def test_rules_run_out_of_rows_and_the_release_says_so():
    baskets = Baskets.of(["ab", "ab"])
    hidden = hide(
        baskets,
        parse_sensitive("a -> b", baskets.schema),
        HideRules("1.a", 1, 0.5),
        randomness=Randomness(1),
    )
    assert not hidden.succeeded
    assert "1 of the 1 sensitive patterns can still be found" in hidden.release.notes[0]
    assert str(hidden.release.claim).startswith("0 of the 1 sensitive pattern is hidden")


def test_one_threshold_for_each_itemset():
    baskets = Baskets.of(["ab", "ab", "cd", "cd"])
    secrets = parse_sensitive("a, b\nc, d", baskets.schema)
    hidden = hide(baskets, secrets, Sanitise("maxfia", psi=(1.0, 0.5)), randomness=Randomness(1))
    assert hidden.release.support([(0, 1), (2, 3)]).tolist() == [2.0, 1.0]
    with pytest.raises(BadInput, match="2 sensitive itemsets and 3 disclosure thresholds"):
        hide(baskets, secrets, Sanitise(psi=(0.0, 0.0, 0.0)), randomness=Randomness(1))


def test_decoys_are_absent_cells_of_the_blocked_items():
    rows = ["ab"] * 20 + ["b"] * 20 + ["c"] * 20
    baskets = Baskets.of(rows)
    hidden = hide(
        baskets,
        parse_sensitive("a, b", baskets.schema),
        Block("gih", 10, decoys=1.0),
        randomness=Randomness(1),
    )
    log = hidden.edits
    decoys = log.items[log.before == Cell.OUT]
    assert len(decoys) == (log.before == Cell.IN).sum() == 11
    assert set(decoys.tolist()) <= set(log.items[log.before == Cell.IN].tolist())
    assert hidden.release.notes == ()


def test_every_name_of_the_literature_builds_its_algorithm():
    options = {
        "1.a": {"min_confidence": 0.5},
        "1.b": {"min_confidence": 0.5},
        "2.a": {"min_confidence": 0.5},
        "cr": {"min_confidence": 0.5},
        "cr2": {"min_confidence": 0.5},
    }
    built = {name: build(**options.get(name, {})) for name, build in ALGORITHMS.items()}
    assert len(built) == 16


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "list of sensitive patterns is empty"),
        ("# only a comment\n\n", "list of sensitive patterns is empty"),
        ("a,", "Line 1 of the sensitive patterns: it ends with ','"),
        ("b\na ->", "Line 2 of the sensitive patterns: it ends with '->'"),
        ("-> a", "Line 1 of the sensitive patterns: a name is missing"),
        ("a,,b", "a name is missing"),
        ("a -> b -> c", "there may be one arrow"),
        ("a -> a, b", "must not share an item"),
        ('"a" b', "followed by a comma, an arrow or nothing"),
    ],
)
def test_sensitive_lines_that_cannot_be_read(text, sentence):
    with pytest.raises(BadInput, match=sentence):
        parse_sensitive(text, Baskets.of(["abc"]).schema)


def test_a_sensitive_item_that_does_not_occur_names_the_nearest():
    schema = Baskets.of([["crisps", "beer"]]).schema
    with pytest.raises(UnknownName, match="no item 'crips'; did you mean 'crisps'"):
        parse_sensitive("beer, crips", schema)


def test_names_with_commas_and_arrows_stand_in_quotes():
    schema = Baskets.of([["salt, coarse", "a -> b", "tea"]]).schema
    assert parse_sensitive('"salt, coarse", tea -> "a -> b"', schema).rules == (
        SensitiveRule((1, 2), (0,)),
    )


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: Sanitise(psi=1.5), "psi lies between 0 and 1, not at 1.5"),
        (lambda: SlidingWindow(psi=-0.1), "psi lies between 0 and 1, not at -0.1"),
        (lambda: SlidingWindow(window=0), "at least one row, not 0"),
        (lambda: SlidingWindow(ties="last"), "'random' or 'first', not 'last'"),
        (lambda: Sanitise("best"), "no victim rule 'best'; there is naive, minfia"),
        (lambda: Sanitise(conflict_order="up"), "ascending or descending, not 'up'"),
        (lambda: HideRules("3.a"), "no rule hiding strategy '3.a'"),
        (lambda: HideRules("1.b"), "1.b needs a minimum confidence"),
        (lambda: HideRules("2.b", 0), "at least one row, not 0"),
        (lambda: HideRules("2.b", 1.5), "lies between 0 and 1, not at 1.5"),
        (lambda: Block("cr", 0.1, 2.0), "confidence lies between 0 and 1"),
        (lambda: Block("cr", 0.1), "cr needs a minimum confidence"),
        (lambda: Block("xx"), "no blocking strategy 'xx'"),
        (lambda: Block("gih", margin=2), "margin lies between 0 and 1"),
        (lambda: Block("gih", decoys=-1), "is not -1"),
        (lambda: SensitiveRule((), (1,)), "at least one item on each side"),
        (lambda: Sensitive(((),)), "at least one item"),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_a_sentence(build, sentence):
    with pytest.raises(BadInput, match=sentence):
        build()


@pytest.mark.parametrize("algorithm", [HideRules("1.b", 1, 0.5), Block("cr", 1, 0.5)])
def test_rule_strategies_refuse_itemsets(algorithm):
    baskets = Baskets.of(["abc"])
    secrets = parse_sensitive("a, b", baskets.schema)
    with pytest.raises(BadInput, match="there is an itemset among the sensitive patterns"):
        hide(baskets, secrets, algorithm, randomness=Randomness(1))


def test_weighted_baskets_and_empty_lists_are_refused():
    baskets = Baskets.of(["a", "a"])
    merged = Baskets(baskets.schema, baskets.transactions.distinct())
    secrets = parse_sensitive("a", baskets.schema)
    with pytest.raises(BadInput, match="merged into weighted ones"):
        hide(merged, secrets, randomness=Randomness(1))
    with pytest.raises(BadInput, match="nothing to hide"):
        hide(baskets, Sensitive(), randomness=Randomness(1))


def frequent_pairs(baskets: Baskets, count: int) -> Sensitive:
    """The pairs of largest support among the forty most frequent items."""
    top = np.sort(np.argsort(-baskets.transactions.item_counts)[:40])
    pairs = [(int(a), int(b)) for n, a in enumerate(top) for b in top[n + 1 :]]
    order = np.argsort(-baskets.support(pairs), kind="stable")[:count]
    return Sensitive(
        tuple(pairs[o] for o in order),
        tuple(SensitiveRule(*[(i,) for i in pairs[o]]) for o in order),
    )


@pytest.mark.parametrize("name", ALGORITHMS)
def test_ten_patterns_of_a_click_stream_are_hidden_in_less_than_a_second(webview, name):
    secrets = frequent_pairs(webview, 10)
    if name in ("1.a", "1.b", "2.a", "cr", "cr2"):
        secrets = Sensitive(rules=secrets.rules)
        algorithm = ALGORITHMS[name](min_support=120, min_confidence=0.2)
    elif name in ("2.b", "2.c", "gih"):
        algorithm = ALGORITHMS[name](min_support=120)
    else:
        algorithm = ALGORITHMS[name]()
    start = time.process_time()
    hidden = hide(webview, secrets, algorithm, randomness=Randomness(1))
    assert time.process_time() - start < 1
    # a left side of one item is never held in part, so these two have no row to work on
    assert hidden.succeeded == (name not in ("1.a", "cr2"))
    assert same(hidden.undo(), webview)
