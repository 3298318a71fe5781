"""The client's side of a team's server: one connection, calls with a limit of time, and answers that are checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from editahead_retrieval.errors import TeamIndexError

from . import tables
from .address import NO_DRIVER, OLD_DRIVER, TeamAddress
from .proofs import NAME_BYTES

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")

CONNECT_S = 3
"""Seconds in which a connection has to be there."""
CALL_S = 10
"""Seconds of one call."""
VECTOR_BYTES = 256
"""Bytes of a vector."""
PREFIX_NUMBERS = 64
"""Leading numbers that the server compares."""
MAX_NEAREST = 2_000
"""Chunks of one answer to a question."""
MAX_LINE = 2**31
MAX_REASON_CHARS = 200
"""Characters of a reason that the server gives."""
_NEAREST = """
    WITH mine AS MATERIALIZED (SELECT unnest(contents) AS content FROM clone WHERE name = %s),
    best AS (
        SELECT piece.content, piece.line, piece.end_line, chunk.value, chunk.prefix <=> %s::halfvec AS distance
        FROM mine JOIN piece USING (content) JOIN chunk ON chunk.id = piece.chunk ORDER BY distance LIMIT %s
    )
    SELECT content.name, line, end_line, value FROM best JOIN content ON content.id = best.content ORDER BY distance
