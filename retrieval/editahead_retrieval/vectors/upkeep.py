"""The upkeep of vectors: computes those that an index lacks, a little at a time, when nothing else is to be done."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from editahead_prompts.text.snapshot import split_lines
from editahead_retrieval.errors import EncoderError, UnreadableFileError
from editahead_retrieval.files.bounded_files import read_bounded_file
from editahead_retrieval.files.merkle_tree import hash_content
from editahead_retrieval.files.walk import Walk
from editahead_retrieval.index.content import blank_secrets, decode_text

from .encoders import TextEncoder
from .store import PendingContent, VectorStore

STEP_S = 0.03
"""Seconds of work between two looks at the messages."""
CHUNKS_PER_TRANSACTION = 64
"""Chunks that are encoded and stored at once."""
FAILURES = 3
"""Failures of the encoder in a row after which it is left alone until the process starts again."""


@dataclass
class VectorUpkeep:
    """The upkeep of the vectors of one index.

    Attributes:
        store: The vectors.
        encoder: What computes them.
        walk: The walk through the workspace, which says what may be read.
        clock: Returns monotonic seconds.
        problem: Why no vectors are computed, for a person; "" while they are.
    """

    store: VectorStore
    encoder: TextEncoder
    walk: Walk
    clock: Callable[[], float] = time.monotonic
    problem: str = ""
    _waiting: deque[PendingContent] = field(default_factory=deque)
    _is_prepared: bool = False
    _is_stale: bool = True
    _failures: int = 0

    def refresh(self) -> None:
        """Take note that files have been indexed."""
        self._is_stale = True

    def step(self) -> bool:
        """Do the next part of the work, and return whether there is more.

        Raises:
            IndexUnusableError: The index is damaged, or there is no room for more of it.
        """
        if self._failures >= FAILURES:
            return False
        if not self._is_prepared:
            self._is_prepared = not self.store.prepare()
            return True
        if self._is_stale:
            self._is_stale = False
            self._waiting.extend(self.store.pending())
        until = self.clock() + STEP_S
        while self._waiting:
            try:
                self._encode(self._waiting[0])
            except EncoderError as error:
                self._failures, self.problem = self._failures + 1, str(error)
                return self._failures < FAILURES
            self._failures, self.problem = 0, ""
            self._waiting.popleft()
            if self.clock() >= until:
                break
        return bool(self._waiting)

    def _encode(self, pending: PendingContent) -> None:
        """Compute the vectors of a file. One that has changed meanwhile is left to the next look."""
        if self.walk.find(pending.path) is None:
            return
        try:
            data = read_bounded_file(
                self.walk.root / pending.path, [self.walk.root], self.walk.max_file_bytes
            )
        except (FileNotFoundError, UnreadableFileError):
            return
        text = decode_text(data)
        if text is None or hash_content(data) != pending.content_hash:
            return
        lines = split_lines(blank_secrets(text))
        chunks = self.store.pending_chunks(pending.content)
        for at in range(0, len(chunks), CHUNKS_PER_TRANSACTION):
            part = chunks[at : at + CHUNKS_PER_TRANSACTION]
            texts = ["".join(lines[chunk.line : chunk.end_line]) for chunk in part]
            vectors = self.encoder.encode(texts)
            self.store.put([chunk.chunk for chunk in part], [vector.tobytes() for vector in vectors])
