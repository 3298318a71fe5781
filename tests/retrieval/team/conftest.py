"""A real server for the tests of this folder, with a team of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from editahead_retrieval.team import server
from real_postgres import PostgresServer
from team_of_members import Team


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine take its time. What is tested is not how fast it is."""
    monkeypatch.setattr(server, "CONNECT_S", 60)
    monkeypatch.setattr(server, "CALL_S", 600)


@pytest.fixture
def team(postgres: PostgresServer) -> Iterator[Team]:
    with Team.create(postgres) as team:
        yield team
