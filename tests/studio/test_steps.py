"""The five steps over HTTP, without scripts: forms and links are all it takes."""

from __future__ import annotations

import html
import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from stewarding import entered, finished, open_table, patients, publish, start, token, version

from halfmask.documents.schema import parse_schema


@pytest.fixture(scope="module")
def table(client, folder):
    return open_table(client, folder / "patients.csv")


@pytest.fixture(scope="module")
def run(client, table):
    """A run that is through."""
    address = publish(client, table, min_support="12", seed="3", hide_together="diagnosis, region")
    return address, finished(client, address)


def command_in(text: str) -> str:
    found = re.search(r"<h3>Command line</h3>\s*<pre[^>]*><code>(.*?)</code>", text, re.DOTALL)
    return html.unescape(found[1])


def code_in(text: str) -> str:
    found = re.search(r"<h3>Python</h3>\s*<pre[^>]*><code>(.*?)</code>", text, re.DOTALL)
    return html.unescape(found[1])


def test_a_table_is_shown_as_it_was_read(client, table):
    text = client.get(table).text
    assert "400 rows, 10 columns" in text
    assert "divided by comma" in text


def test_how_a_file_is_read_can_be_corrected(client, folder):
    (folder / "odd.csv").write_bytes("größe;1\nä;b\n".encode("latin-1") + b"a;b\n" * 60)
    table = open_table(client, folder / "odd.csv")
    text = client.get(table).text
    assert "encoding" in text.partition('role="alert"')[2]
    form = {"form_token": token(client), "version": version(text), "header": "yes",
            "encoding": "latin-1", "delimiter": ";"}  # fmt: skip
    read = client.post(table, data=form).text
    assert "größe" in read
    assert "61 rows" in read


def test_what_is_said_of_columns_becomes_the_schema_file(client, folder):
    table = open_table(client, folder / "patients.csv")
    text = client.get(f"{table}columns").text
    names = re.findall(r'aria-label="Kind of ([^"]+)"', text)
    form = {"form_token": token(client), "version": version(text)}
    form |= {f"kind-{i}": "" for i in range(len(names))}
    form |= {f"role-{i}": "" for i in range(len(names))}
    form[f"role-{names.index('diagnosis')}"] = "sensitive"
    form[f"role-{names.index('insurance')}"] = "ignore"
    after = client.post(f"{table}columns", data=form).text
    assert "its role is ignore" in after
    spec = parse_schema(client.get(f"{table}schema.toml").content, "schema")
    assert spec.with_role("sensitive") == ("diagnosis",)
    place = names.index("region")
    one = client.get(f"{table}columns/{place}").text
    said = {"form_token": token(client), "version": version(one), "kind": "category",
            "groups": "coast: north, west", "rare": "suppress"}  # fmt: skip
    shown = client.post(f"{table}columns/{place}", data=said)
    assert shown.status_code == 200, shown.text
    assert "coast" in shown.text
    spec = parse_schema(client.get(f"{table}schema.toml").content, "schema")
    assert spec.of("region").groups == {"coast": ("north", "west")}
    assert spec.of("diagnosis").role == "sensitive"


def test_bins_are_corrected_on_their_histogram(client, folder):
    ages = "".join(f"{20 + i % 61},{'fm'[i % 2]}\n" for i in range(600))
    (folder / "ages.csv").write_text(f"age,sex\n{ages}")
    table = open_table(client, folder / "ages.csv")
    shown = client.get(f"{table}columns/0").text
    assert "where bins begin" in shown
    assert shown.count("<svg") == 1
    form = {"form_token": token(client), "version": version(shown), "bins": "40, 65"}
    after = client.post(f"{table}columns/0", data=form).text
    assert 'placeholder="40, 65"' in after
    assert "20 to 39" in after


def test_a_schema_that_the_table_cannot_bear_is_refused_and_nothing_is_changed(client, table):
    text = client.get(f"{table}columns").text
    before = client.get(f"{table}schema.toml").text
    form = {"form_token": token(client), "version": version(text),
            "schema": '[columns.sex]\nkind = "number"\n'}  # fmt: skip
    answer = client.post(f"{table}schema", data=form)
    assert answer.status_code == 400
    assert "cannot be taken as a number" in html.unescape(answer.text)
    assert client.get(f"{table}schema.toml").text == before


