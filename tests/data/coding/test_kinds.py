"""What a column is taken for, and that the steward has the last word."""

from __future__ import annotations

import re
from uuid import UUID

import numpy as np
import pytest

from halfmask.data import Column, Encoding
from halfmask.data.coding.kinds import plan_columns, plan_each
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.documents.model_document import ColumnDocument
from halfmask.documents.model_parts import bins_document, bins_of
from halfmask.errors import BadInput, UnknownName
from halfmask.io.given import Given

RNG = np.random.default_rng(1)
ROWS = 600


def cells(make, rows=ROWS):
    return [make(i) for i in range(rows)]


COLUMNS = {
    "whole numbers": (cells(lambda i: str(i % 70)), "int64", "number", "bins"),
    "decimals": (cells(lambda i: f"{i % 97 / 7:.3f}"), "double", "number", "bins"),
    "days": (cells(lambda i: f"2020-{i % 12 + 1:02}-{i % 28 + 1:02}"), "date32[day]", "date",
             "bins"),
    "german days": (cells(lambda i: f"{i % 28 + 1:02}.{i % 12 + 1:02}.2020"), "string", "date",
                    "bins"),
    "times": (cells(lambda i: f"{i % 24:02}:{i % 60:02}"), "string", "date", "bins"),
    "numbers with gaps": (cells(lambda i: "NA" if i % 7 == 0 else str(i % 90)), "string",
                          "number", "bins"),
    "few numbers": (cells(lambda i: str(i % 4)), "int64", "category", "codes"),
    "few, one rare": ([*cells(lambda i: str(i % 4)), "9"], "int64", "number", "bins"),
    "words": (cells(lambda i: f"w{i % 30}"), "string", "category", "codes"),
    "truth": (cells(lambda i: str(i % 2 == 0).lower()), "bool", "category", "codes"),
    "code": (cells(lambda i: str(i % 60)), "int64", "category", "codes"),
    "zip": (cells(lambda i: f"0{i % 40}"), "string", "category", "codes"),
    "row_id": (cells(lambda i: str(i * 7919)), "int64", "key", "key"),
    "serial": (cells(lambda i: str(1000 + i)), "int64", "key", "key"),
    "coded": (cells(lambda i: f"P-{i:05}"), "string", "key", "key"),
    "uuids": (cells(lambda i: str(UUID(int=i * 99991))), "string", "key", "key"),
    "patient_nbr": (cells(lambda i: str(i * 7919 % 400)), "int64", "text", "drop"),
    "mail": (cells(lambda i: f"p{i % 300}@example.org"), "string", "text", "drop"),
    "phone": (cells(lambda i: f"+49 30 {i % 300:07}"), "string", "text", "drop"),
    "iban": (cells(lambda i: f"DE{i % 90 + 10}50010517{i % 300:010}"), "string", "text", "drop"),
    "name": (cells(lambda i: f"Smith, John {'abcdefgh'[i % 8]} {i % 400}"), "string", "text",
             "drop"),
    "remarks": (cells(lambda i: f"the patient of day {i % 200} says that it hurts a lot"), "string",
                "text", "drop"),
    "sparse": (cells(lambda i: f"v{i % 290}"), "string", "text", "drop"),
    "half numbered": (cells(lambda i: str(i) if i % 3 == 0 else None), "int64", "text", "drop"),
    "void": ([None] * ROWS, "null", "category", "drop"),
}  # fmt: skip


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_taken_for_what_it_is(name):
    made, storage, kind, fate = COLUMNS[name]
    plan = plan_each([Column.of(name, made, storage)], TableSpec(), floor=10)[name]
    assert (plan.kind, plan.fate) == (kind, fate)
    assert plan.reason


def test_measured_numbers_that_happen_to_differ_are_no_keys():
    amounts = [str(n) for n in RNG.choice(10**7, ROWS, replace=False)]
    plan = plan_each([Column.of("amount", amounts, "int64")], TableSpec(), floor=10)["amount"]
    assert plan.kind == "number"


def test_a_column_that_changes_its_type_is_stated():
    mixed = [str(i) if i < 400 else f"word{i % 20}" for i in range(ROWS)]
    plan = plan_each([Column.of("age", mixed)], TableSpec(), floor=10)["age"]
    assert "numbers in 67% of its rows and words" in plan.doubt
    slashed = [f"{i % 12 + 1:02}/{i % 12 + 1:02}/{1950 + i % 50}" for i in range(ROWS)]
    plan = plan_each([Column.of("born", slashed)], TableSpec(), floor=10)["born"]
    assert "day/month or month/day" in plan.doubt


