"""Nothing that few rows hold stands in a report, a model or a release."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from clinic import clinic, published

import halfmask as hm

CANARIES = {
    "sex": "canarysex", "decade": 987_654_321, "diagnosis": "canarydiagnosis",
    "ward": "canaryward", "stay": "canarystay",
}  # fmt: skip


@pytest.fixture(scope="module", params=[1, 4, 9])
def planted(request, tmp_path_factory):
    """A clinic with rare values in every column and a rare combination, and all it becomes."""
    frame = clinic()
    rows = request.param
    canaries = pl.DataFrame({name: [value] * rows for name, value in CANARIES.items()})
    # Rare one by one as well: every column has further values that a single row holds.
    lonely = frame.head(5).with_columns(
        pl.Series("diagnosis", [f"lonely{i}" for i in range(5)]),
        pl.Series("ward", [f"lonely{i}" for i in range(5, 10)]),
    )
    whole = pl.concat([frame, canaries.cast(frame.schema), lonely])
    marks = pl.int_range(len(whole))
    whole = whole.with_columns(
        first=pl.when(marks % 3 == 0).then(pl.lit("mark1")).otherwise(pl.lit("plain")),
        # Both marks are common, and together no more rows hold them than hold the canaries.
        second=pl.when((marks % 3 == 1) | (marks < 3 * rows)).then(pl.lit("mark2"))
        .otherwise(pl.lit("plain")),
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("leaks")
    whole.write_csv(folder / "clinic.csv")
    published(folder / "clinic.csv", external_report=folder / "clinic.external.html")
    (folder / "clinic.csv").unlink()
    return folder, whole


@pytest.fixture(scope="module")
def folder(planted):
    return planted[0]


def holders(original: pl.DataFrame, labels: list[str]) -> int:
    """How many rows of the original hold all these values; "other" is what canaries became."""
    for label in labels:
        name, value = label.split("=", 1)
        text = pl.col(name).cast(str)
        rare = text.is_in([str(CANARIES.get(name))]) | text.str.starts_with("lonely")
        original = original.filter(rare if value == "other" else text == value)
    return len(original)


def test_no_canary_is_found_in_any_file(folder):
    files = sorted(folder.iterdir())
    assert len(files) == 4
    for file in files:
        text = file.read_text()
        for canary in (*map(str, CANARIES.values()), "987,654,321", "lonely"):
            assert canary not in text, (file.name, canary)


@pytest.mark.parametrize("name", ["clinic.report.html", "clinic.external.html"])
def test_no_pattern_joins_what_few_rows_hold_together(folder, name):
    page = (folder / name).read_text()
    machine = json.loads(re.search(r'id="halfmask">(.*?)</script>', page, re.DOTALL)[1])
    joined = {"first=mark1", "second=mark2"}
    assert not any(joined <= set(group) for group in _lists_of_text(machine))
    for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL):
        assert not all(label in row for label in joined)


@pytest.mark.parametrize("name", ["clinic.report.html", "clinic.external.html"])
def test_every_pattern_on_the_page_is_held_by_enough_rows(planted, name):
    folder, original = planted
    page = (folder / name).read_text()
    machine = json.loads(re.search(r'id="halfmask">(.*?)</script>', page, re.DOTALL)[1])
    section = re.search(r'id="patterns">.*?</section>', page, re.DOTALL)[0]
    rows = (re.findall(r'class="tag">([^<]*)<', row) for row in re.findall(r"<tr>.*", section))
    shown = [labels for labels in rows if labels]
    told = [group for group in _lists_of_text(machine) if all("=" in label for label in group)]
    assert shown
    assert told or "external" in name
    for labels in (*shown, *told):
        assert holders(original, labels) >= 10, labels


def test_every_pattern_of_the_model_is_held_by_enough_rows(planted):
    folder, original = planted
    patterns = hm.Model.load(folder / "clinic.model.json").learnt.code_table.patterns()
    assert len(patterns) > 20
    for pattern in patterns:
        assert holders(original, list(pattern.labels)) >= 10, pattern.labels


def _lists_of_text(value):
    if isinstance(value, dict):
        for part in value.values():
            yield from _lists_of_text(part)
    elif isinstance(value, list):
        if value and all(isinstance(part, str) for part in value):
            yield value
        for part in value:
            yield from _lists_of_text(part)


def test_the_external_form_tells_no_exact_count(folder):
    page = (folder / "clinic.external.html").read_text()
    machine = json.loads(re.search(r'id="halfmask">(.*?)</script>', page, re.DOTALL)[1])
    assert machine["rows_of_original"] % 10 == 0
    assert machine["rows_held_back"] % 10 == 0
    patterns = re.search(r'id="patterns">.*?</section>', page, re.DOTALL)[0]
    counts = re.findall(r'data-label="Rows[^"]*">([\d,]+)<', patterns)
    assert counts
    assert all(int(count.replace(",", "")) % 10 == 0 for count in counts)
    for reading in machine["readings"]:
        assert not {"levels", "histogram_edges", "largest", "unique_rows"} & set(
            reading.get("details", {})
        )
        value = reading["value"]
        assert value is None or value == float(f"{value:.2g}")
