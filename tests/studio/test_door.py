"""Every lock of the door is tried from outside."""

from __future__ import annotations

import http.client
import re
import stat
import subprocess
import sys

import httpx
import pytest
from stewarding import entered, open_table, start, token

from halfmask.studio.app import Studio
from halfmask.studio.door import POLICY
from halfmask.studio.folders import Folders
from halfmask.studio.keeping import RunShelf


def raw(page, method="GET", path="/", headers=None, body=None):
    """One request with exactly these headers."""
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=30)
    try:
        connection.putrequest(method, path, skip_host=True)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.getheaders())
    finally:
        connection.close()


@pytest.fixture
def cookie(client):
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


def test_the_page_listens_on_this_machine_only(page):
    listening = subprocess.run(  # noqa: S603 - a command of the system
        ["ss", "-ltnH", f"sport = :{page.port}"],  # noqa: S607 - where the system has it
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listening.returncode:
        pytest.skip("no ss here")
    assert f"127.0.0.1:{page.port}" in listening.stdout
    assert f"0.0.0.0:{page.port}" not in listening.stdout
    assert "[::]" not in listening.stdout


def test_ports_differ_from_start_to_start(page, tmp_path):
    other = start(tmp_path)
    other.close()
    assert other.port != page.port
    assert other.entrance.partition("token=")[2] != page.entrance.partition("token=")[2]


@pytest.mark.parametrize("path", ["/", "/compare", "/static/studio.css", "/runs/001/", "/nowhere"])
@pytest.mark.usefixtures("client")
def test_nothing_is_shown_without_the_cookie(page, path):
    status, text, _ = raw(page, path=path, headers={"Host": f"127.0.0.1:{page.port}"})
    assert status == 403
    assert "whoever started it" in text


def test_a_token_works_once_and_never_stays_in_the_address(page, client):
    assert "token" not in str(client.get("/").url)
    again = httpx.get(page.entrance)
    assert again.status_code == 403
    assert "set-cookie" not in again.headers


@pytest.mark.parametrize("guess", ["", "x", "é", "A" * 5000])
@pytest.mark.usefixtures("client")
def test_a_guessed_token_opens_nothing(page, guess):
    answer = httpx.get(f"{page.base}/enter", params={"token": guess})
    assert answer.status_code == 403


def test_the_cookie_is_for_this_browser_alone(tmp_path):
    opened = start(tmp_path)
    try:
        answer = httpx.get(opened.entrance)
        assert answer.status_code == 303
        assert answer.headers["location"] == "/"
        words = answer.headers["set-cookie"].lower()
        assert "httponly" in words
        assert "samesite=strict" in words
        assert str(opened.port) in words.partition("=")[0]
    finally:
        opened.close()


@pytest.mark.usefixtures("client")
def test_a_forged_cookie_is_none(page):
    forged = {"Host": f"127.0.0.1:{page.port}", "Cookie": f"halfmask-studio-{page.port}=guess"}
    assert raw(page, headers=forged)[0] == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil:{}", ""])
def test_another_name_for_this_machine_is_refused(page, cookie, host):
    """A page of evil.example whose name was turned to 127.0.0.1 sends its own name."""
    headers = {"Host": host.format(page.port), "Cookie": cookie}
    assert raw(page, headers=headers)[0] == 400


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{}", None]
)
def test_a_form_of_another_page_is_refused(page, client, cookie, origin):
    body = f"form_token={token(client)}&place=patients.csv".encode()
    headers = {
        "Host": f"127.0.0.1:{page.port}",
        "Cookie": cookie,
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": str(len(body)),
    }
    if origin is not None:
        headers["Origin"] = origin.format(page.port)
    status, text, _ = raw(page, "POST", "/open", headers, body)
    assert status == 403
    assert "not sent by this page" in text


def forms(tmp_path):
    """Every address that a form may be sent to, from the list of routes itself."""
    folders = Folders.of([tmp_path], tmp_path)
    studio = Studio(folders, RunShelf(tmp_path / "runs"), port=1)
    routes = [*studio._own_routes(), *studio._page_routes()]
    return [route.path for route in routes if "POST" in route.methods]


def test_every_form_needs_its_token(client, folder, tmp_path):
    table = open_table(client, folder / "patients.csv").split("/")[2]
    places = forms(tmp_path)
    assert len(places) >= 11
    for place in places:
        path = place.replace("{table}", table).replace("{run}", "001").replace("{place:int}", "0")
        for sent in ({}, {"form_token": "guess"}, {"form_token": ""}):
            answer = client.post(path, data={**sent, "version": "1", "place": "patients.csv"})
            assert answer.status_code == 403, path
            assert "not sent by this page" in answer.text


def test_reading_an_address_changes_nothing(client):
    """What changes something is a form: the same by GET is not found or only shown."""
    before = client.get("/").text.count("/runs/")
    for path in ("/upload", "/open", "/runs/001/stop", "/runs/001/forget"):
        assert client.get(path).status_code in (404, 405)
    assert client.get("/").text.count("/runs/") == before


def test_every_answer_has_its_rules(client, folder):
    table = open_table(client, folder / "patients.csv")
    paths = ["/", table, f"{table}columns", f"{table}promise", "/static/studio.js", "/nowhere"]
    for path in paths:
        headers = client.get(path).headers
        assert headers["cache-control"] == "no-store", path
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in headers
    assert "script-src 'self';" in POLICY
    assert "default-src 'none'" in POLICY


