"""An original that is read in passes gives what the same original in memory gives."""

from __future__ import annotations

import tempfile

import duckdb
import health
import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import ASSET, COUNTED, FREQUENT, PRIVATE, ROWS, check_lacks, check_once, people, villagers
from postgres import running_server

import halfmask as hm
from halfmask.data import Encoding, Table, counted, rows
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.documents.ledger import read_ledger
from halfmask.documents.model import any_model_bytes
from halfmask.engines import pieces
from halfmask.engines.stream import Stream, smallest_keys
from halfmask.engines.streamed import publish_streamed
from halfmask.errors import BadInput
from halfmask.io.columns import columns_of
from halfmask.methods.generator import constraints

ENTROPY = ColumnSpec(kind="number", cut="entropy", target="stay")
OPTIONS = {"seed": 3, "min_support": 20, "target": "ward"}


@pytest.fixture(scope="module")
def here():
    return hm.publish(people(), **OPTIONS)


@pytest.fixture(scope="module")
def postgres():
    with running_server() as running:
        yield running


def check_same(there, here):
    if not here.first.made.model.settings.exact:  # such a model is never written
        assert any_model_bytes(there.first.made.model) == any_model_bytes(here.first.made.model)
    assert there.first.rows.codes.tolist() == here.first.rows.codes.tolist()
    for name in COUNTED:
        one, other = (published.first.readings.get(name) for published in (there, here))
        assert (one is None) == (other is None), name
        if one is not None:
            assert (one.value, one.low, one.high) == (other.value, other.low, other.high), name


@pytest.mark.parametrize("most_here", [500, 1_000_000])
def test_a_file_in_passes_is_published_like_one_in_memory(tmp_path, here, monkeypatch, most_here):
    monkeypatch.setattr(pieces, "MOST_HERE", most_here)
    monkeypatch.setattr(pieces, "AT_ONCE", 300)
    rows = np.random.default_rng(1).permutation(people().num_rows)
    pq.write_table(people().take(pa.array(rows)), tmp_path / "people.parquet", row_group_size=250)
    there = publish_streamed(tmp_path / "people.parquet", **OPTIONS)
    check_same(there, here)
    assert (tmp_path / "people.release.parquet").exists()


@pytest.mark.parametrize(
    "asked",
    [
        {"runs": 3},
        {"laplace": 1.0},  # tells no rank correlations
        {"schema": TableSpec({"decade": ENTROPY, "fee": ENTROPY})},
        {"as_published": True},
    ],
    ids=["runs", "laplace", "entropy", "as published"],
)
def test_options_do_the_same_for_rows_read_in_passes(tmp_path, monkeypatch, asked):
    options = {"seed": 3, "min_support": 20, "no_trade_off": True, **asked}
    here = hm.publish(people(), **options)
    monkeypatch.setattr(pieces, "MOST_HERE", 500)
    monkeypatch.setattr(pieces, "AT_ONCE", 300)
    pq.write_table(people(), tmp_path / "people.parquet", row_group_size=250)
    there = publish_streamed(tmp_path / "people.parquet", **options)
    check_same(there, here)
    draws = [one.first.readings["marginals_2"].details.get("draws") for one in (there, here)]
    assert draws[0] == draws[1]
    assert (draws[0] is not None) == ("runs" in asked)


def test_a_table_of_duckdb_is_read_in_passes(tmp_path, here, monkeypatch):
    monkeypatch.setattr(pieces, "MOST_HERE", 500)
    table = people()
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as database:
        database.register("given", table)
        database.execute("CREATE TABLE people AS SELECT * FROM given")
    address = f"duckdb:///{tmp_path}/clinic.duckdb?table=people"
    check_same(publish_streamed(address, output=tmp_path / "out.parquet", **OPTIONS), here)


def test_a_table_of_postgresql_is_read_in_passes(tmp_path, postgres, monkeypatch):
    postgres.run(
        "CREATE TABLE people AS SELECT CASE WHEN n % 3 = 0 THEN 'f' ELSE 'm' END AS sex, "
        "(n % 7)::text AS ward, n % 90 AS age FROM generate_series(1, 1500) AS n"
    )
    address = postgres.address("table=people")
    asked = {"seed": 1, "min_support": 20}
    here = hm.publish(address, output=tmp_path / "here.parquet", **asked)
    monkeypatch.setattr(pieces, "MOST_HERE", 500)
    check_same(publish_streamed(address, output=tmp_path / "out.parquet", **asked), here)


@pytest.mark.parametrize("most_here", [500, 1_000_000])
def test_the_attacker_of_rows_read_in_passes_has_a_reference_too(tmp_path, monkeypatch, most_here):
    others = people(3_000).slice(2_000)
    here = hm.publish(people(), reference=others, **OPTIONS)
    pq.write_table(others, tmp_path / "others.parquet")
    pq.write_table(people(), tmp_path / "people.parquet")
    monkeypatch.setattr(pieces, "MOST_HERE", most_here)
    asked = {"reference": tmp_path / "others.parquet", **OPTIONS}
    there = publish_streamed(tmp_path / "people.parquet", **asked)
    assert there.first.readings["tracing"].value == here.first.readings["tracing"].value
    with pytest.raises(BadInput, match="The reference is the original itself"):
        publish_streamed(tmp_path / "others.parquet", **asked)


