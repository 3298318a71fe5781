"""A model that is asked from a thread which waits for it, though it is asked on the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_inference.predictors.model.response import Said

if TYPE_CHECKING:
    from editahead_prompts.formats.apply.base import Question

ASKED_S = 120.0
"""So long a model has for all of a sketch."""

LOOKS_UP_S = 0.05
"""So often it is asked whether anybody still waits, while a model answers."""

Check = Callable[[], None]
Lines = Sequence[str]


@dataclass
class Asking:
    """For one sketch; see `editahead_inference.apply.model.model_fallback.Asks`. clock: monotonic seconds."""

    loop: asyncio.AbstractEventLoop
    model: ModelPredictor
    clock: Callable[[], float] = time.monotonic
    _left_s: float = field(default=ASKED_S, init=False)

    def __call__(
        self,
        questions: Sequence[Question],
        again: Said | None,
        lines: Callable[[Lines], None],
        check: Check,
    ) -> Said:
        """What the model says. Whatever ends the wait ends the request. `lines` and `check` are called on this thread."""
        news: SimpleQueue[Lines | None] = SimpleQueue()
        began = self.clock()
        answer = asyncio.run_coroutine_threadsafe(self.model.apply(questions, again, news.put), self.loop)
        answer.add_done_callback(lambda _: news.put(None))
        try:
            while self.clock() - began < self._left_s:
                check()
                try:
                    come = news.get(timeout=LOOKS_UP_S)
                except Empty:
                    continue
                if come is None:
                    return answer.result()
                lines(come)
            return Said(None, f"The model took longer than {ASKED_S:.0f} s.")
        finally:
            answer.cancel()
            self._left_s -= self.clock() - began
