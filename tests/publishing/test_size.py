"""Size: long tables within a memory that is said, with the same release whatever is left over."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import halfmask as hm
from halfmask import memory
from halfmask.data import Attribute, Schema, Table
from halfmask.documents.model import load, save
from halfmask.errors import BadInput
from halfmask.measures import Comparison, compare
from halfmask.memory import OF_CELL, OF_ROW, POOLED, SEARCHED, Memory, MemoryBudget
from halfmask.methods.generator.learn import learn, learn_at, learn_exactly
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.methods.private.log import PoolSettings
from halfmask.randomness import Randomness
from halfmask.run import Stages

COLUMNS = 6


def frame(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    first = rng.integers(4, size=rows)
    return pl.DataFrame(
        {
            "ward": [f"ward {n}" for n in first],
            "sex": rng.choice(["f", "m"], rows),
            "age": rng.integers(18, 95, rows),
            "cost": np.where(first == 0, 0, rng.integers(10, 90_000, rows)),
            "stay": (first + rng.integers(3, size=rows)).astype(str),
            "ill": rng.choice(["no", "yes", ""], rows, p=[0.6, 0.3, 0.1]),
        }
    )


def table(rows: int) -> Table:
    rng = np.random.default_rng(3)
    first = rng.integers(3, size=rows)
    schema = Schema(tuple(Attribute(name, ("x", "y", "z", "w")) for name in "abc"))
    return Table(schema, np.column_stack([first, (first + (rng.random(rows) < 0.1)), first[::-1]]))


PEAK = """
import sys
from halfmask.estimators import Generator, filled
from halfmask.io.files import save
from halfmask.io.given import columns_of
from halfmask.measures import Comparison, compare
from halfmask.methods.generator.learn import learn
from halfmask.randomness import Randomness
generator = Generator(min_support=0.05, calibrate=1, search="krimp", search_rows=20_000)
table, _ = generator.encode(columns_of(sys.argv[1]))
model = learn(table, generator.learning(len(table)))
release = model.sample(len(table), randomness=Randomness(1))
comparison = Comparison(table, release, randomness=Randomness(1), sample_rows=20_000)
compare(comparison, ["marginals_2", "nas", "ds", "k_anonymity"])
save(filled(release, Randomness(1)), sys.argv[1] + ".release.csv")
status = open("/proc/self/status").read()
print(status.split("VmHWM:")[1].split()[0])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process is read from /proc")
def test_what_a_row_takes_is_what_the_refusal_of_a_table_reckons_with(tmp_path):
    peaks = []
    for rows in (100_000, 300_000):
        path = tmp_path / f"{rows}.csv"
        frame(rows).write_csv(path)
        ended = subprocess.run(  # noqa: S603
            [sys.executable, "-c", PEAK, path], check=True, capture_output=True, text=True
        )
        peaks.append(1024 * int(ended.stdout))
    grown = (peaks[1] - peaks[0]) / 200_000
    assert grown < OF_ROW + OF_CELL * COLUMNS + POOLED
    left = Memory(2 * 10**9).beside((300_000, COLUMNS))
    assert peaks[1] < 2 * 10**9 - left + 20_000 * SEARCHED


def test_patterns_found_in_a_part_are_counted_in_all_rows(tmp_path):
    whole = table(20_000)
    settings = GeneratorSettings(min_support=50, search_rows=2_000)
    model, found = learn(whole, settings), learn_exactly(whole, settings).code_table
    assert found.rows == 20_000
    assert len(found.sets) > 3
    assert np.array_equal(found.supports, whole.transactions.support(found.sets))
    assert found.supports.min() >= 50
    covered = found.encode(whole.transactions)
    assert np.array_equal(covered.set_usages, found.usages)
    assert np.array_equal(covered.item_usages, found.item_usages)
    release = model.sample(1_000, randomness=Randomness(1))
    assert release.record["search_rows"] == 2_000
    assert "Patterns were searched in 2,000 of 20,000 rows" in " ".join(release.notes)
    save(model, tmp_path / "x.model.json")
    assert load(tmp_path / "x.model.json").settings.search_rows == 2_000


@pytest.mark.parametrize("search", ["krimp", "slim"])
def test_every_support_of_a_curve_is_that_of_the_whole_table(search):
    whole = table(9_000)
    settings = GeneratorSettings(search=search, search_rows=1_000)
    models = learn_at(whole, settings, [20, 500, 2_000])
    assert list(models) == [20, 500, 2_000]
    for support, model in models.items():
        supports = whole.transactions.support(model.code_table.sets)
        assert (supports >= support).all()
        assert model.min_support == support


def test_a_table_that_is_not_longer_is_searched_whole():
    whole = table(2_000)
    asked = GeneratorSettings(min_support=50, search_rows=2_000)
    model, plain = learn(whole, asked), learn(whole, GeneratorSettings(min_support=50))
    assert model.settings.search_rows is None
    assert model.code_table.sets == plain.code_table.sets
    assert whole.part(2_000) is whole
    assert len(whole.part(10)) == 10