def test_rows_in_codes_stand_in_a_file_without_a_name(tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    table = pa.table({"sex": ["f", "m", None] * 100})
    stream = Stream.of(table.schema, lambda: iter(table.to_batches(max_chunksize=70)))
    monkeypatch.setattr(pieces, "AT_ONCE", 100)
    encoding = Encoding.fit(columns_of(table), min_support=10)
    kept = stream.coded(encoding.encode, encoding.schema)
    monkeypatch.setattr(Encoding, "encode", None)  # nothing is coded anew
    for _ in range(2):
        codes = np.vstack([piece.codes for piece in kept.read()])
        assert codes.T.tolist() == [[0, 1, 2] * 100]
        assert list(scratch.iterdir()) == []
    scratch.rmdir()
    with pytest.raises(BadInput, match=r"could not be kept in .*scratch.* \(No such file"):
        stream.coded(lambda _: Table(encoding.schema, codes), encoding.schema)


@pytest.mark.parametrize("most_here", [500, 1_000_000])
def test_a_private_release_of_rows_read_in_passes_is_that_of_rows_here(
    tmp_path, monkeypatch, most_here
):
    table = villagers()
    pq.write_table(table, tmp_path / "here.parquet")
    here = hm.publish(tmp_path / "here.parquet", **PRIVATE)
    monkeypatch.setattr(pieces, "MOST_HERE", most_here)
    monkeypatch.setattr(pieces, "AT_ONCE", 700)
    monkeypatch.setattr(rows, "MOST_CELLS_AT_ONCE", 1_000)
    shuffled = pa.array(np.random.default_rng(1).permutation(table.num_rows))
    pq.write_table(table.take(shuffled), tmp_path / "there.parquet", row_group_size=650)
    there = publish_streamed(tmp_path / "there.parquet", **PRIVATE)
    model = here.first.made.model
    assert "village" in model.schema.names
    assert len(model.log.leaves.nodes) > 1
    assert any_model_bytes(there.first.made.model) == any_model_bytes(model)
    assert there.first.rows.codes.tolist() == here.first.rows.codes.tolist()
    assert there.first.remarks == here.first.remarks
    assert there.first.in_all == here.first.in_all != ""
    for name in COUNTED:
        one, other = (published.first.readings.get(name) for published in (there, here))
        assert (one and one.value) == (other and other.value), name
    if most_here > table.num_rows:
        assert there.verdict == here.verdict
        assert there.first.epsilons == here.first.epsilons != ()
    else:
        assert there.first.epsilons == ()
    entries = [read_ledger(tmp_path / f"{name}.ledger.json") for name in ("here", "there")]
    one, other = (msgspec.structs.replace(entry, release="") for [entry] in entries)
    assert one == other


def test_releases_of_a_table_add_up_however_they_were_made(tmp_path):
    pq.write_table(villagers(), tmp_path / "people.parquet")
    ledger = tmp_path / "people.ledger.json"
    hm.publish(tmp_path / "people.parquet", no_trade_off=True, **PRIVATE)
    again = publish_streamed(
        tmp_path / "people.parquet", no_trade_off=True, output=tmp_path / "again.parquet", **PRIVATE
    )
    assert [one.release for one in read_ledger(ledger)] == [
        "people.release.parquet", "again.parquet"
    ]  # fmt: skip
    assert "knows 2 releases of this table" in again.first.in_all
    assert "has changed between them" not in again.first.in_all
    asked = {**PRIVATE, "epsilon_in_all": 9.0, "output": tmp_path / "third.parquet"}
    with pytest.raises(BadInput, match=r"above the limit of 9; the 2 before it"):
        publish_streamed(tmp_path / "people.parquet", **asked)
    fewer = publish_streamed(
        tmp_path / "people.parquet", drop=["fee"], output=tmp_path / "fewer.parquet",
        no_trade_off=True, **PRIVATE,
    )  # fmt: skip
    assert "or what was taken of it, has changed between them" in fewer.first.in_all


def test_without_a_seed_noise_is_anew_and_no_seed_is_kept(tmp_path):
    pq.write_table(villagers(), tmp_path / "people.parquet")
    asked = {name: value for name, value in PRIVATE.items() if name != "seed"}
    found = []
    for name in ("one", "other"):
        output = tmp_path / f"{name}.parquet"
        found.append(
            publish_streamed(tmp_path / "people.parquet", output=output, no_trade_off=True, **asked)
        )
    one, other = (published.first.made.model.log for published in found)
    assert not one.seeded
    assert one.steps[0][0].counts.tolist() != other.steps[0][0].counts.tolist()
    assert one.key != other.key
    assert "differential_privacy" in found[0].release.claim.terms
    assert found[0].release.claim.terms["differential_privacy"] is True


def test_a_frequent_row_is_brought_once(monkeypatch):
    monkeypatch.setattr(pieces, "AT_ONCE", 100)
    stream = Stream.of(FREQUENT.schema, lambda: iter(FREQUENT.to_batches(max_chunksize=100)))
    check_once(stream)


def test_what_cannot_be_read_in_passes_is_said(tmp_path):
    (tmp_path / "people.csv").write_text("sex\nf\n" * 50, encoding="utf-8")
    with pytest.raises(BadInput, match="cannot be read in passes; Parquet and Arrow"):
        publish_streamed(tmp_path / "people.csv")
    pq.write_table(people(), tmp_path / "people.parquet")
    asset = tmp_path / "health.yaml"
    asset.write_text(health.TEXT, encoding="utf-8")
    with pytest.raises(BadInput, match="does not fit the data: There is no column 'age'; there is"):
        publish_streamed(tmp_path / "people.parquet", asset=asset)  # before anything is read
    (tmp_path / "stays.yaml").write_text(ASSET.replace("stay: {type: int}", "stay: {type: date}"))
    with pytest.raises(BadInput, match="'stay' is a date, and 1 is not"):
        publish_streamed(tmp_path / "people.parquet", asset=tmp_path / "stays.yaml", seed=1)


def test_private_releases_that_cannot_be_read_in_passes_leave_nothing_behind(tmp_path):
    pq.write_table(people(), tmp_path / "people.parquet")
    asset = tmp_path / "health.yaml"
    asset.write_text(health.TEXT, encoding="utf-8")
    refused = [
        ({"epsilon": 1, "asset": asset}, "'asset' is an option of the method generator"),
        ({"epsilon": 1, "key": "ward"}, "'key' needs all rows in one place"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": 0.01}, "cannot be learnt at this epsilon"),
        ({"epsilon": 1, "target": "wrad"}, "no column 'wrad'"),
        ({"epsilon": 1, "ledger": tmp_path / "no" / "l.json"}, "folder"),
        ({"method": "k-anonymity", "k": 5}, "methods generator and private"),
    ]
    for asked, words in refused:
        with pytest.raises(BadInput, match=words):
            publish_streamed(tmp_path / "people.parquet", **asked)
    assert {path.name for path in tmp_path.iterdir()} == {"people.parquet", "health.yaml"}


@pytest.mark.parametrize("most_here", [500, 1_000_000])
@pytest.mark.parametrize("listed", [1 << 20, 1], ids=["not drawn", "rejected"])
def test_the_rules_of_an_asset_are_kept_and_counted_alike(tmp_path, monkeypatch, most_here, listed):
    monkeypatch.setattr(constraints, "MOST_CELLS", listed)
    asset = tmp_path / "stays.yaml"
    asset.write_text(ASSET, encoding="utf-8")
    table = people().append_column("person", pa.array([f"p{n}" for n in range(ROWS)]))
    options = {"seed": 3, "min_support": 20, "no_trade_off": True, "asset": asset}
    here = hm.publish(table, **options)
    monkeypatch.setattr(pieces, "MOST_HERE", most_here)
    monkeypatch.setattr(pieces, "AT_ONCE", 300)
    monkeypatch.setattr(pieces, "MOST_VALUES", 1_990)  # people themselves are not counted
    pq.write_table(table, tmp_path / "people.parquet", row_group_size=250)
    there = publish_streamed(tmp_path / "people.parquet", **options)
    check_same(there, here)
    check_lacks(there, here)


def test_columns_with_too_many_combinations_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(counted, "MOST_COMBINATIONS", 100)
    (tmp_path / "stays.yaml").write_text(ASSET, encoding="utf-8")
    pq.write_table(people(), tmp_path / "people.parquet")
    with pytest.raises(BadInput, match=r"'fee' hold more than 100 different combinations.*round"):
        publish_streamed(tmp_path / "people.parquet", asset=tmp_path / "stays.yaml", seed=1)


def test_a_column_of_too_many_values_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(pieces, "MOST_VALUES", 100)
    pq.write_table(people(), tmp_path / "people.parquet")
    with pytest.raises(BadInput, match=r"'fee' has more than 100 different values.*--drop fee"):
        publish_streamed(tmp_path / "people.parquet")


def test_the_smallest_keys_of_counts_are_those_of_rows():
    numbers = np.repeat(np.arange(40, dtype=np.uint64) * 977, np.arange(40) % 5)
    table = pa.table({"n": numbers.astype(np.int64)})
    stream = Stream.of(table.schema, lambda: iter(table.to_batches(max_chunksize=7)))

    def own(columns):
        return np.array([int(cell) for cell in columns[0].cells], np.uint64)

    found, copies = stream.smallest(own, 25, np.empty(0, np.uint64), len(numbers))
    every = smallest_keys(*np.unique(numbers, return_counts=True), 25)
    assert found.tolist() == every[0].tolist()
    assert copies.tolist() == every[1].tolist()
    without, _ = stream.smallest(own, len(numbers), np.unique(numbers), len(numbers))
    assert len(without) == len(numbers) - len(np.unique(numbers))
