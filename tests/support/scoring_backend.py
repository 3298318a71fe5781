"""A scripted backend that scores texts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from editahead_inference.backends.base import CompletionRequest
from editahead_inference.errors import BackendError
from scripted_backend import ScriptedBackend, ScriptedReply


class ScoringBackend(ScriptedBackend):
    """A backend that writes nothing, and gives each character of a text one log-probability.

    Args:
        judge: Returns the log-probability.

    Attributes:
        scored: The requests, with their texts.
        held: Holds the scores back, if it is set.
        began: Is set as soon as a score is asked for.
        cancelled: The number of requests that were cancelled.
        fails: Whether requests fail.
    """

    def __init__(self, judge: Callable[[str], float]) -> None:
        super().__init__(lambda query, sample: ScriptedReply())
        self.capabilities = replace(self.capabilities, scores=True)
        self.judge = judge
        self.scored: list[tuple[CompletionRequest, list[str]]] = []
        self.held: asyncio.Event | None = None
        self.began = asyncio.Event()
        self.cancelled = 0
        self.fails = False

    async def score(
        self, query: CompletionRequest, continuations: Sequence[str | Sequence[int]]
    ) -> list[tuple[float, ...]]:
        texts = [str(text) for text in continuations]
        self.scored.append((query, texts))
        self.began.set()
        if self.fails:
            raise BackendError("broken", "It is broken.")
        try:
            if self.held is not None:
                await self.held.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return [(self.judge(text),) * len(text) for text in texts]
