"""A small clinic, what it hides, and the databases that methods are tried on."""

from __future__ import annotations

import pytest
from trials import RULES, clinic_table

from halfmask.choosing.databases import stand_in
from halfmask.choosing.secrets import Secrets, as_baskets
from halfmask.choosing.steps import Databases
from halfmask.data import Table
from halfmask.methods.hiding import parse_sensitive
from halfmask.randomness import Randomness


@pytest.fixture(scope="session")
def clinic() -> Table:
    return clinic_table(600, 1)


@pytest.fixture(scope="session")
def secrets(clinic) -> Secrets:
    return Secrets(parse_sensitive(RULES, as_baskets(clinic).schema), column="illness")


@pytest.fixture(scope="session")
def databases(clinic) -> Databases:
    source = stand_in(clinic, min_support=10, randomness=Randomness(5))
    return Databases(
        source.draw(600, "generic"), tuple(source.draw(400, f"test {n}") for n in range(2))
    )
