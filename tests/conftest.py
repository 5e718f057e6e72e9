"""What all tests share: where the public data sets are, and how hypothesis behaves."""

from __future__ import annotations

import gzip
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from halfmask.data import Baskets

# A runner that was started in the background ignores Ctrl-C and passes that on to its children;
# some tests send it on purpose.
signal.signal(signal.SIGINT, signal.default_int_handler)

# These run in another environment, beside the packages they ask.
collect_ignore_glob = ["others/ask_*.py"]

settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")


def _data_folder() -> Path | None:
    named = os.environ.get("HALFMASK_DATA")
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(named) if named else beside
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets, or a skip that says how to name it."""
    folder = _data_folder()
    if folder is None:
        pytest.skip("no public data sets: set HALFMASK_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def webview(data_folder: Path) -> Baskets:
    """A real click stream: 59,602 sessions of 497 pages."""
    with gzip.open(data_folder / "bms-webview-1.dat.gz", "rt", encoding="utf-8") as lines:
        return Baskets.of([line.split() for line in lines])
