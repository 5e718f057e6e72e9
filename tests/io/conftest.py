from __future__ import annotations

import postgres
import pytest


@pytest.fixture(scope="module")
def server():
    with postgres.running_server() as found:
        yield found
