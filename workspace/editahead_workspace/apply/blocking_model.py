"""A blocking bridge from a worker thread to the model, whose requests run on the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from editahead_inference.predictors.model.response import ApplyResponse

if TYPE_CHECKING:
    from editahead_inference.predictors.model.passages import Passage, PassageScores
    from editahead_inference.predictors.model.predictor import ModelPredictor
    from editahead_prompts.formats.apply.base import ApplyInput
    from editahead_prompts.text.snapshot import Snapshot

MODEL_TIMEOUT_S = 120.0
"""Limits the seconds of all requests to a model for one sketch."""

WITNESS_TIMEOUT_S = 3.0
"""Limits the seconds in which a model may put choices in order. A person waits for them."""

POLL_INTERVAL_S = 0.05
"""Seconds between two checks for cancellation while the model answers."""

Check = Callable[[], None]
Lines = Sequence[str]
T = TypeVar("T")


@dataclass
class BlockingModelClient:
    """A client of the model for one sketch, to be called on a worker thread.

    Args:
        loop: The event loop on which the requests run.
        model: The predictor.
        exclusion_reason: Returns why no model may see a document, by its URI; None if it may.
        clock: Returns monotonic seconds.
        witness: The predictor that scores passages; None for `model`.
    """

    loop: asyncio.AbstractEventLoop
    model: ModelPredictor
    exclusion_reason: Callable[[str], str | None]
    clock: Callable[[], float] = time.monotonic
    witness: ModelPredictor | None = None
    _left_s: float = field(default=MODEL_TIMEOUT_S, init=False)

    def __call__(
        self,
        questions: Sequence[ApplyInput],
        again: ApplyResponse | None,
        lines: Callable[[Lines], None],
        check: Check,
    ) -> ApplyResponse:
        """Return the model's response. The request is cancelled when the wait ends early.

        Args:
            questions: The parts of the file to rewrite.
            again: The earlier response to repair. None for the first request.
            lines: Called on this thread with the lines that have arrived.
            check: Called on this thread; raises when the job is cancelled or out of time.
        """
        for question in questions:
            why = self.exclusion_reason(question.original.uri)
            if why is not None:
                return ApplyResponse(None, f"No model is asked about this file. {why}")
        began = self.clock()
        try:
            answer = self._wait(
                lambda put: self.model.apply(questions, again, put), self._left_s, check, lines
            )
        finally:
            self._left_s -= self.clock() - began
        why = f"The model took longer than {MODEL_TIMEOUT_S:.0f} s."
        return ApplyResponse(None, why) if answer is None else answer

    def score(
        self, passages: Collection[Passage], documents: Collection[Snapshot], check: Check
    ) -> PassageScores | None:
        """Return the model's scores of passages; None if it cannot score them in time, or may not see the files.

        Args:
            passages: The passages.
            documents: The files that they are from.
            check: Called on this thread; raises when the job is cancelled or out of time.
        """
        from editahead_inference.predictors.model.passages import score_passages

        if any(self.exclusion_reason(document.uri) is not None for document in documents):
            return None
        return self._wait(
            lambda put: score_passages(self.witness or self.model, passages, documents, WITNESS_TIMEOUT_S),
            WITNESS_TIMEOUT_S,
            check,
        )

    def _wait(
        self,
        start: Callable[[Callable[[Lines], None]], Coroutine[Any, Any, T]],
        limit_s: float,
        check: Check,
        lines: Callable[[Lines], None] = lambda arrived: None,
    ) -> T | None:
        """Return the result of a request; None if it takes too long. It is cancelled when the wait ends early.

        Args:
            start: Starts the request, whose lines go to the function that it gets.
            limit_s: Seconds.
            check: As for a call.
            lines: As for a call.
        """
        lines_or_end: SimpleQueue[Lines | None] = SimpleQueue()
        began = self.clock()
        answer = asyncio.run_coroutine_threadsafe(start(lines_or_end.put), self.loop)
        answer.add_done_callback(lambda _: lines_or_end.put(None))
        try:
            while self.clock() - began < limit_s:
                check()
                try:
                    arrived = lines_or_end.get(timeout=POLL_INTERVAL_S)
                except Empty:
                    continue
                if arrived is None:
                    return answer.result()
                lines(arrived)
            return None
        finally:
            answer.cancel()
