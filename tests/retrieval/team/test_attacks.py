"""An attacker's client: a member with a login and all of SQL, who wants what that member has not proven."""

from __future__ import annotations

from typing import Any

import pytest

from editahead_retrieval.errors import TeamIndexError
from editahead_retrieval.team import administration, tables
from editahead_retrieval.team.proofs import stored_name
from editahead_retrieval.team.server import PublishedContent
from team_of_members import KEY, Team, vector

pytestmark = pytest.mark.slow


OVEN, TABLE = (KEY.prove_content(bytes([number]) * 16, "python") for number in range(2))
HEAT, KNEAD = (KEY.prove_chunk(bytes([number]) * 16) for number in range(2))
ROOT, CLONE = KEY.prove_root(bytes(16)), KEY.name_clone("/work", b"secret")


@pytest.fixture
def eve(team: Team) -> Any:
    """Return the connection of a member who has proven one of two contents."""
    ada = team.client("ada")
    ada.put_vectors([HEAT, KNEAD], [vector(100), vector(-100)])
    ada.put_contents([PublishedContent(OVEN, [(0, 4, HEAT)]), PublishedContent(TABLE, [(0, 2, KNEAD)])])
    ada.hold(CLONE, ROOT, [OVEN, TABLE])
    eve = team.connection("eve")
    eve.execute("SELECT hold(%b, %b, %b)", (CLONE, KEY.prove_root(b"\1" * 16), [OVEN]))
    return eve


def refused(eve: Any, statement: str, *values: object) -> bool:
    import psycopg

    try:
        eve.execute(statement, values or None)
    except psycopg.errors.InsufficientPrivilege:
        return True
    return False


def test_only_what_was_proven_can_be_read(eve: Any) -> None:
    assert eve.execute("SELECT name FROM content").fetchall() == [(stored_name(OVEN),)]
    assert eve.execute("SELECT name, value FROM chunk").fetchall() == [(stored_name(HEAT), vector(100))]
    assert eve.execute("SELECT line, end_line FROM piece").fetchall() == [(0, 4)]
    assert eve.execute("SELECT count(*), min(member) FROM clone").fetchone() == (1, eve.info.user)


def test_a_stored_name_is_no_proof(eve: Any) -> None:
    wanted = [stored_name(TABLE), stored_name(KNEAD)]
    assert eve.execute("SELECT hold(%b, %b, %b)", (CLONE, ROOT[::-1], wanted)).fetchone() == (0,)
    assert eve.execute("SELECT vectors_of(%b)", (wanted,)).fetchall() == []


@pytest.mark.parametrize("table", [*tables.READ, "meta"])
def test_no_table_can_be_changed(eve: Any, table: str) -> None:
    assert refused(eve, f"INSERT INTO {table} DEFAULT VALUES")
    assert refused(eve, f"DELETE FROM {table}") and refused(eve, f"TRUNCATE {table}")
    assert refused(eve, f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
    column = {"meta": "version", "piece": "line"}.get(table, "name")
    assert refused(eve, f"UPDATE {table} SET {column} = {column}")


def test_a_clone_cannot_be_given_more_than_was_proven(eve: Any) -> None:
    assert refused(eve, "UPDATE clone SET contents = ARRAY(SELECT generate_series(1, 1000))")
    assert refused(eve, "INSERT INTO clone VALUES (session_user, %b, %b, '{1,2,3}')", CLONE[::-1], ROOT)


def test_settings_of_the_session_lift_nothing(eve: Any, team: Team) -> None:
    for role in (f"editahead_{team.name}_owner", f"{team.name}_ada", "postgres"):
        assert refused(eve, f"SET ROLE {role}")
    assert refused(eve, f"SET SESSION AUTHORIZATION {team.name}_ada")
    eve.execute(f"SET ROLE editahead_{team.name}")
    assert eve.execute("SELECT count(*) FROM content").fetchone() == (1,)
    eve.execute("RESET ROLE; SET row_security = off")
    assert refused(eve, "SELECT * FROM content")


def test_a_function_with_side_effects_sees_no_other_rows(eve: Any) -> None:
    heard: list[str] = []
    eve.add_notice_handler(lambda notice: heard.append(notice.message_primary))
    assert refused(eve, "CREATE FUNCTION spy() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    eve.execute(
        "CREATE FUNCTION pg_temp.spy(bytea) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS"
        " $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$"
    )
    eve.execute("SELECT count(*) FROM chunk WHERE pg_temp.spy(name)")
    assert heard == [f"\\x{stored_name(HEAT).hex()}"]


def test_the_functions_use_no_temporary_tables_of_a_member(eve: Any) -> None:
    eve.execute("CREATE TEMPORARY TABLE content (id bigint, name bytea)")
    eve.execute(
        "INSERT INTO pg_temp.content SELECT n, substr(sha256('x'), 1, 16) FROM generate_series(1, 9) n"
    )
    eve.execute("SET search_path = pg_temp, " + eve.execute("SHOW search_path").fetchone()[0])
    schema = eve.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'editahead%'").fetchall()
    for (name,) in schema:
        if not refused(eve, f"SELECT {name}.hold(%b, %b, %b)", CLONE, ROOT[::-1], [b"x"]):
            assert eve.execute(f"SELECT contents FROM {name}.clone").fetchall() == [([],)]


def test_statistics_and_plans_reveal_nothing_of_other_rows(eve: Any, team: Team) -> None:
    team.admin.execute(f"ANALYZE editahead_{team.name}.chunk".encode())
    assert eve.execute("SELECT count(*) FROM pg_stats WHERE tablename = 'chunk'").fetchone() == (0,)
    assert refused(eve, "SELECT * FROM pg_statistic") and refused(eve, "SELECT * FROM pg_authid")


def test_another_team_is_out_of_reach(eve: Any, team: Team) -> None:
    with Team.create(team.server) as other:
        stranger = other.connection("mallory")
        for table in tables.READ:
            assert refused(stranger, f"SELECT * FROM editahead_{team.name}.{table}")
        assert refused(stranger, f"SELECT editahead_{team.name}.team_version()")
        assert refused(stranger, f"SELECT editahead_{team.name}.vectors_of('{{}}')")


def test_the_server_holds_no_proof_and_no_name(eve: Any, team: Team) -> None:
    for table in tables.READ:
        rows = team.admin.execute(f"SELECT t::text FROM editahead_{team.name}.{table} t".encode()).fetchall()
        text = str(rows)
        for proof in (OVEN, TABLE, HEAT, KNEAD, ROOT):
            assert proof.hex() not in text
        assert "python" not in text and "/work" not in text


def test_who_keeps_a_transaction_open_holds_no_migration_up_for_long(
    eve: Any, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(administration, "LOCK_MS", 50)
    eve.execute("SELECT pg_advisory_lock(%s)", [administration.MIGRATION_LOCK])
    with pytest.raises(TeamIndexError, match="lock timeout"):
        team.administration.migrate()
    eve.execute("SELECT pg_advisory_unlock_all()")
    assert team.administration.migrate() == tables.VERSION


def test_a_wrong_password_is_refused(team: Team) -> None:
    import psycopg

    role = team.member("ada")
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(team.server.url(role, "pepper"))


def test_who_is_removed_is_out(eve: Any, team: Team) -> None:
    import psycopg

    user, password = eve.info.user, team.password
    team.administration.remove_member(user)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(team.server.url(user, password))
    found = team.admin.execute(f"SELECT count(*) FROM editahead_{team.name}.clone WHERE member = %s", [user])
    assert found.fetchone() == (0,)
    with pytest.raises(psycopg.Error):
        eve.execute("SELECT count(*) FROM content")
