from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from halfmask import _native
from halfmask.data import Attribute, Schema, Transactions
from halfmask.errors import BadInput, NotMeasurable, UnknownName
from halfmask.methods.generator.process import Process, column_order
from reference.generator import PlainProcess

SCHEMA = Schema(
    (Attribute("x", ("A", "B")), Attribute("y", ("C", "D")), Attribute("z", ("E", "F")))
)
ITEMS = "ABCDEF"
ROWS = ["ACE", "ACF", "ADE", "ADF", "BCE", "BCF", "BDE", "BDF"]
PRINTED = {"AC": 3, "BD": 3, "CF": 2, "A": 1, "B": 2, "C": 1, "D": 1, "E": 1, "F": 1}
CORRECTED = PRINTED | {"E": 3, "F": 3}


def fractions(*texts):
    return [Fraction(text) for text in texts]


# The worked example of the paper: probabilities of ROWS, then the expected patterns per row.
FIGURE_1 = {
    "random, as printed": (
        PRINTED,
        "random",
        fractions(
            "43/288", "1061/4320", "41/2880", "41/2880", "41/1440", "191/864", "157/960", "157/960"
        ),
        Fraction(521, 240),
    ),
    "random, corrected": (
        CORRECTED,
        "random",
        fractions(
            "289/1728",
            "1997/8640",
            "301/17280",
            "301/17280",
            "301/8640",
            "281/1728",
            "3191/17280",
            "3191/17280",
        ),
        Fraction(3181, 1440),
    ),
    **{
        f"columns, {name}": (
            weights,
            "columns",
            fractions("13/72", "17/72", "1/72", "1/72", "1/36", "5/36", "7/36", "7/36"),
            Fraction(13, 6),
        )
        for name, weights in [("as printed", PRINTED), ("corrected", CORRECTED)]
    },
}


def itemset(word):
    return tuple(ITEMS.index(letter) for letter in word)


def codes_of(schema, itemsets):
    return np.array([[item - schema.offsets[d] for d, item in enumerate(s)] for s in itemsets])


def both(weights, order, schema=SCHEMA):
    """The same process twice: native, and plain with exact fractions."""
    native = Process.of(schema, list(weights), [float(w) for w in weights.values()], order)
    numbers = None if order == "random" else column_order(schema, order).tolist()
    return native, PlainProcess(schema.domains.tolist(), weights, numbers)


def frequencies(drawn, itemsets, schema):
    """How often each row was drawn; all rows must be among `itemsets`."""
    sizes = [a.size for a in schema]
    keys = np.ravel_multi_index(tuple(drawn.codes.T), sizes)
    expected_keys = np.ravel_multi_index(tuple(codes_of(schema, itemsets).T), sizes)
    counts = np.bincount(keys, minlength=int(np.prod(sizes)))
    assert counts.sum() == counts[expected_keys].sum()
    return counts[expected_keys]


@pytest.mark.parametrize("case", FIGURE_1)
def test_figure_1_of_the_paper(case):
    words, order, probabilities, patterns = FIGURE_1[case]
    native, plain = both({itemset(word): w for word, w in words.items()}, order)
    rows = [itemset(row) for row in ROWS]
    assert plain.distribution() == dict(zip(rows, probabilities, strict=True))
    assert plain.expected_patterns() == patterns
    chances = native.chances(codes_of(SCHEMA, rows))
    np.testing.assert_allclose(chances.at_least, [float(p) for p in probabilities], rtol=1e-14)
    np.testing.assert_array_equal(chances.at_least, chances.at_most)
    assert native.steps().patterns == pytest.approx(float(patterns), rel=1e-14)


@pytest.mark.parametrize("case", FIGURE_1)
def test_a_million_drawn_rows_follow_figure_1(case):
    words, order, probabilities, patterns = FIGURE_1[case]
    native, _ = both({itemset(word): w for word, w in words.items()}, order)
    drawn = native.draw(1_000_000, key=20071028)
    counts = frequencies(drawn, [itemset(row) for row in ROWS], SCHEMA)
    expected = 1e6 * np.array([float(p) for p in probabilities])
    assert stats.chisquare(counts, expected).pvalue > 0.001
    error = drawn.patterns_used.std() / 1000
    assert abs(drawn.patterns_used.mean() - float(patterns)) < 4 * error


def test_plain_draws_follow_figure_1_too():
    words, _, probabilities, _ = FIGURE_1["random, corrected"]
    _, plain = both({itemset(word): w for word, w in words.items()}, "random")
    rng = np.random.default_rng(5)
    drawn = [plain.draw(rng) for _ in range(4000)]
    counts = [drawn.count(itemset(row)) for row in ROWS]
    assert stats.chisquare(counts, [4000 * float(p) for p in probabilities]).pvalue > 0.001


