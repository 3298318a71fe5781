"""What the model is asked, on the event loop: one request in flight for each document, ended as soon as it is of no use."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence

from editahead_inference.backends.base import Backend, Usage
from editahead_inference.errors import BackendError
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_inference.predictors.model.response import ModelResponse, ResponseProgress, Rewrite
from editahead_prompts.state import EditorState
from editahead_prompts.text.diff import diff
from editahead_prompts.text.snapshot import Snapshot

from .response_cache import ResponseCache

log = logging.getLogger(__name__)

CLOSING_S = 1.0


class _Request:
    """ahead: what has to be done to the document before its state is there; None when it is there already, or somebody
    waits. wanted: of each who waits for it, whether a person still does. done: always gets a result; None when the request
    was ended."""

    def __init__(self, state: EditorState, ahead: ModelResponse | None) -> None:
        self.state, self.ahead = state, ahead
        self.wanted: list[Callable[[], bool]] = []
        self.progress = ResponseProgress(state.document)
        self.done: asyncio.Future[ModelResponse | None] = asyncio.get_running_loop().create_future()
        self.task: asyncio.Task[None] | None = None

    def is_stale(self, now: Snapshot) -> bool:
        """Whether, the document being this now, its answer cannot be of use."""
        on_the_way = self.ahead is not None and self.ahead.rebase(now) is not None
        return not on_the_way and not self.progress.is_consistent_with(now)

    def leads_to(self, state: EditorState) -> bool:
        """Whether its answer may be one for this state."""
        if not self.progress.is_consistent_with(state.document):
            return False
        region = self.progress.region
        if region is None:
            return state.cursor_context == self.state.cursor_context
        grown = len(state.document.lines) - len(self.state.document.lines)
        return region.first <= state.document.line_at(state.cursor) < region.end + grown


class ModelRequests:
    """sleep: waits that many seconds. remembered: where answers are kept."""

    def __init__(
        self, sleep: Callable[[float], Awaitable[None]], remembered: ResponseCache | None = None
    ) -> None:
        self._sleep = sleep
        self._model: ModelPredictor | None = None
        self._under_way: dict[str, _Request] = {}
        self._present: dict[str, Snapshot] = {}
        self._told = remembered or ResponseCache()
        self._preparing: asyncio.Task[None] | None = None
        self._warming: tuple[str, asyncio.Task[Usage | None]] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def model(self) -> ModelPredictor | None:
        return self._model

    @property
    def idle(self) -> bool:
        """Whether nothing is asked."""
        return not self._under_way

    def set_model(self, model: ModelPredictor | None) -> None:
        """Ask this one from now on. What the one before was asked is ended, and what it said is forgotten."""
        before, self._model = self._model, model
        for request in list(self._under_way.values()):
            self._end(request)
        self._stop_warming()
        self._told.clear()
        if self._preparing is not None:
            self._preparing.cancel()
        self._preparing = None if model is None else asyncio.ensure_future(_prepare(model.backend))
        if before is not None:
            closing = asyncio.ensure_future(_close(before.backend))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        self.set_model(None)
        await asyncio.gather(*self._closing)

    async def get_response(
        self,
        state: EditorState,
        wanted: Callable[[], bool],
        pause: float = 0.0,
        ahead_of: Snapshot | None = None,
    ) -> ModelResponse | None:
        """What the model says of a state: what is left of an earlier answer, what is being said already, or else, after
        `pause` seconds, a request of its own. None when that was ended: the document moved on, or is asked about anew.

        wanted: whether somebody still waits for this; see `cancel`. ahead_of: the present text, where nobody waits and the
        state may come of it. Such a request gives way to any other, and there is at most one.
        """
        uri = state.document.uri
        present = self._present.get(uri, state.document)
        if ahead_of is None and present.lines != state.document.lines:
            return None  # it moved on while the rules were computing
        while (rest := self._rest(state, present=ahead_of is None)) is None:
            request = self._under_way.get(uri)
            if request is None:
                break
            if ahead_of is not None and request.ahead is None:
                return None
            if not request.leads_to(state):
                self._end(request)
                break
            if ahead_of is None:
                request.ahead = None
            request.wanted.append(wanted)
            told = await asyncio.shield(request.done)
            if told is None or told.problem is not None:
                return told
            if told.document.lines == state.document.lines:
                return told
        return rest or await self._ask(state, wanted, pause, ahead_of)

    async def prefill(self, states: Sequence[EditorState]) -> Usage | None:
        """Have the model compute what prompts for these states of a document have in common, while it is asked nothing
        about that document; what it cost. There is one at most: a newer one ends it, and so does a request for the document,
        which computes the same."""
        uri = states[0].document.uri
        if self._model is None or uri in self._under_way:
            return None
        self._stop_warming()
        task = asyncio.ensure_future(self._model.prefill(states))
        self._warming = uri, task
        await asyncio.wait({task})
        if task.cancelled():
            return None
        if (error := task.exception()) is not None:
            # The message may quote the document, so that it belongs below debug.
            log.error("computing a prompt ahead failed: %s", type(error).__name__)
            log.debug("computing a prompt ahead failed", exc_info=error)
            return None
        return task.result()

    def on_focus(self, uri: str | None) -> None:
        """A person looks at this document now: no other's prompt is computed any more."""
        if self._warming is not None and self._warming[0] != uri:
            self._stop_warming()

    def _stop_warming(self, uri: str | None = None) -> None:
        """That for a document; without one, whichever there is."""
        if self._warming is not None and uri in (None, self._warming[0]):
            self._warming[1].cancel()
            self._warming = None

    def on_change(self, document: Snapshot) -> None:
        """The document has this text now."""
        self._present[document.uri] = document
        for told in self._told.for_document(document.uri):
            if told.is_fully_applied(document):
                self._told.discard(told)  # who takes some of it back is not to be offered that again
        request = self._under_way.get(document.uri)
        if request is not None and request.is_stale(document):
            self._end(request)

    def on_close(self, uri: str) -> None:
        self._stop_warming(uri)
        self._told.on_close(uri)
        self._present.pop(uri, None)
        if self._model is not None:
            self._model.cache_misses.on_close(uri)
        if (request := self._under_way.get(uri)) is not None:
            self._end(request)

    def cancel(self, state: EditorState) -> None:
        """Somebody no longer waits for what is said of this state: a request that nobody else wants is ended."""
        request = self._under_way.get(state.document.uri)
        if request is not None and request.leads_to(state) and not any(wanted() for wanted in request.wanted):
            self._end(request)

    def _rest(self, state: EditorState, *, present: bool) -> ModelResponse | None:
        """What is left of an earlier answer. present: the document is as the state has it, so that an answer of which
        nothing is left there is over."""
        line = state.document.line_at(state.cursor)
        for told in self._told.for_document(state.document.uri):
            rest = told.rebase(state.document)
            if rest is None and present:
                self._told.discard(told)
            elif rest is not None and (rest.region is None or rest.region.first <= line < rest.region.end):
                self._told.put(told)
                return rest
        return None

    async def _ask(
        self, state: EditorState, wanted: Callable[[], bool], pause: float, ahead_of: Snapshot | None
    ) -> ModelResponse | None:
        model = self._model
        if model is None:
            return None
        ahead: ModelResponse | None = None
        if ahead_of is not None:
            for other in [request for request in self._under_way.values() if request.ahead is not None]:
                self._end(other)
            way = Rewrite(diff(ahead_of.text, state.document.text))
            ahead = ModelResponse(ahead_of, model.source, "", rewrites=(way,))
        self._stop_warming(state.document.uri)
        request = self._under_way[state.document.uri] = _Request(state, ahead)
        request.wanted.append(wanted)
        request.task = asyncio.ensure_future(self._run(model, request, pause))
        return await asyncio.shield(request.done)

    async def _run(self, model: ModelPredictor, request: _Request, pause: float) -> None:
        told: ModelResponse | None = None
        try:
            if pause > 0 and model.backend.health.condition != "gone":
                await self._sleep(pause)
            background = request.ahead is not None
            told = await model.predict(request.state, background=background, progress=request.progress)
        except Exception as error:
            # The message may quote the document, so that it belongs below debug.
            log.error("asking the model failed: %s", type(error).__name__)
            log.debug("asking the model failed", exc_info=True)
        finally:
            self._over(request, told)

    def _end(self, request: _Request) -> None:
        self._over(request, None)
        if request.task is not None:
            request.task.cancel()

    def _over(self, request: _Request, told: ModelResponse | None) -> None:
        uri = request.state.document.uri
        if self._under_way.get(uri) is request:
            del self._under_way[uri]
        if request.done.done():
            return
        if told is not None and told.rewrites:
            self._told.put(told)
        request.done.set_result(told)


async def _prepare(backend: Backend) -> None:
    """So that `editahead.status` tells at once how it is, and the first request does not wait for that."""
    with contextlib.suppress(BackendError):
        await backend.prepare()


async def _close(backend: Backend) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(CLOSING_S):
            await backend.close()
