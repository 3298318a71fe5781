"""The questions to an index, also while another process writes it."""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from heapq import nlargest
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from editahead_prompts.syntax.symbols import Role, Symbol
from editahead_retrieval.errors import IndexUnusableError

from . import schema, terms
from .store import IndexCounts, count_rows

T = TypeVar("T")

MAX_ROWS = 1_000
"""Rows of an answer about symbols. A name that is more frequent tells nothing."""
CANDIDATES_PER_FILE = 4
"""Files that are ranked for each one that is returned."""
QUERY_WORDS = 24
"""Words of a question for similar chunks, the rarest ones."""
MAX_WORD_CHUNKS = 5_000
"""Chunks of one word that are looked at, the newest first. A more frequent word hardly tells chunks apart."""


class FileSymbol(NamedTuple):
    """A symbol, and the path and the language of its file."""

    path: str
    language: str
    symbol: Symbol


class ChunkMatch(NamedTuple):
    """A chunk of a file that shares words with a question.

    Attributes:
        path: The path of the file.
        language: The LSP language id.
        content_hash: The hash of the file in which the chunk has these lines.
        line: The 0-based first line.
        end_line: The line after the last one.
        score: Higher is better, comparable within one answer only.
    """

    path: str
    language: str
    content_hash: bytes
    line: int
    end_line: int
    score: float


class IndexReader:
    """The reading side of an index. Use one object on one thread at a time.

    The file is opened at the first question, and again after it was replaced. Every method raises IndexUnusableError
    where there is no index yet, or none that can be read.

    Args:
        path: The file of the index.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def files_with(self, tokens: Sequence[str], limit: int, near: str = "") -> list[str]:
        """Return the paths of files that hold all the identifiers.

        Those in the folders around `near` come first, then those that were indexed last.

        Args:
            tokens: Identifiers in their exact spelling.
            limit: The number of files at most.
            near: The path of a file.
        """
        wanted = terms.find_terms(tokens)
        if not wanted or limit <= 0:
            return []
        found = self._select_paths(
            "SELECT path FROM names CROSS JOIN file ON file.content = names.rowid"
            " WHERE names MATCH ? ORDER BY names.rowid DESC LIMIT ?",
            terms.match_all(wanted),
            limit * CANDIDATES_PER_FILE,
        )
        return _nearest(found, near, limit)

    def files_containing(self, text: str, limit: int, near: str = "") -> list[str]:
        """Return the paths of files that hold all trigrams of a text, whatever their case.

        Those in the folders around `near` come first, then those that were indexed last.

        Args:
            text: A piece of text of three characters or more.
            limit: The number of files at most.
            near: The path of a file.
        """
        trigrams = terms.find_trigrams(text)
        if not trigrams or limit <= 0:
            return []
        found = self._select_paths(
            "SELECT path FROM trigrams CROSS JOIN file ON file.content = trigrams.rowid"
            " WHERE trigrams MATCH ? ORDER BY trigrams.rowid DESC LIMIT ?",
            terms.match_all(trigrams),
            limit * CANDIDATES_PER_FILE,
        )
        return _nearest(found, near, limit)

    def definitions(self, name: str) -> list[FileSymbol]:
        """Return the definitions of a name, ordered by path and line."""
        return self._symbols("symbol.name = ? AND roles & ?", name, int(Role.DEFINITION))

    def exports(self, name: str) -> list[FileSymbol]:
        """Return the exports under a name, also of what its own file calls otherwise, ordered by path and line."""
        same = self._symbols("symbol.name = ?1 AND roles & ?2", name, int(Role.EXPORT))
        return same + self._symbols(
            "original = ?1 AND symbol.name != ?1 AND roles & ?2", name, int(Role.EXPORT)
        )

    def importers(self, name: str) -> list[FileSymbol]:
        """Return the imports of a name, also under another name, ordered by path and line."""
        same = self._symbols("symbol.name = ? AND original IS NULL AND roles & ?", name, int(Role.IMPORT))
        return same + self._symbols("original = ? AND roles & ?", name, int(Role.IMPORT))

    def similar(self, text: str, limit: int) -> list[ChunkMatch]:
        """Return the chunks that share the rarest words of a text, the best first.

        Args:
            text: A piece of code, or words.
            limit: The number of chunks at most.
        """
        words = sorted(terms.find_words(terms.find_identifiers(text), {}))
        return self.ask(lambda connection: _similar(connection, words, limit))

    def content_hash(self, path: str) -> bytes | None:
        """Return the hash of a file's bytes when it was indexed; None for a file that is not in the index."""
        rows = self._select("SELECT hash FROM file JOIN content ON id = content WHERE path = ?", path)
        return rows[0][0] if rows else None

    def counts(self) -> IndexCounts:
        """Return how much the index holds."""
        return self.ask(count_rows)

    def meta(self) -> dict[str, str | int]:
        """Return the facts about the index by name."""
        return dict(self._select("SELECT name, value FROM meta"))

    def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Return the answer of a function that reads the tables.

        Args:
            question: Called with the connection, once.
        """
        try:
            return question(self._open())
        except schema.ERRORS as error:
            self.close()
            raise schema.as_index_error(error) from None

    def _symbols(self, condition: str, *values: Any) -> list[FileSymbol]:
        statement = (
            "SELECT path, language, symbol.name, roles, line, kind.name, container, source, original FROM symbol"
            " CROSS JOIN file ON file.content = symbol.content JOIN content ON content.id = symbol.content"
            f" JOIN kind ON kind.id = symbol.kind WHERE {condition} ORDER BY path, line LIMIT {MAX_ROWS}"
        )
        return self.ask(lambda connection: list(map(_file_symbol, connection.execute(statement, values))))

    def _select_paths(self, statement: str, *values: Any) -> list[str]:
        return self.ask(
            lambda connection: [
                schema.check_row(row, str)[0] for row in connection.execute(statement, values)
            ]
        )

    def _select(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.ask(lambda connection: connection.execute(statement, values).fetchall())

    def _open(self) -> sqlite3.Connection:
        try:
            found = self._path.stat()
        except OSError:
            self.close()
            raise IndexUnusableError("there is no index yet") from None
        identity = (found.st_dev, found.st_ino)
        if self._connection is None or identity != self._identity:
            self.close()
            self._connection = schema.open_for_reading(self._path)
            self._identity = identity
        return self._connection


def _file_symbol(row: tuple[Any, ...]) -> FileSymbol:
    """Return the symbol of a row.

    Raises:
        TypeError: The row is damaged.
    """
    types = (*(str, str, str, int, int, str), *[str | None] * 3)
    path, language, name, roles, line, kind, container, source, original = schema.check_row(row, *types)
    return FileSymbol(
        path,
        language,
        Symbol(
            *(name, Role(roles), line, kind, container or "", source or ""),
            name if original is None else original,
        ),
    )


def _nearest(paths: Sequence[str], near: str, limit: int) -> list[str]:
    """Return some paths without `near`, those in the folders around it first."""
    others = [path for path in paths if path != near]
    if near:
        others.sort(key=lambda path: -_shared_folders(path, near))
    return others[:limit]


def _shared_folders(path: str, other: str) -> int:
    """Return the number of leading folders that two paths share."""
    one, two = path.split("/")[:-1], other.split("/")[:-1]
    return next(
        (n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two))
    )


def _similar(connection: sqlite3.Connection, words: Sequence[str], limit: int) -> list[ChunkMatch]:
    """Score chunks by the words that they share with a question, each by its rarity."""
    (total,) = connection.execute("SELECT coalesce(max(chunk), 0) FROM piece").fetchone()
    found: list[tuple[int, list[int]]] = []
    for word in words:
        rows = connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?",
            (terms.match_all([word]), MAX_WORD_CHUNKS),
        ).fetchall()
        if rows:
            found.append((len(rows), [id for (id,) in rows]))
    scores: defaultdict[int, float] = defaultdict(float)
    for count, chunks in sorted(found)[:QUERY_WORDS]:
        weight = math.log1p((total - count + 0.5) / (count + 0.5)) if total > count else 0.0
        for chunk in chunks:
            scores[chunk] += weight
    matches: list[ChunkMatch] = []
    for chunk, score in nlargest(limit * CANDIDATES_PER_FILE, scores.items(), key=itemgetter(1)):
        row = connection.execute(
            "SELECT path, language, hash, line, end_line FROM piece JOIN file USING (content)"
            " JOIN content ON content.id = piece.content WHERE chunk = ? ORDER BY path LIMIT 1",
            (chunk,),
        ).fetchone()
        if row is not None:
            path, language, content_hash, line, end_line = schema.check_row(row, str, str, bytes, int, int)
            matches.append(ChunkMatch(path, language, content_hash, line, end_line, score))
        if len(matches) == limit:
            break
    return matches
