"""The tables of the index, and connections to it.

The index holds no code: names, words and trigrams by file, and where chunks begin and end. A file's content is stored
once, under the hash of its bytes, whatever paths have it. Rows of contents that no path has any more stay until they are
forgotten (`forgetting.py`), and what is deleted is overwritten.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import UnionType
from typing import Any

from editahead_retrieval.errors import IndexDamagedError, IndexFullError, IndexUnusableError

SCHEMA_VERSION = 7
"""The version of the tables, of the terms and of the symbols. An index of another version is built anew."""
BUSY_TIMEOUT_S = 1.0
"""Seconds that a connection waits for a lock. A transaction of the writer takes less than a tenth."""

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE content (id INTEGER PRIMARY KEY, hash BLOB NOT NULL, language TEXT NOT NULL);
CREATE UNIQUE INDEX content_hash ON content (hash, language);
CREATE TABLE file (
    path TEXT PRIMARY KEY, content INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, size INTEGER NOT NULL, inode INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX file_content ON file (content);
CREATE TABLE chunk (hash BLOB PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE piece (
    chunk INTEGER NOT NULL, content INTEGER NOT NULL, line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    PRIMARY KEY (chunk, content, line)
) WITHOUT ROWID;
CREATE INDEX piece_content ON piece (content, line, end_line);
CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE symbol (
    name TEXT NOT NULL, content INTEGER NOT NULL, line INTEGER NOT NULL, position INTEGER NOT NULL,
    roles INTEGER NOT NULL, kind INTEGER NOT NULL, container TEXT, source TEXT, original TEXT,
    PRIMARY KEY (name, content, line, position)
) WITHOUT ROWID;
CREATE INDEX symbol_original ON symbol (original) WHERE original IS NOT NULL;
CREATE VIRTUAL TABLE names USING fts5 (
    text, content = '', columnsize = 0, detail = none, tokenize = "unicode61 remove_diacritics 0 tokenchars '_$'"
);
CREATE VIRTUAL TABLE words USING fts5 (
    text, content = '', columnsize = 0, detail = none, tokenize = "unicode61 remove_diacritics 0 tokenchars '$'"
);
CREATE VIRTUAL TABLE trigrams USING fts5 (
    text, content = '', columnsize = 0, detail = none, tokenize = "trigram"
);
"""
FULL_TEXT_TABLES = ("names", "words", "trigrams")
ERRORS = (sqlite3.Error, ValueError, TypeError)
"""What an index raises. SQLite gives damaged rows out without an error: their texts are not UTF-8, or numbers."""
_MERGE_BY_STEPS = "".join(
    f"INSERT INTO {table} ({table}, rank) VALUES ('automerge', 0), ('crisismerge', 1999);"
    for table in FULL_TEXT_TABLES
)
"""A commit that merges parts of the full-text tables would hold the lock for seconds. `IndexStore.merge` does it instead."""


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open an index, and create its tables in a new one. The caller holds the lock of the writer.

    Raises:
        IndexDamagedError: The file is damaged, or has another schema version.
        IndexUnusableError: The file cannot be opened, or SQLite lacks the full-text search.
    """
    connection = None
    try:
        connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA journal_size_limit = 4194304")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            connection.executescript(
                f"BEGIN; {_TABLES} {_MERGE_BY_STEPS} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
            )
            version = SCHEMA_VERSION
        if version != SCHEMA_VERSION:
            raise IndexDamagedError(f"the index has version {version}, not {SCHEMA_VERSION}")
    except (*ERRORS, IndexUnusableError) as error:
        if connection is not None:
            connection.close()
        raise as_index_error(error) from None
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open an index that another process may be writing.

    Raises:
        IndexDamagedError: The file is damaged, or has another schema version.
        IndexUnusableError: There is no index yet.
    """
    connection = None
    try:
        connection = sqlite3.connect(
            f"{path.as_uri()}?mode=ro",
            uri=True,
            timeout=BUSY_TIMEOUT_S,
            isolation_level=None,
            check_same_thread=False,  # the thread that stops the server closes what the worker has read
        )
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            raise IndexUnusableError("the index is only being created")
        if version != SCHEMA_VERSION:
            raise IndexDamagedError(f"the index has version {version}, not {SCHEMA_VERSION}")
    except (*ERRORS, IndexUnusableError) as error:
        if connection is not None:
            connection.close()
        raise as_index_error(error) from None
    return connection


def check_row(row: tuple[Any, ...], *types: type | UnionType) -> tuple[Any, ...]:
    """Return a row.

    Args:
        row: The row.
        types: The types of its values.

    Raises:
        TypeError: A value is of another type than its column holds.
    """
    if not all(map(isinstance, row, types)):
        raise TypeError
    return row


def as_index_error(error: Exception) -> IndexUnusableError:
    """Return an error of SQLite, or of a value that it gave, as an error of the index."""
    if isinstance(error, IndexUnusableError):
        return error
    if isinstance(error, UnicodeEncodeError):
        return IndexUnusableError("the question is not valid text")
    if isinstance(error, ValueError | TypeError) or str(error).startswith("Could not decode"):
        return IndexDamagedError("the index is damaged: a value is not of its type")
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR_WRITE")):
        return IndexFullError("there is no room on the disk for the index")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return IndexDamagedError(f"the index is damaged: {error}")
    return IndexUnusableError(f"the index cannot be used: {error}")
