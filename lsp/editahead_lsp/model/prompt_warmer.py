"""The prefill of the focused document's prompt, before a request needs it.

The prompt is computed when a document is opened or gets the focus, after an accept, and when typing pauses, unless a request
has just computed the same prompt. The cursor is unknown on opening: then only the part that is common to all cursors is
computed. A small context has too little of that to be worth a prefill. A token budget limits the load, heat and battery use
of the model. A keystroke costs no more than a comparison.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable

from editahead_lsp.idle_trigger import IdleTrigger
from editahead_lsp.session.session import Session

from .requests import ModelRequests

IDLE_S = 0.3
"""Seconds without a change before a prefill."""
TOKEN_BUDGET, BUDGET_WINDOW_S = 60_000, 60.0
"""Prefilled tokens in each window, and the length of a window in seconds."""


class TokenBudget:
    """A budget of tokens in a sliding window.

    Args:
        clock: Returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._spent: deque[tuple[float, int]] = deque()

    @property
    def left(self) -> int:
        """Return the tokens that may be spent now."""
        while self._spent and self._spent[0][0] <= self._clock() - BUDGET_WINDOW_S:
            self._spent.popleft()
        return TOKEN_BUDGET - sum(tokens for _, tokens in self._spent)

    def spend(self, tokens: int) -> None:
        """Count tokens that were spent now."""
        self._spent.append((self._clock(), tokens))


class PromptWarmer:
    """A warmer of the focused document's prompt.

    Args:
        session: The state of the client.
        models: Sends the requests to the model.
        clock: Returns monotonic seconds.
        sleep: Waits for a number of seconds.
    """

    def __init__(
        self,
        session: Session,
        models: ModelRequests,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._session, self._models = session, models
        self._budget = TokenBudget(clock)
        self._trigger = IdleTrigger(self._focus, self._warm, IDLE_S, sleep)

    def on_message(self) -> None:
        """Note the document in focus. Called after every message."""
        document = self._session.focused_document
        self._models.on_focus(None if document is None else document.uri)
        self._trigger.on_message()

    def stop(self) -> None:
        """Stop the trigger."""
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
