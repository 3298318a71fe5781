"""The scheduling of predictions off the event loop: one worker, a deadline, a cache, and prefetching.

Requests for equal states share one job. Where there is a model, its response is combined with the rules' prediction.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from editahead_inference.candidates import Candidate, DocumentCache, Prediction, Silence
from editahead_inference.codebase import Codebase
from editahead_inference.errors import Cancelled, DeadlineError, PreemptedError
from editahead_inference.worker_thread import CancellableJob, WorkerThread
from editahead_lsp.model.requests import ModelRequests
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .job import DEADLINE_S, PredictionJob, PredictionPipeline
from .model_combiner import ModelCombiner

if TYPE_CHECKING:
    from editahead_inference.mined_rules.repository import RepositoryRules
    from editahead_inference.predictors.model.predictor import ModelPredictor
    from editahead_inference.symbol_under_cursor import Symbol

log = logging.getLogger(__name__)

CACHE_SIZE = 50
"""Limits the cached predictions."""
MAX_CLOSED = 3
"""Limits the cached predictions for closed documents: each holds the text that all documents had then."""
CACHE_MAX_CHARS = 20_000_000
"""Limits the characters of all documents that the cached predictions are for."""

SEARCH_DEADLINE_S = 10.0
"""Limits the seconds of a search of closed files in a pause, which makes room for every request."""

MODEL_WAIT_WITH_RULES_S, MODEL_WAIT_WITHOUT_RULES_S = 0.25, 1.5
"""Limits the seconds that an answer waits for the model after the request to it, where the rules have an edit and where
they have none. The rules then answer alone; a later response of the model serves the next request. An edit of rules never
waits for a model in this process, and next tokens for none."""

T = TypeVar("T")

AnswerSource = Literal["typed", "cache", "ahead", "shared", "computed"]
"""Where an answer came from: a suggestion that the user is typing, the cache, a prefetched job, the job of another request
that is in progress, or a new job."""


class PredictionScheduler:
    """A scheduler of predictions. Predictions, silent ones too, are cached and serve later requests for equal states.

    Args:
        load: Creates the pipeline. Called on the worker, so that the server answers `initialize` at once.
        clock: Returns monotonic seconds.
        sleep: Waits for a number of seconds.
        cache_size: The number of cached predictions.
    """

    def __init__(
        self,
        load: Callable[[], PredictionPipeline],
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        *,
        cache_size: int = CACHE_SIZE,
    ) -> None:
        self._load, self._clock, self._sleep, self._cache_size = load, clock, sleep, cache_size
        self.models = ModelRequests(sleep)
        self.on_improved: Callable[[EditorState], None] = lambda state: None
        """Called on the event loop when a request for a state would have a better answer than the last one had."""
        self._joining = ModelCombiner(
            self.models, self._new_job, lambda: self._pipeline, lambda state: self.on_improved(state)
        )
        self._pipeline: PredictionPipeline | None = None
        self._codebase: Codebase | None = None
        self._worker: WorkerThread | None = None
        self._known: OrderedDict[Hashable, PredictionJob] = OrderedDict()
        self._search: CancellableJob | None = None
        """The search of closed files that a prediction left out."""
        self._closed: list[Hashable] = []
        """The keys in `_known` of the last predictions for closed documents, which may be opened again."""
        self._ahead: dict[str, list[PredictionJob]] = {}
        self.answer_counts: Counter[AnswerSource] = Counter()
        self.state = "starting"

    @property
    def hits(self) -> int:
        """Return the number of requests that needed no new job."""
        return self.answer_counts.total() - self.misses

    @property
    def misses(self) -> int:
        """Return the number of requests that needed a new job."""
        return self.answer_counts["computed"]

    def count_answer(self, layer: AnswerSource) -> None:
        """Count an answer by its source."""
        self.answer_counts[layer] += 1
        log.debug("answered: %s; so far: %s", layer, dict(self.answer_counts))

    def start(self) -> None:
        """Load the pipeline in the background, unless that has begun."""
        if self._worker is None:
            self._worker = WorkerThread()
            self._worker.submit(self._load_pipeline)

    def stop(self) -> None:
        """Stop the worker, and drop the pipeline. Wait for one second at most for a job that does not call its `check`."""
        if self._worker is not None:
            self._worker.stop(timeout=1.0)
        self._pipeline = None

    async def close(self) -> None:
        """Close the model, and drop the cache."""
        self._cancel_combining()
        self._drop_cache()
        await self.models.close()

    def on_close(self, uri: str, key: str) -> None:
        """Drop what is kept of a closed document, so that its memory comes back, but for the last prediction.

        Args:
            uri: The URI, as the client wrote it.
            key: The key of the document.
        """
        self.models.on_close(uri)
        for job in self._ahead.pop(key, ()):
            if job.is_background and not job.done.done():
                job.cancel()
        known = [name for name, job in self._known.items() if job.state.document.uri == uri]
        self._closed += known[-1:]
        for name in (*known[:-1], *self._closed[:-MAX_CLOSED]):
            self._known.pop(name, None)
        self._closed = self._closed[-MAX_CLOSED:]
        if self._worker is not None:
            self._worker.submit(partial(self._forget, uri), idle=True)

    def _forget(self, uri: str) -> None:
        if isinstance(self._pipeline, DocumentCache):
            self._pipeline.forget(uri)

    def set_model(self, model: ModelPredictor | None) -> None:
        """Use another model, or none, and drop the cache."""
        self._cancel_combining()
        self._drop_cache()
        if model is not None:
            model.run_off_loop = self.run_on_worker
            self._started_worker().submit(lambda: model.set_codebase(self._codebase))
        self.models.set_model(model)

    def set_codebase(self, codebase: Codebase | None) -> None:
        """Look up closed files in this index from the next prediction on; None = in none."""

        def change() -> None:
            self._codebase = codebase
            if self._pipeline is not None:
                self._pipeline.set_codebase(codebase)
            if self.models.model is not None:
                self.models.model.set_codebase(codebase)

        self._started_worker().submit(change)

    def set_repository_rules(self, repositories: Sequence[RepositoryRules]) -> None:
        """Use these mined rules from the next prediction on."""

        def change() -> None:
            if self._pipeline is not None:
                self._pipeline.set_repository_rules(repositories)

        self._started_worker().submit(change)

    def has_answer(self, state: EditorState, eagerness: float) -> bool:
        """Return whether the answer for a state is cached and complete."""
        found = self._find(state, eagerness)
        return found is not None and found.is_complete

    def schedule(self, state: EditorState, eagerness: float, pause: float = 0.0) -> PredictionJob:
        """Return the job for a state: one in progress or in the cache for an equal state, or else a new one.

        Args:
            state: The input of the prediction.
            eagerness: The setting, from 0 to 1.
            pause: The seconds before a request to the model.
        """
        found = self._find(state, eagerness)
        if found is None:
            self.count_answer("computed")
            found = self._create_job(state, eagerness, ahead=False)
            self._joining.start(found, eagerness, pause)
            return found
        self.count_answer("shared" if not found.is_complete else "ahead" if found.is_prefetch else "cache")
        if found.is_background and not found.done.done():
            found.is_background = False  # before it is submitted: a running background job would be preempted
            self._submit(found, eagerness)
        found.is_background = False
        self._joining.start(found, eagerness, pause)
        return found

    def prefetch(
        self, document: str, states: Sequence[EditorState], eagerness: float, present: Snapshot | None = None
    ) -> None:
        """Predict likely next states of a document in the background.

        Earlier prefetched jobs of the document that no request waits for are cancelled.

        Args:
            document: The key of the document.
            states: The likely next states, the likeliest first.
            eagerness: The setting, from 0 to 1.
            present: The present text, from which the first state follows. The model gets a request for that state.
        """
        if not self._cache_size:
            return
        wanted = [
            self._find(state, eagerness) or self._create_job(state, eagerness, ahead=True) for state in states
        ]
        for job in self._ahead.pop(document, ()):
            if job.is_background and job not in wanted and not job.done.done():
                job.cancel()
        self._ahead[document] = wanted
        if len(self._ahead) > self._cache_size:
            del self._ahead[next(iter(self._ahead))]
        if wanted and present is not None:
            self._joining.start(wanted[0], eagerness, 0.0, ahead_of=present)

    async def result(self, job: PredictionJob, ended: asyncio.Future[None]) -> Prediction | None:
        """Wait for a job, and return its prediction; None if `ended` is done first.

        The job is cancelled when no request waits for it any longer. When a newer request supersedes the waiting one, the
        newer one decides whether the request to the model goes on.
        """
        job.waiters += 1
        try:
            await _first(job.done, ended)
            if not job.done.done():
                return None
            rules, joined = job.done.result(), job.combined
            if joined is None or self._joining.is_confident(rules):
                return rules
            if not joined.done() and not self._is_shown_immediately(rules):
                max_wait_s = job.model_delay_s + (
                    MODEL_WAIT_WITH_RULES_S if rules.shown else MODEL_WAIT_WITHOUT_RULES_S
                )
                bound = asyncio.ensure_future(self._sleep(max_wait_s))
                try:
                    await _first(joined, ended, bound)
                finally:
                    bound.cancel()
            if joined.done():
                return rules if joined.cancelled() else joined.result()
            if ended.done():
                return None
            job.answered_without_model = True
            return rules
        except asyncio.CancelledError:
            if job.waiters == 1 and not job.answered_without_model:
                self._joining.cancel(job)
            raise
        finally:
            job.waiters -= 1
            if not job.waiters and not job.done.done():
                job.cancel()

    def _is_shown_immediately(self, rules: Prediction) -> bool:
        """Return whether the rules' prediction does not wait for the model."""
        model = self.models.model
        if not rules.shown or model is None:
            return False
        return model.backend.capabilities.in_process or rules.shown[0].candidate.is_next_tokens

    def _drop_cache(self) -> None:
        self._known.clear()
        self._ahead.clear()
        self._closed.clear()

    def _cancel_combining(self) -> None:
        for job in self._known.values():
            self._joining.cancel(job)

    async def run_on_worker(self, work: Callable[[], T], *, idle: bool = False) -> T:
        """Run a function on the worker, and return its result or raise its exception.

        Args:
            work: The function to call.
            idle: Whether to wait until the worker has nothing else to do.
        """
        return await self._started_worker().call(work, idle=idle)

    async def rest_of_rule(
        self, state: EditorState, shown: Candidate, is_wanted: Callable[[], bool]
    ) -> tuple[EditorState, Mapping[str, Edit]] | None:
        """Return one edit for each document that makes all places of a prediction's rule, and the searched state.

        None if it takes too long, if it is not wanted any more, or without predictors.

        Args:
            state: The state.
            shown: The prediction.
            is_wanted: Returns whether the result still matters, on the worker: keystrokes wait for their predictions else.
        """

        def search(check: Callable[[], None]) -> tuple[EditorState, Mapping[str, Edit]] | None:
            def check_wanted() -> None:
                check()
                if not is_wanted():
                    raise Cancelled

            return None if self._pipeline is None else self._pipeline.rest_of_rule(state, shown, check_wanted)

        try:
            return await self._new_job(SEARCH_DEADLINE_S).run(search)
        except Cancelled:
            return None

    async def symbol_at(self, document: Snapshot, cursor: int) -> Symbol | None:
        """Return the symbol that a person at the cursor may rename, or whose signature they may change."""

        def find() -> Symbol | None:
            return None if self._pipeline is None else self._pipeline.symbol_at(document, cursor)

        return await self.run_on_worker(find, idle=True)

    def run_when_idle(self, work: Callable[[], None]) -> None:
        """Run a function on the worker when that has nothing else to do."""
        self._started_worker().submit(work, idle=True)

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

    def _create_job(self, state: EditorState, eagerness: float, *, ahead: bool) -> PredictionJob:
        job = PredictionJob(self._started_worker(), self._clock, state, ahead=ahead)
        if self._cache_size:
            key = (state.cache_key, eagerness)
            self._known[key] = job
            self._known.move_to_end(key)
            self._evict()
        self._submit(job, eagerness)
        return job

    def _evict(self) -> None:
        """Drop the least recently used answers."""
        chars = sum(job.state.document.length for job in self._known.values())
        while len(self._known) > 1 and (len(self._known) > self._cache_size or chars > CACHE_MAX_CHARS):
            _, job = self._known.popitem(last=False)
            chars -= job.state.document.length

    def _submit(self, job: PredictionJob, eagerness: float) -> None:
        loop = job.done.get_loop()
        work = partial(self._run, job, eagerness, loop)
        self._started_worker().submit(work, idle=job.is_background or job.is_long)

    def _load_pipeline(self) -> None:
        try:
            self._pipeline = self._load()
            self.state = "ready"
        except Exception:
            self.state = "gone"
            log.exception("the predictors cannot be loaded")

    def _run(self, job: PredictionJob, eagerness: float, loop: asyncio.AbstractEventLoop) -> None:
        if job.started:
            return  # submitted twice: a request needed the job while it waited or ran in the background
        job.started = True
        try:
            prediction = self._predict(job, eagerness)
        except PreemptedError:
            job.preempt()
            self._submit(job, eagerness)
            return
        if prediction.is_partial:
            self._search_on(job, loop)
        try:
            loop.call_soon_threadsafe(job.done.set_result, prediction)
        except RuntimeError:
            log.debug("a prediction came after the end")

    def _search_on(self, job: PredictionJob, loop: asyncio.AbstractEventLoop) -> None:
        """Search the closed files that a prediction left out, in the next pause. Then its answer is forgotten.

        Called on the worker's thread. A newer search takes the place of one that has not ended.
        """
        if self._search is not None:
            self._search.cancel()
        search = self._search = CancellableJob(
            self._started_worker(), self._clock, SEARCH_DEADLINE_S, is_background=True
        )

        def run() -> None:
            search.start()
            try:
                if self._pipeline is not None:
                    search.check()
                    self._pipeline.search_on(job.state, search.check)
            except PreemptedError:
                self._started_worker().submit(run, idle=True)
            except Cancelled:
                log.debug("a search of closed files ended early")
            except Exception as error:
                log.error("a search of closed files failed: %s", type(error).__name__)
            else:
                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(self._drop_answer, job)

        self._started_worker().submit(run, idle=True)

    def _drop_answer(self, job: PredictionJob) -> None:
        for key, known in list(self._known.items()):
            if known is job:
                del self._known[key]
                self.on_improved(job.state)

    def _predict(self, job: PredictionJob, eagerness: float) -> Prediction:
        """Return the prediction, or one that says why there is none.

        Raises:
            PreemptedError: The job made room for one that a request waits for.
        """
        job.start()
        job.queue_ms = (job.started_at - job.requested_at) * 1000
        try:
            job.check()
            pipeline = self._pipeline
            if pipeline is None:
                job.cancel()  # must not be cached
                return _silent(job, Silence("engine-unavailable", "The predictors could not be loaded."))
            return pipeline.predict(job.state, eagerness=eagerness, check=job.check)
        except PreemptedError:
            raise
        except Cancelled as cancelled:
            job.cancel()
            if isinstance(cancelled, DeadlineError):
                log.warning("a prediction took longer than %.1f s", DEADLINE_S)
            return _silent(
                job,
                Silence("cancelled", "The prediction took too long, or no request waited for it."),
            )
        except Exception as error:
            job.cancel()
            # The message may quote the document, so that it belongs below debug.
            log.error("the prediction failed: %s", type(error).__name__)
            log.debug("the prediction failed", exc_info=True)
            return _silent(job, Silence("engine-unavailable", "The prediction failed; the log says more."))


async def _first(*futures: asyncio.Future[Any]) -> None:
    """Wait until one of them is done."""
    await asyncio.wait(set(futures), return_when=asyncio.FIRST_COMPLETED)


def _silent(job: PredictionJob, silence: Silence) -> Prediction:
    return Prediction(job.state, (), silence)
