"""The memory of a family: reckoned for all tables together, before each is read."""

from __future__ import annotations

import pytest
from visiting import hospital

import halfmask as hm
from halfmask.errors import BadInput
from halfmask.memory import Memory

SIZES = (600, 6), (1_800, 7)


def test_all_tables_count():
    allowed = Memory(10**12)
    alone, both = allowed.beside(SIZES[0]), allowed.beside(*SIZES)
    assert alone - both > 1_800 * 7 * 20  # its cells, and what is drawn to be dealt out
    assert allowed.beside(*SIZES, drawn=False) > both


@pytest.mark.parametrize(
    ("memory", "sentence"),
    [
        ("100MB", "^About [0-9]+ rows of [0-9] columns need"),
        ("456MB", "^600 rows of [0-9] columns and about [0-9,]+ rows of [0-9]+ columns need"),
    ],
)
def test_a_family_that_does_not_fit_is_refused_before_it_is_read(tmp_path, memory, sentence):
    files = {}
    for name, frame in hospital(600).items():
        files[name] = tmp_path / f"{name}.csv"
        frame.write_csv(files[name])
    with pytest.raises(BadInput, match=sentence):
        hm.publish(files, memory=memory)
    assert len(list(tmp_path.iterdir())) == 2


def test_what_gives_way_is_said_and_enough_memory_does_not_show():
    tables = {name: frame.head(400) for name, frame in hospital(600).items()}
    keys = tables["patients"].select("patient_id")
    tables["visits"] = hospital(600)["visits"].join(keys, on="patient_id", how="semi")
    plenty, unsaid = (hm.publish(tables, seed=1, memory=m) for m in ("20GB", None))
    for name, rows in plenty.data.items():
        assert rows.equals(unsaid.data[name])
    assert not [r for r in plenty.remarks if "memory" in r]
