"""A model that is asked from a thread which waits for it, though it is asked on the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_inference.predictors.model.response import ApplyResponse

if TYPE_CHECKING:
    from editahead_prompts.formats.apply.base import ApplyInput

MODEL_TIMEOUT_S = 120.0
"""So long a model has for all of a sketch."""

POLL_INTERVAL_S = 0.05
"""So often it is asked whether anybody still waits, while a model answers."""

Check = Callable[[], None]
Lines = Sequence[str]


@dataclass
class BlockingModelClient:
    """For one sketch; see `editahead_inference.apply.model.model_fallback.Asks`. clock: monotonic seconds."""

    loop: asyncio.AbstractEventLoop
    model: ModelPredictor
    clock: Callable[[], float] = time.monotonic
    _left_s: float = field(default=MODEL_TIMEOUT_S, init=False)

    def __call__(
        self,
        questions: Sequence[ApplyInput],
        again: ApplyResponse | None,
        lines: Callable[[Lines], None],
        check: Check,
    ) -> ApplyResponse:
        """What the model says. Whatever ends the wait ends the request. `lines` and `check` are called on this thread."""
        news: SimpleQueue[Lines | None] = SimpleQueue()
        began = self.clock()
        answer = asyncio.run_coroutine_threadsafe(self.model.apply(questions, again, news.put), self.loop)
        answer.add_done_callback(lambda _: news.put(None))
        try:
            while self.clock() - began < self._left_s:
                check()
                try:
                    come = news.get(timeout=POLL_INTERVAL_S)
                except Empty:
                    continue
                if come is None:
                    return answer.result()
                lines(come)
            return ApplyResponse(None, f"The model took longer than {MODEL_TIMEOUT_S:.0f} s.")
        finally:
            answer.cancel()
            self._left_s -= self.clock() - began
