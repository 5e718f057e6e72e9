"""A small file may unpack to more than any machine holds: it is refused before it does."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc

import pytest

from halfmask.errors import BadInput
from halfmask.io.given import Given
from halfmask.io.sources import open_source
from halfmask.memory import Memory

MEGABYTE = 1_000_000


@pytest.fixture
def little_memory(monkeypatch):
    """A machine with 40 MB free, of which a file may take 10."""
    monkeypatch.setattr("halfmask.io.sources.Memory.of", lambda: Memory(40 * MEGABYTE))
    monkeypatch.setattr("halfmask.io.sources.BLOCK", MEGABYTE)


def bomb(megabytes: int) -> bytes:
    return gzip.compress(b"1 2 3 4 5\n" * (megabytes * MEGABYTE // 10))


@pytest.mark.usefixtures("little_memory")
def test_a_basket_file_that_unpacks_to_too_much_is_refused(tmp_path):
    path = tmp_path / "bomb.dat.gz"
    path.write_bytes(bomb(100))
    assert path.stat().st_size < MEGABYTE
    tracemalloc.start()
    with pytest.raises(BadInput, match=r"'bomb.dat.gz' holds more than 10 MB when it is unpack"):
        Given(path).read()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * MEGABYTE


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("content", [bomb(100), b"1 2 3 4 5\n" * 2 * MEGABYTE])
def test_so_is_standard_input(monkeypatch, content):
    stream = io.TextIOWrapper(io.BytesIO(content))
    monkeypatch.setattr(sys, "stdin", stream)
    with pytest.raises(BadInput, match="Standard input holds more than"):
        open_source("-")


def test_what_fits_is_read_whole(tmp_path):
    path = tmp_path / "fine.dat.gz"
    path.write_bytes(gzip.compress(b"1 2\n3\n" * 100))
    assert len(Given(path).read().content) == 200
