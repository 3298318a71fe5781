"""The tables of a team: created, brought from version to version, pruned, and used by several writers at once."""

from __future__ import annotations

from threading import Barrier, Thread

import pytest

from editahead_retrieval.errors import TeamIndexError
from editahead_retrieval.team import tables
from editahead_retrieval.team.administration import TeamAdministration
from editahead_retrieval.team.server import PublishedContent, TeamServer
from real_postgres import PostgresServer
from team_of_members import KEY, Team, vector

CONTENTS = [KEY.prove_content(bytes([number]) * 16, "python") for number in range(200)]
CHUNKS = [KEY.prove_chunk(bytes([number]) * 16) for number in range(200)]
ROOT, CLONE = KEY.prove_root(bytes(16)), KEY.name_clone("/work", b"secret")


def publish_all(client: TeamServer) -> None:
    client.put_vectors(CHUNKS, [vector(at - 100) for at in range(len(CHUNKS))])
    client.put_contents(
        [PublishedContent(proof, [(0, 4, chunk)]) for proof, chunk in zip(CONTENTS, CHUNKS, strict=True)]
    )


def test_a_schema_of_each_older_version_is_migrated_with_its_rows(team: Team) -> None:
    for version in range(1, tables.VERSION):
        administration = TeamAdministration(team.admin, f"{team.name}_v{version}")
        assert administration.migrate(version) == 0
        schema = administration.schema
        team.admin.execute(
            f"INSERT INTO {schema}.content (name) VALUES (substr(sha256('x'), 1, 16))".encode()
        )
        assert administration.migrate() == version and administration.migrate() == tables.VERSION
        assert administration.status().contents == 1 and administration.status().version == tables.VERSION
        team.admin.execute(f"DROP SCHEMA {schema} CASCADE".encode())


@pytest.mark.slow
def test_a_migration_that_fails_changes_nothing(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    publish_all(team.client("ada"))
    steps = (*tables.STEPS, "ALTER TABLE content ADD COLUMN more integer; SELECT 1 / 0")
    monkeypatch.setattr(tables, "STEPS", steps)
    with pytest.raises(TeamIndexError, match="division by zero"):
        team.administration.migrate(len(steps))
    status = team.administration.status()
    assert (status.version, status.contents, status.chunks) == (tables.VERSION, 200, 200)
    team.admin.execute(
        f"INSERT INTO editahead_{team.name}.content (name) VALUES ('0123456789abcdef')".encode()
    )


@pytest.mark.parametrize(
    ("version", "advice"), [(tables.VERSION - 1, "team create"), (99, "update Editahead")]
)
def test_another_version_has_a_clear_error(team: Team, version: int, advice: str) -> None:
    ada = team.client("ada")
    team.admin.execute(f"UPDATE editahead_{team.name}.meta SET version = {version}".encode())
    with pytest.raises(TeamIndexError, match=advice):
        ada.unknown_chunks([CHUNKS[0]])
    if version > tables.VERSION:
        with pytest.raises(TeamIndexError, match="newer"):
            team.administration.migrate()


@pytest.mark.slow
def test_two_writers_store_everything_once(team: Team) -> None:
    clients = [team.client(name) for name in ("ada", "ben", "cleo")]
    barrier, errors = Barrier(len(clients)), []

    def work(client: TeamServer, order: int) -> None:
        barrier.wait()
        try:
            for at in range(0, len(CHUNKS), 20):
                part = slice(at, at + 20) if order else slice(len(CHUNKS) - at - 20, len(CHUNKS) - at)
                client.put_vectors(CHUNKS[part][::-1], [vector(7)] * 20)
                pairs = zip(CONTENTS[part], CHUNKS[part], strict=True)
                client.put_contents([PublishedContent(proof, [(0, 4, chunk)]) for proof, chunk in pairs])
        except TeamIndexError as error:
            errors.append(error)

    threads = [Thread(target=work, args=(client, at % 2)) for at, client in enumerate(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    status = team.administration.status()
    assert not errors and (status.contents, status.chunks) == (200, 200)
    assert clients[0].hold(CLONE, ROOT, CONTENTS) == 200
    assert len(clients[0].nearest(CLONE, [1] * 256, 1_000)) == 200


def test_what_was_not_used_for_long_is_pruned(team: Team) -> None:
    ada = team.client("ada")
    publish_all(ada)
    ada.hold(CLONE, ROOT, CONTENTS[:50])
    administration, schema = team.administration, f"editahead_{team.name}"
    assert administration.prune(30) == 0
    team.admin.execute(f"UPDATE {schema}.content SET used_on = current_date - 40".encode())
    team.admin.execute(f"UPDATE {schema}.chunk SET added_on = current_date - 40".encode())
    assert administration.prune(30) == 150
    assert (administration.status().contents, administration.status().chunks) == (50, 50)
    assert len(ada.nearest(CLONE, [1] * 256, 1_000)) == 50


@pytest.mark.parametrize("name", ["", "Ada", "a;drop", "a" * 41, "1a", "a b", 'a"b', "ä"])
def test_a_name_that_needs_quotes_is_refused(team: Team, name: str) -> None:
    with pytest.raises(TeamIndexError, match="is no name"):
        team.administration.add_member(name, "x")
    with pytest.raises(TeamIndexError, match="is no name"):
        TeamAdministration(team.admin, name)


def test_a_role_of_another_purpose_is_left_alone(team: Team) -> None:
    with pytest.raises(TeamIndexError, match="no member"):
        team.administration.add_member("postgres", "x")
    with pytest.raises(TeamIndexError, match="no member"):
        team.administration.remove_member("postgres")


def test_a_database_without_the_team_has_a_clear_error(postgres: PostgresServer, team: Team) -> None:
    with pytest.raises(TeamIndexError, match="no index of this team"):
        TeamAdministration(team.admin, "unknown").status()
