"""A clinic in a file with its asset and its secrets: all that a choice needs."""

from __future__ import annotations

import pytest
from trials import RULES, clinic_table

from halfmask.choosing.databases import stand_in
from halfmask.choosing.secrets import Secrets
from halfmask.choosing.steps import Databases
from halfmask.data import Table
from halfmask.io import files
from halfmask.methods.hiding.sensitive import parse_sensitive
from halfmask.methods.names import as_baskets
from halfmask.randomness import Randomness

ASSET = """
relation:
  key: []
  attributes:
    sex: {}
    illness: {}
    drug: {}
    age: {type: int}
  null_tokens: ["?"]
asset:
- name: therapy
  weight: 0.7
  attributes:
    illness: {aw: 1.0, cw: 1.0}
    drug: {aw: 0.9, cw: 0.5, slink: [s_insulin]}
    age: {aw: 0.3, cw: 0.3, slink: [s_grown]}
  simple:
    s_insulin: {expr: {attr: drug, cmp: "==", value: insulin}, clink: [c_insulin]}
    s_grown: {expr: "age >= 20", clink: [c_insulin]}
  complex:
    c_insulin: {op: implies, args: [s_insulin, s_grown], weight: 0.8}
- name: person
  weight: 0.3
  attributes:
    sex: {aw: 1.0, cw: 1.0}
"""


@pytest.fixture(scope="session")
def clinic_files(tmp_path_factory):
    """The folder with clinic.csv, asset.yaml and secrets.txt."""
    folder = tmp_path_factory.mktemp("clinic")
    files.save(clinic_table(600, 1), folder / "clinic.csv")
    (folder / "asset.yaml").write_text(ASSET)
    (folder / "secrets.txt").write_text(RULES)
    return folder


@pytest.fixture(scope="session")
def clinic() -> Table:
    return clinic_table(600, 1)


@pytest.fixture(scope="session")
def secrets(clinic) -> Secrets:
    return Secrets(parse_sensitive(RULES, as_baskets(clinic).schema), column="illness")


@pytest.fixture(scope="session")
def databases(clinic) -> Databases:
    source = stand_in(clinic, min_support=10, randomness=Randomness(5))
    return Databases(source(600, "generic"), tuple(source(400, f"test {n}") for n in range(2)))
