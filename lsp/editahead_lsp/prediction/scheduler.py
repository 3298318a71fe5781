"""Predictions off the event loop: one worker, a deadline, one computation for all who ask about equal states, and those
that are likely to be asked for next. Where there is a model, what it says joins what the rules propose."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from typing import Any, Literal, TypeVar

from editahead_inference.candidates import Prediction, Silence
from editahead_inference.errors import Cancelled, DeadlineError, PreemptedError
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_inference.worker_thread import CancellableJob, WorkerThread
from editahead_lsp.model.requests import ModelRequests
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot

from .job import DEADLINE_S, PredictionJob, PredictionPipeline, is_confident
from .model_combiner import ModelCombiner

log = logging.getLogger(__name__)

CACHE_SIZE = 50
"""Answers that are kept for whoever asks about an equal state again."""
CACHE_MAX_CHARS = 20_000_000
"""So many characters the documents that they were made for may have together."""

UNSURE_S, SILENT_S = 0.25, 1.5
"""So long an answer waits for the model, from when that is asked, where the rules have something to show, and where they
have nothing. Then they answer alone; what the model says later is for the next who asks."""

T = TypeVar("T")

AnswerSource = Literal["typed", "cache", "ahead", "shared", "computed"]
"""Where an answer came from: what stood there, typed into; an earlier answer; one computed before it was asked for; one
being computed for another request; the predictors."""


class PredictionScheduler:
    """What is predicted, and what was: an answer for a state is kept, silence too, and given again for an equal state.

    load: makes the pipeline; it is called on the worker, so that the server answers `initialize` at once.
    clock: monotonic seconds. sleep: waits that many seconds. kept: so many answers are.
    """

    def __init__(
        self,
        load: Callable[[], PredictionPipeline],
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        *,
        kept: int = CACHE_SIZE,
    ) -> None:
        self._load, self._clock, self._sleep, self._most = load, clock, sleep, kept
        self.models = ModelRequests(sleep)
        self._joining = ModelCombiner(self.models, self._new_job, lambda: self._pipeline)
        self._pipeline: PredictionPipeline | None = None
        self._worker: WorkerThread | None = None
        self._known: OrderedDict[Hashable, PredictionJob] = OrderedDict()
        self._ahead: dict[str, list[PredictionJob]] = {}
        self.layers: Counter[AnswerSource] = Counter()
        self.state = "starting"

    @property
    def hits(self) -> int:
        """Requests that needed no computation of their own."""
        return self.layers.total() - self.misses

    @property
    def misses(self) -> int:
        return self.layers["computed"]

    def count_answer(self, layer: AnswerSource) -> None:
        """A request was answered from there."""
        self.layers[layer] += 1
        log.debug("answered: %s; so far: %s", layer, dict(self.layers))

    def start(self) -> None:
        """Load the pipeline in the background."""
        self._worker = WorkerThread()
        self._worker.submit(self._load_pipeline)

    def stop(self) -> None:
        """Give everything up. Waits at most a second for a job that looks away from its `check`."""
        if self._worker is not None:
            self._worker.stop(timeout=1.0)

    async def close(self) -> None:
        """Let the model go, too."""
        self._give_up_joining()
        await self.models.close()

    def set_model(self, model: ModelPredictor | None) -> None:
        """Ask this one from now on, or none. What is kept is no longer the answer."""
        self._give_up_joining()
        self._known.clear()
        self._ahead.clear()
        if model is not None:
            model.run_off_loop = self.run_on_worker
        self.models.set_model(model)

    def has_answer(self, state: EditorState, eagerness: float) -> bool:
        """Whether the answer for this state is there already."""
        found = self._find(state, eagerness)
        return found is not None and found.is_complete

    def schedule(self, state: EditorState, eagerness: float, pause: float = 0.0) -> PredictionJob:
        """The computation for a state; one for all who ask about equal states, and for a while after. pause: in seconds,
        before a model is asked."""
        found = self._find(state, eagerness)
        if found is None:
            self.count_answer("computed")
            found = self._begin(state, eagerness, ahead=False)
            self._joining.start(found, eagerness, pause)
            return found
        self.count_answer("shared" if not found.is_complete else "ahead" if found.is_prefetch else "cache")
        if found.is_background and not found.done.done():
            found.is_background = False  # first: one that is running makes room otherwise
            self._submit(found, eagerness)
        found.is_background = False
        self._joining.start(found, eagerness, pause)
        return found

    def prefetch(
        self, document: str, states: Sequence[EditorState], eagerness: float, present: Snapshot | None = None
    ) -> None:
        """Predict, when there is nothing else to do, for states that may come of the document that was asked for. What
        was foreseen for it before and not begun to be waited for is given up. present: the text that the first of them
        comes of; a model is asked about that one."""
        if not self._most:
            return
        wanted = [
            self._find(state, eagerness) or self._begin(state, eagerness, ahead=True) for state in states
        ]
        for computation in self._ahead.pop(document, ()):
            if computation.is_background and computation not in wanted and not computation.done.done():
                computation.cancel()
        self._ahead[document] = wanted
        if len(self._ahead) > self._most:
            del self._ahead[next(iter(self._ahead))]
        if wanted and present is not None:
            self._joining.start(wanted[0], eagerness, 0.0, ahead_of=present)

    async def result(self, computation: PredictionJob, ended: asyncio.Future[None]) -> Prediction | None:
        """The prediction, or None if `ended` came first. The work stops when nobody waits for it any more; but of a request
        whose place a newer one takes, that one decides what the model goes on with."""
        computation.waiting += 1
        try:
            await _first(computation.done, ended)
            if not computation.done.done():
                return None
            rules, joined = computation.done.result(), computation.combined
            if joined is None or is_confident(rules):
                return rules
            if not joined.done():
                most = computation.pause + (UNSURE_S if rules.shown else SILENT_S)
                bound = asyncio.ensure_future(self._sleep(most))
                try:
                    await _first(joined, ended, bound)
                finally:
                    bound.cancel()
            if joined.done():
                return rules if joined.cancelled() else joined.result()
            if ended.done():
                return None
            computation.answered_without_model = True
            return rules
        except asyncio.CancelledError:
            if computation.waiting == 1 and not computation.answered_without_model:
                self._joining.cancel(computation)
            raise
        finally:
            computation.waiting -= 1
            if not computation.waiting and not computation.done.done():
                computation.cancel()

    def _give_up_joining(self) -> None:
        for computation in self._known.values():
            self._joining.cancel(computation)

    async def run_on_worker(self, job: Callable[[], T], *, idle: bool = False) -> T:
        """What the job returns; what it raises. idle: when there is nothing else to do."""
        return await self._started_worker().call(job, idle=idle)

    def _started_worker(self) -> WorkerThread:
        if self._worker is None:
            self.start()
        assert self._worker is not None
        return self._worker

    def _new_job(self, deadline_s: float) -> CancellableJob:
        return CancellableJob(self._started_worker(), self._clock, deadline_s)

    def _find(self, state: EditorState, eagerness: float) -> PredictionJob | None:
        key = (state.cache_key, eagerness)
        found = self._known.get(key)
        if found is None or found.cancelled:
            return None
        self._known.move_to_end(key)
        return found

    def _begin(self, state: EditorState, eagerness: float, *, ahead: bool) -> PredictionJob:
        computation = PredictionJob(self._started_worker(), self._clock, state, ahead=ahead)
        if self._most:
            key = (state.cache_key, eagerness)
            self._known[key] = computation
            self._known.move_to_end(key)
            self._forget()
        self._submit(computation, eagerness)
        return computation

    def _forget(self) -> None:
        """Drop the answers that were not asked for the longest."""
        chars = sum(computation.state.document.length for computation in self._known.values())
        while len(self._known) > 1 and (len(self._known) > self._most or chars > CACHE_MAX_CHARS):
            _, computation = self._known.popitem(last=False)
            chars -= computation.state.document.length

    def _submit(self, computation: PredictionJob, eagerness: float) -> None:
        loop = computation.done.get_loop()
        job = partial(self._run, computation, eagerness, loop)
        self._started_worker().submit(job, idle=computation.is_background)

    def _load_pipeline(self) -> None:
        try:
            self._pipeline = self._load()
            self.state = "ready"
        except Exception:
            self.state = "gone"
            log.exception("the predictors cannot be loaded")

    def _run(self, computation: PredictionJob, eagerness: float, loop: asyncio.AbstractEventLoop) -> None:
        if computation.started:
            return  # it was asked for while it waited, or ran, as something foreseen
        computation.started = True
        try:
            prediction = self._predict(computation, eagerness)
        except PreemptedError:
            computation.started = False
            self._submit(computation, eagerness)
            return
        try:
            loop.call_soon_threadsafe(computation.done.set_result, prediction)
        except RuntimeError:
            log.debug("a prediction came after the end")

    def _predict(self, computation: PredictionJob, eagerness: float) -> Prediction:
        """Return the prediction, or one that says why there is none.

        Raises:
            PreemptedError: It made room for something that somebody waits for.
        """
        computation.start()
        computation.queue_ms = (computation.started_at - computation.asked) * 1000
        try:
            computation.check()
            if self._pipeline is None:
                computation.cancel()  # not to be kept
                return _silent(
                    computation, Silence("engine-unavailable", "The predictors could not be loaded.")
                )
            return self._pipeline.predict(computation.state, eagerness=eagerness, check=computation.check)
        except PreemptedError:
            raise
        except Cancelled as cancelled:
            computation.cancel()
            if isinstance(cancelled, DeadlineError):
                log.warning("a prediction took longer than %.1f s", DEADLINE_S)
            return _silent(computation, Silence("cancelled", "It took too long, or nobody waited for it."))
        except Exception as error:
            computation.cancel()
            # The message may quote the document, so that it belongs below debug.
            log.error("the prediction failed: %s", type(error).__name__)
            log.debug("the prediction failed", exc_info=True)
            return _silent(
                computation, Silence("engine-unavailable", "The prediction failed; the log says more.")
            )


async def _first(*futures: asyncio.Future[Any]) -> None:
    """Wait until one of them is done."""
    await asyncio.wait(set(futures), return_when=asyncio.FIRST_COMPLETED)


def _silent(computation: PredictionJob, silence: Silence) -> Prediction:
    return Prediction(computation.state, (), silence)
