"""The core stays light: what `pip install halfmask` brings, and what an import costs."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution

MEGABYTE = 1_000_000
MOST_MEGABYTES = 350


def closure(name: str) -> dict[str, int]:
    """A distribution and all it requires (extras left out), with the bytes each ships."""
    found: dict[str, int] = {}
    waiting = [name]
    while waiting:
        one = waiting.pop().lower().replace("_", "-")
        if one in found:
            continue
        try:
            package = distribution(one)
        except PackageNotFoundError:
            continue
        paths = [package.locate_file(file) for file in package.files or ()]
        shipped = (path for path in paths if path.suffix != ".pyc" and path.is_file())
        found[one] = sum(path.stat().st_size for path in shipped)
        needed = [text for text in package.requires or () if "extra ==" not in text]
        waiting += [re.split(r"[ ;<>=!~\[(]", text, maxsplit=1)[0] for text in needed]
    return found


def test_the_core_install_is_small():
    sizes = closure("halfmask")
    total = sum(sizes.values()) / MEGABYTE
    assert "pyarrow" in sizes
    assert total < MOST_MEGABYTES, f"{total:.0f} MB: {sizes}"


def test_an_import_costs_little_processor_time():
    code = "import time, halfmask; print(time.process_time())"
    runs = [
        subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        for _ in range(3)
    ]
    best = min(float(run.stdout) for run in runs)
    assert best < 0.3
