"""Benchmark of the search for the nearest vectors, by the number of chunks of the index.

The vectors are drawn around as many directions as there are topics in much code, at the sizes of the shipped encoder's.
`EDITAHEAD_VECTORS` says how many there are at most.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from editahead_retrieval.index import schema
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.vectors.nearest import NearestChunks
from editahead_retrieval.vectors.static_encoder import DIMENSIONS, DOCUMENT
from editahead_retrieval.vectors.store import ENCODER, TABLE
from figures import SHORT, percentile, show

np = pytest.importorskip("numpy")
pytestmark = pytest.mark.benchmark

MOST = int(os.environ.get("EDITAHEAD_VECTORS", "20000" if SHORT else "500000"))
QUESTIONS = 20 if SHORT else 100
TOPICS, SEED, LIMIT = 500, 7, 50
BLOCK = 20_000
"""Vectors that are drawn and written at once."""


class Directions:
    """An encoder whose texts are the numbers of directions."""

    name = "directions"

    def __init__(self) -> None:
        self._numbers = np.random.default_rng(SEED)
        self._topics = self._numbers.normal(size=(TOPICS, DIMENSIONS))

    def draw(self, topics: Sequence[int]) -> Any:
        """Return a vector near to each topic, as signed bytes."""
        vectors = self._topics[topics] + 1.5 * self._numbers.normal(size=(len(topics), DIMENSIONS))
        return np.rint(vectors * (127 / np.abs(vectors).max(axis=1, keepdims=True))).astype(np.int8)

    def encode(self, texts: Sequence[str], role: int = DOCUMENT) -> Any:
        return self.draw([int(text) for text in texts])


def write_vectors(path: Path, encoder: Directions, count: int) -> None:
    connection = schema.open_for_writing(path)
    with connection:
        connection.execute(TABLE)
        connection.execute("INSERT INTO meta VALUES (?, ?)", (ENCODER, encoder.name))
        for first in range(0, count, BLOCK):
            numbers = range(first, min(first + BLOCK, count))
            vectors = encoder.draw([number % TOPICS for number in numbers])
            rows = ((number + 1, vector.tobytes()) for number, vector in zip(numbers, vectors, strict=True))
            connection.executemany("INSERT INTO vector (chunk, value) VALUES (?, ?)", rows)
    connection.close()


def exact_best(path: Path, question: Any, count: int) -> set[int]:
    """Return the chunks that are nearest by all numbers."""
    connection = sqlite3.connect(path)
    value = b"".join(row[0] for row in connection.execute("SELECT value FROM vector ORDER BY id"))
    connection.close()
    vectors = np.frombuffer(value, np.int8).reshape(-1, DIMENSIONS)
    scores = np.concatenate(
        [
            (part := vectors[at : at + BLOCK].astype(np.float32)) @ question / np.linalg.norm(part, axis=1)
            for at in range(0, len(vectors), BLOCK)
        ]
    )
    return {int(at) + 1 for at in np.argsort(-scores)[:count]}


def test_a_question_by_the_number_of_chunks(tmp_path: Path) -> None:
    rows = []
    for count in (MOST // 50, MOST // 10, MOST):
        encoder = Directions()
        path = tmp_path / f"{count}.sqlite"
        write_vectors(path, encoder, count)
        reader = IndexReader(path)
        search = NearestChunks(reader, encoder)
        began = time.process_time()
        search.rank("0", LIMIT)
        first_s = time.process_time() - began
        cpu, wall = [], []
        for number in range(QUESTIONS):
            began, started = time.process_time(), time.perf_counter()
            found = search.rank(str(number % TOPICS), LIMIT)
            cpu.append(time.process_time() - began)
            wall.append(time.perf_counter() - started)
            assert len(found) == LIMIT, search.problem
        question = encoder.draw([3])[0].astype(np.float32)
        encoder.encode = lambda texts, role=DOCUMENT, known=question: known[None]
        held = len(exact_best(path, question, 10) & set(search.rank("3", LIMIT)))
        reader.close()
        cells = [1000 * percentile(times, share) for times in (cpu, wall) for share in (0.5, 0.95)]
        rows.append([f"{count:,}", f"{1000 * first_s:.0f}", *(f"{cell:.1f}" for cell in cells), f"{held}/10"])
    columns = ["chunks", "first ms", "p50 CPU ms", "p95", "p50 ms", "p95", "exact best 10 found"]
    show("the nearest vectors: first question, which reads them, and later ones", columns, rows)
