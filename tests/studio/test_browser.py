"""A real browser goes the whole way: keyboard, two widths, reload, two tabs, no complaints."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from browsing import axe, pictures, silent, sticks_out, violations
from stewarding import patients, start

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

WIDTHS = (1440, 360)


@pytest.fixture(scope="module")
def inside(browser, page, tmp_path_factory):
    """The browser after it came in; files go to a folder of its own."""
    kept = tmp_path_factory.mktemp("downloads")
    browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(kept)}
    )
    browser.kept = kept
    browser.get(page.entrance)
    assert "token" not in browser.current_url
    return browser


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return axe(tmp_path_factory.mktemp("axe"))


def press(browser, selector: str) -> None:
    """Press something after a look at it, as a person would, and wait for the next page."""
    found = browser.find_element(By.CSS_SELECTOR, selector)
    shown = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})"
    browser.execute_script(shown, found)
    found.click()


def upload(browser, page, place: Path) -> str:
    """A file dropped on the first page; the address of its table."""
    browser.get(f"{page.base}/")
    browser.find_element(By.ID, "file").send_keys(str(place))
    press(browser, "form[action='/upload'] button")
    WebDriverWait(browser, 60).until(lambda b: "/tables/" in b.current_url)
    return browser.current_url


def make(browser, table: str, **said: str) -> str:
    """Fill in the promise and begin; the address of the run."""
    browser.get(f"{table}promise")
    assert "Promise" in browser.title, browser.page_source
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    for name, value in said.items():
        field = browser.find_element(By.NAME, f"o-{name}")
        field.clear()
        field.send_keys(value)
    press(browser, "form p.onward button")
    WebDriverWait(browser, 60).until(lambda b: "/runs/" in b.current_url)
    return browser.current_url


def decided(browser, what: str = ".verdict") -> None:
    """Wait until the page itself goes on to the verdict, and shows this of it."""
    shown = lambda b: b.find_elements(By.CSS_SELECTOR, what)  # noqa: E731
    try:
        WebDriverWait(browser, 240).until(shown)
    except TimeoutException:
        text = browser.find_element(By.TAG_NAME, "body").text
        pytest.fail(f"no {what} at {browser.current_url}: {text}")


@pytest.fixture(scope="module")
def run(inside, page, folder):
    """The whole way from a dropped file to a verdict; its table and its run."""
    table = upload(inside, page, folder / "patients.csv")
    press(inside, "p.onward a.button")
    WebDriverWait(inside, 30).until(lambda b: b.current_url.endswith("/columns"))
    role = next(
        one
        for one in inside.find_elements(By.CSS_SELECTOR, "select")
        if one.accessible_name == "Role of diagnosis"
    )
    Select(role).select_by_value("sensitive")
    press(inside, "p.onward button")
    WebDriverWait(inside, 30).until(lambda b: b.current_url.endswith("/promise"))
    address = make(inside, table, min_support="12", seed="3")
    assert inside.find_element(By.CSS_SELECTOR, "progress").accessible_name
    decided(inside)
    return table, address


def test_the_whole_way_ends_with_a_downloaded_release(inside, run):
    inside.get_log("browser")  # of the pages before
    inside.get(run[1])
    press(inside, ".downloads a.button")
    place = inside.kept / "patients.release.csv"
    WebDriverWait(inside, 30).until(lambda _: place.exists())
    assert len(place.read_text().splitlines()) == 401
    assert silent(inside)


def test_the_pictures_of_the_verdict_have_size_and_words(inside, run):
    inside.get(run[1])
    assert pictures(inside) >= 8


def test_a_point_is_chosen_with_the_keyboard(inside, run):
    inside.get(run[1])
    points = inside.find_elements(By.CSS_SELECTOR, "svg a")
    assert len(points) >= 4
    point = points[-1]
    assert point.accessible_name.startswith("Minimum support")
    inside.execute_script("arguments[0].focus()", point)
    inside.switch_to.active_element.send_keys(Keys.ENTER)
    WebDriverWait(inside, 30).until(lambda b: b.current_url.endswith("/promise"))
    typed = inside.find_element(By.NAME, "o-min_support").get_attribute("value")
    assert f"Minimum support {int(typed):,}" in point_words(inside, run)


def point_words(browser, run) -> str:
    browser.get(run[1])
    return " ".join(p.accessible_name for p in browser.find_elements(By.CSS_SELECTOR, "svg a"))


def test_a_point_is_chosen_with_the_mouse(inside, run):
    inside.get(run[1])
    points = inside.find_elements(By.CSS_SELECTOR, "svg a")
    # Points may lie on each other, and below that of this release: a hand takes one that it meets.
    met = [point for point in points if inside.execute_script(MET, point)]
    assert met
    inside.execute_script(MET, met[0])
    ActionChains(inside).move_to_element(met[0]).click().perform()
    WebDriverWait(inside, 30).until(lambda b: b.current_url.endswith("/promise"))


MET = """
const point = arguments[0];
point.scrollIntoView({block: 'center', behavior: 'instant'});
const box = point.getBoundingClientRect();
const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
return top !== null && top.closest('svg a') !== null;
"""
"""Scrolls to a point; whether a link is on top of its middle."""


def pages(run) -> dict[str, str]:
    table, address = run
    base = table.partition("/tables/")[0]
    return {
        "home": f"{base}/", "table": table, "columns": f"{table}columns",
        "column": f"{table}columns/0", "promise": f"{table}promise",
        "private": f"{table}promise?method=private", "choose": f"{table}choose",
        "decide": address, "compare": f"{base}/compare", "problem": f"{base}/nowhere",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["home", "table", "columns", "column", "promise", "private",
                                  "choose", "decide", "compare", "problem"])  # fmt: skip
def test_nobody_is_shut_out(inside, run, program, name):
    """At both widths nothing sticks out, axe finds nothing serious, and the console is silent."""
    inside.get_log("browser")  # of the pages before
    inside.get(pages(run)[name])
    inside.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    for width in WIDTHS:
        assert not sticks_out(inside, width), f"{name} at {width}"
        assert violations(inside, program) == [], f"{name} at {width}"
    inside.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert silent(inside) or name == "problem"  # a browser logs every 404 itself


def test_the_judge_of_pages_finds_what_is_wrong(inside, page, program):
    inside.get(f"{page.base}/")
    inside.execute_script("document.getElementById('place').previousElementSibling.remove()")
    inside.execute_script("document.getElementById('place').removeAttribute('placeholder')")
    assert any(found.startswith("label") for found in violations(inside, program))


def test_the_keyboard_alone_opens_a_table(inside, page):
    inside.get(f"{page.base}/")
    seen = []
    for _ in range(40):
        ActionChains(inside).send_keys(Keys.TAB).perform()
        now = inside.switch_to.active_element
        seen.append(now.text or now.accessible_name)
        outline = now.value_of_css_property("outline-style")
        assert outline not in ("none", ""), f"the focus does not show on {seen[-1]!r}"
        if now.text == "patients.csv":
            ActionChains(inside).send_keys(Keys.ENTER).perform()
            break
    WebDriverWait(inside, 60).until(lambda b: "/tables/" in b.current_url)
    assert seen[0] == "Skip to the content"


def test_a_reload_in_the_middle_loses_nothing(inside, folder, page):
    table = upload(inside, page, patients(folder / "more.csv", 6_000))
    address = make(inside, table, min_support="10", seed="3", nas_at_most="", rows="")
    for _ in range(3):
        inside.refresh()
        assert inside.current_url == address
        time.sleep(0.3)
    inside.get(table)
    assert "6,000 rows" in inside.page_source
    inside.get(address)
    decided(inside, ".downloads a.button")


def test_two_tabs_see_the_same_run(inside, run):
    table, _ = run
    # The form remembers what was said last, and another test may have asked for what cannot be.
    address = make(inside, table, min_support="30", seed="4", nas_at_most="", rows="")
    first = inside.current_window_handle
    inside.switch_to.new_window("tab")
    inside.get(address)
    decided(inside)
    inside.close()
    inside.switch_to.window(first)
    inside.refresh()  # a browser lets a tab that nobody sees sleep
    decided(inside, ".downloads a.button")


def test_a_run_is_stopped_by_its_button(inside, page, folder):
    table = upload(inside, page, patients(folder / "long.csv", 20_000))
    make(inside, table, min_support="5", seed="3")
    press(inside, "form[action=stop] button")
    decided(inside)
    assert "the best it had found" in inside.page_source


def test_a_refused_target_is_said_in_the_page(inside, run):
    table, _ = run
    make(inside, table, min_support="10", nas_at_most="0.000001", rows="2000")
    decided(inside)
    assert "Refused" in inside.find_element(By.CSS_SELECTOR, ".verdict").text


def test_a_broken_file_is_said_in_the_page(inside, page, tmp_path):
    place = tmp_path / "broken.csv"
    place.write_bytes(b"a,b\n1,2\n3\n")
    upload(inside, page, place)
    assert inside.find_element(By.CSS_SELECTOR, "[role=alert]").text


def test_a_value_with_markup_in_it_stays_text(inside, page, tmp_path):
    place = tmp_path / "markup.csv"
    bad = "<img src=x onerror=document.title=1>"
    place.write_text("town,sex\n" + f"{bad},f\nRome,m\n" * 60)
    table = upload(inside, page, place)
    inside.get_log("browser")
    for path in (table, f"{table}columns", f"{table}columns/0"):
        inside.get(path)
        assert bad in inside.find_element(By.TAG_NAME, "body").text or "columns" in path
        assert inside.title != "1"
        assert not inside.find_elements(By.CSS_SELECTOR, "main img")
    assert silent(inside)


def test_five_hundred_columns_fit_into_the_page(inside, page, tmp_path):
    place = tmp_path / "wide.csv"
    lines = [",".join(str((i * j) % 3) for i in range(1, 501)) for j in range(60)]
    place.write_text("\n".join([",".join(f"c{i}" for i in range(500)), *lines]) + "\n")
    table = upload(inside, page, place)
    for path in (table, f"{table}columns"):
        inside.get(path)
        for width in WIDTHS:
            assert not sticks_out(inside, width)
    inside.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert len(inside.find_elements(By.CSS_SELECTOR, "select[name^=kind]")) == 500
    press(inside, "p.onward button")
    WebDriverWait(inside, 60).until(lambda b: b.current_url.endswith("/promise"))


def test_the_steps_work_without_scripts(inside, page, folder):
    inside.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        table = upload(inside, page, folder / "patients.csv")
        inside.get(f"{table}columns")
        press(inside, "p.onward button")
        WebDriverWait(inside, 30).until(lambda b: b.current_url.endswith("/promise"))
        inside.find_element(By.NAME, "o-min_support").send_keys("15")
        press(inside, "form p.onward button")
        WebDriverWait(inside, 60).until(lambda b: "/runs/" in b.current_url)
        decided(inside)  # the page loads itself again
    finally:
        inside.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_verdict_prints(inside, run):
    inside.get(run[1])
    printed = inside.execute_cdp_cmd("Page.printToPDF", {})
    assert len(printed["data"]) > 20_000
    inside.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = [e.is_displayed() for e in inside.find_elements(By.CSS_SELECTOR, ".bar, button")]
        assert shown
        assert not any(shown)
        assert inside.find_element(By.CSS_SELECTOR, ".verdict").is_displayed()
    finally:
        inside.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_page_without_its_cookie_shows_nothing(inside, tmp_path):
    """A browser that knows another page of this machine is not let in."""
    other = start(tmp_path)
    try:
        inside.get(f"{other.base}/")
        assert "whoever started it" in inside.page_source
    finally:
        other.close()
