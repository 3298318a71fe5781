"""Which URLs of a team's server are allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from editahead_retrieval.errors import TeamIndexError
from editahead_retrieval.team.address import TeamAddress
from editahead_retrieval.team.proofs import create_key, read_key


def test_another_machine_has_to_prove_its_name() -> None:
    options = TeamAddress.parse("postgresql://ada@index.example.org:6432/team").connection_options("salt")
    assert options == {
        "host": "index.example.org",
        "port": 6432,
        "user": "ada",
        "dbname": "team",
        "password": "salt",
        "sslmode": "verify-full",
        "sslrootcert": "system",
        "require_auth": "scram-sha-256",
    }


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "?host=/run/postgresql", "?host=%2Ftmp%2Fpg"]
)
def test_this_machine_needs_no_tls(host: str) -> None:
    assert "sslmode" not in TeamAddress.parse(f"postgresql://{host}").connection_options("")


@pytest.mark.parametrize(
    ("place", "auth"),
    [
        ("localhost", "scram-sha-256"),
        ("127.0.0.1?sslmode=disable", "scram-sha-256"),
        ("index.example.org/team?sslrootcert=a.pem", "scram-sha-256"),
        ("index.example.org/team?sslcert=ada.pem&sslkey=ada.key", "scram-sha-256,none"),
        ("?host={private}", "scram-sha-256,none"),
        ("?host={shared}", "scram-sha-256"),
        ("?host={shared}&requirepeer=postgres", "scram-sha-256,none"),
        ("?host={private}/gone", "scram-sha-256"),
    ],
)
def test_a_server_without_a_password_proves_itself_otherwise(tmp_path: Path, place: str, auth: str) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o1777)
    (tmp_path / "private").mkdir(0o755)
    url = place.format(private=tmp_path / "private", shared=tmp_path / "shared")
    assert TeamAddress.parse(f"postgresql://{url}").connection_options("")["require_auth"] == auth


def test_a_certificate_of_ones_own_is_allowed() -> None:
    url = "postgresql://index.example.org/team?sslmode=verify-full&sslrootcert=%2Fetc%2Fteam.pem"
    assert TeamAddress.parse(url).options["sslrootcert"] == "/etc/team.pem"


@pytest.mark.parametrize(
    "url",
    [
        "https://index.example.org",
        "postgresql://",
        "postgresql:///team",
        "postgresql://ada:salt@index.example.org/team",
        "postgresql://index.example.org/team?sslmode=require",
        "postgresql://index.example.org/team?sslmode=disable",
        "postgresql://index.example.org/team?options=-c%20row_security%3Doff",
        "postgresql://localhost/team?host=localhost,index.example.org",
        "postgresql://index.example.org:many/team",
        "postgresql://127.0.0.1.example.org/team?sslmode=allow",
        "postgresql://[::1/team",
        "postgresql://index.example.org/team#here",
    ],
)
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(ValueError):
        TeamAddress.parse(url)


def test_a_key_comes_from_the_environment() -> None:
    key = create_key()
    assert read_key({"TEAM": f" {key}\n"}, "TEAM").hex() == key
    for environment, name in (({}, "TEAM"), ({"TEAM": key[1:]}, "TEAM"), ({"TEAM": key}, "")):
        with pytest.raises(TeamIndexError, match="team's key"):
            read_key(environment, name)
