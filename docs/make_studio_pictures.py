"""Take the pictures of docs/studio.md anew, in a real browser: needs Chromium and its driver.

Run it after a change of the pages: `.venv/bin/python docs/make_studio_pictures.py`.
"""

from __future__ import annotations

import base64
import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from halfmask.data import Encoding
from halfmask.demo.hospital import hospital_admissions
from halfmask.io.files import save

PICTURES = Path(__file__).resolve().parent / "pictures"
WIDE, NARROW = 1180, 360


def browser(profile: Path) -> webdriver.Chrome:
    """Chromium without a window."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"):
        options.add_argument(flag)
    return webdriver.Chrome(
        options=options, service=webdriver.ChromeService(shutil.which("chromedriver") or "")
    )


def take(
    page: webdriver.Chrome, name: str, *, width: int = WIDE, height: int = 860, at: str = "body"
) -> None:
    """A part of a page, in few colours."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    place = page.find_element(By.CSS_SELECTOR, at)
    page.execute_script("arguments[0].scrollIntoView({behavior: 'instant'})", place)
    shot = page.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
    image = Image.open(io.BytesIO(base64.b64decode(shot))).convert("RGB")
    image.quantize(128).save(PICTURES / f"studio-{name}.png", optimize=True)


def pictures(page: webdriver.Chrome, entrance: str) -> None:
    """The five steps, and a phone."""
    page.get(entrance)
    table = page.current_url
    take(page, "open")
    page.get(f"{table}columns")
    take(page, "columns")
    page.get(f"{table}promise")
    take(page, "promise")
    page.find_element(By.NAME, "o-min_support").send_keys("20")
    page.execute_script("document.querySelector('form p.onward button').click()")
    WebDriverWait(page, 60).until(lambda b: "/runs/" in b.current_url)
    WebDriverWait(page, 60).until(lambda b: "drawing" in b.page_source.lower())
    page.implicitly_wait(1)
    take(page, "make", height=520)
    WebDriverWait(page, 300).until(lambda b: b.find_elements(By.CSS_SELECTOR, ".verdict"))
    take(page, "decide", height=980)
    take(page, "phone", width=NARROW, height=760)
    take(page, "trade-off", height=860, at="#try")


def main() -> None:
    """Start a page on the hospital table, and go through it."""
    with tempfile.TemporaryDirectory() as folder:
        original = Path(folder, "admissions.csv")
        columns = hospital_admissions(rng=np.random.default_rng(2007))
        save(Encoding.fit(columns).encode(columns), original)
        words = [sys.executable, "-m", "halfmask", "studio", str(original), "--no-browser"]
        server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ours
        opened = browser(Path(folder, "profile"))
        try:
            line = server.stdout.readline() if server.stdout is not None else ""
            found = re.search(r"http\S+", line)
            pictures(opened, found[0] if found else "")
        finally:
            opened.quit()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
