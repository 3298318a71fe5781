"""What no file has any more leaves the index: words, trigrams and symbols of removed, excluded and changed files.

A content stays a while after its last file, for a switch back to another branch. The full-text tables hold no text to delete
it by, so its terms are read from them. Free pages are overwritten when SQLite frees them, and the log is cut at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager

from . import schema
from .store import IndexStore

KEPT_S = 3_600
"""Seconds between two times of forgetting: what a switch of branches needs again within an hour is still there."""
FORGOTTEN_AT = "forgottenAt"
"""The fact about an index that tells when that was last, in Unix seconds; 0 where it must not wait."""
MAX_CONTENTS = 500
"""Contents whose terms are in memory at a time: about 50 MB."""
_STEP_ROWS = 5_000
"""Rows of a full-text table between two pauses: a few milliseconds."""
_PADDING_ROW = -1
"""A row of the trigrams that is of no content."""

_GARBAGE = "SELECT id FROM content WHERE id NOT IN (SELECT content FROM file)"
_DOOMED = (
    "SELECT DISTINCT chunk FROM piece WHERE content IN ({}) AND chunk NOT IN"
    " (SELECT chunk FROM piece WHERE content IN (SELECT content FROM file))"
)
"""The chunks of some contents that no content with a file has."""
_OWN_CHUNKS = (
    "SELECT DISTINCT chunk FROM piece AS own WHERE content = ? AND NOT EXISTS"
    " (SELECT 1 FROM piece WHERE chunk = own.chunk AND content != own.content)"
)
"""The chunks that no other content has."""

Steps = Generator[None, None, None]


class Forgetter:
    """The work, step by step, beside what else is written to the index.

    Args:
        store: The index.
        now_ns: Returns the time of the file system in nanoseconds.
    """

    def __init__(self, store: IndexStore, now_ns: Callable[[], int]) -> None:
        self._store, self._now_ns = store, now_ns
        self._steps: Steps | None = None

    def is_due(self) -> bool:
        """Return whether there is work: it has begun, or there is something to forget, and it is time.

        Raises:
            IndexUnusableError: The index is damaged, or there is no room for more of it.
        """
        if self._steps is not None:
            return True
        now = self._now_ns() // 1_000_000_000
        forgotten_at = self._store.meta(FORGOTTEN_AT)
        if forgotten_at is not None and 0 <= now - int(forgotten_at) < KEPT_S:
            return False
        with _translated():
            has_garbage = forgotten_at is not None and _has_garbage(self._store)
        if has_garbage:
            self._steps = _forget(self._store)
            self._store.path.with_name(f"{self._store.path.name}.damaged").unlink(missing_ok=True)
        else:
            self._end(now)
        return has_garbage

    def step(self) -> None:
        """Do the next part of work that is due.

        Raises:
            IndexUnusableError: The index is damaged, or there is no room for more of it.
        """
        try:
            with _translated():
                if self._steps is not None and next(self._steps, "end") == "end":
                    self._end(self._now_ns() // 1_000_000_000)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the work where it is."""
        if self._steps is not None:
            self._steps.close()
        self._steps = None

    def _end(self, now: int) -> None:
        self._steps = None
        with self._store.transaction():
            self._store.set_meta(FORGOTTEN_AT, now)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except schema.ERRORS as error:
        raise schema.as_index_error(error) from None


def _has_garbage(store: IndexStore) -> bool:
    return bool(_select(store, _GARBAGE, 1) or _select(store, _free_chunks(store), 1))


def _forget(store: IndexStore) -> Steps:
    """Forget all contents that no file has, and chunks that no content has."""
    while contents := _select(store, _GARBAGE, MAX_CONTENTS):
        listed = ", ".join(map(str, contents))
        names = yield from _find_terms(store, "names", contents)
        trigrams = yield from _find_terms(store, "trigrams", contents)
        chunks = _select(store, _DOOMED.format(listed), -1)
        words = yield from _find_terms(store, "words", chunks)
        for content in contents:
            with store.transaction():
                _forget_content(store, content, names[content], trigrams[content], words)
            yield
    while chunks := _select(store, _free_chunks(store), MAX_CONTENTS):
        words = yield from _find_terms(store, "words", chunks)
        for chunk in chunks:
            with store.transaction():
                if not store.connection.execute("SELECT 1 FROM piece WHERE chunk = ?", (chunk,)).fetchone():
                    _forget_chunk(store, chunk, words[chunk])
            yield


def _forget_content(
    store: IndexStore, content: int, names: list[str], trigrams: list[str], words: dict[int, list[str]]
) -> None:
    """Forget a content with the chunks that only it has. One that a file has since, or with other chunks, stays."""
    run = store.connection.execute
    chunks = [chunk for (chunk,) in run(_OWN_CHUNKS, (content,))]
    if run("SELECT 1 FROM file WHERE content = ?", (content,)).fetchone() or not words.keys() >= set(chunks):
        return
    run("DELETE FROM piece WHERE content = ?", (content,))
    for chunk in chunks:
        _forget_chunk(store, chunk, words[chunk])
    _delete_terms(store, "names", content, " ".join(names))
    # The text has more trigrams, where two are joined. They are deleted in vain, but counted: the padding makes up for that.
    run("INSERT INTO trigrams (rowid, text) VALUES (?, ?)", (_PADDING_ROW, "a" * (3 * len(trigrams) + 2)))
    _delete_terms(store, "trigrams", content, "".join(trigrams))
    run("DELETE FROM symbol WHERE content = ?", (content,))
    run("DELETE FROM content WHERE id = ?", (content,))


def _forget_chunk(store: IndexStore, chunk: int, words: list[str]) -> None:
    """Forget the words of a chunk; and the chunk itself, unless it has a vector, which another branch may need again."""
    _delete_terms(store, "words", chunk, " ".join(words))
    store.connection.execute(f"DELETE FROM chunk WHERE id = ?{_without_vector(store)}", (chunk,))


def _delete_terms(store: IndexStore, table: str, row: int, text: str) -> None:
    if text:
        store.connection.execute(
            f"INSERT INTO {table} ({table}, rowid, text) VALUES ('delete', ?, ?)", (row, text)
        )


def _find_terms(
    store: IndexStore, table: str, rows: list[int]
) -> Generator[None, None, dict[int, list[str]]]:
    """Return the terms of some rows of a full-text table. Pause often.

    The connection is one of its own, whose look at the table others do not disturb.
    """
    terms: dict[int, list[str]] = {row: [] for row in rows}
    with closing(schema.open_for_reading(store.path)) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', '{table}', 'instance')")
        connection.execute("CREATE TABLE temp.wanted (id INTEGER PRIMARY KEY)")
        connection.executemany("INSERT INTO wanted VALUES (?)", [(row,) for row in rows])
        found = connection.execute(
            f"SELECT doc, term FROM terms WHERE doc IN wanted OR terms.rowid % {_STEP_ROWS} = 0"
        )
        for row, term in found if rows else ():
            if row in terms:
                terms[row].append(term)
            else:
                yield
    return terms


def _select(store: IndexStore, statement: str, limit: int) -> list[int]:
    return [row for (row,) in store.connection.execute(f"{statement} LIMIT ?", (limit,))]


def _free_chunks(store: IndexStore) -> str:
    return f"SELECT id FROM chunk WHERE id NOT IN (SELECT chunk FROM piece){_without_vector(store)}"


def _without_vector(store: IndexStore) -> str:
    """Return the condition for chunks without a vector. An index without an encoder has no such table."""
    has_vectors = store.connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'vector'").fetchone()
    return " AND id NOT IN (SELECT chunk FROM vector)" if has_vectors else ""
