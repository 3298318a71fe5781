"""One prediction being made, for all who wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from editahead_inference.candidates import Prediction
from editahead_inference.predictors.model.response import ModelResponse
from editahead_inference.worker_thread import CancellableJob, WorkerThread
from editahead_prompts.state import EditorState

CONFIDENT = 0.6
"""Rules that are so sure of what they show are not held up, and the model is not asked."""
DEADLINE_S = 2.0
"""Seconds that a prediction may take. After that the person has moved on."""


class PredictionPipeline(Protocol):
    """What the server needs of `editahead_inference.pipeline.Pipeline`."""

    def predict(
        self, state: EditorState, *, eagerness: float = 0.5, check: Callable[[], None] = ...
    ) -> Prediction: ...

    def combine(
        self,
        prediction: Prediction,
        told: ModelResponse,
        *,
        eagerness: float = 0.5,
        check: Callable[[], None] = ...,
    ) -> Prediction: ...


class PredictionJob(CancellableJob):
    """A prediction being made. `done` always gets a result: the rules' prediction, or one that says why there is none.

    A computation that is cancelled is not kept. ahead: it was begun before anybody asked; it is in the background until
    somebody does. taken: the worker has begun it. joined: the same with what the model says; None where it has not been
    asked, or its answer is not to be kept. pause: in seconds, before the model is asked. late: somebody was answered
    without it.
    """

    def __init__(
        self, worker: WorkerThread, clock: Callable[[], float], state: EditorState, *, ahead: bool
    ) -> None:
        super().__init__(worker, clock, DEADLINE_S, is_background=ahead)
        self.state = state
        self.done: asyncio.Future[Prediction] = asyncio.get_running_loop().create_future()
        self.asked = clock()
        self.is_prefetch = ahead
        self.started = False
        self.queue_ms = 0.0
        self.waiting = 0
        self.combined: asyncio.Future[Prediction] | None = None
        self.combine_task: asyncio.Task[None] | None = None
        self.pause = 0.0
        self.answered_without_model = False

    @property
    def is_complete(self) -> bool:
        return self.done.done() and (self.combined is None or self.combined.done())


def is_confident(rules: Prediction) -> bool:
    """Whether what the rules show needs no second opinion."""
    return bool(rules.shown) and rules.shown[0].confidence >= CONFIDENT