def test_settings_and_their_help_come_from_the_declarations(client, table):
    text = html.unescape(client.get(f"{table}promise").text)
    assert "Keep out every value and combination held by fewer rows" in text
    assert 'name="o-calibrate" type="number" step="1" min="0" max="3"' in text
    assert "80 of 400 rows are held back" in text
    private = client.get(f"{table}promise", params={"method": "private"}).text
    assert "73.11 %" in private  # what ε = 1 means to one person


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"min_support": "0"}, "min_support is a whole number of rows of at least 1"),
        ({"min_support": "3000"}, "A minimum support of 3000 is not possible for 400 rows"),
        ({"min_support": "many"}, "Minimum support: 'many' is not what is asked for"),
        ({"hide_together": "diagnosis"}, "Pairs never learnt together"),
        ({"reference": "/etc/passwd"}, "outside the folders"),
        ({"nas_at_most": "7"}, "lies between 0 and 1"),
    ],
)
def test_a_setting_that_cannot_be_is_a_sentence_above_what_was_typed(
    client, table, options, sentence
):
    shown = client.get(f"{table}promise").text
    form = {"form_token": token(client), "version": version(shown), "method": "generator"}
    form |= {f"o-{name}": value for name, value in options.items()}
    answer = client.post(f"{table}promise", data=form)
    assert answer.status_code == 400
    assert sentence in html.unescape(answer.text)
    assert f'"{next(iter(options.values()))}"' in answer.text or "hide_together" in options


def test_a_run_says_what_came_of_it(run):
    text = html.unescape(run[1].text)
    for words in ("Verdict", "Why", "Measures, each beside its yardsticks", "Attacks",
                  "Original beside release, column by column", "Two columns together",
                  "The trade-off", "The same without this page"):  # fmt: skip
        assert words in text
    assert "Pairs never in the same pattern" not in text.partition("Why")[0]


def test_the_files_of_a_run_can_be_downloaded(client, run):
    address, shown = run
    names = re.findall(r'href="files/([^"]+)"', shown.text)
    assert {"patients.release.csv", "patients.report.html", "patients.external.html",
            "patients.model.json"} <= set(names)  # fmt: skip
    release = client.get(f"{address}files/patients.release.csv")
    assert len(release.text.splitlines()) == 401
    assert release.headers["content-disposition"].startswith("attachment")
    assert release.headers["cache-control"] == "no-store"
    for name in ("run.json", "summary.json", "part.html", "..%2f..%2fpatients.csv", "nothing"):
        assert client.get(f"{address}files/{name}").status_code == 404


def test_a_report_is_shown_without_any_rights(client, run):
    answer = client.get(f"{run[0]}pages/patients.report.html")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "script-src" not in answer.headers["content-security-policy"]
    assert client.get(f"{run[0]}pages/patients.release.csv").status_code == 404


def test_the_command_and_the_code_give_the_same_release(client, run, tmp_path):
    address, shown = run
    release = client.get(f"{address}files/patients.release.csv").content
    words = shlex.split(command_in(shown.text))
    assert words[0] == "halfmask"
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "halfmask", *words[1:], "-o", str(tmp_path / "a.csv")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.csv").read_bytes() == release
    code = code_in(shown.text).replace("seed=3", f"seed=3, output={str(tmp_path / 'b.csv')!r}")
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - idem
    assert (tmp_path / "b.csv").read_bytes() == release


def test_a_point_of_the_picture_leads_to_its_settings_and_starts_nothing(client, run):
    address, shown = run
    links = re.findall(
        r'<a href="(again\?min_support=\d+&amp;calibrate=\d)" aria-label', shown.text
    )
    assert len(links) >= 4
    runs = client.get("/").text.count('href="/runs/')
    asked = html.unescape(links[-1])
    answer = client.get(f"{address}{asked}")
    support, order = re.findall(r"=(\d+)", asked)
    assert answer.url.path.endswith("/promise")
    assert f'value="{support}" placeholder="10"' in answer.text
    assert f'value="{order}" placeholder="2"' in answer.text
    assert 'name="o-hide_together"' in answer.text
    assert "diagnosis, region</textarea>" in answer.text
    assert client.get("/").text.count('href="/runs/') == runs


def test_two_columns_can_be_looked_at_together(client, run):
    answer = client.get(run[0], params={"one": 1, "other": 2})
    text = html.unescape(answer.text).partition("Two columns together")[2]
    assert "female" in text
    assert re.search(r"\d %? → ", text) or re.search(r"% → ", text)
    for odd in ("x", "99", "-1", "1' OR"):
        assert client.get(run[0], params={"one": odd, "other": "0"}).status_code == 200


def test_a_refused_target_is_told_with_its_reason(client, table):
    address = publish(client, table, nas_at_most="0.000001", rows="2000", seed="1")
    text = html.unescape(finished(client, address).text)
    assert "Refused" in text
    assert "anonymity score" in text
    assert "files/patients.release.csv" not in text


def test_a_table_of_a_database_goes_the_same_way(client, folder):
    with closing(sqlite3.connect(folder / "clinic.db")) as base:
        base.execute("CREATE TABLE visits (town TEXT, sex TEXT, ward TEXT)")
        rows = [(("Rome", "Lodi")[i % 2], "fm"[i % 3 > 0], f"w{i % 4}") for i in range(200)]
        base.executemany("INSERT INTO visits VALUES (?, ?, ?)", rows)
        base.commit()
    form = {"form_token": token(client), "place": "sqlite:///clinic.db?table=visits"}
    answer = client.post("/open", data=form)
    assert "200 rows, 3 columns" in answer.text
    shown = finished(client, publish(client, answer.url.path, seed="1", min_support="10"))
    assert "visits.release.parquet" in shown.text
    assert "?table=visits" in command_in(shown.text)


