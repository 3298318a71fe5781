"""The upkeep of vectors: computes those that an index lacks, a little at a time, when nothing else is to be done."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from editahead_prompts.text.snapshot import split_lines
from editahead_retrieval.errors import EncoderError, UnreadableFileError
from editahead_retrieval.files.content_hash import hash_content
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


class VectorExchange(Protocol):
    """The exchange of vectors with a team."""

    def begin_fetch(self) -> None:
        """Begin to ask for the vectors that the index lacks."""

    def begin_share(self) -> None:
        """Begin to share what the team lacks."""

    def step(self) -> bool:
        """Do the next part of what was begun, and return whether there is more."""


@dataclass
class VectorUpkeep:
    """The upkeep of the vectors of one index.

    Attributes:
        store: The vectors.
        encoder: What computes them.
        walk: The walk through the workspace, which says what may be read.
        clock: Returns monotonic seconds.
        team: The exchange of vectors with a team; None without one.
        problem: Why no vectors are computed, for a person; "" while they are.
    """

    store: VectorStore
    encoder: TextEncoder
    walk: Walk
    clock: Callable[[], float] = time.monotonic  # noqa: TID251  # unless another is passed in
    team: VectorExchange | None = None
    problem: str = ""
    _waiting: deque[PendingContent] = field(default_factory=deque)
    _is_prepared: bool = False
    _is_stale: bool = True
    _failures: int = 0
    _phase: Literal["fetch", "compute", "share", "done"] = "done"

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
            self._is_prepared = not (self.store.prepare() or self.store.remove_stale())
            return True
        if self._is_stale and self._phase in ("compute", "done"):
            self._is_stale, self._phase = False, "fetch"
            if self.team is not None:
                self.team.begin_fetch()
        if self._phase in ("fetch", "share"):
            if self.team is not None and self.team.step():
                return True
            if self._phase == "fetch":
                self._waiting.extend(self.store.pending())
            self._phase = "compute" if self._phase == "fetch" else "done"
        return self._compute() if self._phase == "compute" else self._is_stale

    def _compute(self) -> bool:
        """Compute some vectors, and return whether there is more to do."""
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
                return True
        if self.store.pack():
            return True
        self._phase = "done"
        if self.team is not None:
            self._phase = "share"
            self.team.begin_share()
        return self._phase == "share"

    def _encode(self, pending: PendingContent) -> None:
        """Compute the vectors of a file. One that has changed meanwhile is left to the next look."""
        if self.walk.find(pending.path) is None:
            return
        try:
            data = self.walk.read(pending.path)
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
