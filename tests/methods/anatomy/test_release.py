"""What an anatomised release answers and keeps: supports, permutations, measures."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from methods.anatomy.table_one import BASKETS, ROWS, THREE_COLUMNS, TWO_COLUMNS, items

from halfmask.data import Baskets
from halfmask.errors import BadInput, NotCountable, NotMeasurable
from halfmask.measures import Comparison, measure_named
from halfmask.measures.privacy.column_attack import ColumnAttack
from halfmask.measures.privacy.item_disclosure import fake_records, item_disclosure
from halfmask.methods.anatomy.anatomise import anatomise
from halfmask.methods.anatomy.columns import ItemColumns
from halfmask.methods.anatomy.partition import Cells, Partition
from halfmask.methods.anatomy.release import permute, tabulate
from halfmask.randomness import Randomness
from reference import anatomy as reference

HALVES = np.repeat(np.array([0, 1], np.int32), 5)


def published(columns):
    """The article's tables: the first five rows and the last five."""
    cells = Cells.of(BASKETS.transactions, ItemColumns.given(columns, BASKETS.schema), "count")
    return tabulate(BASKETS.schema, cells, Partition(HALVES))


TABLE_D, TABLE_E = published(TWO_COLUMNS), published(THREE_COLUMNS)


def comparison(tables, original=BASKETS):
    return Comparison(original, tables, randomness=Randomness(1), min_support=1)


def test_table_d_is_two_diverse():
    assert TABLE_D.largest_counts().tolist() == [[2, 2], [2, 1]]
    assert TABLE_D.diversity().tolist() == [2.5, 2.5]


def test_table_e_is_not_two_diverse_in_three_places():
    # Columns {dfh}, {beg}, {ac}; the article concludes otherwise.
    largest = TABLE_E.largest_counts()
    assert np.argwhere(largest * 2 > 5).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert largest[0].tolist() == [2, 3, 3]


def test_table_e_shares_are_those_of_lemma_one():
    lines = {
        (j, line.bucket, line.items): line.count for j in range(3) for line in TABLE_E.lines(j)
    }
    be, a = lines[1, 0, ("b", "e")] / 5, lines[2, 0, ("a",)] / 5
    assert be * a == pytest.approx(0.08)


def test_alpha_and_distinct_values_as_another_program_counts_them():
    # pycanon: alpha_k_anonymity of D (0.4, 5) twice; of E (0.4, 5), (0.6, 5), (0.6, 5);
    # its l_diversity counts distinct values: 4, 3 and 4, 3, 2.
    for tables, alphas, distinct in (
        (TABLE_D, [0.4, 0.4], [4, 3]),
        (TABLE_E, [0.4, 0.6, 0.6], [4, 3, 2]),
    ):
        shares = tables.largest_counts() / tables.bucket_sizes[:, None]
        assert shares.max(axis=0).tolist() == alphas
        assert tables.distinct_counts().min(axis=0).tolist() == distinct


@pytest.mark.parametrize(
    ("itemset", "support"),
    [("ab", 6), ("fh", 5), ("ah", 4.8), ("bh", 4.8), ("bfh", 3.8), ("abh", 4.4), ("dg", 1.0)],
)
def test_expected_supports_of_table_d(itemset, support):
    assert TABLE_D.support([items(itemset)]).tolist() == pytest.approx([support])


def test_every_row_holds_the_empty_itemset():
    assert TABLE_D.support([()]).tolist() == [10.0]


