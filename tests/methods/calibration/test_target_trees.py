"""Trees about a target: grown and fitted as the plain Python says, from told counts only."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfmask import _native
from halfmask.data import Attribute, Schema, Table
from halfmask.data.target_trees import Leaf, Tree
from halfmask.documents import model as models
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.calibration.target_trees import fit_classes
from halfmask.methods.generator.constraints import Fence, RowRule
from halfmask.methods.generator.learn import calibrated, counted, learn, limited
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.randomness import Randomness
from reference.target_trees import PlainLeaf, plain_fit, plain_tree

NAMES = ("a", "b", "c", "d", "y")
SCHEMA = Schema(
    tuple(Attribute(n, tuple("uvwx"[:k])) for n, k in zip(NAMES, (3, 3, 2, 4, 3), strict=True))
)


def flat(rows):
    return np.asarray(rows, np.int32).reshape(len(rows), -1).ravel(order="F")


def held(path, codes):
    """Which rows answer every split of a path as it says."""
    answers = [(codes[:, SCHEMA.position(name)] == code) == yes for name, code, yes in path]
    return np.all([np.ones(len(codes), bool), *answers], axis=0)


@st.composite
def growths(draw):
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    n_classes = draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(1, 60)), draw(st.integers(1, 40))
    rows, drawn = (np.stack([rng.integers(s, size=k) for s in sizes], axis=1) for k in (n, m))
    classes = (rows.sum(axis=1) + rng.integers(2, size=n)) % n_classes
    shares = rng.random((m, n_classes)) + 0.05
    return sizes, rows, classes, drawn, shares / shares.sum(axis=1, keepdims=True)


@settings(max_examples=60, deadline=None)
@given(growths(), st.integers(1, 8), st.sampled_from([0.0, 0.25]))
def test_trees_are_grown_as_the_plain_python_does(growth, floor, caution):
    sizes, rows, classes, drawn, shares = growth
    limits = {"floor": floor, "leaves": 6, "caution": caution}
    plain = plain_tree(
        rows.tolist(), classes.tolist(), drawn.tolist(), shares.tolist(), sizes, **limits
    )
    column, value, yes, no = _native.grow_tree(
        flat(rows),
        classes.astype(np.int32),
        flat(drawn),
        shares.ravel(),
        np.array(sizes, np.int32),
        np.zeros(len(sizes) ** 2, np.uint8),
        np.full(len(sizes), 9, np.int32),
        shares.shape[1],
        floor,
        6,
        caution,
        None,
    )

    def leaves(node):
        if column[node] < 0:
            return [()]
        asked = (int(column[node]), int(value[node]))
        return [((*asked, True), *w) for w in leaves(yes[node])] + [
            ((*asked, False), *w) for w in leaves(no[node])
        ]

    def cells(found):
        """What each leaf holds: splits that part the same cells are one, whatever they name."""
        every = list(product(*map(range, sizes)))
        return {
            frozenset(cell for cell in every if all((cell[c] == v) == yes for c, v, yes in path))
            for path in found
        }

    assert cells(leaves(0)) == cells(plain.leaves())


SPLITS = st.tuples(st.sampled_from("abcd"), st.integers(0, 3), st.booleans())


@given(st.lists(st.lists(SPLITS, max_size=3).map(tuple), max_size=6))
def test_rows_are_led_to_the_first_leaf_whose_splits_they_answer(paths):
    tree = Tree(tuple(Leaf(path, (), 0) for path in paths), 0)
    found = tree.leaf_of(ORIGINAL.codes[:100], SCHEMA)
    holds = [held(leaf.path, ORIGINAL.codes[:100]) for leaf in tree.leaves]
    first = [next((n for n, each in enumerate(holds) if each[row]), -1) for row in range(100)]
    assert found.tolist() == first


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(2, 4))
def test_shares_are_fitted_as_the_plain_python_does(seed, trees, n_classes):
    rng = np.random.default_rng(seed)
    rows, floor = 30, 5
    shares = rng.dirichlet(np.ones(n_classes), rows)
    leaves = [
        [
            PlainLeaf(
                [int(c) if c >= floor else None for c in rng.integers(0, 20, n_classes)],
                [None, 0, 7][rng.integers(3)],
            )
            for _ in range(3)
        ]
        for _ in range(trees)
    ]
    few = rng.integers(0, 9, trees).tolist()
    leaf_of = rng.integers(-1, 3, (trees, rows))
    plain = plain_fit(
        leaf_of.tolist(), leaves, few, shares.tolist(), floor=floor, size=50.0, rounds=3
    )
    every = [leaf for tree in leaves for leaf in tree]
    fitted, _ = _native.fit_classes(
        np.concatenate(
            [np.where(each < 0, -1, each + 3 * t) for t, each in enumerate(leaf_of)]
        ).astype(np.int32),
        np.arange(0, 3 * trees + 1, 3, dtype=np.int64),
        np.array([-1.0 if c is None else c for leaf in every for c in leaf.told], float),
        np.array([-1.0 if leaf.rest is None else leaf.rest for leaf in every], float),
        np.array(few, float),
        shares.ravel(),
        n_classes,
        floor,
        50.0,
        3,
        None,
    )
    assert np.allclose(fitted.reshape(rows, n_classes), plain, rtol=1e-9, atol=1e-12)


def original(rows=6_000, seed=5):
    """The last column follows from three others together, and from no two of them."""
    rng = np.random.default_rng(seed)
    a, b, c, d = (rng.integers(k, size=rows) for k in (3, 3, 2, 4))
    y = np.where(rng.random(rows) < 0.95, (a + b + c) % 3, rng.integers(3, size=rows))
    return Table(SCHEMA, np.column_stack([a, b, c, d, y]))


def learnt(table, **changes):
    asked = {"order": 2, "target": "y", **changes}
    return learn(
        table,
        GeneratorSettings(
            min_support=40, max_pattern_length=2, calibration=CalibrationSettings(**asked)
        ),
    )


ORIGINAL = original()


@pytest.fixture(scope="module")
def model():
    # Patterns of two values only, so that the trees alone can know of three; they may be longer.
    found = replace(learnt(ORIGINAL), margins=None)
    longer = replace(found, settings=replace(found.settings, max_pattern_length=None))
    return calibrated(longer, ORIGINAL)


def follows(table):
    a, b, c, _, y = table.codes.T
    return float((y == (a + b + c) % 3).mean())


def test_a_target_follows_from_long_combinations_as_in_the_original(model):
    release = model.sample(6_000, randomness=Randomness(1))
    without = limited(model, 2).sample(6_000, randomness=Randomness(1))
    papers = model.sample(6_000, randomness=Randomness(1), calibrate=False)
    assert follows(papers.data) < 0.55
    assert follows(ORIGINAL) - 0.02 < follows(release.data) < follows(ORIGINAL) + 0.02
    assert np.array_equal(without.data.codes, release.data.codes)
    assert release.record["calibrated_trees"] == len(model.margins.target_trees.trees) > 5


def test_a_lower_order_has_no_trees(model):
    assert limited(model, 1).margins.target_trees is None
    assert limited(model, 0).margins is None


def test_every_count_told_along_a_tree_has_its_rows(model):
    told, model = 0, counted(replace(model, margins=None), ORIGINAL)
    for tree in model.margins.target_trees.trees:
        for leaf in tree.leaves:
            rows = held(leaf.path, ORIGINAL.codes)
            of_target = np.bincount(ORIGINAL.codes[rows, 4], minlength=3)
            assert all(count == of_target[code] >= 40 for code, count in leaf.counts)
            rest = rows.sum() - sum(count for _, count in leaf.counts)
            assert rest == leaf.rest if leaf.rest is not None else 0 < rest < 40
            told += len(leaf.counts)
        assert tree.suppressed == 0 or tree.suppressed >= 40
    assert told == len(model.margins.target_trees.counts)


def test_counts_below_the_floor_reach_the_release_only_as_their_rest():
    # Values v and w of the target get a few rows each, in the same places; which of the two a row
    # has is below the floor everywhere, so exchanging them changes nothing that may be told.
    rng = np.random.default_rng(2)
    schema = Schema((*SCHEMA.attributes[:4], Attribute("y", ("u", "v", "w", "x", "z"))))
    few = np.column_stack([rng.integers(k, size=70) for k in (3, 3, 2, 4)])
    papers, releases = None, []
    for values in ([3, 4], [4, 3]):
        rare = np.column_stack([few, np.repeat(values, 35)])
        table = Table(schema, np.concatenate([ORIGINAL.codes, rare]))
        if papers is None:
            papers = replace(learnt(table), margins=None)
            longer = replace(papers.settings, max_pattern_length=None)
            papers = replace(papers, settings=longer)
        found = counted(papers, table)
        assert not any(
            code > 2
            for t in found.margins.target_trees.trees
            for b in t.leaves
            for code, _ in b.counts
        )
        releases.append(found.sample(3_000, randomness=Randomness(1)).data.codes.tobytes())
    assert releases[0] == releases[1]


def test_how_many_rows_a_leaf_leads_to_is_not_learnt(model):
    """Combinations of the other columns come as often as without the trees, but for chance."""
    plain = replace(model, margins=replace(model.margins, target_trees=None))
    one, other = (m.sample(6_000, randomness=Randomness(3)).data.codes for m in (model, plain))
    cells = [np.bincount(codes[:, :4] @ [24, 8, 4, 1], minlength=72) for codes in (one, other)]
    assert np.abs(cells[0] - cells[1]).sum() / 12_000 < 0.05
    assert not np.array_equal(one[:, 4], other[:, 4])


def test_no_tree_is_grown_about_a_target_that_is_mere_chance():
    """The luckiest of many splits seems to tell something unless luck is reckoned with."""
    rng = np.random.default_rng(5)
    codes = np.column_stack([rng.integers(a.size, size=4_000) for a in SCHEMA])
    chance = Table(SCHEMA, codes)
    settings = GeneratorSettings(
        min_support=20, calibration=CalibrationSettings(order=2, target="y")
    )
    target_trees = learn(chance, settings).margins.target_trees
    assert all(len(leaf.path) <= 1 for tree in target_trees.trees for leaf in tree.leaves)


def test_no_tree_tells_of_what_is_hidden_together_or_met_at_a_lower_order(model):
    hidden = replace(model.settings, hide_together=(("a=u", "b"), ("d", "y")))
    limits = replace(model.settings.calibration, order_for={"c": 2, "a": 1})
    for asked in (hidden, replace(model.settings, calibration=limits)):
        found = calibrated(replace(model, settings=asked), ORIGINAL).margins.target_trees
        assert found.trees
        for names in map(set, found.attributes):
            if asked is hidden:
                assert not {"a", "b"} <= names
                assert "d" not in names
            else:
                assert "a" not in names
                assert len(names) <= 2 or "c" not in names
    short = replace(model.settings, max_pattern_length=2)
    told = calibrated(replace(model, settings=short), ORIGINAL).margins.target_trees.attributes
    assert max(map(len, told)) == 2


def test_counts_along_trees_are_rounded_with_the_others(model):
    asked = replace(model.settings, calibration=replace(model.settings.calibration, base=5))
    found = calibrated(replace(model, settings=asked), ORIGINAL).margins.target_trees
    assert all(count % 21 == 0 for count in found.counts)
    rests = [b.rest for tree in found.trees for b in tree.leaves]
    assert all(rest % 21 == 0 for rest in rests)
    assert all(tree.suppressed == 0 for tree in found.trees)


def test_the_same_randomness_gives_the_same_rows_whatever_the_threads(model):
    one, two = (
        calibrated(replace(model, margins=None), ORIGINAL, threads=t).sample(
            3_000, randomness=Randomness(4), threads=t
        )
        for t in (1, 2)
    )
    assert np.array_equal(one.data.codes, two.data.codes)


def test_rules_hold_in_rows_whose_target_was_drawn_anew(model):
    rule = RowRule(
        "no w beside u", ("a", "y"), lambda t: (t.codes[:, 0] == 0) & (t.codes[:, -1] == 2)
    )
    fenced = replace(model, fence=Fence.of(SCHEMA, [rule]))
    release = fenced.sample(4_000, randomness=Randomness(1)).data
    assert not rule.broken(release).any()
    assert follows(release.take(np.flatnonzero(release.codes[:, 0] != 0))) > 0.85


def test_a_model_file_holds_the_branches_and_gives_the_same_release(model, tmp_path):
    models.save(model, tmp_path / "model.json")
    assert b'"version": 4' in (tmp_path / "model.json").read_bytes()
    back = models.load(tmp_path / "model.json")
    assert back.margins.target_trees == model.margins.target_trees
    one, other = (m.sample(2_000, randomness=Randomness(1)).data.codes for m in (model, back))
    assert np.array_equal(one, other)
    lines = [row for row in back.margins.to_rows(SCHEMA) if str(row["table"]).startswith("y, tree")]
    assert {"table": "y, tree 1", "cell": None, "count": 0} in lines
    assert any("≠" in str(row["cell"]) for row in lines)


def test_a_release_of_few_rows_is_fitted_on_more(model):
    assert follows(model.sample(300, randomness=Randomness(1)).data) > 0.85
    assert model.sample(1, randomness=Randomness(1)).size == 1


def test_small_rests_are_told_together_or_join_a_value():
    paths = [(("a", code, True),) for code in range(3)]
    codes = np.zeros((126, 5), np.int32)
    codes[:, 0] = np.repeat([0, 1, 2], 42)
    codes[[0, 1, 42, 43, 44], 4] = 1
    table = Table(SCHEMA, codes)
    together = Tree.of(table, "y", paths, min_support=5)
    assert [leaf.rest for leaf in together.leaves] == [None, None, 0]
    assert together.suppressed == 5
    joined = Tree.of(table, "y", paths, min_support=6)
    assert [(leaf.counts, leaf.rest) for leaf in joined.leaves] == [(((0, 42),), 0)]


def test_a_target_that_is_met_alone_is_fitted_to_its_shares(model):
    target_trees = replace(model.margins.target_trees, trees=model.margins.target_trees.trees[:1])
    _, shares = fit_classes(target_trees, SCHEMA, ORIGINAL.codes[:50], min_support=40)
    wanted = np.bincount(ORIGINAL.codes[:, 4], minlength=3) / len(ORIGINAL)
    assert np.allclose(shares, wanted, atol=0.01)
