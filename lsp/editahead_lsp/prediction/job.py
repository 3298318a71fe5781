"""A prediction in progress, shared by all requests for equal states."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from editahead_inference.candidates import Candidate, Prediction
from editahead_inference.codebase import Codebase
from editahead_inference.predictors.model.response import ModelResponse
from editahead_inference.worker_thread import CancellableJob, WorkerThread
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

if TYPE_CHECKING:
    from editahead_inference.mined_rules.repository import RepositoryRules
    from editahead_inference.symbol_under_cursor import Symbol

CONFIDENT = 0.6
"""The confidence from which a rule's edit is shown without a request to the model."""
DEADLINE_S = 2.0
"""Limits the seconds of a prediction. A later one would come after the user has moved on."""
SHARE_S = 0.25
"""The seconds after which a prediction makes room for those that wait: it begins again when the worker has nothing else."""


class PredictionPipeline(Protocol):
    """The methods of `editahead_inference.pipeline.Pipeline` that the server calls."""

    def predict(
        self, state: EditorState, *, eagerness: float = 0.5, check: Callable[[], None] = ...
    ) -> Prediction: ...

    def search_on(self, state: EditorState, check: Callable[[], None]) -> None: ...

    def rest_of_rule(
        self, state: EditorState, shown: Candidate, check: Callable[[], None]
    ) -> tuple[EditorState, Mapping[str, Edit]]: ...

    def symbol_at(self, document: Snapshot, cursor: int) -> Symbol | None: ...

    def set_codebase(self, codebase: Codebase | None) -> None: ...

    def set_repository_rules(self, repositories: Sequence[RepositoryRules]) -> None: ...

    def combine(
        self,
        prediction: Prediction,
        response: ModelResponse,
        *,
        eagerness: float = 0.5,
        check: Callable[[], None] = ...,
    ) -> Prediction: ...


class PredictionJob(CancellableJob):
    """A prediction in progress. A cancelled job is not cached.

    Attributes:
        done: Always gets a result: the rules' prediction, or one with the reason for silence.
        requested_at: The time of the request in seconds.
        is_long: Whether the job made room for others, and waits until the worker has nothing else to do.
        is_prefetch: Whether the job was created before a request needed it.
        started: Whether the worker has started the job.
        queue_ms: The milliseconds that the job waited for the worker.
        waiters: The number of requests that wait for the job.
        combined: The prediction combined with the model's response. None when there was no request to the model, or when
            its response must not be cached.
        combine_task: The task that sets `combined`.
        model_delay_s: The seconds before the request to the model.
        answered_without_model: Whether a request was answered before the model's response came.
    """

    def __init__(
        self, worker: WorkerThread, clock: Callable[[], float], state: EditorState, *, ahead: bool
    ) -> None:
        super().__init__(worker, clock, DEADLINE_S, is_background=ahead)
        self.state = state
        self.done: asyncio.Future[Prediction] = asyncio.get_running_loop().create_future()
        self.requested_at = clock()
        self.is_long = False
        self.is_prefetch = ahead
        self.started = False
        self.queue_ms = 0.0
        self.waiters = 0
        self.combined: asyncio.Future[Prediction] | None = None
        self.combine_task: asyncio.Task[None] | None = None
        self.model_delay_s = 0.0
        self.answered_without_model = False

    @property
    def makes_room(self) -> bool:
        """Whether an urgent job that waits takes the worker from this one."""
        return self.is_background or self.is_long or self._clock() - self.started_at > SHARE_S

    def preempt(self) -> None:
        """Wait for the worker once more, for the rest of the time that the job has."""
        self.started = False
        if not self.is_background:
            self.is_long = True
            self._deadline_s -= self._clock() - self.started_at

    @property
    def is_complete(self) -> bool:
        """Return whether the rules, and the model if there is a request to it, have answered."""
        return self.done.done() and (self.combined is None or self.combined.done())


def is_confident(rules: Prediction, *, of_next_tokens: bool = True) -> bool:
    """Return whether the rules are confident enough of an edit to do without the model. A mere place to go to is none.

    Args:
        rules: Their prediction.
        of_next_tokens: Whether that holds for next tokens, too. A model that goes on at the cursor has longer ones.
    """
    first = rules.shown[0] if rules.shown else None
    if first is None or not first.candidate.edit or first.confidence < CONFIDENT:
        return False
    return of_next_tokens or not first.candidate.is_next_tokens
