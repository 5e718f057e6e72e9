"""Ten kinds of damage: a clear sentence or a stated repair, never a wrong result in silence."""

from __future__ import annotations

import csv
import gzip
import io
import re

import numpy as np
import pytest

from halfmask.data.coding.kinds import plan_each
from halfmask.data.coding.notices import notices
from halfmask.data.coding.spec import TableSpec
from halfmask.errors import BadInput
from halfmask.estimators import Generator
from halfmask.io.given import Given

ROWS = 400
RAW = ("adult-raw", "bank-marketing", "diabetes-130-hospitals", "census-income-kdd", "titanic",
       "german-credit", "covertype")  # fmt: skip


def made_up():
    rng = np.random.default_rng(9)
    days = [f"20{n % 20:02}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in rng.integers(0, 9999, ROWS)]
    sexes = rng.choice(["f", "m"], ROWS)
    return [
        ["age", "sex", "born"],
        *([str(a), s, d] for a, s, d in zip(rng.integers(20, 80, ROWS), sexes, days, strict=True)),
    ]


def sample(path):
    with gzip.open(path, "rt", newline="") as file:
        lines = [line for line, _ in zip(csv.reader(file), range(ROWS + 1), strict=False)]
    return [*lines[:1], *([*line] for line in lines[1:])]


def text_of(table):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(table)
    return out.getvalue()


def number_column(table, path):
    """A column that is taken as numbers, the first with many of them."""
    path.write_text(text_of(table))
    plans = plan_each(Given(path).read().content, TableSpec(), floor=10)
    return next(
        place
        for place, name in enumerate(table[0])
        if plans[name].kind == "number" and len({row[place] for row in table}) > 30
    )


def outcome(path):
    """What happens to a table up to the search: a refusal, or the sentences about it."""
    try:
        generator, held = Generator(), Given(path).read()
        _, encoding = generator.encode(generator.kept(held.content))
    except BadInput as refusal:
        return str(refusal), None
    return " ".join((*held.remarks, *notices(encoding), *map(str, encoding.rare))), encoding


def with_cells(table, place, change):
    return [table[0], *([*row[:place], change(i, row[place]), *row[place + 1 :]]
                        for i, row in enumerate(table[1:]))]  # fmt: skip


def truncated(table, path):
    packed = path.with_suffix(".csv.gz")
    content = gzip.compress(text_of(table).encode())
    packed.write_bytes(content[: len(content) // 2])
    return packed


def mixed_encodings(table, path):
    lines = text_of(table).encode().split(b"\n")
    lines[100] += "é".encode()
    lines[200] += "é".encode("latin-1")
    path.write_bytes(b"\n".join(lines))
    return path


def changed_type(table, path):
    place = number_column(table, path)
    path.write_text(text_of(with_cells(table, place, lambda i, c: c if i < 250 else f"w{i % 9}")))
    return path


def missing_words(table, path):
    words = ("NA", "None", "?")
    place = number_column(table, path)
    path.write_text(
        text_of(with_cells(table, place, lambda i, c: words[i % 3] if i % 5 == 0 else c))
    )
    return path


def duplicate_header(table, path):
    path.write_text(text_of([[table[0][1], *table[0][1:]], *table[1:]]))
    return path


def huge_field(table, path):
    path.write_text(text_of(with_cells(table, 0, lambda i, c: "x" * 1_000_000 if i == 7 else c)))
    return path


def nul_bytes(table, path):
    content = text_of(table)
    path.write_text(content[:900] + "\0" + content[900:])
    return path


def dates_out_of_range(table, path):
    odd = {50: "2021-02-30", 60: "0000-00-00", 70: "2020-13-01"}
    days = [f"20{i % 20:02}-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in range(ROWS)]
    body = [[*row, odd.get(i, days[i])] for i, row in enumerate(table[1:])]
    path.write_text(text_of([[*table[0], "on day"], *body]))
    return path


def infinities(table, path):
    place = number_column(table, path)
    path.write_text(text_of(with_cells(table, place, lambda i, c: "inf" if i % 9 == 0 else c)))
    return path


def too_wide(_, path):
    names = [f"c{i}" for i in range(10_000)]
    rows = [[str((i + j) % 2) for j in range(10_000)] for i in range(12)]
    path.write_text(text_of([names, *rows]))
    return path


DAMAGE = {
    truncated: "damaged or truncated gzip",
    mixed_encodings: r"not UTF-8 text \(line 201\)",
    changed_type: "numbers in .* of its rows and words",
    missing_words: "missing values are kept as they are: '\\?', 'NA', 'None'",
    duplicate_header: "Another column has the same name",
    huge_field: "more than 131,072 characters",
    nul_bytes: "NUL character",
    dates_out_of_range: "'on day' holds dates and, in a few cells, 3 texts that are not",
    infinities: "missing values are kept as they are: 'inf'",
    too_wide: "10,000 columns and a model takes at most 1,000",
}


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_damage_is_refused_or_stated(damage, tmp_path):
    path = damage(made_up(), tmp_path / "t.csv")
    sentence, _ = outcome(path)
    assert_said(damage, sentence)


def assert_said(damage, sentence):
    assert re.search(DAMAGE[damage], sentence), sentence
    assert "2021-02-30" not in sentence
    assert len(sentence) < 5000


@pytest.mark.parametrize("name", RAW)
def test_damage_to_a_real_table_is_refused_or_stated(name, data_folder, tmp_path):
    table = sample(data_folder / f"{name}.csv.gz")
    for damage in DAMAGE:
        if damage is too_wide:
            continue  # the same whatever the table was
        sentence, _ = outcome(damage(table, tmp_path / f"{damage.__name__}.csv"))
        assert_said(damage, sentence)


def test_a_field_of_a_hundred_megabytes(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,b\n" + b"1,2\n" * 60 + b"1," + b"x" * 100_000_000 + b"\n")
    sentence, _ = outcome(tmp_path / "t.csv")
    assert "more than 131,072 characters" in sentence


def test_repairs_keep_the_numbers(tmp_path):
    table = made_up()
    _, whole = outcome(write(tmp_path / "a.csv", table))
    _, mended = outcome(missing_words(table, tmp_path / "b.csv"))
    assert mended.schema["age"].bins.scale == whole.schema["age"].bins.scale
    assert mended.schema["age"].values[-3:] == ("?", "NA", "None")


def write(path, table):
    path.write_text(text_of(table))
    return path