def test_two_tabs_do_not_overwrite_each_other(client, folder):
    table = open_table(client, folder / "patients.csv")
    first = client.get(f"{table}columns").text
    second = client.get(f"{table}columns").text
    form = {
        "form_token": token(client),
        "version": version(first),
        "kind-0": "",
        "role-0": "ignore",
    }
    assert client.post(f"{table}columns", data=form).status_code == 200
    late = {**form, "version": version(second), "role-0": "sensitive"}
    answer = client.post(f"{table}columns", data=late)
    assert answer.status_code == 400
    assert "another tab" in answer.text
    assert "ignore" in client.get(f"{table}schema.toml").text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ragged.csv", b"a,b\n1,2\n3\n"),
        ("empty.csv", b""),
        ("not.parquet", b"hello"),
        ("odd.xlsx", b"PK\x03\x04"),
        ("cut.csv.gz", b"\x1f\x8b\x08\x00"),
        ("bytes.csv", bytes(range(256)) * 4),
    ],
)
def test_a_broken_file_is_a_sentence_and_the_page_lives(client, name, content):
    sent = {"file": (name, content or b"")}
    answer = client.post("/upload", data={"form_token": token(client)}, files=sent)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert "ended unexpectedly" not in answer.text
    assert client.get("/").status_code == 200


def test_five_hundred_columns_have_their_page(client, folder):
    names = [f"c{i}" for i in range(500)]
    lines = [",".join(str((i * j) % 3) for i in range(1, 501)) for j in range(60)]
    (folder / "wide.csv").write_text("\n".join([",".join(names), *lines]) + "\n")
    table = open_table(client, folder / "wide.csv")
    text = client.get(f"{table}columns").text
    assert text.count('aria-label="Kind of') == 500
    form = {"form_token": token(client), "version": version(text)}
    form |= {f"kind-{i}": "" for i in range(500)} | {f"role-{i}": "ignore" for i in range(490)}
    after = client.post(f"{table}columns", data=form)
    assert after.text.count("its role is ignore") == 490


def test_markup_in_names_and_values_is_text(client, folder):
    bad = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    rows = "".join(f"{bad},{'fm'[i % 2]}\n" if i % 2 else f"plain,{'fm'[i % 3 > 0]}\n"
                   for i in range(120))  # fmt: skip
    (folder / "markup.csv").write_text(f"{bad}x,sex\n{rows}")
    table = open_table(client, folder / "markup.csv")
    pages = [client.get(table), client.get(f"{table}columns"), client.get(f"{table}columns/0"),
             client.get(f"{table}promise")]  # fmt: skip
    pages.append(finished(client, publish(client, table, min_support="10", seed="1")))
    for answer in pages:
        assert "<script>alert" not in answer.text
        assert "<img" not in answer.text
    assert "&lt;script&gt;" in pages[0].text


def test_runs_stand_beside_each_other(client, table, run):
    other = publish(client, table, min_support="40", seed="3")
    finished(client, other)
    mine, theirs = (address.split("/")[2] for address in (run[0], other))
    answer = client.get("/compare", params=[("run", mine), ("run", theirs)])
    text = html.unescape(answer.text)
    assert re.search(r"Minimum support.*?<td>12</td>\s*<td>40</td>", text, re.DOTALL)
    assert "Tracing" in text
    assert "best" in text


def test_a_private_release_is_entered_in_the_ledger_beside_its_table(client, folder):
    patients(folder / "private.csv", 500)
    table = open_table(client, folder / "private.csv")
    address = publish(client, table, method="private", epsilon="2")
    text = finished(client, address).text
    assert "Differential privacy with ε = 2" in text
    assert (folder / "private.ledger.json").is_file()
    assert 'href="again?epsilon=' in text


def test_finished_runs_are_there_after_a_restart(tmp_path):
    house = tmp_path / "house"
    house.mkdir()
    patients(house / "patients.csv", 300)
    first = start(house, "patients.csv")
    with entered(first) as client:
        table = open_table(client, house / "patients.csv")
        address = publish(client, table, min_support="10", seed="5")
        finished(client, address)
        waiting = publish(client, table, min_support="10", seed="6")
    first.close()
    second = start(house, "patients.csv")
    try:
        with entered(second) as client:
            assert "Verdict" in client.get(address).text
            assert client.get(f"{address}files/patients.release.csv").status_code == 200
            assert "Interrupted" in client.get(waiting).text
            again = client.get(f"{address}again?min_support=20")
            assert 'value="20" placeholder="10"' in again.text
    finally:
        second.close()


def test_a_run_can_be_removed_with_its_files(client, table, page):
    address = publish(client, table, nas_at_most="0.000001", rows="2000", seed="1")
    finished(client, address)
    place = Path(page.folder) / "halfmask-runs" / address.split("/")[2]
    assert place.is_dir()
    client.post(f"{address}forget", data={"form_token": token(client)})
    assert not place.exists()
    assert client.get(address).status_code == 404
