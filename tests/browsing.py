"""What a browser must find on every page: silence, pictures with words, nothing that sticks out."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile

import pytest

__all__ = [
    "WIDTHS", "axe", "contrasts", "opened_browser", "pictures", "silent", "sticks_out",
    "violations",
]  # fmt: skip

WIDTHS = [1280, 820, 390, 320]
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip


def opened_browser(profile):
    """A real browser, or a skip that says what is missing."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("no browser: install chromium and chromium-driver (Debian's packages)")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def silent(page) -> bool:
    """Whether the console has nothing to say."""
    return page.get_log("browser") == []


def sticks_out(page, width: int) -> bool:
    """Whether something makes the page wider than the window."""
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    inner, wide = page.execute_script(
        "return [document.documentElement.clientWidth, document.documentElement.scrollWidth]"
    )
    return not wide <= inner <= width


def pictures(page) -> int:
    """The number of pictures, each of which has a size and a name for those who listen."""
    found = page.find_elements("css selector", "figure svg")
    for picture in found:
        assert picture.size["width"] > 100
        assert picture.size["height"] > 30
        assert picture.accessible_name
    return len(found)


def contrasts(page) -> list[float]:
    """How much the small letters stand out from the paper."""
    colours = page.execute_script(
        "return [...document.querySelectorAll('.quiet, .meaning, thead th, .sub, figcaption, a')]"
        ".map(e => getComputedStyle(e).color)"
    )
    return [_contrast_with_white(colour) for colour in set(colours)]


def _contrast_with_white(colour: str) -> float:
    channels = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 1.05 / (luminance + 0.05)


AXE = "axe-core@4.14.0"
AXE_SHA256 = "2277b0a3ef47af9b52497faa3e71598e86e0a0e5e6eb295207a5657ede4709af"
"""Of the package as npm has it."""


def axe(folder) -> str:
    """The program that finds what shuts people out of a page, or a skip that says what is missing.

    https://github.com/dequelabs/axe-core, MPL-2.0; it is not part of this project.
    """
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm, which brings axe-core")
    done = subprocess.run(  # noqa: S603 - a pinned package
        [npm, "pack", AXE], cwd=folder, capture_output=True, text=True, check=False
    )
    packed = next(folder.glob("axe-core-*.tgz"), None)
    if done.returncode or packed is None:
        pytest.skip("npm could not bring axe-core")
    assert hashlib.sha256(packed.read_bytes()).hexdigest() == AXE_SHA256
    with tarfile.open(packed) as files:
        return files.extractfile("package/axe.min.js").read().decode()


def violations(page, program: str) -> list[str]:
    """What axe finds that is serious or worse."""
    page.execute_script(program)
    found = page.execute_async_script(
        "const done = arguments[0];"
        "axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations))"
    )
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes'][:4]]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