def test_an_identifier_with_letters_in_some_rows_raises_no_doubt():
    mixed = [str(i) if i % 4 else f"PC {i}" for i in range(ROWS)]
    for name, told in (("ticket", False), ("dose", True)):
        plan = plan_each([Column.of(name, mixed)], TableSpec(), floor=10)[name]
        assert (plan.doubt is not None) == told


def test_codes_of_a_classification_raise_no_doubt():
    codes = [f"{401 + i % 90}" if i % 9 else f"V{i % 7}8" for i in range(ROWS)]
    for name in ("diag_1", "cause"):
        plan = plan_each([Column.of(name, codes)], TableSpec(), floor=5)[name]
        assert plan.fate == "codes"
        assert plan.doubt is None


def test_a_column_that_is_left_out_is_not_said_to_be_a_category():
    mixed = [str(i) if i % 4 else f"PC {i}" for i in range(ROWS)]
    plan = plan_each([Column.of("berth", mixed)], TableSpec(), floor=10)["berth"]
    assert plan.fate == "drop"
    assert "category" not in (plan.doubt or "")


def test_few_numbers_named_as_codes_are_no_quantities():
    sources = [str(i % 7) for i in range(ROWS - 3)] + ["11", "13", "25"]
    plan = plan_each([Column.of("source_id", sources, "int64")], TableSpec(), floor=10)["source_id"]
    assert (plan.kind, plan.fate) == ("category", "codes")


def test_a_format_decides_between_day_and_month():
    slashed = [f"{i % 12 + 1:02}/{i % 11 + 1:02}/{1950 + i % 50}" for i in range(ROWS)]
    column = Column.of("born", slashed)

    def layout(said):
        spec = TableSpec({"born": ColumnSpec(format=said)})
        return plan_each([column], spec, floor=10)["born"].scale.layout.day

    assert layout("%d/%m/%Y") == "d/m/Y"
    assert layout("%m/%d/%Y") == "m/d/Y"
    with pytest.raises(BadInput, match=r"not every value is one written as %d\.%m\.%Y"):
        layout("%d.%m.%Y")
    with pytest.raises(BadInput, match="no date format '%y-%j'"):
        ColumnSpec(format="%y-%j")
    with pytest.raises(BadInput, match="A format is for dates"):
        ColumnSpec(kind="number", format="%Y-%m-%d")


def test_decimal_commas_are_numbers_and_come_back_with_commas():
    rng = np.random.default_rng(4)
    texts = [f"{x:.2f}".replace(".", ",") for x in rng.normal(20, 5, ROWS)]
    column = Column.of("temp", texts)
    plans = plan_each([column], TableSpec(), floor=10)
    plan = plans["temp"]
    assert (plan.kind, plan.scale.decimals, plan.scale.comma) == ("number", 2, True)
    encoding = Encoding.fit([column], min_support=10, plans=plans)
    bins = encoding.schema["temp"].bins
    assert (
        bins_of(
            ColumnDocument("temp", "string", [*bins.labels], [], [], bins=bins_document(bins))
        ).scale
        == plan.scale
    )
    rows = encoding.encode([column]).codes[:, 0]
    drawn = plan.scale.texts(bins.draw(rows, rng.random(ROWS)))
    assert all(re.fullmatch(r"-?\d+,\d\d", text) for text in drawn)
    as_numbers = [[float(text.replace(",", ".")) for text in side] for side in (texts, drawn)]
    assert np.quantile(as_numbers[1], [0.1, 0.5, 0.9]) == pytest.approx(
        np.quantile(as_numbers[0], [0.1, 0.5, 0.9]), abs=0.6
    )


def test_a_comma_before_three_digits_may_be_a_thousand():
    counts = [f"{i % 9 + 1},{i % 900 + 100:03}" for i in range(ROWS)]
    plan = plan_each([Column.of("count", counts)], TableSpec(), floor=10)["count"]
    assert plan.scale is None


