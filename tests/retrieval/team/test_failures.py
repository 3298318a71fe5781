"""A server that is down, hangs, or lies."""

from __future__ import annotations

from typing import Any

import pytest

from editahead_retrieval.errors import TeamIndexError
from editahead_retrieval.team import server as server_module
from editahead_retrieval.team.address import TeamAddress
from editahead_retrieval.team.server import TeamServer
from real_postgres import PostgresServer
from silent_server import READY, SilentServer
from team_of_members import KEY, Team, vector

CHUNK = KEY.prove_chunk(bytes(16))


@pytest.mark.slow
def test_a_server_that_stops_has_a_clear_error_and_is_used_again(own_postgres: PostgresServer) -> None:
    with Team.create(own_postgres) as team:
        ada = team.client("ada")
        ada.put_vectors([CHUNK], [vector(3)])
        own_postgres.stop()
        for _ in range(2):
            with pytest.raises(TeamIndexError, match="cannot be reached"):
                ada.vectors_of([CHUNK])
        own_postgres.start()
        assert ada.vectors_of([CHUNK]) == {0: vector(3)}


@pytest.mark.parametrize(
    "answer", [b"", READY, READY + b"D\xff\xff\xff\xff", b"HTTP/1.1 400 Bad Request\r\n\r\n"]
)
def test_a_server_that_hangs_or_speaks_otherwise_is_given_up(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setattr(server_module, "CONNECT_S", 1)
    monkeypatch.setattr(server_module, "CALL_S", 0.2)
    silent = SilentServer(answer)
    client = TeamServer(TeamAddress.parse(silent.url))
    try:
        with pytest.raises(TeamIndexError, match=r"does not answer|cannot be reached"):
            client.vectors_of([CHUNK])
    finally:
        client.close()
        silent.close()


@pytest.mark.parametrize(
    ("body", "call"),
    [
        ("SELECT 7, '\\x00'::bytea", lambda client: client.vectors_of([CHUNK])),
        ("SELECT 1, '\\x00'::bytea", lambda client: client.vectors_of([CHUNK])),
        ("SELECT NULL::int, NULL::bytea", lambda client: client.vectors_of([CHUNK])),
    ],
)
def test_answers_are_checked(team: Team, body: str, call: Any) -> None:
    ada = team.client("ada")
    team.admin.execute(
        f"CREATE OR REPLACE FUNCTION editahead_{team.name}.vectors_of(proofs bytea[])"
        f" RETURNS TABLE (place integer, value bytea) LANGUAGE sql AS $$ {body} $$".encode()
    )
    with pytest.raises(TeamIndexError, match="answers with"):
        call(ada)


def test_a_database_that_is_no_index_has_a_clear_error(team: Team) -> None:
    url = team.server.url("postgres")
    with pytest.raises(TeamIndexError, match="no team's index"):
        TeamServer(TeamAddress.parse(url)).vectors_of([CHUNK])
