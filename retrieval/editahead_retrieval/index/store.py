"""The writing side of the index: what is known of each file, and transactions that add, replace and remove files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from editahead_prompts.syntax.symbols import Symbol
from editahead_retrieval.errors import IndexUnusableError
from editahead_retrieval.files.walk import FileStamp

from . import schema

MIN_GARBAGE = 1_000
"""Contents without a path that are always kept: the index is not built anew for fewer."""


class KnownFile(NamedTuple):
    """What the index knows of a file: the stamp at which it was read, and its content's number and hash."""

    stamp: FileStamp
    content: int
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk of a file: its name, its lines and its words."""

    hash: bytes
    line: int
    end_line: int
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class IndexedContent:
    """What the index stores of the content of a file.

    Attributes:
        hash: The hash of its bytes.
        language: The LSP language id.
        names: The exact terms of its identifiers.
        text: The text whose trigrams are found; the text itself is not stored.
        chunks: Its chunks, in order.
        symbols: Its symbols.
    """

    hash: bytes
    language: str
    names: frozenset[str]
    text: str
    chunks: Sequence[IndexedChunk]
    symbols: Sequence[Symbol]


class IndexCounts(NamedTuple):
    """The numbers of files, distinct chunks and symbols of an index, and of contents that no file has."""

    files: int
    chunks: int
    symbols: int
    garbage: int


class IndexStore:
    """The index, open for writing. Methods that change it need a `transaction` around them.

    Every method raises IndexUnusableError when the file is damaged or cannot be written.

    Args:
        path: The file of the index.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = schema.open_for_writing(path)
        self._kinds: dict[str, int] = {}
        self._last_chunk = 0
        try:
            with self._translated():
                self._load_numbers()
        except IndexUnusableError:
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, for what is stored beside the index."""
        return self._connection

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all changes inside of the block at once, or none."""
        with self._translated():
            self._execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._roll_back()
                raise
            try:
                self._execute("COMMIT")
            except sqlite3.Error:
                self._roll_back()
                raise

    def known_files(self) -> dict[str, KnownFile]:
        """Return all files of the index by path."""
        with self._translated():
            rows = self._execute(
                "SELECT path, mtime_ns, ctime_ns, size, inode, content, hash FROM file JOIN content ON id = content"
            )
            return {
                path: KnownFile(FileStamp(*stamp), id, name)
                for row in rows
                for path, *stamp, id, name in [schema.check_row(row, str, *[int] * 5, bytes)]
            }

    def find_content(self, content_hash: bytes, language: str) -> int | None:
        """Return the number of a content; None if it is not in the index."""
        with self._translated():
            row = self._execute(
                "SELECT id FROM content WHERE hash = ? AND language = ?", (content_hash, language)
            ).fetchone()
        return None if row is None else row[0]

    def add_chunks(self, chunks: Iterable[IndexedChunk]) -> None:
        """Add chunks before the content that they belong to, so that the transaction of a large one is short."""
        for chunk in chunks:
            self._add_chunk(chunk)

    def add_content(self, content: IndexedContent) -> int:
        """Add a content that is not in the index, and return its number."""
        number = self._insert(
            "INSERT INTO content (hash, language) VALUES (?, ?)", content.hash, content.language
        )
        self._insert("INSERT INTO names (rowid, text) VALUES (?, ?)", number, " ".join(content.names))
        self._insert("INSERT INTO trigrams (rowid, text) VALUES (?, ?)", number, content.text)
        for chunk in content.chunks:
            id = self._add_chunk(chunk)
            self._insert("INSERT INTO piece VALUES (?, ?, ?, ?)", id, number, chunk.line, chunk.end_line)
        self._many(
            "INSERT INTO symbol VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [self._symbol_row(number, position, symbol) for position, symbol in enumerate(content.symbols)],
        )
        return number

    def put_file(self, path: str, content: int, stamp: FileStamp) -> None:
        """Add or replace a file.

        Args:
            path: The path from the root.
            content: The number of its content.
            stamp: The stamp at which it was read.
        """
        self._insert("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?)", path, content, *stamp)

    def remove_files(self, paths: Iterable[str]) -> None:
        """Remove files. Their contents stay for other paths, or for a later switch of branches."""
        self._many("DELETE FROM file WHERE path = ?", [(path,) for path in paths])

    def set_meta(self, name: str, value: str | int | None) -> None:
        """Store a fact about the index."""
        self._insert("INSERT OR REPLACE INTO meta VALUES (?, ?)", name, value)

    def meta(self, name: str) -> str | int | None:
        """Return a fact about the index; None if it is unknown."""
        with self._translated():
            row = self._execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def counts(self) -> IndexCounts:
        """Return how much the index holds."""
        with self._translated():
            return count_rows(self._connection)

    @property
    def is_mostly_garbage(self) -> bool:
        """Whether more contents have no path than have one, so that the index should be built anew."""
        with self._translated():
            (contents,) = self._execute("SELECT count(*) FROM content").fetchone()
            (live,) = self._execute("SELECT count(DISTINCT content) FROM file").fetchone()
        return bool(contents - live > max(live, MIN_GARBAGE))

    def merge(self, pages: int) -> None:
        """Merge parts of the full-text indexes, each table in a transaction of its own.

        Args:
            pages: The work at most, in pages of the file.
        """
        for table in schema.FULL_TEXT_TABLES:
            with self._translated():
                self._insert(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", pages)

    def compact(self, pages: int) -> bool:
        """Merge the full-text indexes into one part each, and give free pages back. Return whether more is left to do.

        Args:
            pages: The work at most, in pages of the file.
        """
        more = False
        for table in schema.FULL_TEXT_TABLES:
            with self._translated():
                before = self._connection.total_changes
                self._insert(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", -pages)
                # SQLite's documentation: fewer than two changes mean that there was nothing to merge.
                more = more or self._connection.total_changes - before >= 2
        if not more:
            with self._translated():
                self._execute(f"PRAGMA incremental_vacuum({pages})").fetchall()
                more = self._execute("PRAGMA freelist_count").fetchone()[0] > 0
        return more

    def cut_log(self) -> bool:
        """Write the log of changes into the index and empty it. Return whether no reader was in the way."""
        with self._translated():
            (is_busy, _, _) = self._execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not is_busy

    def _add_chunk(self, chunk: IndexedChunk) -> int:
        row = self._execute("SELECT id FROM chunk WHERE hash = ?", (chunk.hash,)).fetchone()
        if row is None:
            self._last_chunk += 1
            row = (self._last_chunk,)
            self._insert("INSERT INTO chunk VALUES (?, ?)", chunk.hash, self._last_chunk)
        # The words of a chunk without a piece may be forgotten.
        if self._execute("SELECT 1 FROM piece WHERE chunk = ?", row).fetchone() is None:
            words = " ".join(chunk.words)
            self._insert("INSERT INTO words (rowid, text) VALUES (?, ?)", row[0], words)
        return int(row[0])

    def _symbol_row(self, content: int, position: int, symbol: Symbol) -> tuple[Any, ...]:
        kind = self._kinds.get(symbol.kind)
        if kind is None:
            kind = self._kinds[symbol.kind] = self._insert("INSERT INTO kind (name) VALUES (?)", symbol.kind)
        original = None if symbol.original == symbol.name else symbol.original
        container, source = symbol.container or None, symbol.source or None
        return (
            *(symbol.name, content, symbol.line, position),
            *(int(symbol.roles), kind, container, source, original),
        )

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)

    def _insert(self, statement: str, *values: Any) -> int:
        return self._execute(statement, values).lastrowid or 0

    def _many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        self._connection.executemany(statement, rows)

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._execute("ROLLBACK")
        self._load_numbers()

    def _load_numbers(self) -> None:
        self._kinds = {name: id for id, name in self._execute("SELECT id, name FROM kind")}
        (last,) = self._execute("SELECT coalesce(max(id), 0) FROM chunk").fetchone()
        self._last_chunk = max(self._last_chunk, last)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except schema.ERRORS as error:
            raise schema.as_index_error(error) from None


def count_rows(connection: sqlite3.Connection) -> IndexCounts:
    """Return how much an index holds."""
    counts = [
        connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("file", "chunk", "symbol", "content")
    ]
    (live,) = connection.execute("SELECT count(DISTINCT content) FROM file").fetchone()
    return IndexCounts(counts[0], counts[1], counts[2], counts[3] - live)