@st.composite
def processes(draw, zero_weights=False):
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    schema = Schema(
        tuple(Attribute(f"a{i}", tuple(map(str, range(n)))) for i, n in enumerate(sizes))
    )
    cell = [st.integers(-1, n - 1) for n in sizes]
    found = draw(st.lists(st.tuples(*cell), max_size=8))
    sets = {
        tuple(int(schema.offsets[d]) + c for d, c in enumerate(codes) if c >= 0) for codes in found
    }
    patterns = sorted(s for s in sets if len(s) > 1) + [(i,) for i in range(schema.n_items)]
    least = 0 if zero_weights else 1
    weights = {p: Fraction(draw(st.integers(least, 9)), draw(st.integers(1, 4))) for p in patterns}
    names = draw(st.permutations(schema.names))
    order = draw(st.sampled_from(["random", "columns", tuple(names)]))
    return (*both(weights, order, schema), schema)


def every_row(schema):
    return list(itertools.product(*(schema.items_of(name) for name in schema.names)))


@given(processes())
def test_native_probabilities_are_those_of_the_enumeration(case):
    native, plain, schema = case
    rows = every_row(schema)
    exact = plain.distribution()
    found = native.chances(codes_of(schema, rows)).at_least
    np.testing.assert_allclose(found, [float(exact.get(row, 0)) for row in rows], rtol=1e-12)
    assert found.sum() == pytest.approx(1)
    assert native.steps().patterns == pytest.approx(float(plain.expected_patterns()))
    assert native.steps().completes == pytest.approx(1)


@given(processes(zero_weights=True), st.integers(0, 2**64 - 1))
def test_with_weights_of_zero_rows_follow_the_process_that_completes(case, key):
    native, plain, schema = case
    complete = native.steps().completes
    assume(complete > 0.05)
    rows = every_row(schema)
    exact = plain.distribution()
    found = native.chances(codes_of(schema, rows)).at_least / complete
    np.testing.assert_allclose(found, [float(exact.get(row, 0)) for row in rows], rtol=1e-9)
    counts = frequencies(native.draw(300, key=key), rows, schema)
    possible = np.array([row in exact for row in rows])
    assert not counts[~possible].any()


@given(processes(), st.floats(1e-9, 0.2))
def test_a_tolerance_brackets_the_exact_probability(case, tolerance):
    native, _, schema = case
    codes = codes_of(schema, every_row(schema))
    exact = native.chances(codes).at_least
    rough = native.chances(codes, tolerance=tolerance)
    assert (rough.at_least <= exact * (1 + 1e-12)).all()
    assert (exact * (1 - 1e-12) <= rough.at_most).all()
    assert (rough.at_most - rough.at_least <= tolerance).all()


@given(processes(), st.integers(0, 2**64 - 1))
def test_rows_do_not_depend_on_threads_or_on_how_they_are_cut(case, key):
    native, _, schema = case
    whole = native.draw(9000, key=key)
    threaded = native.draw(9000, key=key, threads=3)
    np.testing.assert_array_equal(whole.codes, threaded.codes)
    np.testing.assert_array_equal(whole.patterns_used, threaded.patterns_used)
    part = native.draw(50, key=key, first_row=4080)
    np.testing.assert_array_equal(whole.codes[4080:4130], part.codes)
    assert (whole.codes >= 0).all()
    assert (whole.codes < [a.size for a in schema]).all()


def test_rows_are_the_same_with_no_memory_for_pools():
    native, _ = both({itemset(word): w for word, w in CORRECTED.items()}, "random")
    remembered = native.draw(1000, key=3).codes
    nothing = Transactions.of([], native.schema.n_items)
    drawn = _native.sample_rows(
        native._kernel, 1000, 3, 0, 1, 0, None, nothing.offsets, nothing.items
    )
    np.testing.assert_array_equal(remembered, drawn.codes.reshape((1000, 3), order="F"))


def test_another_key_gives_other_rows():
    native, _ = both({itemset(word): w for word, w in CORRECTED.items()}, "random")
    assert (native.draw(1000, key=1).codes != native.draw(1000, key=2).codes).any()


