"""`editahead team` on a real server."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import CommandLine
from editahead_cli.main import main
from real_postgres import PostgresServer


@pytest.mark.slow
def test_an_administrator_looks_after_a_team(
    postgres: PostgresServer,
    editahead: CommandLine,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import psycopg

    monkeypatch.setenv("EDITAHEAD_TEAM_ADMIN", postgres.url())
    assert main(["team", "status", "kitchen"]) == 1 and "team create" in capsys.readouterr().err
    assert main(["team", "create", "kitchen"]) == 0 and main(["team", "create", "kitchen"]) == 0
    capsys.readouterr()
    password = editahead("team", "add", "kitchen", "ada").out.splitlines()[1]
    with psycopg.connect(postgres.url("ada", password)) as connection:
        assert connection.execute("SELECT team_version()").fetchone()
    assert main(["team", "status", "kitchen"]) == 0 and "Members: ada." in capsys.readouterr().out
    assert main(["team", "prune", "kitchen", "--days", "30"]) == 0
    assert main(["team", "remove", "kitchen", "ada"]) == 0 and main(["team", "remove", "kitchen", "ada"]) == 1
    assert main(["team", "add", "kitchen", "Ada"]) == 1


def test_a_key_is_new_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["team", "key"]) == main(["team", "key"]) == 0
    first, second = capsys.readouterr().out.split()
    assert first != second and len(bytes.fromhex(first)) == 32


@pytest.mark.parametrize(
    "arguments",
    [
        ["create"],
        ["add", "kitchen"],
        ["status", "kitchen"],
        ["status", "kitchen", "--url", "https://example.org"],
    ],
)
def test_what_is_missing_is_named(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EDITAHEAD_TEAM_ADMIN", raising=False)
    assert main(["team", *arguments]) == 1 and "name" in capsys.readouterr().err


def test_a_server_that_is_down_has_a_clear_error(tmp_path: Path, editahead: CommandLine) -> None:
    pytest.importorskip("psycopg")
    assert (
        "cannot be reached"
        in editahead(
            "team", "status", "kitchen", "--url", f"postgresql://ada@/team?host={tmp_path}", code=1
        ).err
    )
