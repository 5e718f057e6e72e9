"""An index on disk answers as the one it was made of; a damaged one is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfmask.data import Baskets
from halfmask.documents.index_file import load_index, save_index
from halfmask.errors import BadInput
from halfmask.methods.hiding.index import Index

LETTERS = "abcde"


@given(rows=st.lists(st.sets(st.sampled_from(LETTERS)), max_size=20))
def test_there_and_back(rows, tmp_path_factory):
    index = Index.of(Baskets.of([sorted(row) for row in rows], names=LETTERS))
    path = tmp_path_factory.mktemp("index") / "letters.index"
    save_index(index, path)
    again = load_index(path)
    for question in ("a", "a and not b", "not (c or d)", "a and b and e"):
        assert again.find(question).tolist() == index.find(question).tolist()


@pytest.mark.parametrize("damage", ["cut", "text", "lists"])
def test_what_is_no_index_is_refused(tmp_path, damage):
    index = Index.of(Baskets.of(["ab", "b"] * 20))
    path = tmp_path / "letters.index"
    save_index(index, path)
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:200])
    elif damage == "text":
        path.write_text("a, b\n")
    else:
        with np.load(path) as archive:
            parts = dict(archive)
        parts["rows"] = parts["rows"][::-1].copy()
        with path.open("wb") as file:
            np.savez(file, **parts)
    with pytest.raises(BadInput, match="damaged"):
        load_index(path)


def test_the_command_builds_once_and_asks_tables_too(tmp_path):
    import subprocess
    import sys

    (tmp_path / "people.csv").write_text("sex,ill\n" + "f,yes\nm,no\nf,no\n" * 20)

    def run(*words):
        command = [sys.executable, "-m", "halfmask", "index", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603

    assert run("build", "people.csv").returncode == 0
    assert run("query", "people.index", "sex=f and not ill=yes").stdout == "20 of 60 rows\n"
    assert run("query", "people.csv", "sex=f and not ill=yes").stdout == "20 of 60 rows\n"
    assert run("build", "people.csv").returncode == 2  # it is there already