def wide(columns, order="random"):
    """Column c is a fair coin, except that columns 2c and 2c + 1 always agree."""
    schema = Schema(tuple(Attribute(f"c{i}", ("0", "1")) for i in range(columns)))
    pairs = [(4 * c + v, 4 * c + 2 + v) for c in range(columns // 2) for v in (0, 1)]
    return Process.of(schema, pairs, [1.0] * len(pairs), order)


@pytest.mark.parametrize("columns", [64, 66, 130, 300, 1100])
def test_wide_tables_keep_their_patterns(columns):
    drawn = wide(columns).draw(200, key=11, threads=2)
    np.testing.assert_array_equal(drawn.codes[:, 0::2], drawn.codes[:, 1::2])
    assert (drawn.patterns_used == columns // 2).all()
    ones = drawn.codes[:, ::2].sum()
    draws = 200 * columns // 2
    assert abs(ones - draws / 2) < 4 * np.sqrt(draws) / 2
    fixed = wide(columns, "columns")
    assert fixed.chances(drawn.codes[:3]).at_least == pytest.approx(0.5 ** (columns // 2))
    assert fixed.steps().patterns == pytest.approx(columns // 2)


def test_too_many_states_are_refused_with_advice():
    process = wide(80)
    with pytest.raises(NotMeasurable, match=r"over 80 columns .* fix the order of the columns"):
        process.chances(np.zeros((1, 80), np.int32))
    with pytest.raises(NotMeasurable, match="allow a tolerance"):
        process.steps()


def test_an_order_decides_which_column_is_set_first():
    # y first: CF or AC or C for y = C; then x and z are what is left.
    weights = {itemset(word): w for word, w in CORRECTED.items()}
    native, plain = both(weights, ("y", "z", "x"))
    assert plain.distribution()[itemset("BCF")] == Fraction(2, 10) * Fraction(2, 3) + Fraction(
        1, 10
    ) * Fraction(1, 2) * Fraction(2, 3)
    rows = [itemset(row) for row in ROWS]
    np.testing.assert_allclose(
        native.chances(codes_of(SCHEMA, rows)).at_least,
        [float(plain.distribution()[row]) for row in rows],
    )
    with pytest.raises(UnknownName, match="no column 'yy'; did you mean 'y'"):
        column_order(SCHEMA, ("yy", "x", "z"))
    with pytest.raises(BadInput, match="lists each of the 3 columns once; this one lists 2"):
        column_order(SCHEMA, ("y", "x"))
    with pytest.raises(BadInput, match="not 'backwards'"):
        column_order(SCHEMA, "backwards")


def test_a_process_that_cannot_complete_is_refused():
    native, _ = both({itemset("AC"): 1}, "random")
    assert native.steps().completes == 0
    with pytest.raises(NotMeasurable, match="raise laplace above 0"):
        native.draw(10, key=1)


def test_a_row_with_an_absent_value_is_never_made():
    native, _ = both({itemset(word): w for word, w in CORRECTED.items()}, "random")
    assert native.chances(np.array([[0, -1, 0]])).at_most.tolist() == [0.0]


@pytest.mark.parametrize("rows", [-1, 1.5, True])
def test_a_number_of_rows_is_a_whole_number(rows):
    native, _ = both({itemset(word): w for word, w in CORRECTED.items()}, "random")
    with pytest.raises(BadInput, match="whole number of at least 0"):
        native.draw(rows, key=1)


def test_no_rows_are_drawn_when_none_are_asked_for():
    native, _ = both({itemset(word): w for word, w in CORRECTED.items()}, "random")
    assert native.draw(0, key=1).codes.shape == (0, 3)


def test_stopping_keeps_the_first_rows():
    native = wide(300)
    whole = native.draw(60_000, key=5)
    part = native.draw(60_000, key=5, progress=lambda _done, _total: False)
    assert len(part.codes) < len(whole.codes)
    np.testing.assert_array_equal(part.codes, whole.codes[: len(part.codes)])


def test_an_exception_in_progress_ends_the_work():
    def interrupted(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wide(300).draw(60_000, key=5, threads=2, progress=interrupted)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"weights": [-1.0]}, "at least 0"),
        ({"weights": [np.nan]}, "at least 0"),
        ({"weights": [1.0, 1.0]}, "one weight"),
        ({"items": [0, 1]}, "two values of one column"),
        ({"items": [0, 9]}, "outside the alphabet"),
        ({"order": [0, 0]}, "every column once"),
        ({"order": [0, 5]}, "no such column"),
    ],
)
def test_the_kernel_refuses_what_is_no_process(changes, reason):
    parts = {"items": [0, 2], "weights": [1.0], "order": []} | changes
    with pytest.raises(ValueError, match=reason):
        _native.Process(
            np.array([0, 2, 4], np.int32),
            np.array([0, 2], np.int64),
            np.array(parts["items"], np.int32),
            np.array(parts["weights"]),
            np.array(parts["order"], np.int32),
        )


def test_philox_gives_the_published_numbers():
    # Known answers of the Random123 library for philox4x32 with ten rounds.
    ones = 2**64 - 1
    pi = 0x85A308D3243F6A88, 0x0370734413198A2E
    assert _native.philox(0, 0, 0) == (0xE169C58D6627E8D5, 0x9B00DBD8BC57AC4C)
    assert _native.philox(ones, ones, ones) == (0x41C83B0E408F276D, 0x6D5451FDA20BC7C6)
    assert _native.philox(0x299F31D0A4093822, *pi) == (0x94FDCCEBD16CFE09, 0x24126EA15001E420)
