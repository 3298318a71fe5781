"""What a person searched and then opened, in an SQLite file of their own: pairs to train an encoder on.

The file holds questions and code, without secrets. Several servers may write to it at once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from editahead_retrieval.errors import SearchLogError

FILE_NAME = "searches.db"
MAX_ROWS = 5_000
"""Rows of the file, the latest ones: about 8 MB."""
MAX_QUERY_CHARS = 1_000
"""Characters of a question that are kept."""
MAX_TEXT_CHARS = 8_000
"""Characters of an opened piece that are kept. Only a piece of one long line has more."""
VERSION = 1
_BUSY_S = 2.0
"""Seconds that SQLite waits for another server's lock."""


@dataclass(frozen=True, slots=True)
class OpenedResult:
    """A result of a search that was opened: a row of the table, in the order of the columns.

    Attributes:
        at: The Unix time, in seconds.
        query: The question.
        folder: The name of the workspace folder.
        path: The path of the file from there, with slashes.
        language: The LSP language id of the file.
        line: The 0-based first line of the piece.
        text: The text of the piece, with spaces in place of secrets.
    """

    at: float
    query: str
    folder: str
    path: str
    language: str
    line: int
    text: str


COLUMNS = tuple(field.name for field in fields(OpenedResult))
_TYPES = (float, str, str, str, str, int, str)
_CREATE = (
    "CREATE TABLE IF NOT EXISTS opened (at REAL NOT NULL, query TEXT NOT NULL, folder TEXT NOT NULL,"
    " path TEXT NOT NULL, language TEXT NOT NULL, line INTEGER NOT NULL, text TEXT NOT NULL)"
)


def add_opened(file: Path, opened: OpenedResult) -> None:
    """Add a row to the file, and delete the oldest ones beyond the limit.

    Args:
        file: The file. It is created if there is none, with the rights that new files have.
        opened: The row. Its question and its text are cut to the limits.

    Raises:
        SearchLogError: The file is damaged, locked, of another version, or cannot be written.
    """
    at, query, folder, path, language, line, text = astuple(opened)
    row = (at, query[:MAX_QUERY_CHARS], folder, path, language, line, text[:MAX_TEXT_CHARS])
    cleaned = [_storable(value) if isinstance(value, str) else value for value in row]
    with _database(file) as database, database:
        database.execute("BEGIN IMMEDIATE")
        _check_version(database)
        database.execute(_CREATE)
        database.execute(f"PRAGMA user_version = {VERSION}")
        database.execute(f"INSERT INTO opened VALUES ({', '.join('?' * len(COLUMNS))})", cleaned)
        database.execute(
            "DELETE FROM opened WHERE rowid <= (SELECT rowid FROM opened ORDER BY rowid DESC LIMIT 1 OFFSET ?)",
            (MAX_ROWS,),
        )


def read_opened(file: Path) -> list[OpenedResult]:
    """Return the rows of the file, the oldest first; none when there is no file.

    Raises:
        SearchLogError: The file is damaged, locked, of another version, or cannot be read.
    """
    if not file.exists():
        return []
    with _database(file) as database:
        if not _check_version(database):
            return []
        rows = database.execute(f"SELECT {', '.join(COLUMNS)} FROM opened ORDER BY rowid").fetchall()
    if any(type(value) is not kind for row in rows for value, kind in zip(row, _TYPES, strict=True)):
        raise SearchLogError(f"{file}: a damaged log of searches")
    return [OpenedResult(*row) for row in rows]


def _storable(text: str) -> str:
    """Return a text with question marks in place of lone surrogates, which SQLite does not store."""
    return text.encode("utf-8", "replace").decode()


def _check_version(database: sqlite3.Connection) -> int:
    """Return the version of the tables; 0 for a new file.

    Raises:
        SearchLogError: It is a newer one.
    """
    version: int = database.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise SearchLogError(f"the log of searches was written by a newer Editahead (version {version})")
    return version


@contextmanager
def _database(file: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(file, timeout=_BUSY_S, isolation_level=None)) as database:
            database.execute("PRAGMA secure_delete = ON")  # what is dropped leaves the bytes
            yield database
    except sqlite3.Error as error:
        raise SearchLogError(f"{file}: {error}") from None
