from __future__ import annotations

import postgres
import pytest


@pytest.fixture(scope="module")
def server():
    with postgres.running_server() as found:
        yield found


@pytest.fixture(params=["postgresql", "sqlite", "duckdb"])
def base(request, tmp_path, monkeypatch):
    """The beginning of an address, up to the question mark, of an empty database."""
    monkeypatch.chdir(tmp_path)
    if request.param == "postgresql":
        server = request.getfixturevalue("server")
        server.run("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
        return server.address()
    return f"{request.param}:////{tmp_path}/clinic.{request.param}"
