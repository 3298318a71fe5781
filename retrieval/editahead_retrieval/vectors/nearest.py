"""The search for the nearest vectors: exact over their first 64 numbers, then over all numbers of the best.

The first numbers are in memory, 76 bytes a chunk, and stay there from question to question; the rest is read from the
database for the best ones.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from editahead_retrieval.errors import EncoderError, IndexUnusableError
from editahead_retrieval.index.reader import IndexReader

from .encoders import TextEncoder
from .static_encoder import DIMENSIONS, QUESTION
from .store import BLOCK_VECTORS, ENCODER, PREFIX, join_vectors, split_block

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, Any]

COMPARED = 1_000
"""Vectors that are compared by all their numbers, at least."""
MAX_VECTORS = 1_000_000
"""Vectors that are searched and kept, the first ones that were computed, to bound memory: 76 MB."""
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
        ids, scores = self._compare(question)
        count = min(len(scores), max(COMPARED, limit))
        best = np.argpartition(-scores, count - 1)[:count]
        chunks, vectors = _read_vectors(connection, [int(ids[at]) for at in best])
        if not chunks:
            return []
        wanted = question.astype(np.float32)
        norms = np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)
        exact = np.einsum("ij,j->i", vectors, wanted) / norms
        order = np.lexsort((np.array(chunks), -exact))[:limit]
        return [chunks[at] for at in order]

    def _compare(self, question: Numbers) -> tuple[Numbers, Numbers]:
        """Return the ids of all vectors and how near their leading numbers are."""
        import numpy as np

        wanted = question[:PREFIX].astype(np.float32)
        scores = np.concatenate([block.scores(wanted) for block in self._blocks])
        ids = np.concatenate([block.ids for block in self._blocks])
        return ids, scores

    def _forget(self) -> None:
        self._blocks.clear()
        self._source, self._last = None, 0

    def _load(self, connection: sqlite3.Connection) -> bool:
        """Read the vectors that are new since the last question, and return whether there are any."""
        try:
            named = connection.execute("SELECT value FROM meta WHERE name = ?", (ENCODER,)).fetchone()
            (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM vector").fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                self._forget()
                return False
            raise
        if named != (self._encoder.name,):
            self._forget()
            return False
        if connection is not self._source or last < self._last:
            self._forget()
            self._source = connection
            self._load_blocks(connection)
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
            joined = join_vectors([row[0] for row in rows], [row[1] for row in rows])
            self._add(_Block(*split_block(joined)))
        return held > 0

    def _load_blocks(self, connection: sqlite3.Connection) -> None:
        """Read the blocks that the process of the index has made. An index of an older version has none."""
        try:
            rows = connection.execute(
                "SELECT last, value FROM vector_block WHERE encoder = ? ORDER BY last LIMIT ?",
                (self._encoder.name, MAX_VECTORS // BLOCK_VECTORS),
            )
            for last, value in rows:
                self._add(_Block(*split_block(value)))
                self._last = last
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise

    def _add(self, block: _Block) -> None:
        """Add a block; small ones are joined."""
        if self._blocks and len(self._blocks[-1].ids) + len(block.ids) <= BLOCK:
            block = self._blocks.pop().joined(block)
        self._blocks.append(block)


class _Block:
    """The leading numbers of some vectors, and the inverse of their lengths."""

    def __init__(self, ids: Numbers, prefix: Numbers, inverse: Numbers) -> None:
        self.ids, self.prefix, self.inverse = ids, prefix, inverse

    def scores(self, question: Numbers) -> Numbers:
        import numpy as np

        # `@` calls BLAS, whose threads wait for each other on a busy machine: 20 times the CPU time for so small a product.
        products: Numbers = np.einsum("ij,j->i", self.prefix.astype(np.float32), question)
        return products * self.inverse

    def joined(self, other: _Block) -> _Block:
        import numpy as np

        pairs = ((self.ids, other.ids), (self.prefix, other.prefix), (self.inverse, other.inverse))
        return _Block(*map(np.concatenate, pairs))


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
