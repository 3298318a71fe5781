"""What an administrator does: create the schema of a team, bring it to the present version, add and remove members."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from editahead_retrieval.errors import TeamIndexError

from . import tables
from .address import NO_DRIVER, TeamAddress

if TYPE_CHECKING:
    import psycopg

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""The names of teams and members."""
STATEMENT_S = 30
"""Seconds of one statement of a member, unless that member's session sets another limit."""
LOCK_MS = 20_000
"""Milliseconds that a change of the tables waits for a member's transaction, at most."""
MIGRATION_LOCK = 7_310_023
"""The number of the advisory lock of changes to the tables."""


@dataclass(frozen=True)
class TeamStatus:
    """How much a team's index holds.

    Attributes:
        version: The version of its tables.
        members: The names of the members, sorted.
        contents: The number of contents.
        chunks: The number of vectors.
        clones: The number of clones.
        size: The bytes on the disk.
    """

    version: int
    members: tuple[str, ...]
    contents: int
    chunks: int
    clones: int
    size: int


@contextmanager
def connect_administrator(address: TeamAddress) -> Iterator[psycopg.Connection]:
    """Open a connection of an administrator, with the password that libpq finds.

    Args:
        address: The address of the server.

    Raises:
        TeamIndexError: psycopg is missing, or the server cannot be reached.
    """
    from .server import connect, error_reason

    try:
        import psycopg

        connection = connect(address)
    except ImportError:
        raise TeamIndexError(NO_DRIVER) from None
    except psycopg.Error as error:
        raise TeamIndexError(error_reason(error)) from None
    with connection:
        yield connection


