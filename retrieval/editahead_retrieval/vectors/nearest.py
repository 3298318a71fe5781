"""The search for the nearest vectors: exact over their first 64 numbers, then over all numbers of the best.

The first numbers are in memory, 76 bytes a chunk; the rest is read from the database for the best ones.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from editahead_retrieval.errors import EncoderError, IndexUnusableError
from editahead_retrieval.index.reader import IndexReader

from .encoders import TextEncoder
from .static_encoder import DIMENSIONS, QUESTION
from .store import ENCODER

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, Any]

PREFIX = 64
"""Leading numbers that all vectors are compared by."""
COMPARED = 1_000
"""Vectors that are compared by all their numbers, at least."""
MAX_VECTORS = 1_000_000
"""Vectors that are searched, the first ones that were computed, to bound memory."""
BLOCK = 16_384
"""Vectors that are multiplied at once."""


class NearestChunks:
    """The search for chunks by meaning in one index. Use one object on one thread at a time.

    Args:
        reader: The index.
        encoder: The encoder of the questions. Only vectors that it made are searched.
    """

    def __init__(self, reader: IndexReader, encoder: TextEncoder) -> None:
        self._reader, self._encoder = reader, encoder
        self._source: object = None
        self._last = 0
        self._blocks: list[_Block] = []
        self.problem = ""
        """Why the last question had no answer, for a person; "" for none."""

    def rank(self, text: str, limit: int) -> Sequence[int]:
        """Return the numbers of the chunks whose meaning is nearest to a text, the nearest first.

        Without vectors, or while they are computed, there are fewer or none.

        Args:
            text: The question as it was asked.
            limit: The number of chunks at most.
        """
        self.problem = ""
        try:
            question = self._encoder.encode([text], QUESTION)[0]
            return self._reader.ask(lambda connection: self._rank(connection, question, limit))
        except (EncoderError, IndexUnusableError) as error:
            self.problem = str(error)
            return []

    def _rank(self, connection: sqlite3.Connection, question: Numbers, limit: int) -> list[int]:
        import numpy as np

        if not question.any() or not self._load(connection):
            return []
        wanted = question.astype(np.float32)
        scores = np.concatenate([block.scores(wanted[:PREFIX]) for block in self._blocks])
        ids = np.concatenate([block.ids for block in self._blocks])
        count = min(len(scores), max(COMPARED, limit))
        best = np.argpartition(-scores, count - 1)[:count]
        chunks, vectors = _read_vectors(connection, [int(ids[at]) for at in best])
        if not chunks:
            return []
        norms = np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)
        exact = vectors @ wanted / norms
        order = np.lexsort((np.array(chunks), -exact))[:limit]
        return [chunks[at] for at in order]

    def _load(self, connection: sqlite3.Connection) -> bool:
        """Read the vectors that are new since the last question, and return whether there are any."""
        import numpy as np

        try:
            named = connection.execute("SELECT value FROM meta WHERE name = ?", (ENCODER,)).fetchone()
            (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM vector").fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                self._blocks.clear()
                return False
            raise
        source = (id(connection), named)
        if named != (self._encoder.name,):
            self._blocks.clear()
            self._source = None
            return False
        if source != self._source or last < self._last:
            self._source, self._last = source, 0
            self._blocks.clear()
        held = sum(len(block.ids) for block in self._blocks)
        while self._last < last and held < MAX_VECTORS:
            rows = connection.execute(
                "SELECT id, substr(value, 1, ?) FROM vector WHERE id > ? AND length(value) = ? ORDER BY id LIMIT ?",
                (PREFIX, self._last, DIMENSIONS, min(BLOCK, MAX_VECTORS - held)),
            ).fetchall()
            if not rows:
                break
            self._last = rows[-1][0]
            held += len(rows)
            ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
            prefix = np.frombuffer(b"".join(row[1] for row in rows), np.int8).reshape(len(rows), PREFIX)
            self._add(_Block(ids, prefix))
        return held > 0

    def _add(self, block: _Block) -> None:
        """Add a block; small ones are joined."""
        if self._blocks and len(self._blocks[-1].ids) + len(block.ids) <= BLOCK:
            block = self._blocks.pop().joined(block)
        self._blocks.append(block)


class _Block:
    """The leading numbers of some vectors, and the inverse of their lengths."""

    def __init__(self, ids: Numbers, prefix: Numbers) -> None:
        import numpy as np

        self.ids, self.prefix = ids, prefix
        lengths = np.linalg.norm(prefix.astype(np.float32), axis=1)
        self.inverse = (1 / np.maximum(lengths, 1e-9)).astype(np.float32)

    def scores(self, question: Numbers) -> Numbers:
        import numpy as np

        products: Numbers = (self.prefix.astype(np.float32) @ question) * self.inverse
        return products

    def joined(self, other: _Block) -> _Block:
        import numpy as np

        return _Block(np.concatenate([self.ids, other.ids]), np.concatenate([self.prefix, other.prefix]))


def _read_vectors(connection: sqlite3.Connection, ids: Sequence[int]) -> tuple[list[int], Numbers]:
    """Return the chunks and the whole vectors of some rows; rows that are gone or damaged are left out."""
    import numpy as np

    rows: list[tuple[int, bytes]] = []
    for at in range(0, len(ids), 500):
        part = ids[at : at + 500]
        marks = ",".join("?" * len(part))
        rows += connection.execute(f"SELECT chunk, value FROM vector WHERE id IN ({marks})", part).fetchall()
    whole = [(chunk, value) for chunk, value in rows if isinstance(value, bytes) and len(value) == DIMENSIONS]
    joined = np.frombuffer(b"".join(value for _, value in whole), np.int8)
    return [chunk for chunk, _ in whole], joined.reshape(len(whole), DIMENSIONS).astype(np.float32)
