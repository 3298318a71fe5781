"""The prompt of the document that a person looks at, computed by the model before anybody asks.

On opening, on coming from another document, after an accept and when typing pauses, unless a request has just computed the
same. Where in the document the person will be is not known on opening: then only what all places have in common is computed,
which in a small context is too little to be worth it. It counts against a budget, so that a model that is paid in heat or
battery is not kept busy for nothing. A keystroke costs no more than a comparison here.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from editahead_inference.modelling.predictor import ModelPredictor
from editahead_prompts.snapshot import Snapshot

from .model_requests import ModelRequests
from .session import Session

PAUSE_S = 0.3
"""So long nothing must have changed."""
BUDGET, WINDOW_S = 60_000, 60.0
"""Tokens that may be computed ahead in so many seconds."""


_Seen: TypeAlias = tuple[ModelPredictor, Snapshot]


class Budget:
    """Tokens that may still be spent. clock: monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._spent: deque[tuple[float, int]] = deque()

    @property
    def left(self) -> int:
        while self._spent and self._spent[0][0] <= self._clock() - WINDOW_S:
            self._spent.popleft()
        return BUDGET - sum(tokens for _, tokens in self._spent)

    def spend(self, tokens: int) -> None:
        self._spent.append((self._clock(), tokens))


class Warming:
    """clock: monotonic seconds. sleep: waits that many seconds."""

    def __init__(
        self,
        session: Session,
        models: ModelRequests,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._session, self._models, self._sleep = session, models, sleep
        self._budget = Budget(clock)
        self._seen: _Seen | None = None
        self._task: asyncio.Task[None] | None = None

    def notice(self) -> None:
        """Something may have changed: called after every message."""
        document = self._session.focused_document
        self._models.focused(None if document is None else document.uri)
        waits = self._task is not None and not self._task.done()
        if not waits and self._news() is not None:
            self._task = asyncio.ensure_future(self._follow())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _news(self) -> _Seen | None:
        """The model and what is in focus, if that is not what it was."""
        model, document = self._models.model, self._session.focused_document
        if model is None or document is None or self._session.off(document) is not None:
            return None
        if self._seen is not None and self._seen[0] is model and self._seen[1] is document.snapshot:
            return None
        return model, document.snapshot

    async def _follow(self) -> None:
        """Compute once nothing changes any more, until there is nothing new."""
        while (now := self._news()) is not None:
            self._seen = now
            await self._sleep(PAUSE_S)
            document = self._session.focused_document
            if self._news() is not None or document is None or self._budget.left <= 0:
                continue
            places = self._session.places(document)
            usage = await self._models.warm([self._session.state_at(document, place) for place in places])
            if usage is not None:
                self._budget.spend(usage.prompt - (usage.cached or 0))