class TeamAdministration:
    """The administration of one team's index over a connection of an administrator.

    Every method raises TeamIndexError when the server does not do what is asked.

    Args:
        connection: A connection in autocommit mode of a role that may create roles and schemas.
        team: The name of the team.
    """

    def __init__(self, connection: psycopg.Connection, team: str) -> None:
        self._connection, self.schema = connection, f"editahead_{_checked(team)}"
        self._members, self._owner = self.schema, f"{self.schema}_owner"

    def migrate(self, target: int = tables.VERSION) -> int:
        """Create the schema, or bring it to a version, all or nothing. Return the version before, 0 for none.

        Args:
            target: The version.
        """
        with self._transaction():
            # A member can hold this lock, or a table by a transaction that does not end.
            self._run(f"SET LOCAL lock_timeout = '{LOCK_MS}ms'")
            self._run(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
            for role in (self._members, self._owner):
                if not self._values("SELECT 1 FROM pg_roles WHERE rolname = %s", role):
                    self._run(f"CREATE ROLE {role} NOLOGIN")
            if not self._values("SELECT 1 FROM pg_extension WHERE extname = 'vector'"):
                self._run("CREATE EXTENSION vector")
            is_new = not self._values("SELECT 1 FROM pg_namespace WHERE nspname = %s", self.schema)
            if is_new:
                self._run(f"GRANT {self._owner} TO CURRENT_USER")
                self._run(f"CREATE SCHEMA {self.schema} AUTHORIZATION {self._owner}")
            self._run(f"SET LOCAL search_path = {self.schema}")
            vectors = self._vector_schema()
            self._run(f"SET LOCAL ROLE {self._owner}")
            if is_new:
                self._run("CREATE TABLE meta (version integer NOT NULL)")
                self._run("INSERT INTO meta VALUES (0)")
            before = self._version()
            if before > target:
                raise TeamIndexError(f"the team's index has version {before}, which is newer than {target}")
            for step in tables.STEPS[before:target]:
                self._run(step.format(vectors=vectors, members=self._members))
            self._run(f"UPDATE meta SET version = {target}")
            if target == tables.VERSION:
                self._create_functions(vectors)
        return before

    def add_member(self, member: str, password: str) -> None:
        """Create the role of a member, or give it another password.

        Args:
            member: The name.
            password: The password; it is sent as a SCRAM verifier, so that no log of the server holds it.
        """
        from psycopg import sql

        _checked(member)
        with self._transaction():
            if not self._values("SELECT 1 FROM pg_roles WHERE rolname = %s", member):
                self._run(f"CREATE ROLE {member} LOGIN")
            elif not self._is_member(member):
                raise TeamIndexError(f"there is a role {member}, which is no member of this team")
            self._run(f"GRANT {self._members} TO {member}")
            self._run(f"ALTER ROLE {member} SET search_path = {self.schema}, {self._vector_schema()}")
            self._run(f"ALTER ROLE {member} SET statement_timeout = '{STATEMENT_S}s'")
            pgconn = self._connection.pgconn
            verifier = pgconn.encrypt_password(password.encode(), member.encode(), b"scram-sha-256").decode()
            statement = sql.SQL("ALTER ROLE {} PASSWORD {}").format(
                sql.Identifier(member), sql.Literal(verifier)
            )
            self._run(statement.as_string(self._connection))

    def remove_member(self, member: str) -> None:
        """Remove the role of a member and what its clones have proven. The shared vectors stay."""
        if not self._is_member(_checked(member)):
            raise TeamIndexError(f"{member} is no member of this team")
        with self._transaction():
            self._run(f"DELETE FROM {self.schema}.clone WHERE member = '{member}'")
            self._run(f"DROP ROLE {member}")

    def prune(self, days: int) -> int:
        """Remove clones and contents that were not used for some days, and chunks that no content has any more.

        Args:
            days: The number of days.

        Returns:
            The number of contents that were removed.
        """
        with self._transaction():
            self._run(f"SET LOCAL search_path = {self.schema}")
            self._run(f"DELETE FROM clone WHERE used_on < current_date - {int(days)}")
            removed = self._values(
                f"WITH gone AS (DELETE FROM content WHERE used_on < current_date - {int(days)}"
                " AND id NOT IN (SELECT unnest(contents) FROM clone) RETURNING 1) SELECT count(*) FROM gone"
            )
            self._run(
                f"DELETE FROM chunk WHERE added_on < current_date - {int(days)}"
                " AND NOT EXISTS (SELECT FROM piece WHERE piece.chunk = chunk.id)"
            )
        return int(removed[0])

    def status(self) -> TeamStatus:
        """Return how much the index holds."""
        with self._transaction():
            if not self._values("SELECT 1 FROM pg_namespace WHERE nspname = %s", self.schema):
                raise TeamIndexError("there is no index of this team; `editahead team create` creates it")
            self._run(f"SET LOCAL search_path = {self.schema}")
            members = self._values(
                "SELECT m.rolname FROM pg_auth_members JOIN pg_roles m ON m.oid = member"
                " JOIN pg_roles g ON g.oid = roleid WHERE g.rolname = %s ORDER BY 1",
                self._members,
            )
            counts = [
                self._values(f"SELECT count(*) FROM {name}")[0] for name in ("content", "chunk", "clone")
            ]
            size = self._values(
                "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
                " WHERE relnamespace = %s::regnamespace AND relkind = 'r'",
                self.schema,
            )
            contents, chunks, clones = counts
            return TeamStatus(self._version(), tuple(members), contents, chunks, clones, int(size[0]))

    def _create_functions(self, vectors: str) -> None:
        limits = {"max_proofs": tables.MAX_PROOFS, "max_put": tables.MAX_PUT}
        for function in tables.FUNCTIONS:
            self._run("CREATE OR REPLACE " + function.format(vectors=vectors, **limits))
        for signature in tables.CALLED:
            # Nothing that a member creates, also not in a temporary schema, comes before these.
            self._run(f"ALTER FUNCTION {signature} SET search_path = {self.schema}, pg_catalog, pg_temp")
            self._run(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC")
            self._run(f"GRANT EXECUTE ON FUNCTION {signature} TO {self._members}")
        self._run(f"GRANT USAGE ON SCHEMA {self.schema} TO {self._members}")
        self._run(f"GRANT SELECT ON {', '.join(tables.READ)} TO {self._members}")

    def _is_member(self, member: str) -> bool:
        return bool(
            self._values(
                "SELECT 1 FROM pg_auth_members JOIN pg_roles m ON m.oid = member JOIN pg_roles g ON g.oid = roleid"
                " WHERE m.rolname = %s AND g.rolname = %s",
                member,
                self._members,
            )
        )

    def _vector_schema(self) -> str:
        found = self._values(
            "SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace"
            " WHERE extname = 'vector'"
        )
        return str(found[0])

    def _version(self) -> int:
        return int(self._values("SELECT version FROM meta")[0])

    def _run(self, statement: str) -> None:
        self._connection.execute(statement.encode())

    def _values(self, statement: str, *values: object) -> list[Any]:
        return [row[0] for row in self._connection.execute(statement.encode(), values or None).fetchall()]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        import psycopg

        try:
            with self._connection.transaction():
                yield
        except psycopg.Error as error:
            reason = (error.diag.message_primary or str(error)).strip()
            raise TeamIndexError(f"the server refuses: {reason}") from None


def _checked(name: str) -> str:
    """Return a name that needs no quotes.

    Raises:
        TeamIndexError: The name has other characters than small letters, digits and underscores.
    """
    if NAME.fullmatch(name) is None:
        raise TeamIndexError(f"{name!r} is no name: small letters, digits and underscores, at most 40")
    return name
