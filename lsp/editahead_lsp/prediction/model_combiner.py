"""What the model says joins what the rules propose: asked once the rules have answered, weighed by the same gate."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from editahead_inference.candidates import Prediction, Silence
from editahead_inference.errors import Cancelled, DeadlineError
from editahead_inference.pipeline import proposed_edits
from editahead_inference.predictors.model.response import ModelResponse
from editahead_inference.worker_thread import CancellableJob
from editahead_lsp.model.requests import ModelRequests
from editahead_prompts.text.snapshot import Snapshot

from .job import PredictionJob, PredictionPipeline, is_confident

log = logging.getLogger(__name__)

COMBINE_TIMEOUT_S = 2.0
"""Weighing that takes longer is given up."""


class ModelCombiner:
    """models: who is asked. new_job: makes a job for the worker, with a deadline in seconds. pipeline: once it is loaded."""

    def __init__(
        self,
        models: ModelRequests,
        new_job: Callable[[float], CancellableJob],
        pipeline: Callable[[], PredictionPipeline | None],
    ) -> None:
        self._models, self._new_job, self._pipeline = models, new_job, pipeline

    def start(
        self, computation: PredictionJob, eagerness: float, pause: float, ahead_of: Snapshot | None = None
    ) -> None:
        """Have the model asked, unless there is none, or that was done. pause, ahead_of: see `ModelRequests.told`."""
        if self._models.model is None or computation.combined is not None:
            return
        computation.pause = pause
        computation.combined = asyncio.get_running_loop().create_future()
        joining = self._join(computation, computation.combined, eagerness, pause, ahead_of)
        computation.combine_task = asyncio.ensure_future(joining)

    def cancel(self, computation: PredictionJob) -> None:
        """Nobody waits for this any more."""
        if computation.combined is None or computation.combined.done():
            return
        computation.combined.cancel()  # the task may not have begun, and then does not do so
        joining, computation.combine_task, computation.combined = computation.combine_task, None, None
        if joining is not None:
            joining.cancel()
        self._models.cancel(computation.state)

    async def _join(
        self,
        computation: PredictionJob,
        joined: asyncio.Future[Prediction],
        eagerness: float,
        pause: float,
        ahead_of: Snapshot | None,
    ) -> None:
        keep = False

        def wanted() -> bool:
            return computation.combined is joined and (
                computation.waiting > 0 or computation.answered_without_model
            )

        try:
            prediction = await asyncio.shield(computation.done)
            if not computation.cancelled and not is_confident(prediction):
                state = replace(computation.state, proposed=proposed_edits(prediction))
                told = await self._models.get_response(state, wanted, pause, ahead_of)
                keep = told is not None and told.problem is None
                if told is not None and told.problem is not None:
                    prediction = self._without(prediction)
                elif told is not None and (told.rewrites or told.scores):
                    prediction = await self._joined(prediction, told, eagerness)
            joined.set_result(prediction)
        finally:
            if not joined.done():
                joined.cancel()
            if not keep and computation.combined is joined:
                computation.combined = None

    async def _joined(self, prediction: Prediction, told: ModelResponse, eagerness: float) -> Prediction:
        def weigh(check: Callable[[], None]) -> Prediction:
            pipeline = self._pipeline()
            if pipeline is None:
                return prediction
            return pipeline.combine(prediction, told, eagerness=eagerness, check=check)

        try:
            return await self._new_job(COMBINE_TIMEOUT_S).run(weigh)
        except DeadlineError:
            log.warning("what the model said took longer than %.1f s to weigh", COMBINE_TIMEOUT_S)
        except Cancelled:
            log.debug("what the model said was not weighed: the server ends")
        except Exception as error:
            # The message may quote the document, so that it belongs below debug.
            log.error("weighing what the model said failed: %s", type(error).__name__)
            log.debug("weighing what the model said failed", exc_info=True)
        return prediction

    def _without(self, prediction: Prediction) -> Prediction:
        """The rules' prediction, where the model cannot be had; silence then says so if it is gone."""
        model = self._models.model
        if prediction.shown or model is None or model.backend.health.condition != "gone":
            return prediction
        detail = model.backend.health.detail or "The model's server cannot be reached."
        return replace(prediction, silence=Silence("engine-unavailable", detail))
