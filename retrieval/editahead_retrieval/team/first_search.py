"""The first answer in a clone that has no index yet: by the team's vectors, and by a look at the words of the files.

The team's server names the nearest pieces of the contents that the clone proves to have. They, and the files with the
question's rarest words, get a small index of their own, in which the usual search orders them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.content_hash import hash_content
from editahead_retrieval.files.walk import FoundFile, Walk
from editahead_retrieval.index.content import analyze
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.index.store import IndexStore
from editahead_retrieval.search.answers import SearchResult
from editahead_retrieval.search.code_search import MAX_QUESTION_CHARS, CodeSearch, SearchScope
from editahead_retrieval.search.question import read_question
from editahead_retrieval.vectors.static_encoder import QUESTION

from .clone_look import CloneLook, look_at_clone
from .proofs import TeamKey
from .server import TeamPiece, TeamServer

if TYPE_CHECKING:
    from editahead_retrieval.vectors.encoders import TextEncoder

NEAREST = 400
"""Pieces that the server is asked for."""
NEAR_FILES = 40
"""Files with the nearest pieces that are searched."""
LIKELY_FILES = 40
"""Files with the question's words that are searched."""
MIN_SHARE = 0.5
"""The share of a clone's contents that the team must know. With less, the clone builds its index first."""


@dataclass(frozen=True)
class FirstAnswer:
    """The answer of a team.

    Attributes:
        results: The places that answer the question, the best first.
        known: The number of the clone's contents whose pieces the team knows.
        contents: The number of the clone's contents.
    """

    results: Sequence[SearchResult]
    known: int
    contents: int


@dataclass(frozen=True)
class FirstSearch:
    """The search in a clone without an index.

    Attributes:
        walk: The walk through the workspace.
        max_files: The number of files at most.
        server: The team's server.
        key: The team's key, for the encoder.
        encoder: The encoder.
        clone: The name of the clone.
        read: Returns the text of a file as it is now, by its path from the root; None if it must not be shown or is gone.
        check: Raises to cancel.
    """

    walk: Walk
    max_files: int
    server: TeamServer
    key: TeamKey
    encoder: TextEncoder
    clone: bytes
    read: Callable[[str], str | None]
    check: Callable[[], None] = lambda: None

    def search(self, text: str, limit: int, scope: SearchScope) -> FirstAnswer | None:
        """Return the places that answer a question; None where the team knows too little of the clone.

        Args:
            text: The question.
            limit: The number of results at most.
            scope: Where to search.

        Raises:
            TeamIndexError: The server does not answer.
            EncoderError: The question cannot be encoded.
            IndexUnusableError: There is no room for a small index.
        """
        words = [word.text for word in read_question(text[:MAX_QUESTION_CHARS]).words]
        vector = self.encoder.encode([text], QUESTION)[0]
        look = look_at_clone(self.walk, self.max_files, self.key, words, LIKELY_FILES, self.check)
        known = self._prove(look)
        if known < MIN_SHARE * len(look.proofs):
            return None
        near = self.server.nearest(self.clone, [int(number) for number in vector], NEAREST)
        ordered = _by_all_numbers(near, vector)
        results = self._search(text, limit, scope, look, ordered)
        return FirstAnswer(results, known, len(look.proofs))

    def _prove(self, look: CloneLook) -> int:
        """Prove the contents, by the root alone where another clone has the same. Return how many the server knows."""
        root = self.key.prove_root(look.clone_hash)
        known = self.server.hold(self.clone, root, None)
        return known if known == len(look.proofs) else self.server.hold(self.clone, root, look.proofs)

    def _search(
        self, text: str, limit: int, scope: SearchScope, look: CloneLook, near: Sequence[TeamPiece]
    ) -> list[SearchResult]:
        pieces = [(found.path, piece.line) for piece in near for found in look.files.get(piece.content, ())]
        paths = {found.path: found for files in look.files.values() for found in files}
        chosen = list(dict.fromkeys(path for path, _ in pieces))[:NEAR_FILES]
        chosen += (found.path for found in look.likely)
        with tempfile.TemporaryDirectory(prefix="editahead-") as folder:
            database = Path(folder) / "index.sqlite"
            self._build(database, [paths[path] for path in dict.fromkeys(chosen)])
            reader = IndexReader(database)
            try:
                search = CodeSearch(reader, self.read, _KnownOrder(reader, pieces))
                return search.search(text, limit, scope)
            finally:
                reader.close()

    def _build(self, database: Path, files: Sequence[FoundFile]) -> None:
        store = IndexStore(database)
        try:
            with store.transaction():
                for found in files:
                    self.check()
                    data = self._bytes(found.path)
                    if data is None:
                        continue
                    content = analyze(found.path, data, hash_content(data))
                    number = store.find_content(content.hash, content.language)
                    number = store.add_content(content) if number is None else number
                    store.put_file(found.path, number, found.stamp)
        finally:
            store.close()

    def _bytes(self, path: str) -> bytes | None:
        try:
            return self.walk.read(path)
        except (FileNotFoundError, UnreadableFileError):
            return None


@dataclass(frozen=True)
class _KnownOrder:
    """The search by meaning in a small index, whose order the team's server has given as paths and first lines."""

    reader: IndexReader
    pieces: Sequence[tuple[str, int]]

    def rank(self, text: str, limit: int) -> Sequence[int]:
        rows = self.reader.ask(
            lambda connection: connection.execute(
                "SELECT path, line, chunk FROM piece JOIN file USING (content)"
            ).fetchall()
        )
        chunks = {(path, line): chunk for path, line, chunk in rows}
        return list(dict.fromkeys(chunks[piece] for piece in self.pieces if piece in chunks))[:limit]


def _by_all_numbers(pieces: Sequence[TeamPiece], question: Sequence[int]) -> list[TeamPiece]:
    """Return pieces in the order of all numbers of their vectors, the nearest to the question first."""
    import numpy as np

    if not pieces:
        return []
    vectors = np.frombuffer(b"".join(piece.vector for piece in pieces), np.int8).reshape(len(pieces), -1)
    numbers = vectors.astype(np.float32)
    scores = numbers @ np.asarray(question, np.float32) / np.maximum(np.linalg.norm(numbers, axis=1), 1e-9)
    return [pieces[at] for at in np.argsort(-scores, kind="stable")]