@given(st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=5), min_size=1, max_size=5))
def test_expected_supports_equal_the_reference(itemsets):
    for tables, columns in ((TABLE_D, TWO_COLUMNS), (TABLE_E, THREE_COLUMNS)):
        sets = [frozenset(column) for column in columns]
        values = reference.column_values([frozenset(row) for row in ROWS], sets)
        buckets = [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
        expected = [
            float(reference.expected_support(values, sets, buckets, frozenset(x))) for x in itemsets
        ]
        assert tables.support([items(x) for x in itemsets]).tolist() == pytest.approx(expected)


def test_marginals_are_expectations_and_add_up():
    marginal = TABLE_D.marginal(["a", "h", "b"])
    assert marginal.sum() == pytest.approx(10)
    assert marginal[1, 1].sum() == pytest.approx(4.8)
    inside = TABLE_D.marginal(["a", "b"])
    assert np.allclose(inside, BASKETS.marginal(["a", "b"]))
    with pytest.raises(NotCountable, match="twice"):
        TABLE_D.marginal(["a", "a"])


def test_the_mean_over_permutations_is_the_expectation():
    asked = [items("ah"), items("dg"), items("bfh")]
    runs = [permute(TABLE_D, randomness=Randomness(i)).baskets.support(asked) for i in range(400)]
    error = np.std(runs, axis=0) / 20
    assert (abs(np.mean(runs, axis=0) - TABLE_D.support(asked)) <= 4 * error).all()


@given(st.integers(0, 1000))
def test_permuted_rows_keep_what_the_tables_say(seed):
    permuted = permute(TABLE_E, randomness=Randomness(seed))
    assert len(permuted.baskets) == 10
    inside = [items("dh"), items("fh"), items("be"), items("beg"), items("ac"), items("g")]
    assert np.array_equal(permuted.baskets.support(inside), BASKETS.support(inside))
    rows = permuted.baskets.transactions
    columns = ItemColumns.given(THREE_COLUMNS, BASKETS.schema)
    again = tabulate(
        BASKETS.schema, Cells.of(rows, columns, "count"), Partition(permuted.bucket_of)
    )
    for j in range(3):
        assert list(again.lines(j)) == list(TABLE_E.lines(j))


def test_all_joins_of_a_bucket_come_up_equally_often():
    rows = Baskets.of(["ax", "by", "cz"])
    release = anatomise(rows, l=3, columns=["abc", "xyz"], randomness=Randomness(1))
    joins = {}
    for seed in range(600):
        drawn = permute(release.data, randomness=Randomness(seed)).baskets.transactions
        joins[frozenset(drawn)] = joins.get(frozenset(drawn), 0) + 1
    assert len(joins) == 6
    chi = sum((count - 100) ** 2 / 100 for count in joins.values())
    assert chi < 20.5  # 0.999 quantile of five degrees of freedom


def test_the_release_of_baskets_is_labelled_and_says_what_it_is():
    release = anatomise(BASKETS, l=2, columns=TWO_COLUMNS, randomness=Randomness(1))
    baskets = release.as_baskets(randomness=Randomness(2))
    assert (baskets.kind, baskets.iso_class) == ("anatomised", "anatomization")
    assert baskets.size == 10
    assert any("joined at random" in note for note in baskets.notes)
    assert "above 1/2" in str(release.claim)


def test_phases_are_timed():
    release = anatomise(BASKETS, l=2, columns=TWO_COLUMNS, randomness=Randomness(1))
    assert list(release.house.seconds) == [
        "columns", "values", "eligibility", "partition", "tables",
    ]  # fmt: skip


def test_fake_records_of_table_d():
    counted = fake_records(TABLE_D, true_rows=[5, 5])
    assert TABLE_D.distinct_counts().tolist() == [[4, 3], [4, 5]]
    assert (counted.fake, counted.multiset, counted.least(2)) == (22, 50, 8)
    reading = measure_named("fake_records").read(comparison(TABLE_D))
    assert reading.value == pytest.approx(math.log(22))
    assert round(reading.value, 3) == 3.091


def test_fake_records_are_exact_beyond_machine_numbers():
    rows = [[f"{j}{(i * (j + 1)) % 7}" for j in range(40)] for i in range(7)]
    names = sorted({name for row in rows for name in row})
    columns = [[n for n in names if n[:-1] == str(j)] for j in range(40)]
    release = anatomise(
        Baskets.of(rows), l=1, columns=columns, min_bucket=7, randomness=Randomness(1)
    )
    counted = fake_records(release.data)
    assert counted.joins == math.prod(release.data.distinct_counts()[0].tolist())
    assert counted.joins > 2**64
    assert counted.fake == counted.joins - 7
    assert counted.least(Fraction(1)) == 1


def test_an_item_shared_by_all_values_of_a_bucket_is_certain():
    found = item_disclosure(TABLE_D)
    a, b = items("a")[0], items("b")[0]
    assert found.largest[[a, b]].tolist() == [1.0, 1.0]
    assert found.excess[[a, b]] == pytest.approx([0.3, 0.3])
    reading = measure_named("item_disclosure").read(comparison(TABLE_D))
    assert reading.value == 1.0
    assert reading.details["certain_pairs"] == 2
    assert reading.details["rows_with_a_certain_item"] == 5


def test_an_attacker_who_knows_the_other_columns_stays_at_the_bound():
    reading = measure_named("column_attack").read(comparison(TABLE_D))
    assert reading.value == pytest.approx(0.4)
    assert reading.details["rows_attacked"] == 10


def test_the_attacker_applies_bayes_rule():
    # Row abfh: its {abcg} value ab stands in bucket 0 only, where fh has two of five rows; its
    # {defh} value fh stands in both (2 of 5 each), where ab has 2 of 5 and 0 of 5.
    attack = ColumnAttack(TABLE_D)
    assert attack.certainties(items("abfh")) == pytest.approx([0.4, (2 * 0.4 + 2 * 0) / 4])


@given(st.integers(0, 50))
def test_no_attack_beats_one_over_l(seed):
    rng = np.random.default_rng(seed)
    rows = [[str(i) for i in np.flatnonzero(rng.random(8) < 0.5)] for _ in range(40)]
    baskets = Baskets.of(rows, names=[str(i) for i in range(8)])
    release = anatomise(baskets, l=2, columns=[list("0123"), list("4567")], empty="count",
                        on_ineligible="suppress", randomness=Randomness(seed))  # fmt: skip
    reading = measure_named("column_attack").read(comparison(release, baskets))
    assert reading.value <= 0.5 + 1e-12


def test_measures_of_tables_have_no_value_for_plain_baskets():
    for name in ("fake_records", "item_disclosure", "column_attack"):
        with pytest.raises(NotMeasurable, match="anatomised tables"):
            measure_named(name).read(comparison(BASKETS))


def test_tables_that_disagree_are_refused():
    entries = TABLE_D.entries
    broken = type(entries)(
        entries.buckets, entries.values, entries.counts * np.arange(1, len(entries.counts) + 1),
        entries.starts,
    )  # fmt: skip
    with pytest.raises(BadInput, match="disagree on the size"):
        type(TABLE_D)(TABLE_D.schema, TABLE_D.column_of, TABLE_D.values, broken)
