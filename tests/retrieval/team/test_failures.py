"""A server that is down, hangs, or lies."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from editahead_retrieval.errors import TeamIndexError
from editahead_retrieval.team import server as server_module
from editahead_retrieval.team.address import TeamAddress
from editahead_retrieval.team.server import TeamServer
from real_postgres import PostgresServer
from silent_server import PASSWORD_AS_MD5, PASSWORD_IN_CLEAR, READY, SilentServer
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


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder of this user alone, with a path that is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as folder:
        yield Path(folder)


@contextmanager
def client_of(silent: SilentServer, password: str = "") -> Iterator[TeamServer]:
    client = TeamServer(TeamAddress.parse(silent.url), password)
    try:
        yield client
    finally:
        client.close()
        silent.close()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"", marks=pytest.mark.slow),
        READY,
        READY + b"D\xff\xff\xff\xff",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
    ],
)
def test_a_server_that_hangs_or_speaks_otherwise_is_given_up(
    answer: bytes, short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setattr(server_module, "CONNECT_S", 1)
    monkeypatch.setattr(server_module, "CALL_S", 0.2)
    with (
        client_of(SilentServer([answer], short_folder)) as client,
        pytest.raises(TeamIndexError, match=r"does not answer|cannot be reached"),
    ):
        client.vectors_of([CHUNK])


@pytest.mark.parametrize("asked", [PASSWORD_IN_CLEAR, PASSWORD_AS_MD5, READY], ids=["clear", "md5", "none"])
def test_whoever_holds_the_port_gets_neither_the_password_nor_a_question(asked: bytes) -> None:
    pytest.importorskip("psycopg")
    silent = SilentServer([asked])
    with client_of(silent, "sesame") as client, pytest.raises(TeamIndexError, match="cannot be reached"):
        client.vectors_of([CHUNK])
    assert b"ada" in silent.received  # it was asked
    assert b"sesame" not in silent.received and b"SELECT" not in silent.received
    digest = hashlib.md5(hashlib.md5(b"sesameada").hexdigest().encode() + b"salt").hexdigest()
    assert digest.encode() not in silent.received


def test_a_socket_in_a_folder_for_all_is_held_by_anybody(short_folder: Path) -> None:
    pytest.importorskip("psycopg")
    short_folder.chmod(0o1777)
    silent = SilentServer([READY], short_folder)
    with client_of(silent, "sesame") as client, pytest.raises(TeamIndexError, match="cannot be reached"):
        client.vectors_of([CHUNK])
    assert b"SELECT" not in silent.received


ROW = b"D\0\0\x27\x20" + b"\0\x01\0\0\x27\x16" + bytes(10_006)
"""A row of 10,016 bytes."""
COLUMNS = b"T\0\0\0\x1a\0\x01a\0" + bytes(6) + b"\0\0\0\x17\0\x04" + bytes(4) + b"\0\0"


@pytest.mark.parametrize(
    ("flood", "max_bytes"),
    [
        (chain([READY, b"", COLUMNS], repeat(ROW)), 50_000_000),
        # libpq reads a row as fast as it comes, and how fast that is depends on the machine.
        (chain([READY, b"", COLUMNS, b"D\x3f\xff\xff\xff"], repeat(bytes(10_000))), 1_000_000_000),
        (chain([READY, b""], repeat(b"N\0\0\x27\x16S" + b"x" * 9_999 + b"\0\0")), 50_000_000),
        (chain([READY, b""], repeat(b"S\0\0\x27\x18a\0" + b"x" * 10_001 + b"\0")), 50_000_000),
    ],
    ids=["rows", "one row of a gigabyte", "notices", "parameters"],
)
def test_an_answer_without_end_is_cut(
    flood: Iterator[bytes], max_bytes: int, short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounded_connection = pytest.importorskip("editahead_retrieval.team.bounded_connection")
    monkeypatch.setattr(bounded_connection, "MAX_ANSWER_BYTES", 1_000_000)
    silent = SilentServer(flood, short_folder)
    with client_of(silent) as client, pytest.raises(TeamIndexError, match="more than 1000000 bytes"):
        client.vectors_of([CHUNK])
    assert silent.sent < max_bytes


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
