"""The driver of `make sanitize` keeps up with the kernels: nothing else compiles it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[2] / "native"


def test_the_fuzz_driver_fits_the_kernels():
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        pytest.skip("no C++ compiler (Debian: apt install g++)")
    sources = sorted((NATIVE / "fuzz").glob("*.cpp"))
    assert sources
    command = [compiler, "-std=gnu++20", f"-I{NATIVE}", "-fsyntax-only", *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    assert done.returncode == 0, done.stderr