@pytest.mark.parametrize("storage", ["double", "string"])
@pytest.mark.parametrize(
    "extreme", ["5e-324", "-5e-324", "1e-9999999", "0." + "0" * 400 + "1", "2e-" + "9" * 5000]
)
def test_numbers_too_small_to_count_are_nothing_beside_the_others(extreme, storage):
    column = Column.of("x", [*cells(lambda i: f"{i % 97 / 7:.3f}"), *[extreme] * 30], storage)
    plan = plan_each([column], TableSpec(), floor=10)["x"]
    assert plan.fate == "bins"
    encoding = Encoding.fit([column], min_support=10, plans={"x": plan})
    assert encoding.encode([column]).codes[-1] == encoding.encode([column]).codes[0], "it is 0"


def test_a_column_of_nothing_but_the_smallest_numbers_can_be_coded():
    column = Column.of("x", cells(lambda i: f"{i % 70}e-324"), "double")
    plan = plan_each([column], TableSpec(), floor=10)["x"]
    assert Encoding.fit([column], min_support=10, plans={"x": plan}).schema["x"].size


@pytest.mark.parametrize("extreme", ["1e200", "-1e308", "1e400", "1e9999999", "7" * 5000])
def test_a_number_too_large_to_be_one_is_a_label_and_spoils_no_other(extreme):
    ages = cells(lambda i: str(20 + i % 60))
    for times, size in ((3, 0), (30, 1)):
        column = Column.of("age", [*ages, *[extreme] * times], "double")
        plan = plan_each([column], TableSpec(), floor=10)["age"]
        assert plan.scale.decimals == 0
        bins = Encoding.fit([column], min_support=10, plans={"age": plan}).schema["age"].bins
        assert bins.codes == (extreme,) * size
        assert bins.labels[0].startswith("20")


def test_a_large_number_in_few_rows_does_not_round_the_others():
    column = Column.of("age", [*cells(lambda i: str(20 + i % 60)), "1" * 30], "double")
    plan = plan_each([column], TableSpec(), floor=10)["age"]
    assert plan.scale.decimals == 0
    encoding = Encoding.fit([column], min_support=10, plans={"age": plan})
    assert encoding.encode([column]).codes[-1] == len(encoding.schema["age"].bins.labels) - 1


def test_the_steward_has_the_last_word():
    column = Column.of("x", [str(i % 70) for i in range(ROWS)], "int64")

    def fate(**said):
        return plan_each([column], TableSpec({"x": ColumnSpec(**said)}), floor=2)["x"].fate

    assert fate(kind="category") == "codes"
    assert fate(role="identifier") == "drop"
    assert fate(role="ignore") == "drop"
    assert fate(kind="key") == "key"
    assert fate(kind="text") == "drop"
    with pytest.raises(BadInput, match="'x' cannot be taken as a date"):
        fate(kind="date")


def test_names_that_do_not_exist_get_the_nearest():
    column = Column.of("diagnosis", ["a", "b"] * 30)
    with pytest.raises(UnknownName, match="did you mean 'diagnosis'"):
        plan_each([column], TableSpec({"diagnosys": ColumnSpec()}), floor=2)
    with pytest.raises(UnknownName, match="did you mean 'sensitive'"):
        ColumnSpec(role="sensitiv")
    with pytest.raises(BadInput, match="needs a target"):
        ColumnSpec(cut="entropy")


def test_a_table_with_nothing_to_publish_is_refused():
    mails = Column.of("mail", [f"p{i}@example.org" for i in range(60)])
    with pytest.raises(BadInput, match="No column can be published: 'mail'") as caught:
        plan_columns([mails], TableSpec(), floor=10)
    assert "@" not in str(caught.value)


EXPECTED = {
    "titanic": {"name": "drop", "ticket": "drop", "cabin": "drop", "body": "drop",
                "home.dest": "drop", "age": "bins", "fare": "bins", "sibsp": "bins",
                "parch": "bins"},
    "adult-raw": {"age": "bins", "fnlwgt": "bins", "capital-gain": "bins", "capital-loss": "bins",
                  "hours-per-week": "bins"},
    "german-credit": {"duration": "bins", "credit_amount": "bins", "age": "bins",
                      "existing_credits": "bins"},
    "nursery": {},
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_a_real_table_is_judged_as_a_person_would(data_folder, name):
    columns = Given(data_folder / f"{name}.csv.gz").read().content
    plans = plan_each(columns, TableSpec(), floor=10)
    assert {n: p.fate for n, p in plans.items() if p.fate != "codes"} == EXPECTED[name]
