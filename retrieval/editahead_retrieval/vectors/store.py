"""The vectors beside an index: one for each chunk, whatever files have it, so that nothing is computed twice.

They are in the database of the index, in a table that an index without vectors lacks, under the name of the encoder that
made them. Vectors of another encoder, and those of a wrong size, are removed when the store is opened. Blocks hold the
leading numbers of many vectors once more, so that a search reads them at once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from editahead_retrieval.index import schema

from .static_encoder import DIMENSIONS

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, Any]

ENCODER = "encoder"
"""The fact about an index that names the encoder of its vectors."""
TABLE = (
    "CREATE TABLE IF NOT EXISTS vector"
    " (id INTEGER PRIMARY KEY AUTOINCREMENT, chunk INTEGER NOT NULL UNIQUE, value BLOB NOT NULL)"
)
BLOCK_TABLE = (
    "CREATE TABLE IF NOT EXISTS vector_block"
    " (last INTEGER PRIMARY KEY, encoder TEXT NOT NULL, value BLOB NOT NULL)"
)
"""Blocks of vectors, from the smallest id on without gaps: their ids, leading numbers and inverse lengths."""
BLOCK_VECTORS = 4_096
"""Vectors of a block: 311 KB, which is written in a few milliseconds."""
PREFIX = 64
"""Leading numbers that all vectors are compared by."""
REMOVED_PER_TRANSACTION = 500
"""Vectors that are removed at once, so that the lock is held shortly."""
MIN_STALE = 1_000
"""Vectors of chunks that no file has any more which are always kept, as for a switch back to another branch."""
STALE_SHARE = 0.25
"""The share of such vectors up to which all of them are kept."""


class PendingContent(NamedTuple):
    """A file with chunks that have no vector: its path, and the number and the hash of its content."""

    path: str
    content: int
    content_hash: bytes


class PendingChunk(NamedTuple):
    """A chunk without a vector: its number, its 0-based first line, and the line after the last one."""

    chunk: int
    line: int
    end_line: int


class StoredContent(NamedTuple):
    """A content that a file has: its number, the hash of its bytes, and its LSP language id."""

    content: int
    content_hash: bytes
    language: str


class StoredPiece(NamedTuple):
    """A chunk of a content: its 0-based first line, the line after the last one, its number, and its vector or None."""

    line: int
    end_line: int
    chunk: int
    vector: bytes | None


class VectorStore:
    """The vectors of an index, open for writing by the process that holds its lock.

    Every method raises IndexUnusableError when the file is damaged or cannot be written.

    Args:
        connection: The connection of the index.
        encoder: The name of the encoder.
    """

    def __init__(self, connection: sqlite3.Connection, encoder: str) -> None:
        self._connection, self._encoder = connection, encoder
        self._complete_to = 0
        self._stale: list[int] | None = None

    def prepare(self) -> bool:
        """Create the table, and remove some vectors that cannot be used. Return whether more are left to remove."""
        with _writing(self._connection) as run:
            run.execute(TABLE)
            run.execute(BLOCK_TABLE)
            named = run.execute("SELECT value FROM meta WHERE name = ?", (ENCODER,)).fetchone()
            where = f"length(value) != {DIMENSIONS}" if named == (self._encoder,) else "1"
            removed = run.execute(
                f"DELETE FROM vector WHERE id IN (SELECT id FROM vector WHERE {where} LIMIT ?)",
                (REMOVED_PER_TRANSACTION,),
            ).rowcount
            if removed or named != (self._encoder,):
                run.execute("DELETE FROM vector_block")
            if removed < REMOVED_PER_TRANSACTION and named != (self._encoder,):
                run.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (ENCODER, self._encoder))
        return removed == REMOVED_PER_TRANSACTION

    def remove_stale(self) -> bool:
        """Remove some vectors of chunks that no file has any more, where there are many. Return whether more are left."""
        if self._stale is None:
            self._stale = self._find_stale()
        part, self._stale = self._stale[:REMOVED_PER_TRANSACTION], self._stale[REMOVED_PER_TRANSACTION:]
        if part:
            with _writing(self._connection) as run:
                run.executemany("DELETE FROM vector WHERE id = ?", [(row,) for row in part])
                run.execute("DELETE FROM vector_block WHERE last >= ?", (min(part),))
        return bool(self._stale)

    def pack(self) -> bool:
        """Make a block of vectors that are in none. Return whether there may be more; too few are left as they are."""
        with _reading(self._connection) as run:
            rows = run.execute(
                "SELECT id, value FROM vector WHERE id > (SELECT coalesce(max(last), 0) FROM vector_block)"
                " ORDER BY id LIMIT ?",
                (BLOCK_VECTORS,),
            ).fetchall()
            found = [(row, value) for each in rows for row, value in [schema.check_row(each, int, bytes)]]
        if len(found) < BLOCK_VECTORS:
            return False
        block = join_vectors([row for row, _ in found], [value[:PREFIX] for _, value in found])
        with _writing(self._connection) as run:
            run.execute("INSERT INTO vector_block VALUES (?, ?, ?)", (found[-1][0], self._encoder, block))
        return True

    def _find_stale(self) -> list[int]:
        """Return the vectors of chunks that no file has any more; none where there are few."""
        with _reading(self._connection) as run:
            (count,) = run.execute("SELECT count(*) FROM vector").fetchone()
            rows = run.execute(
                "SELECT id FROM vector WHERE chunk NOT IN"
                " (SELECT chunk FROM piece WHERE content IN (SELECT content FROM file))"
            ).fetchall()
        return [row for (row,) in rows] if len(rows) > max(MIN_STALE, STALE_SHARE * count) else []

    def pending(self) -> list[PendingContent]:
        """Return the files with chunks that have no vector.

        What was in an earlier answer is not there again, unless a content without vectors had no file then: its file may
        have come back.
        """
        with _reading(self._connection) as run:
            (last,) = run.execute("SELECT coalesce(max(chunk), 0) FROM piece").fetchone()
            rows = run.execute(
                "SELECT min(path), content, hash FROM file JOIN content ON content.id = file.content WHERE content IN"
                " (SELECT content FROM piece WHERE chunk > ? AND chunk NOT IN (SELECT chunk FROM vector))"
                " GROUP BY content ORDER BY content",
                (self._complete_to,),
            ).fetchall()
            found = [PendingContent(*schema.check_row(row, str, int, bytes)) for row in rows]
            (has_absent,) = run.execute(
                "SELECT EXISTS (SELECT 1 FROM piece WHERE chunk > ? AND chunk NOT IN (SELECT chunk FROM vector)"
                " AND content NOT IN (SELECT content FROM file))",
                (self._complete_to,),
            ).fetchone()
        if not has_absent:
            self._complete_to = last
        return found

    def pending_chunks(self, content: int) -> list[PendingChunk]:
        """Return the chunks of a content that have no vector, in the order of their lines."""
        with _reading(self._connection) as run:
            rows = run.execute(
                "SELECT chunk, line, end_line FROM piece WHERE content = ?"
                " AND chunk NOT IN (SELECT chunk FROM vector) ORDER BY line",
                (content,),
            ).fetchall()
            return [PendingChunk(*schema.check_row(row, int, int, int)) for row in rows]

    def chunks_without_vectors(self) -> list[tuple[int, bytes]]:
        """Return the numbers and the hashes of the chunks of all files that have no vector."""
        with _reading(self._connection) as run:
            rows = run.execute(
                "SELECT id, hash FROM chunk WHERE id NOT IN (SELECT chunk FROM vector)"
                " AND id IN (SELECT chunk FROM piece WHERE content IN (SELECT content FROM file))"
            ).fetchall()
            return [(chunk, name) for row in rows for chunk, name in [schema.check_row(row, int, bytes)]]

    def contents(self) -> list[StoredContent]:
        """Return the contents that files have."""
        with _reading(self._connection) as run:
            rows = run.execute(
                "SELECT id, hash, language FROM content WHERE id IN (SELECT content FROM file) ORDER BY id"
            ).fetchall()
            return [StoredContent(*schema.check_row(row, int, bytes, str)) for row in rows]

    def chunk_hashes(self) -> dict[int, bytes]:
        """Return the hashes of all chunks by their numbers."""
        with _reading(self._connection) as run:
            rows = run.execute("SELECT id, hash FROM chunk").fetchall()
            return {chunk: name for row in rows for chunk, name in [schema.check_row(row, int, bytes)]}

    def pieces(self, content: int) -> list[StoredPiece]:
        """Return the chunks of a content in the order of their lines."""
        with _reading(self._connection) as run:
            rows = run.execute(
                "SELECT line, end_line, piece.chunk, value FROM piece LEFT JOIN vector USING (chunk)"
                " WHERE content = ? ORDER BY line",
                (content,),
            ).fetchall()
            return [StoredPiece(*schema.check_row(row, int, int, int, bytes | None)) for row in rows]

    def put(self, chunks: Sequence[int], vectors: Sequence[bytes]) -> None:
        """Store the vectors of some chunks, in one transaction."""
        with _writing(self._connection) as run:
            run.executemany(
                "INSERT OR IGNORE INTO vector (chunk, value) VALUES (?, ?)",
                list(zip(chunks, vectors, strict=True)),
            )


def join_vectors(ids: Sequence[int], prefixes: Sequence[bytes]) -> bytes:
    """Return a block: the ids, the leading numbers of the vectors, and the inverse of the length of these.

    Args:
        ids: The ids of the vectors.
        prefixes: The leading numbers of each.
    """
    import numpy as np

    joined = b"".join(prefixes)
    numbers = np.frombuffer(joined, np.int8).reshape(len(ids), PREFIX).astype(np.float32)
    inverse = 1 / np.maximum(np.linalg.norm(numbers, axis=1), 1e-9)
    return b"".join([np.array(ids, "<i8").tobytes(), joined, inverse.astype("<f4").tobytes()])


def split_block(block: bytes) -> tuple[Numbers, Numbers, Numbers]:
    """Return the ids, the leading numbers and the inverse lengths of a block.

    Raises:
        ValueError: The block is damaged.
    """
    import numpy as np

    count, rest = divmod(len(block), 8 + PREFIX + 4)
    if rest:
        raise ValueError
    ids = np.frombuffer(block, "<i8", count)
    prefix = np.frombuffer(block, np.int8, count * PREFIX, 8 * count).reshape(count, PREFIX)
    return ids, prefix, np.frombuffer(block, "<f4", count, (8 + PREFIX) * count)


@contextmanager
def _writing(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Run a block in one transaction, and raise what SQLite raises as errors of the index."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
    except schema.ERRORS as error:
        raise schema.as_index_error(error) from None


@contextmanager
def _reading(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Raise what SQLite raises in a block as errors of the index."""
    try:
        yield connection
    except schema.ERRORS as error:
        raise schema.as_index_error(error) from None
