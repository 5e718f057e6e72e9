"""A real Spark publishes what this machine publishes: the same model, release and counts."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from clinic import clinic
from lake import ASSET, COUNTED, FREQUENT, PRIVATE, ROWS, check_lacks, check_once, people, villagers

import halfmask as hm
from halfmask.data import rows
from halfmask.data.coding.spec import ColumnSpec, TableSpec
from halfmask.documents.ledger import read_ledger
from halfmask.documents.model import any_model_bytes
from halfmask.engines import pieces
from halfmask.errors import BadInput, TargetNotMet
from halfmask.methods.private import drawing

pytestmark = [
    pytest.mark.skipif(
        shutil.which("java") is None, reason="Spark needs Java (openjdk-17-jre-headless)"
    ),
    pytest.mark.filterwarnings("ignore"),  # of PySpark about its own dependencies
    pytest.mark.xdist_group("spark"),
]


@pytest.fixture(scope="module")
def lake(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("lake")
    pq.write_table(people(), folder / "people.parquet")
    return folder


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("halfmask tests")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "OFF",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def here():
    return hm.publish(people(), seed=3, min_support=20)


def rows_of(folder: Path) -> pa.Table:
    parts = sorted(folder.glob("part-*.parquet"))
    return pa.concat_tables(pq.read_table(part) for part in parts)


def check_manifest(folder: Path, model: bytes) -> None:
    manifest = json.loads((folder / "_halfmask.json").read_text(encoding="utf-8"))
    assert manifest["rows"] == ROWS
    assert manifest["model_sha256"] == hashlib.sha256(model).hexdigest()
    assert manifest["files"].keys() == {part.name for part in folder.glob("part-*.parquet")}
    for name, facts in manifest["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == facts["sha256"]
    assert (folder / "_SUCCESS").exists()


def test_few_rows_give_the_same_model_release_and_report(spark, lake, here):
    from halfmask.spark import publish

    frame = spark.read.parquet(str(lake / "people.parquet")).repartition(3)
    there = publish(frame, seed=3, min_support=20, output=lake / "few.parquet")
    model = any_model_bytes(here.first.made.model)
    assert (lake / "few.model.json").read_bytes() == model
    assert rows_of(lake / "few.parquet").cast(here.data.schema).equals(here.data)
    assert there.first.readings.to_dict() == here.first.readings.to_dict()
    assert there.first.dials == here.first.dials
    assert there.verdict == here.verdict
    assert "few.parquet" in (lake / "few.report.html").read_text(encoding="utf-8")
    check_manifest(lake / "few.parquet", model)
    with pytest.raises(BadInput, match="exists already"):
        publish(frame, seed=3, output=lake / "few.parquet")


def test_many_rows_stay_where_they_are_and_are_counted_alike(spark, lake, here, monkeypatch):
    from halfmask.spark import publish

    monkeypatch.setattr(pieces, "MOST_HERE", 500)
    frame = spark.read.parquet(str(lake / "people.parquet")).repartition(2)
    there = publish(frame, seed=3, min_support=20)
    assert any_model_bytes(there.first.made.model) == any_model_bytes(here.first.made.model)
    assert there.data.toArrow().cast(here.data.schema).equals(here.data)
    for name in COUNTED:
        one, other = there.first.readings[name], here.first.readings[name]
        assert (one.value, one.low, one.high) == (other.value, other.low, other.high), name
    reasons = {item.name: item.reason for item in there.first.readings if hasattr(item, "reason")}
    assert "not in one place" in reasons["k_anonymity"]


def test_runs_and_bins_by_entropy_are_those_of_one_machine(spark, lake, monkeypatch):
    from halfmask.spark import publish

    cut = ColumnSpec(kind="number", cut="entropy", target="stay")
    asked = {"schema": TableSpec({"decade": cut, "fee": cut}), "no_trade_off": True, "runs": 2}
    here = hm.publish(people(), seed=3, min_support=20, **asked)
    monkeypatch.setattr(pieces, "MOST_HERE", 500)
    frame = spark.read.parquet(str(lake / "people.parquet")).repartition(2)
    there = publish(frame, seed=3, min_support=20, **asked)
    assert any_model_bytes(there.first.made.model) == any_model_bytes(here.first.made.model)
    for name in COUNTED:
        one, other = there.first.readings[name], here.first.readings[name]
        assert one.details["draws"] == other.details["draws"], name


@pytest.mark.parametrize("most_here", [500, 1_000_000])
def test_the_rules_of_an_asset_are_kept_where_the_rows_are(
    spark, lake, tmp_path, monkeypatch, most_here
):
    from halfmask.spark import publish

    asset = tmp_path / "stays.yaml"
    asset.write_text(ASSET, encoding="utf-8")
    asked = {"seed": 3, "min_support": 20, "no_trade_off": True, "asset": asset}
    here = hm.publish(people(), **asked)
    monkeypatch.setattr(pieces, "MOST_HERE", most_here)
    frame = spark.read.parquet(str(lake / "people.parquet")).repartition(3)
    there = publish(frame, **asked)
    assert any_model_bytes(there.first.made.model) == any_model_bytes(here.first.made.model)
    assert there.data.toArrow().cast(here.data.schema).equals(here.data)
    check_lacks(there, here)


def test_a_frequent_row_is_brought_once_from_all_machines(spark, lake):
    from halfmask.engines.spark.engine import SparkEngine

    pq.write_table(FREQUENT, lake / "frequent.parquet")
    frame = spark.read.parquet(str(lake / "frequent.parquet")).repartition(4)
    check_once(SparkEngine.of(frame))


def test_the_generator_as_published_leaves_no_model_behind(spark, lake):
    from halfmask.spark import publish

    asked = {"seed": 3, "min_support": 20, "no_trade_off": True, "as_published": True}
    there = publish(
        spark.read.parquet(str(lake / "people.parquet")), output=lake / "papers.parquet", **asked
    )
    here = hm.publish(people(), **asked)
    assert rows_of(lake / "papers.parquet").cast(here.data.schema).equals(here.data)
    assert [path.name for path in there.files] == ["papers.parquet", "papers.report.html"]
    assert not (lake / "papers.model.json").exists()
    assert "model_sha256" not in (lake / "papers.parquet" / "_halfmask.json").read_text()


@pytest.fixture(scope="module")
def villages(tmp_path_factory) -> Path:
    """A folder of its own: its tables have ledgers."""
    folder = tmp_path_factory.mktemp("villages")
    pq.write_table(villagers(), folder / "people.parquet")
    return folder


@pytest.fixture(scope="module")
def private():
    return hm.publish(villagers(), **PRIVATE)


def private_check(there, here) -> None:
    assert any_model_bytes(there.first.made.model) == any_model_bytes(here.first.made.model)
    assert there.data.toArrow().cast(here.data.schema).equals(here.data)
    assert there.first.remarks == here.first.remarks
    assert there.release.record == here.release.record
    assert there.release.claim == here.release.claim
    for name in COUNTED:
        one, other = (published.first.readings.get(name) for published in (there, here))
        assert (one and (one.value, one.low, one.high)) == (
            other and (other.value, other.low, other.high)
        ), name


@pytest.mark.usefixtures("spark")
def test_a_private_release_of_few_rows_is_that_of_one_machine(villages, private):
    from halfmask.engines.spark.publish import publish_named

    output = villages / "out.parquet"
    there = publish_named(str(villages / "people.parquet"), output=str(output), **PRIVATE)
    private_check(there, private)
    assert there.verdict == private.verdict
    assert there.first.readings.to_dict() == private.first.readings.to_dict()
    assert there.first.epsilons == private.first.epsilons != ()
    model = any_model_bytes(private.first.made.model)
    assert (villages / "out.model.json").read_bytes() == model
    manifest = json.loads((output / "_halfmask.json").read_text(encoding="utf-8"))
    assert manifest["rows"] == len(private.data)
    assert manifest["model_sha256"] == hashlib.sha256(model).hexdigest()
    said = "the first release that the ledger of this table knows"
    assert said in (villages / "out.report.html").read_text(encoding="utf-8")
    beside = hm.publish(
        villages / "people.parquet", output=villages / "again.parquet", no_trade_off=True, **PRIVATE
    )
    assert "knows 2 releases of this table" in beside.first.in_all
    assert "changed" not in beside.first.in_all
    [first, second] = read_ledger(villages / "people.ledger.json")
    assert (first.release, second.release) == ("out.parquet", "again.parquet")
    assert first.rho == second.rho


@pytest.mark.parametrize("partitions", [1, 5])
def test_private_counts_of_many_rows_are_made_where_they_are(
    spark, villages, private, monkeypatch, partitions
):
    from halfmask.spark import publish

    monkeypatch.setattr(pieces, "MOST_HERE", 500)
    monkeypatch.setattr(rows, "MOST_CELLS_AT_ONCE", 20_000)
    frame = spark.read.parquet(str(villages / "people.parquet"))
    there = publish(frame.orderBy("fee").repartition(partitions), **PRIVATE)
    assert "drawn" not in there.first.made.model.__dict__  # its rows never came here
    private_check(there, private)
    assert there.first.epsilons == ()
    assert "entered in no ledger" in there.first.in_all


def test_as_many_private_rows_are_drawn_in_blocks_as_are_asked_for(spark, villages, monkeypatch):
    from halfmask.spark import publish

    monkeypatch.setattr(pieces, "MOST_HERE", 500)
    monkeypatch.setattr(drawing, "PIECE", 9_000)
    asked = {**PRIVATE, "rows": 25_000, "holdout": 0, "no_trade_off": True}
    here = hm.publish(villagers(), **asked)
    there = publish(spark.read.parquet(str(villages / "people.parquet")), **asked)
    private_check(there, here)
    assert there.data.rdd.getNumPartitions() == 3


def test_the_attacker_of_a_lake_has_a_reference_too(spark, lake):
    from halfmask.spark import publish

    others = people(3_000).slice(2_000)
    here = hm.publish(people(), seed=3, min_support=20, reference=others)
    frame = spark.read.parquet(str(lake / "people.parquet"))
    there = publish(frame, seed=3, min_support=20, reference=others)
    assert there.first.readings["tracing"] == here.first.readings["tracing"]


def test_a_machine_that_dies_changes_nothing(lake, here):
    script = Path(__file__).with_name("on_cluster.py")
    output = lake / "cluster.parquet"
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, str(script), str(lake / "people.parquet"), str(output)],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(Path(f"{output}.json").read_text(encoding="utf-8"))
    assert len(said["killed"]) == 1
    model = any_model_bytes(here.first.made.model)
    assert (lake / "cluster.model.json").read_bytes() == model
    assert rows_of(output).cast(here.data.schema).equals(here.data)
    check_manifest(output, model)


def test_what_cannot_be_is_said_in_a_sentence(spark, lake, tmp_path):
    from halfmask.engines.spark.session import read_named
    from halfmask.spark import publish

    frame = spark.read.parquet(str(lake / "people.parquet"))
    odd = frame.selectExpr("sex", "map(ward, stay) as wards", "struct(sex, ward) as both")
    with pytest.raises(BadInput, match=r"Column 'wards' of The table holds maps .*--drop wards"):
        publish(odd)
    with pytest.raises(BadInput, match=r"holds structs .*a column of each of its parts"):
        publish(odd, drop=["wards"])
    with pytest.raises(BadInput, match="two columns called 'sex'"):
        publish(frame.selectExpr("sex", "ward as sex"))
    with pytest.raises(BadInput, match="has no rows"):
        publish(frame.limit(0))
    with pytest.raises(BadInput, match=r"needs the ledger that they are entered in \(--ledger"):
        publish(frame, epsilon=1, epsilon_in_all=3)
    with pytest.raises(BadInput, match="'key' needs all rows in one place"):
        publish(frame, epsilon=1, key="ward")
    with pytest.raises(BadInput, match="epsilon"):
        publish(frame, epsilon=-1)
    with pytest.raises(BadInput, match=r"no column 'wrad'"):
        publish(frame, epsilon=1, target="wrad")
    with pytest.raises(BadInput, match="has no rows"):
        publish(frame.limit(0), epsilon=1)
    with pytest.raises(BadInput, match=r"methods generator and private .* not by table-anatomy"):
        publish(frame, method="table-anatomy", sensitive="ward", l=2)
    (tmp_path / "people.csv").write_text("sex,ill\nf,no\n")
    with pytest.raises(BadInput, match=r"ends in '\.csv'; publish it without --engine spark"):
        read_named(spark, str(tmp_path / "people.csv"))
    (tmp_path / "people.parquet").write_text("sex,ill\nf,no\n")
    with pytest.raises(BadInput, match="neither Parquet nor ORC"):
        read_named(spark, str(tmp_path / "people.parquet"))
    with pytest.raises(BadInput, match="not a DataFrame"):
        publish(clinic(50))
    with pytest.raises(BadInput, match="no table at the place"):
        read_named(spark, str(tmp_path / "nowhere.parquet"))
    with pytest.raises(BadInput, match="catalogue has no table"):
        read_named(spark, "nobodys_table")
    with pytest.raises(BadInput, match=r"Delta's package"):
        read_named(spark, str(lake), "delta")


def test_nothing_is_written_where_a_target_is_missed_or_a_place_is_shut(spark, lake, tmp_path):
    from halfmask.spark import publish

    frame = spark.read.parquet(str(lake / "people.parquet"))
    with pytest.raises(TargetNotMet, match="Nothing was written"):
        publish(frame, seed=1, no_trade_off=True, ds_at_most=0.0, output=tmp_path / "a.parquet")
    taken = tmp_path / "file"
    taken.write_text("", encoding="utf-8")
    with pytest.raises(BadInput, match="cannot be a folder"):
        publish(frame, seed=1, no_trade_off=True, output=taken / "b.parquet")
    with pytest.raises(BadInput, match="cannot be a folder"):  # when the model is there already
        publish(frame, seed=1, no_trade_off=True, output=tmp_path / "c.parquet",
                external_report=taken / "c.html")  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_tables_of_a_catalogue_and_orc_are_read(spark, lake):
    from halfmask.engines.spark.session import read_named

    frame = spark.read.parquet(str(lake / "people.parquet"))
    frame.write.orc(str(lake / "people.orc"))
    frame.createOrReplaceTempView("people")
    for name in (str(lake / "people.orc"), "people"):
        assert read_named(spark, name).count() == ROWS
