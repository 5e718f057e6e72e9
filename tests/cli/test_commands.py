"""What each command does when all is well."""

from __future__ import annotations

import csv
import gzip
import json

import click
import numpy as np
import pyarrow.parquet as pq
import pytest

from halfmask.cli.entry import COMMANDS, load_command
from halfmask.cli.publish import command_of
from halfmask.methods import METHODS


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_publish_writes_release_model_and_report_beside_the_input(halfmask, patients, files_in):
    ran = halfmask("publish", patients, "--seed", "1")
    assert ran.code == 0, ran.err
    assert files_in() == [
        "patients.csv",
        "patients.model.json",
        "patients.release.csv",
        "patients.report.html",
    ]
    original, release = rows_of(patients), rows_of(patients.with_name("patients.release.csv"))
    assert release[0] == original[0]
    assert len(release) == len(original)
    assert "Publish" in ran.out or "Review before publishing" in ran.out


def test_a_compressed_table_gives_the_release_of_the_plain_one(halfmask, patients, tmp_path):
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(patients.read_bytes()))
    for source in (patients, packed):
        ran = halfmask("publish", source, "--seed", "1", "--quiet")
        assert ran.code == 0, ran.err
    release = gzip.decompress((tmp_path / "packed.release.csv.gz").read_bytes())
    assert release == (tmp_path / "patients.release.csv").read_bytes()


def commands():
    """Every command by what is typed to call it; publish once for each method."""
    for method in METHODS:
        yield f"publish --method {method}", command_of(method)
    for name in COMMANDS:
        found = load_command(name)
        inner = found.commands if isinstance(found, click.Group) else {}
        yield from ((f"{name} {one}", command) for one, command in inner.items())
        if not inner:
            yield name, found


def is_sentence(text):
    return text.removesuffix(" (required)").endswith(".") and len(text.split()) > 1


def test_every_option_says_what_it_is_for():
    silent = [
        f"{name} {option.opts[0]}"
        for name, command in commands()
        for option in command.params
        if isinstance(option, click.Option) and not is_sentence(option.help or "")
    ]
    assert silent == []


def test_the_same_seed_gives_the_same_release_whatever_the_threads(halfmask, patients, tmp_path):
    for name, threads in (("one", "1"), ("two", "2")):
        ran = halfmask(
            "publish", patients, "-o", f"{name}.csv", "--seed", "7", "--threads", threads
        )
        assert ran.code == 0, ran.err
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert (tmp_path / "one.model.json").read_bytes() == (tmp_path / "two.model.json").read_bytes()


def test_without_a_seed_two_releases_differ(halfmask, patients, tmp_path):
    for name in ("one", "two"):
        assert halfmask("publish", patients, "-o", f"{name}.csv", "--quiet").code == 0
    assert (tmp_path / "one.csv").read_bytes() != (tmp_path / "two.csv").read_bytes()


def test_the_seed_is_in_no_file(halfmask, patients, tmp_path):
    assert halfmask("publish", patients, "--seed", "8675309").code == 0
    for path in tmp_path.iterdir():
        assert b"8675309" not in path.read_bytes(), path.name


def test_a_target_raises_the_support_and_is_met(halfmask, patients):
    ran = halfmask("publish", patients, "--nas-at-most", "0.05", "--seed", "3", "--json",
                   "--pattern-support", "10")  # fmt: skip
    assert ran.code == 0, ran.err
    result = json.loads(ran.out)
    scores = {reading["name"]: reading["value"] for reading in result["readings"]}
    assert scores["nas"] <= 0.05
    assert result["record"]["min_support"] > 10
    assert any(point["nas"] > 0.05 for point in result["trade_off"])


def test_publish_reads_standard_input_and_prints_the_release(halfmask, patients, files_in):
    ran = halfmask(
        "publish", "-", "--format", "csv", "--seed", "1", "--quiet", stdin=patients.read_bytes()
    )
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[0] == patients.read_text().splitlines()[0]
    assert files_in() == ["patients.csv"]


def test_generate_draws_any_number_of_rows_in_any_format(halfmask, patients, tmp_path):
    assert halfmask("publish", patients, "--seed", "1").code == 0
    ran = halfmask("generate", "patients.model.json", "--rows", "2500", "-o", "big.parquet")
    assert ran.code == 0, ran.err
    big = pq.read_table(tmp_path / "big.parquet")
    assert big.num_rows == 2500
    assert big.schema.metadata[b"halfmask.release"] == b"synthetic"


