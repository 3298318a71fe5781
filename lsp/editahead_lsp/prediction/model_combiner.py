"""What the model says joins what the rules propose: asked once the rules have answered, weighed by the same gate."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from editahead_inference.candidates import Cancelled, Prediction, Silence
from editahead_inference.pipeline import proposed
from editahead_inference.predictors.model.response import Told
from editahead_inference.worker_thread import CancellableJob, DeadlineError
from editahead_lsp.model.requests import ModelRequests
from editahead_prompts.text.snapshot import Snapshot

from .job import Computation, Predicts, is_sure

log = logging.getLogger(__name__)

LONGEST_S = 2.0
"""Weighing that takes longer is given up."""


class Joining:
    """models: who is asked. new_job: makes a job for the worker, with a deadline in seconds. pipeline: once it is loaded."""

    def __init__(
        self,
        models: ModelRequests,
        new_job: Callable[[float], CancellableJob],
        pipeline: Callable[[], Predicts | None],
    ) -> None:
        self._models, self._new_job, self._pipeline = models, new_job, pipeline

    def begin(
        self, computation: Computation, eagerness: float, pause: float, ahead_of: Snapshot | None = None
    ) -> None:
        """Have the model asked, unless there is none, or that was done. pause, ahead_of: see `ModelRequests.told`."""
        if self._models.model is None or computation.joined is not None:
            return
        computation.pause = pause
        computation.joined = asyncio.get_running_loop().create_future()
        joining = self._join(computation, computation.joined, eagerness, pause, ahead_of)
        computation.joining = asyncio.ensure_future(joining)

    def end(self, computation: Computation) -> None:
        """Nobody waits for this any more."""
        if computation.joined is None or computation.joined.done():
            return
        computation.joined.cancel()  # the task may not have begun, and then does not do so
        joining, computation.joining, computation.joined = computation.joining, None, None
        if joining is not None:
            joining.cancel()
        self._models.cancel(computation.state)

    async def _join(
        self,
        computation: Computation,
        joined: asyncio.Future[Prediction],
        eagerness: float,
        pause: float,
        ahead_of: Snapshot | None,
    ) -> None:
        keep = False

        def wanted() -> bool:
            return computation.joined is joined and (computation.waiting > 0 or computation.late)

        try:
            prediction = await asyncio.shield(computation.done)
            if not computation.cancelled and not is_sure(prediction):
                state = replace(computation.state, proposed=proposed(prediction))
                told = await self._models.told(state, wanted, pause, ahead_of)
                keep = told is not None and told.problem is None
                if told is not None and told.problem is not None:
                    prediction = self._without(prediction)
                elif told is not None and (told.rewrites or told.scores):
                    prediction = await self._joined(prediction, told, eagerness)
            joined.set_result(prediction)
        finally:
            if not joined.done():
                joined.cancel()
            if not keep and computation.joined is joined:
                computation.joined = None

    async def _joined(self, prediction: Prediction, told: Told, eagerness: float) -> Prediction:
        def weigh(check: Callable[[], None]) -> Prediction:
            pipeline = self._pipeline()
            if pipeline is None:
                return prediction
            return pipeline.join(prediction, told, eagerness=eagerness, check=check)

        try:
            return await self._new_job(LONGEST_S).run(weigh)
        except DeadlineError:
            log.warning("what the model said took longer than %.1f s to weigh", LONGEST_S)
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
