"""The prompt of the document that a person looks at, computed by the model before anybody asks.

On opening, on coming from another document, after an accept and when typing pauses, unless a request has just computed the
same. Where in the document the person will be is not known on opening: then only what all places have in common is computed,
which in a small context is too little to be worth it. It counts against a budget, so that a model that is paid in heat or
battery is not kept busy for nothing. A keystroke costs no more than a comparison here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable

from editahead_lsp.idle_trigger import IdleTrigger
from editahead_lsp.session.session import Session

from .requests import ModelRequests

PAUSE_S = 0.3
"""So long nothing must have changed."""
BUDGET, WINDOW_S = 60_000, 60.0
"""Tokens that may be computed ahead in so many seconds."""


class TokenBudget:
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


class PromptWarmer:
    """clock: monotonic seconds. sleep: waits that many seconds."""

    def __init__(
        self,
        session: Session,
        models: ModelRequests,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._session, self._models = session, models
        self._budget = TokenBudget(clock)
        self._trigger = IdleTrigger(self._focus, self._warm, PAUSE_S, sleep)

    def on_message(self) -> None:
        """Something may have changed: called after every message."""
        document = self._session.focused_document
        self._models.on_focus(None if document is None else document.uri)
        self._trigger.on_message()

    def stop(self) -> None:
        self._trigger.stop()

    def _focus(self) -> object:
        """Return the model and the text in focus, None where there is nothing to compute."""
        model, document = self._models.model, self._session.focused_document
        if model is None or document is None or self._session.disabled_reason(document) is not None:
            return None
        return model, document, document.snapshot

    async def _warm(self) -> None:
        document = self._session.focused_document
        if document is None or self._budget.left <= 0:
            return
        places = self._session.likely_cursors(document)
        usage = await self._models.prefill([self._session.build_state(document, place) for place in places])
        if usage is not None:
            self._budget.spend(usage.prompt - (usage.cached or 0))