"""


@dataclass(frozen=True)
class TeamPiece:
    """A chunk of a content that the client has proven.

    Attributes:
        content: The name of the content, see `stored_name`.
        line: The 0-based first line.
        end_line: The line after the last one.
        vector: The vector, as signed bytes.
    """

    content: bytes
    line: int
    end_line: int
    vector: bytes


@dataclass(frozen=True)
class PublishedContent:
    """A content that is shared: its proof, and the lines and the proof of each of its chunks."""

    proof: bytes
    pieces: Sequence[tuple[int, int, bytes]]


class TeamServer:
    """A team's index on its server. Use one object on one thread at a time.

    Every method raises TeamIndexError when the server does not answer in time, or not as it should. The next call then
    tries another connection.

    Args:
        address: The address of the server.
        password: The password; "" for the one that libpq finds.
    """

    def __init__(self, address: TeamAddress, password: str = "") -> None:
        self._address, self._password = address, password
        self._connection: psycopg.Connection | None = None
        self.round_trips = 0
        """Statements that were sent since the object was created."""

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def hold(self, clone: bytes, root: bytes, contents: Sequence[bytes] | None) -> int:
        """Prove what a clone has, in place of what it had before. Return of how many contents the server knows chunks.

        Args:
            clone: The name of the clone.
            root: The proof of its root.
            contents: The proofs of its contents; None to prove by the root alone what another clone has.
        """
        (row,) = self._call(
            "SELECT hold(%b, %b, %b::bytea[])", clone, root, None if contents is None else list(contents)
        )
        return _checked(row[0], int)

    def nearest(self, clone: bytes, question: Sequence[int], limit: int) -> list[TeamPiece]:
        """Return the chunks of a clone whose leading numbers are nearest to those of a question, the nearest first.

        Args:
            clone: The name of the clone.
            question: The vector of the question.
            limit: The number of chunks at most.
        """
        prefix = "[" + ",".join(str(int(number)) for number in question[:PREFIX_NUMBERS]) + "]"
        rows = self._call(_NEAREST, clone, prefix, min(limit, MAX_NEAREST))
        pieces = [TeamPiece(*map(_checked, row, (bytes, int, int, bytes))) for row in rows[:MAX_NEAREST]]
        for piece in pieces:
            is_vector = len(piece.vector) == VECTOR_BYTES and len(piece.content) == NAME_BYTES
            if not is_vector or not 0 <= piece.line < piece.end_line < MAX_LINE:
                raise TeamIndexError("the team's index answers with what is no chunk")
        return pieces

    def unknown_contents(self, proofs: Sequence[bytes]) -> list[int]:
        """Return the places of the contents that the server does not know, from 0, in order."""
        return self._places("SELECT unknown_contents(%b::bytea[])", proofs)

    def unknown_chunks(self, proofs: Sequence[bytes]) -> list[int]:
        """Return the places of the chunks whose vectors the server does not know, from 0, in order."""
        return self._places("SELECT unknown_chunks(%b::bytea[])", proofs)

    def vectors_of(self, proofs: Sequence[bytes]) -> dict[int, bytes]:
        """Return the vectors of chunks that the server knows, by their places from 0."""
        found: dict[int, bytes] = {}
        for row in self._call("SELECT place, value FROM vectors_of(%b::bytea[])", list(proofs)):
            place, value = _checked(row[0], int) - 1, _checked(row[1], bytes)
            if not 0 <= place < len(proofs) or len(value) != VECTOR_BYTES:
                raise TeamIndexError("the team's index answers with what is no vector")
            found[place] = value
        return found

    def put_vectors(self, proofs: Sequence[bytes], vectors: Sequence[bytes]) -> None:
        """Store vectors under the proofs of their chunks. What is there already stays."""
        self._call("SELECT put_vectors(%b::bytea[], %b)", list(proofs), b"".join(vectors))

    def put_contents(self, contents: Sequence[PublishedContent]) -> int:
        """Store the lines of the chunks of contents, and return how many of them are new there.

        A content with a chunk whose vector the server does not have is left out.
        """
        rows = [(at, *piece) for at, content in enumerate(contents, 1) for piece in content.pieces]
        columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
        (row,) = self._call(
            "SELECT put_contents(%b::bytea[], %b::int[], %b::int[], %b::int[], %b::bytea[])",
            [content.proof for content in contents],
            *columns,
        )
        return _checked(row[0], int)

    def _places(self, statement: str, proofs: Sequence[bytes]) -> list[int]:
        places = sorted({_checked(row[0], int) - 1 for row in self._call(statement, list(proofs))})
        if places and not 0 <= places[0] <= places[-1] < len(proofs):
            raise TeamIndexError("the team's index answers with places that were not asked for")
        return places

    def _call(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        try:
            import psycopg
        except ImportError:
            raise TeamIndexError(NO_DRIVER) from None
        try:
            connection = self._connected()
            self.round_trips += 1
            return connection.execute(statement.encode(), values).fetchall()
        except psycopg.Error as error:
            self.close()
            raise TeamIndexError(error_reason(error)) from None
        except TeamIndexError:
            self.close()
            raise

    def _connected(self) -> psycopg.Connection:
        """Return a connection to an index of the version that this client speaks to."""
        if self._connection is not None:
            return self._connection
        connection = connect(self._address, self._password)
        self.round_trips += 1
        try:
            rows = connection.execute("SELECT team_version()").fetchall()
        except BaseException:
            connection.close()
            raise
        version = rows[0][0] if rows else None
        if version != tables.VERSION:
            connection.close()
            raise TeamIndexError(
                "this database is no team's index, or you are no member of its team"
                if not isinstance(version, int)
                else f"the team's index has version {version}, Editahead speaks to version {tables.VERSION}: "
                + (
                    "update Editahead"
                    if version > tables.VERSION
                    else "`editahead team create` brings it there"
                )
            )
        self._connection = connection
        return connection


def connect(address: TeamAddress, password: str = "") -> psycopg.Connection:
    """Return a connection in autocommit mode.

    Args:
        address: The address of the server.
        password: The password; "" for the one that libpq finds.

    Raises:
        ImportError: psycopg is missing.
        psycopg.Error: There is no connection.
        TeamIndexError: The driver is too old to keep a password from the server.
    """
    import psycopg

    from .bounded_connection import OLDEST_LIBPQ, connect_bounded

    if psycopg.pq.version() < OLDEST_LIBPQ:
        raise TeamIndexError(OLD_DRIVER)
    options = address.connection_options(password)
    return connect_bounded(
        CALL_S,
        autocommit=True,
        connect_timeout=CONNECT_S,
        application_name="editahead",
        tcp_user_timeout=1_000 * CALL_S,
        prepare_threshold=None,
        **options,
    )


def _checked(value: object, kind: type[T]) -> T:
    """Return a value of an answer.

    Raises:
        TeamIndexError: The value is of another type.
    """
    if not isinstance(value, kind):
        raise TeamIndexError("the team's index answers with a value of another type")
    return value


def error_reason(error: psycopg.Error) -> str:
    """Return an error of the server as a reason for a person, in one line."""
    import psycopg

    text = (error.diag.message_primary or str(error) or type(error).__name__).strip().splitlines()[0]
    if isinstance(error, psycopg.errors.UndefinedFunction | psycopg.errors.UndefinedTable):
        return "this database is no team's index, or you are no member of its team"
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        return f"the team's index cannot be reached: {text[:MAX_REASON_CHARS]}"
    return f"the team's index refuses: {text[:MAX_REASON_CHARS]}"
