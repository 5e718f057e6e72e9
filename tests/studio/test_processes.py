"""What works for the page may crash, run out of memory or be stopped; the page goes on."""

from __future__ import annotations

import asyncio
import html
import os
import signal
import time
from pathlib import Path

import pytest
from shopping import SHOP
from stewarding import entered, finished, open_table, patients, publish, start, token

from halfmask.errors import BadInput
from halfmask.io.forms import FileOptions
from halfmask.studio.processes import Desk, gone
from halfmask.studio.wire import Asked, Question


def children(page, what: str) -> list[int]:
    """The processes that work for a page."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(place.read_text().rpartition(")")[2].split()[1])
            words = (place.parent / "cmdline").read_bytes().decode().split("\0")
        except (OSError, ValueError):
            continue
        if parent == page.process.pid and what in words:
            found.append(int(place.parent.name))
    return found


def working(page, what: str) -> int:
    """One that is at work, as soon as there is one."""
    for _ in range(200):
        if found := children(page, what):
            return found[0]
        time.sleep(0.05)
    raise AssertionError(what)


@pytest.fixture(scope="module")
def big(folder):
    return patients(folder / "big.csv", 20_000)


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [(signal.SIGKILL, "most likely because memory ran out"), (signal.SIGSEGV, "signal 11")],
)
def test_a_run_that_is_killed_is_a_sentence(client, page, folder, sent, sentence):
    address = publish(client, open_table(client, folder / "patients.csv"), seed="1")
    os.kill(working(page, "task"), sent)
    text = html.unescape(finished(client, address).text)
    assert "It did not work" in text
    assert sentence in text
    assert "patients.release.csv" not in text.partition("The same without")[0]
    assert client.get("/").status_code == 200


def test_a_reader_that_was_killed_is_started_anew(client, page, folder):
    table = open_table(client, folder / "patients.csv")
    os.kill(working(page, "questions"), signal.SIGKILL)
    time.sleep(0.2)
    assert client.get(f"{table}columns/1").status_code == 200


def test_a_reader_that_dies_over_a_question_is_a_sentence(folder):
    question = Question("look", Asked(str(folder / "patients.csv"), FileOptions()))

    async def go() -> int:
        desk = Desk()
        await desk.ask(question)
        one = desk._process.pid
        os.kill(one, signal.SIGSTOP)
        asking = asyncio.create_task(desk.ask(question))
        await asyncio.sleep(0.2)
        os.kill(one, signal.SIGKILL)
        with pytest.raises(BadInput, match="memory ran out"):
            await asking
        answer = await desk.ask(question)
        await desk.rest()
        return answer.look.rows

    assert asyncio.run(go()) == 400


def test_memory_that_is_not_there_is_a_sentence(client, big):
    address = publish(client, open_table(client, big), memory="1MB")
    text = html.unescape(finished(client, address).text)
    assert "It did not work" in text
    assert "memory" in text


def test_stopping_keeps_the_best_so_far(client, page, big):
    address = publish(client, open_table(client, big), min_support="5", seed="2", search="slim")
    working(page, "task")
    client.post(f"{address}stop", data={"form_token": token(client)})
    shown = finished(client, address)
    text = html.unescape(shown.text)
    assert "the best it had found" in text
    assert "Verdict" in text
    release = client.get(f"{address}files/big.release.csv").text
    assert len(release.splitlines()) == 20_001
    assert 'href="again?min_support' not in shown.text  # other settings were not looked at


def test_giving_up_keeps_nothing(client, page, big):
    address = publish(client, open_table(client, big), seed="2")
    one = working(page, "task")
    client.post(f"{address}discard", data={"form_token": token(client)})
    text = finished(client, address).text
    assert "Given up" in text
    assert not Path(f"/proc/{one}").exists()
    kept = page.folder / "halfmask-runs" / address.split("/")[2]
    assert sorted(path.name for path in kept.iterdir()) == ["run.json"]


def test_runs_wait_for_each_other(client, page, folder):
    table = open_table(client, folder / "patients.csv")
    one, other = publish(client, table, seed="1"), publish(client, table, seed="2")
    assert len(children(page, "task")) <= 1
    assert "Waiting for the run before it" in client.get(other).text
    client.post(f"{other}discard", data={"form_token": token(client)})
    assert "Given up" in finished(client, other).text
    assert "Verdict" in finished(client, one).text


def test_progress_is_told_as_it_happens(client, folder):
    address = publish(client, open_table(client, folder / "patients.csv"), seed="1")
    with client.stream("GET", f"{address}events") as told:
        assert told.headers["content-type"].startswith("text/event-stream")
        lines = list(told.iter_lines())
    stages = [line.partition('"stage":"')[2].partition('"')[0] for line in lines if "stage" in line]
    seen = list(dict.fromkeys(stage for stage in stages if stage))
    assert seen[-1] == "writing"
    assert len(seen) >= 4
    assert "event: end" in lines


def test_a_worker_ends_with_its_page(tmp_path):
    house = tmp_path / "other"
    house.mkdir()
    place = patients(house / "patients.csv", 20_000)
    other = start(house)
    with entered(other) as client:
        publish(client, open_table(client, place), seed="1")
        one = working(other, "task")
    other.process.kill()
    other.process.wait()
    other.process.stdout.close()
    for _ in range(100):
        if not Path(f"/proc/{one}").exists():
            break
        time.sleep(0.1)
    assert not Path(f"/proc/{one}").exists()


def test_baskets_have_their_pages(client, folder):
    place = folder / "shop.basket.csv"
    place.write_text("".join(",".join(row) + "\n" for row in SHOP))
    table = open_table(client, place)
    assert f"{len(SHOP):,} baskets" in client.get(table).text
    assert "The most frequent" in client.get(f"{table}columns").text
    text = client.get(f"{table}promise").text
    for name in ("baskets", "anatomy", "distortion", "hiding", "km"):
        assert f"<code>{name}</code>" in text
    address = publish(client, table, method="distortion", keep="0.9", seed="1", min_support="2")
    shown = finished(client, address).text
    assert "shop.release.basket.csv" in shown
    assert "shop.release.channel.csv" in shown
    assert "--method distortion --min-support 2 --keep 0.9" in shown


def test_methods_are_tried_and_one_is_taken_over(client, folder):
    table = open_table(client, folder / "patients.csv")
    asked = client.get(f"{table}choose").text
    asset = html.unescape(asked.partition('rows="18"')[2].partition(">")[2].partition("<")[0])
    assert "relation:" in asset
    form = {"form_token": token(client), "asset": asset, "methods": "generator", "draws": "1",
            "generic_rows": "400", "test_rows": "200", "seed": "1"}  # fmt: skip
    wrong = client.post(f"{table}choose", data={**form, "asset": "relation: 3"})
    assert wrong.status_code == 400
    answer = client.post(f"{table}choose", data=form)
    assert answer.url.path.startswith("/runs/"), answer.text
    shown = finished(client, answer.url.path)
    assert "Recommended" in shown.text, shown.text
    onward = html.unescape(shown.text.partition('href="again?')[2].partition('"')[0])
    promise = client.get(f"{answer.url.path}again?{onward}")
    assert promise.url.path.endswith("/promise")
    assert "asset.yaml" in promise.text
    page = client.get(f"{answer.url.path}pages/choice.html")
    assert "sandbox" in page.headers["content-security-policy"]


def test_methods_for_baskets_are_tried(client, folder):
    place = folder / "more.basket.csv"
    place.write_text("".join(",".join(row) + "\n" for row in SHOP * 20))
    table = open_table(client, place)
    asked = client.get(f"{table}choose").text
    asset = html.unescape(asked.partition('rows="18"')[2].partition(">")[2].partition("<")[0])
    form = {"form_token": token(client), "asset": asset, "methods": "baskets", "draws": "1",
            "generic_rows": "300", "test_rows": "100", "seed": "1"}  # fmt: skip
    answer = client.post(f"{table}choose", data=form)
    assert answer.url.path.startswith("/runs/"), answer.text
    assert "Recommended" in html.unescape(finished(client, answer.url.path).text)


def test_the_end_of_a_process_is_told_in_words():
    assert "exit code 3" in gone(3)
    assert "signal 6" in gone(-6)
