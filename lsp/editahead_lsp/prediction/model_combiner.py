"""The combination of the rules' prediction with the model's response, which the same gate decides on.

The request to the model is sent once the rules have answered.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from editahead_inference.candidates import Prediction, Silence
from editahead_inference.errors import Cancelled, DeadlineError
from editahead_inference.predictors.model.response import ModelResponse
from editahead_inference.worker_thread import CancellableJob
from editahead_lsp.model.requests import ModelRequests
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .job import PredictionJob, PredictionPipeline, is_confident

log = logging.getLogger(__name__)

COMBINE_TIMEOUT_S = 2.0
"""Limits the seconds of a combination on the worker. The rules' prediction is used after that."""


class ModelCombiner:
    """A combiner of predictions of the rules with responses of the model.

    Args:
        models: Sends the requests to the model.
        new_job: Creates a job for the worker, with a deadline in seconds.
        pipeline: Returns the pipeline; None before it is loaded.
        on_improved: Called with a state for which the model changed what is shown, after a request was answered without it.
    """

    def __init__(
        self,
        models: ModelRequests,
        new_job: Callable[[float], CancellableJob],
        pipeline: Callable[[], PredictionPipeline | None],
        on_improved: Callable[[EditorState], None],
    ) -> None:
        self._models, self._new_job, self._pipeline = models, new_job, pipeline
        self._on_improved = on_improved

    def start(
        self, job: PredictionJob, eagerness: float, pause: float, ahead_of: Snapshot | None = None
    ) -> None:
        """Start to combine a job, unless there is no model or the job was started before.

        Args:
            job: The job of the rules' prediction.
            eagerness: The setting, from 0 to 1.
            pause: See `ModelRequests.get_response`. A model that answers each key needs none.
            ahead_of: See `ModelRequests.get_response`.
        """
        model = self._models.model
        if model is None or job.combined is not None:
            return
        if model.answers_each_key(job.state):
            pause = 0.0
        job.model_delay_s = pause
        job.combined = asyncio.get_running_loop().create_future()
        joining = self._run(job, job.combined, eagerness, pause, ahead_of)
        job.combine_task = asyncio.ensure_future(joining)

    def is_confident(self, rules: Prediction) -> bool:
        """Return whether the rules' prediction does without the model."""
        model = self._models.model
        return is_confident(rules, of_next_tokens=model is None or not model.goes_on_at_cursor)

    def cancel(self, job: PredictionJob) -> None:
        """Cancel the combination of a job, and the request to the model if no other request needs it."""
        if job.combined is None or job.combined.done():
            return
        job.combined.cancel()  # a task that has not started yet will not start
        joining, job.combine_task, job.combined = job.combine_task, None, None
        if joining is not None:
            joining.cancel()
        self._models.cancel(job.state)

    async def _run(
        self,
        job: PredictionJob,
        joined: asyncio.Future[Prediction],
        eagerness: float,
        pause: float,
        ahead_of: Snapshot | None,
    ) -> None:
        # The import takes long, and `initialize` must not wait for it. The worker has made it when a prediction is there.
        from editahead_inference.pipeline import proposed_edits

        keep = False

        def wanted() -> bool:
            return job.combined is joined and (job.waiters > 0 or job.answered_without_model)

        try:
            prediction = rules = await asyncio.shield(job.done)
            if not job.cancelled and not self.is_confident(prediction):
                state = replace(job.state, proposed=proposed_edits(prediction))
                response = await self._models.get_response(state, wanted, pause, ahead_of)
                keep = response is not None and response.problem is None
                if response is not None and response.problem is not None:
                    prediction = self._without_model(prediction)
                elif response is not None and (
                    response.rewrites or response.scores or response.silence or response.continuation
                ):
                    prediction = await self._combine(prediction, response, eagerness)
            joined.set_result(prediction)
        finally:
            if not joined.done():
                joined.cancel()
            if not keep and job.combined is joined:
                job.combined = None
        if keep and job.answered_without_model and _shown_first(prediction) != _shown_first(rules):
            self._on_improved(job.state)

    async def _combine(self, prediction: Prediction, response: ModelResponse, eagerness: float) -> Prediction:
        def weigh(check: Callable[[], None]) -> Prediction:
            pipeline = self._pipeline()
            if pipeline is None:
                return prediction
            return pipeline.combine(prediction, response, eagerness=eagerness, check=check)

        try:
            return await self._new_job(COMBINE_TIMEOUT_S).run(weigh)
        except DeadlineError:
            log.warning("combining the model's response took longer than %.1f s", COMBINE_TIMEOUT_S)
        except Cancelled:
            log.debug("the model's response was not combined: the server stops")
        except Exception as error:
            # The message may quote the document, so that it belongs below debug.
            log.error("combining the model's response failed: %s", type(error).__name__)
            log.debug("combining the model's response failed", exc_info=True)
        return prediction

    def _without_model(self, prediction: Prediction) -> Prediction:
        """Return the rules' prediction; a silent one gives the reason when the model is gone."""
        model = self._models.model
        if prediction.shown or model is None or model.backend.health.condition != "gone":
            return prediction
        detail = model.backend.health.detail or "The model's server cannot be reached."
        return replace(prediction, silence=Silence("engine-unavailable", detail))


def _shown_first(prediction: Prediction) -> list[tuple[str, Edit]]:
    """Return the document and the edit of what is shown first; nothing for silence."""
    return [(decision.candidate.uri, decision.candidate.edit) for decision in prediction.shown[:1]]
