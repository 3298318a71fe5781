"""Predictions off the event loop: one worker, a deadline, and one computation for all who ask about the same state."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Protocol

from editahead_inference.candidates import Cancelled, Prediction, Silence
from editahead_prompts.state import State

from .worker import Worker

log = logging.getLogger(__name__)

DEADLINE_S = 2.0
"""A prediction that takes longer is given up: the person has moved on."""
_KEPT = 8
"""Finished predictions kept for whoever asks for the same state again."""


class Predicts(Protocol):
    """What the server needs of `editahead_inference.pipeline.Pipeline`."""

    def predict(
        self, state: State, *, eagerness: float = 0.5, check: Callable[[], None] = ...
    ) -> Prediction: ...


class Computation:
    """One prediction being made. `done` always gets a result: the prediction, or one that says why there is none."""

    def __init__(self, state: State, done: asyncio.Future[Prediction], asked: float) -> None:
        self.state = state
        self.done = done
        self.asked = asked
        self.queue_ms = 0.0
        self.waiting = 0
        self.unwanted = threading.Event()


class Predictions:
    """load: makes the pipeline; it is called on the worker, so that the server answers `initialize` at once.
    clock: monotonic seconds."""

    def __init__(self, load: Callable[[], Predicts], clock: Callable[[], float]) -> None:
        self._load, self._clock = load, clock
        self._pipeline: Predicts | None = None
        self._worker: Worker | None = None
        self._recent: OrderedDict[Hashable, Computation] = OrderedDict()
        self.hits = 0
        self.misses = 0
        self.state = "starting"

    def start(self) -> None:
        """Load the pipeline in the background."""
        self._worker = Worker()
        self._worker.submit(self._load_pipeline)

    def stop(self) -> None:
        """Give everything up. Waits at most a second for a job that looks away from its `check`."""
        for computation in self._recent.values():
            computation.unwanted.set()
        if self._worker is not None:
            self._worker.stop(timeout=1.0)

    def ask(self, key: Hashable, state: State, eagerness: float) -> Computation:
        """The computation for a state; `key` is equal for equal states and settings."""
        if self._worker is None:
            self.start()
        found = self._recent.get(key)
        if found is not None and not found.unwanted.is_set():
            self.hits += 1
            self._recent.move_to_end(key)
            return found
        self.misses += 1
        loop = asyncio.get_running_loop()
        computation = Computation(state, loop.create_future(), self._clock())
        self._recent[key] = computation
        while len(self._recent) > _KEPT:
            self._recent.popitem(last=False)
        assert self._worker is not None
        self._worker.submit(lambda: self._run(computation, eagerness, loop))
        return computation

    async def wait(self, computation: Computation, ended: asyncio.Future[None]) -> Prediction | None:
        """The prediction, or None if `ended` came first. The work stops when nobody waits for it any more."""
        computation.waiting += 1
        try:
            either: set[asyncio.Future[Any]] = {computation.done, ended}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            return computation.done.result() if computation.done.done() else None
        finally:
            computation.waiting -= 1
            if not computation.waiting and not computation.done.done():
                computation.unwanted.set()

    def _load_pipeline(self) -> None:
        try:
            self._pipeline = self._load()
            self.state = "ready"
        except Exception:
            self.state = "gone"
            log.exception("the predictors cannot be loaded")

    def _run(self, computation: Computation, eagerness: float, loop: asyncio.AbstractEventLoop) -> None:
        prediction = self._predict(computation, eagerness)
        try:
            loop.call_soon_threadsafe(computation.done.set_result, prediction)
        except RuntimeError:
            log.debug("a prediction came after the end")

    def _predict(self, computation: Computation, eagerness: float) -> Prediction:
        started = self._clock()
        computation.queue_ms = (started - computation.asked) * 1000

        def check() -> None:
            if computation.unwanted.is_set() or self._clock() - started > DEADLINE_S:
                raise Cancelled

        try:
            check()
            if self._pipeline is None:
                return _silent(
                    computation, Silence("engine-unavailable", "The predictors could not be loaded.")
                )
            return self._pipeline.predict(computation.state, eagerness=eagerness, check=check)
        except Cancelled:
            if not computation.unwanted.is_set():
                computation.unwanted.set()
                log.warning("a prediction took longer than %.1f s", DEADLINE_S)
            return _silent(computation, Silence("cancelled", "It took too long, or nobody waited for it."))
        except Exception as error:
            computation.unwanted.set()
            # The message may quote the document, so that it belongs below debug.
            log.error("the prediction failed: %s", type(error).__name__)
            log.debug("the prediction failed", exc_info=True)
            return _silent(
                computation, Silence("engine-unavailable", "The prediction failed; the log says more.")
            )


def _silent(computation: Computation, silence: Silence) -> Prediction:
    return Prediction(computation.state, (), silence)