def test_measures_that_mine_say_how_many_rows_they_read():
    both = table(6_000), table(8_000)
    comparison = Comparison(*both, randomness=Randomness(1), sample_rows=1_000)
    readings = compare(comparison, ["ds", "marginals_1", "nas"])
    ds = readings["ds"]
    assert ds.how.endswith(
        "Read off 1,000 of 6,000 rows of the original and 1,000 of 8,000 rows of the release, "
        "drawn at random."
    )
    assert ds.details["rows_read_of_original"] == 1_000
    assert "Read off" not in readings["marginals_1"].how
    assert "Read off" not in readings["nas"].how
    again = compare(Comparison(*both, randomness=Randomness(1), sample_rows=1_000), ["ds"])
    assert again["ds"].value == ds.value
    whole = Comparison(*both, randomness=Randomness(1), sample_rows=8_000)
    assert whole.sampled is whole


def test_a_memory_too_small_is_refused_in_a_sentence_before_the_work(tmp_path):
    path = tmp_path / "people.csv"
    frame(5_000).write_csv(path)
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "halfmask", "publish", path, "--memory", "200MB"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == 2
    assert "rows of 6 columns need 0." in ended.stderr
    assert "0.2 GB are allowed; allow more (--memory), leave columns out" in ended.stderr
    assert [found.name for found in tmp_path.iterdir()] == ["people.csv"]


@pytest.mark.parametrize("given", ["eight", "-1GB", "0", "8 GBX"])
def test_a_memory_that_is_no_size_is_refused(given):
    with pytest.raises(BadInput, match="a size such as 8GB"):
        Memory.of(given)


def test_without_a_word_the_memory_is_what_the_machine_has_free():
    free = Memory.of()
    assert not free.said
    assert 10**8 < free.size < 10**13
    with pytest.raises(BadInput, match="are free on this machine"):
        free.beside((10**13, 5))


def test_what_gives_way_to_a_small_memory_is_said():
    needed = Memory(10**12).size - Memory(10**12).beside((2_000_000, 10))
    usual = {"search_rows": 100_000, "sample_rows": 1_000_000}
    tight = MemoryBudget.within(Memory(needed + 150_000_000), (2_000_000, 10), **usual)
    assert tight.search_rows == 25_000
    assert not tight.enough
    [told] = tight.remarks
    assert "searched in 25,000 rows instead of 100,000" in told
    assert "read 100,000 rows of each side instead of 1,000,000" in told
    assert MemoryBudget.within(Memory(10**11), (2_000_000, 10), **usual).remarks == ()


def test_memory_enough_changes_nothing():
    people = frame(3_000)
    method = hm.Generator(min_support=30)
    one, other = (hm.publish(people, method=method, seed=1, memory=m) for m in ("20GB", 10**10))
    assert one.first.rows.codes.tolist() == other.first.rows.codes.tolist()
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())


def test_a_private_release_searches_no_row_of_the_original_and_gives_no_memory_back(monkeypatch):
    monkeypatch.setattr(memory, "SEARCHED", 10**5)
    people = frame(25_000).select("ward", "sex")
    needed = Memory(10**12).size - Memory(10**12).beside((25_000, 2))
    pool = PoolSettings(rows=4_000, last_rows=8_000, last_rounds=5)
    asked = {"seed": 1, "memory": needed + 22_000 * 10**5, "no_trade_off": True}
    generated = hm.publish(people, **asked)
    assert "searched in 22,000 rows instead of 25,000" in " ".join(generated.first.remarks)
    published = hm.publish(people, epsilon=1, pool=pool, **asked)
    assert "memory" not in " ".join(published.first.remarks)


def test_stages_are_told_in_order_with_the_time_left():
    class Watching:
        def __init__(self):
            self.stages = []

        def __call__(self, _done: int, _total: int) -> bool:
            return True

        def stage(self, stage) -> None:
            self.stages.append(stage)

    watching = Watching()
    hm.publish(frame(2_000), method=hm.Generator(min_support=50), seed=1, progress=watching)
    names = list(dict.fromkeys(stage.name for stage in watching.stages))
    assert names == ["reading", "searching patterns", "drawing", "measuring",
                     "comparing settings", "writing"]  # fmt: skip
    shares = [stage.share for stage in watching.stages]
    assert shares == sorted(shares)
    assert all(stage.seconds_left > 0 for stage in watching.stages[1:])


def test_the_time_left_follows_the_machine():
    def left(seconds: float) -> float:
        told = []
        stages = Stages(told.append, (1_000_000, 10), clock=iter([0.0, seconds]).__next__)
        stages.begin("reading")
        stages.begin("measuring")
        return told[-1].seconds_left

    assert left(10.0) < left(100.0) < left(1_000.0)
