"""Places in the files of the index, and the texts of these files as they are now."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from editahead_prompts.syntax.languages import language_of
from editahead_prompts.syntax.syntax_trees import find_parser, parse
from editahead_prompts.text.snapshot import split_lines
from editahead_retrieval.files.content_hash import hash_content
from editahead_retrieval.index import schema
from editahead_retrieval.index.chunker import split_into_chunks
from editahead_retrieval.index.content import blank_secrets

PATHS_PER_QUERY = 500
"""Paths that are looked up at once. Older versions of SQLite take 999 values."""


class Place(NamedTuple):
    """The lines of a chunk: the path from the root, the 0-based first line, and the line after the last one."""

    path: str
    line: int
    end_line: int


class FileText:
    """The text of a file.

    Args:
        path: The path from the root.
        text: The text.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path, self.language = path, language_of(path)
        self._text = text
        self.lines = split_lines(text)

    @cached_property
    def content_hash(self) -> bytes:
        """The hash of the text's bytes."""
        return hash_content(self._text.encode("utf-8", "replace"))

    @cached_property
    def shown_lines(self) -> Sequence[str]:
        """The lines with spaces in place of secrets."""
        return split_lines(blank_secrets(self._text))

    @cached_property
    def places(self) -> list[Place]:
        """The chunks of the text as it is now."""
        lines, parser = self.shown_lines, find_parser(self.language)
        data = "".join(lines).encode("utf-8", "replace")
        tree = None if parser is None else parse(parser, data)
        root = None if tree is None else tree.root_node
        return [Place(self.path, *chunk) for chunk in split_into_chunks(lines, root)]

    def place_at(self, line: int) -> Place | None:
        """Return the chunk that has a line; None beyond the end."""
        return next((place for place in self.places if place.line <= line < place.end_line), None)

    def text_of(self, place: Place) -> str:
        """Return the text of a place of this file."""
        return "".join(self.lines[place.line : place.end_line])


class FileTexts:
    """The texts of files, each read once.

    Args:
        read: Returns the text of a file as it is now, by its path from the root; None if it must not be shown or is gone.
    """

    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._read = read
        self._known: dict[str, FileText | None] = {}

    def get(self, path: str) -> FileText | None:
        """Return the text of a file; None if there is none to show."""
        if path not in self._known:
            text = self._read(path)
            self._known[path] = None if text is None else FileText(path, text)
        return self._known[path]


def find_content(connection: sqlite3.Connection, text: FileText) -> int | None:
    """Return the number under which the index has this text; None if it has another one of the file."""
    row = connection.execute(
        "SELECT id FROM content WHERE hash = ? AND language = ?", (text.content_hash, text.language)
    ).fetchone()
    return None if row is None else schema.check_row(row, int)[0]


def places_in(connection: sqlite3.Connection, text: FileText) -> list[Place]:
    """Return the chunks of a file, from the index where it has this text."""
    content = find_content(connection, text)
    if content is None:
        return text.places
    rows = connection.execute(
        "SELECT DISTINCT line, end_line FROM piece WHERE content = ? ORDER BY line", (content,)
    )
    return [Place(text.path, *schema.check_row(row, int, int)) for row in rows]


def chunk_places(
    connection: sqlite3.Connection, chunks: Iterable[int], folder: str, limit: int
) -> list[Place]:
    """Return where the index has chunks, in their order: in one file each, even where several have the same text.

    Args:
        connection: The index.
        chunks: The numbers of the chunks.
        folder: The folder in which the files are, from the root, with a slash at the end; "" for all.
        limit: The number of places at most.
    """
    places: dict[Place, None] = {}
    for chunk in chunks:
        row = connection.execute(
            "SELECT path, line, end_line FROM piece JOIN file USING (content)"
            " WHERE chunk = ? AND substr(path, 1, ?) = ? ORDER BY length(path), path LIMIT 1",
            (chunk, len(folder), folder),
        ).fetchone()
        if row is not None:
            places.setdefault(Place(*schema.check_row(row, str, int, int)))
        if len(places) >= limit:
            break
    return list(places)


class StoredFile(NamedTuple):
    """What an index has of a file: the number and the hash of its content, and the time of its change."""

    content: int
    content_hash: bytes
    mtime_ns: int


def stored_files(connection: sqlite3.Connection, paths: Iterable[str]) -> dict[str, StoredFile]:
    """Return what the index has of some files, by path."""
    wanted, found = list(paths), dict[str, StoredFile]()
    for at in range(0, len(wanted), PATHS_PER_QUERY):
        part = wanted[at : at + PATHS_PER_QUERY]
        rows = connection.execute(
            "SELECT path, content, hash, mtime_ns FROM file JOIN content ON content.id = file.content"
            f" WHERE path IN ({','.join('?' * len(part))})",
            part,
        )
        for row in rows:
            path, *stored = schema.check_row(row, str, int, bytes, int)
            found[path] = StoredFile(*stored)
    return found


def present_place(
    connection: sqlite3.Connection, place: Place, stored: StoredFile | None, folder: str, texts: FileTexts
) -> Place | None:
    """Return where a place of the index is in the files as they are now; None if it is in none that may be shown.

    Args:
        connection: The index.
        place: The place.
        stored: What the index has of its file; None for nothing.
        folder: The folder in which the files are, from the root, with a slash at the end; "" for all.
        texts: The texts of the files.
    """
    text = texts.get(place.path)
    if text is None and stored is not None:
        rows = connection.execute(
            "SELECT path FROM file WHERE content = ? AND path != ? AND substr(path, 1, ?) = ?"
            " ORDER BY length(path), path LIMIT 1",
            (stored.content, place.path, len(folder), folder),
        ).fetchall()
        text = next((found for (path,) in rows if (found := texts.get(path)) is not None), None)
    if text is None:
        return None
    if stored is not None and text.content_hash == stored.content_hash:
        return place._replace(path=text.path)
    return text.place_at(place.line)