def test_no_page_holds_a_script_of_its_own(client, folder):
    table = open_table(client, folder / "patients.csv")
    for path in ("/", table, f"{table}columns", f"{table}columns/0", f"{table}promise", "/compare"):
        text = client.get(path).text
        assert re.findall(r"<script[^>]*>", text) == ['<script src="/static/studio.js" defer>']
        assert not re.search(r"\son\w+\s*=", text)
        assert "javascript:" not in text
        assert "http://" not in text.replace("http://www.w3.org", "")


@pytest.mark.parametrize(
    "place",
    [
        "/etc/passwd", "../../../../etc/passwd", "..", "patients.csv/../../secret.csv", "\0", "~",
        "https://evil.example/x.csv", "file:///etc/passwd", "link.csv", "linked/secret.csv",
        "sqlite:////etc/passwd?table=x", "duckdb:////etc/x.db?table=x", "-", "",
    ],
)  # fmt: skip
def test_nothing_outside_the_folders_is_opened(client, folder, place):
    secret = folder.parent / "secret.csv"
    secret.write_text("name\nann\n" * 30)
    for name, target in (("link.csv", secret), ("linked", folder.parent)):
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(target)
    answer = client.post("/open", data={"form_token": token(client), "place": place})
    assert answer.status_code == 400
    assert "ann" not in answer.text
    assert 'role="alert"' in answer.text


@pytest.mark.parametrize("where", ["/", "/etc", "..", "linked"])
def test_no_folder_outside_is_listed(client, folder, where):
    if not (folder / "linked").is_symlink():
        (folder / "linked").symlink_to(folder.parent)
    answer = client.get("/", params={"folder": where})
    assert answer.status_code == 400
    assert "passwd" not in answer.text
    assert "secret.csv" not in answer.text


@pytest.mark.parametrize(
    "name", ["../run.json", "..%2frun.json", "run.json", "%2e%2e/%2e%2e/patients.csv", "part.html"]
)
def test_only_files_of_a_run_are_handed_out(client, page, name):
    (page.folder / "halfmask-runs" / "001").mkdir(parents=True, exist_ok=True)
    assert client.get(f"/runs/001/files/{name}").status_code == 404
    assert client.get(f"/static/{name}").status_code == 404


def test_an_upload_is_bounded_before_it_is_read(tmp_path):
    opened = start(tmp_path, "--upload-at-most", "10kB")
    try:
        with entered(opened) as client:
            form, big = {"form_token": token(client)}, b"a,b\n" + b"1,2\n" * 5_000
            answer = client.post("/upload", data=form, files={"file": ("big.csv", big)})
            assert answer.status_code == 413
            assert "at most 0 MB" in answer.text
            assert [p for p in opened.uploads.rglob("*") if p.is_file()] == []
            cookie = "; ".join(f"{n}={v}" for n, v in client.cookies.items())
            unsaid = {
                "Host": f"127.0.0.1:{opened.port}", "Cookie": cookie, "Origin": opened.base,
                "Transfer-Encoding": "chunked",
            }  # fmt: skip
            assert raw(opened, "POST", "/upload", unsaid, b"0\r\n\r\n")[0] == 411
    finally:
        opened.close()


def test_uploads_are_private_and_go_when_the_page_is_closed(tmp_path):
    opened = start(tmp_path)
    with entered(opened) as client:
        sent = {"file": ("../../mine.csv", b"town,sex\n" + b"Rome,f\nLodi,m\n" * 50)}
        answer = client.post("/upload", data={"form_token": token(client)}, files=sent)
        assert "100 rows" in answer.text
    kept = [path for path in opened.uploads.rglob("*") if path.is_file()]
    assert [path.name for path in kept] == [".._.._mine.csv"]
    for folder in (kept[0].parent, kept[0].parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    opened.close()
    assert list(opened.uploads.iterdir()) == []


def test_a_second_entrance_closes_the_first(tmp_path):
    """One user: whoever comes in by a new address is the one."""
    folders = Folders.of([tmp_path], tmp_path)
    door = Studio(folders, RunShelf(tmp_path / "runs"), port=1).door
    first = door._entered(door.new_address().partition("token=")[2])
    second = door._entered(door.new_address().partition("token=")[2])
    sent = [answer.headers["set-cookie"].partition(";")[0] for answer in (first, second)]
    assert [door._known({"cookie": cookie}) for cookie in sent] == [False, True]


def test_a_websocket_is_turned_away(page):
    headers = {
        "Host": f"127.0.0.1:{page.port}", "Upgrade": "websocket", "Connection": "Upgrade",
        "Sec-WebSocket-Key": "x" * 24, "Sec-WebSocket-Version": "13",
    }  # fmt: skip
    assert raw(page, headers=headers)[0] in (400, 403)


def test_what_the_page_needs_is_named_when_it_is_not_there():
    code = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv = ['halfmask', 'studio'];"
        "from halfmask.cli import main; main()"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install 'halfmask[studio]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [["nothing.csv"], ["--folder", "nowhere"]])
def test_a_start_that_cannot_be_is_one_sentence(tmp_path, words):
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "halfmask", "studio", "--no-browser", *words],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr
