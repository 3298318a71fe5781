"""Indexes of small workspaces, and their whole contents as values that can be compared."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.walk import Walk
from editahead_retrieval.index import location, schema
from editahead_retrieval.index.builder import IndexBuilder, IndexLimits
from editahead_retrieval.index.store import IndexStore
from editahead_retrieval.process.messages import IndexReport, IndexTask
from editahead_retrieval.process.worker import IndexWorker, run

LATER_NS = 10**19
"""A time at which no file was changed just now, so that stamps are trusted."""


def make_builder(
    root: Path,
    database: Path,
    *,
    max_files: int = 1000,
    max_bytes: int = 10**9,
    max_file_bytes: int = 1_000_000,
    now_ns: Callable[[], int] = lambda: LATER_NS,
) -> IndexBuilder:
    """Return a builder for a workspace."""
    rules = ExclusionRules([root], IgnorePatterns(()))
    walk = Walk(root, rules, max_file_bytes)
    limits = IndexLimits(max_files, max_bytes)
    return IndexBuilder(IndexStore(database), walk, limits, now_ns=now_ns)


def update(builder: IndexBuilder, *, trust: bool = True) -> None:
    """Bring an index up to date with a look at all files."""
    for _ in builder.look(trust=trust):
        pass
    finish(builder)


def finish(builder: IndexBuilder) -> None:
    """Do all the work in the queue of a builder."""
    while builder.work():
        pass
    builder.finish()


def build_index(root: Path, folder: Path, **options: Any) -> list[IndexReport]:
    """Build the index of a workspace as the process does, and return its reports."""
    reports: list[IndexReport] = []
    worker = IndexWorker(IndexTask(str(root), str(folder), **options), reports.append)
    run(worker, lambda pause: [], until_ready=True, with_vectors=bool(options.get("encoder")))
    return reports


def dump(database: Path) -> dict[str, Any]:
    """Return what an index says about each file, without its own numbers."""
    connection = schema.open_for_reading(database)
    try:
        ids = dict(connection.execute("SELECT path, content FROM file").fetchall())
        return {path: _describe(connection, id) for path, id in sorted(ids.items())}
    finally:
        connection.close()


def _describe(connection: sqlite3.Connection, content: int) -> Any:
    (name, language) = connection.execute(
        "SELECT hash, language FROM content WHERE id = ?", (content,)
    ).fetchone()
    pieces = connection.execute(
        "SELECT line, end_line, hash FROM piece JOIN chunk ON id = chunk WHERE content = ? ORDER BY line",
        (content,),
    ).fetchall()
    symbols = connection.execute(
        "SELECT position, symbol.name, line, roles, kind.name, container, source, original FROM symbol"
        " JOIN kind ON kind.id = kind WHERE content = ? ORDER BY position",
        (content,),
    ).fetchall()
    return name, language, pieces, symbols


def words_of(database: Path, table: str, terms: list[str]) -> dict[str, list[str]]:
    """Return the paths under each term of a full-text table of contents."""
    connection = schema.open_for_reading(database)
    try:
        return {
            term: sorted(
                path
                for (path,) in connection.execute(
                    f"SELECT path FROM {table} CROSS JOIN file ON content = {table}.rowid WHERE {table} MATCH ?",
                    (f'"{term}"',),
                )
            )
            for term in terms
        }
    finally:
        connection.close()


def database_of(folder: Path) -> Path:
    """Return the file of an index."""
    return folder / location.DATABASE