def test_measure_explains_what_it_prints(halfmask, patients):
    assert halfmask("publish", patients, "--seed", "1").code == 0
    ran = halfmask("measure", patients, "patients.release.csv", "--seed", "1")
    assert ran.code == 0, ran.err
    assert "nas" in ran.out
    assert "rows" in ran.out


def test_measure_speaks_json(halfmask, patients):
    ran = halfmask("measure", patients, patients, "--only", "nas,marginals_1", "--json")
    readings = {reading["name"]: reading["value"] for reading in json.loads(ran.out)["readings"]}
    assert readings == {"nas": 1.0, "marginals_1": 0.0}


def test_inspect_shows_a_model_and_a_table(halfmask, patients):
    assert halfmask("publish", patients, "--seed", "1").code == 0
    model = halfmask("inspect", "patients.model.json")
    assert model.code == 0
    assert "minimum support 10" in model.out
    assert "department=" in model.out
    table = halfmask("inspect", patients)
    assert table.code == 0
    assert "A table of 600 rows and 10 columns" in table.out


def test_demo_needs_no_file(halfmask, tmp_path):
    ran = halfmask("demo", "--rows", "500", "--seed", "1")
    assert ran.code == 0, ran.err
    assert (tmp_path / "halfmask-demo" / "admissions.release.csv").exists()


def test_max_time_stops_the_search_and_says_so(halfmask, tmp_path):
    rng = np.random.default_rng(1)
    cells = np.array(["x", "y"])[(rng.random((8_000, 12)) < 0.4).astype(int)]
    lines = [[f"c{i}" for i in range(12)], *cells.tolist()]
    (tmp_path / "wide.csv").write_text("\n".join(",".join(line) for line in lines))
    ran = halfmask("publish", "wide.csv", "--max-time", "0.01", "--no-trade-off")
    assert ran.code == 0, ran.err
    assert "stopped" in ran.out


def test_no_color_is_honoured(halfmask, patients):
    ran = halfmask("publish", patients, NO_COLOR="1")
    assert "\x1b[" not in ran.out + ran.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(halfmask, shell):
    ran = halfmask(_HALFMASK_COMPLETE=f"{shell}_source")
    assert ran.code == 0
    assert "halfmask" in ran.out


def test_version(halfmask):
    from halfmask import __version__

    assert __version__ in halfmask("--version").out


def test_inspect_weighs_a_model_and_lists_what_no_row_uses(halfmask, patients):
    halfmask("publish", patients, "--seed", "1", "--quiet")
    plain, every = (
        json.loads(halfmask("inspect", "patients.model.json", "--json", *more).out)
        for more in ((), ("--unused",))
    )
    assert plain["bits"]["total"] == plain["bits"]["database"] + plain["bits"]["table"]
    assert 0 < plain["compression_ratio"] < 1
    idle = [p for p in every["patterns"] if not p["usage"]]
    assert len(idle) == plain["unused"]
    assert len(every["patterns"]) == len(plain["patterns"]) + len(idle)
    assert "of what single values take" in halfmask("inspect", "patients.model.json").out


def test_quest_data_as_binary_domains(halfmask, tmp_path):
    asked = ("quest", "-T", "4", "-N", "8", "-D", "300", "--seed", "1")
    assert halfmask(*asked, "--binary", "-o", "columns.csv").code == 0
    assert halfmask(*asked, "-o", "baskets.dat").code == 0
    header, *lines = (tmp_path / "columns.csv").read_text().splitlines()
    names = [name.removeprefix("item ") for name in header.split(",")]
    assert len(names) == 8
    held = [
        [n for n, bit in zip(names, line.split(","), strict=True) if bit == "1"] for line in lines
    ]
    baskets = [line.split() for line in (tmp_path / "baskets.dat").read_text().split("\n")[:300]]
    assert [sorted(map(int, row)) for row in held] == [sorted(map(int, b)) for b in baskets]
    refused = halfmask("quest", "-N", "300", "-D", "9", "--binary", "-o", "many.csv")
    assert refused.code == 2
    assert "too many" in refused.err


def test_classes_of_a_table_beside_each_other(halfmask, patients):
    ran = halfmask("measure", patients, "--between", "outcome", "--json")
    pairs = json.loads(ran.out)["pairs"]
    assert pairs
    assert all(pair["ds"] > 0 for pair in pairs)
    refused = halfmask("measure", patients)
    assert refused.code == 2
    assert "Name a RELEASE" in refused.err
