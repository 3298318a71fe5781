"""The requests to the model, on the event loop: one in flight for each document, cancelled once its answer cannot apply."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from editahead_inference.backends.base import Backend
from editahead_inference.errors import BackendError
from editahead_inference.predictors.model.response import ModelResponse, ResponseProgress, Rewrite
from editahead_prompts.state import EditorState
from editahead_prompts.text.diff import diff
from editahead_prompts.text.snapshot import Snapshot

from .response_cache import ResponseCache

if TYPE_CHECKING:
    from editahead_inference.predictors.model.predictor import ModelPredictor

log = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 1.0
"""Limits the seconds that a backend may take to close."""


class _Request:
    """A request to the model in flight.

    Attributes:
        ahead: The edit that leads from the present text to the state. None when the text is there, or a request waits.
        wanted: A function for each waiter; returns whether the user still waits.
        done: Always gets a result; None when the request was cancelled.
    """

    def __init__(self, state: EditorState, ahead: ModelResponse | None) -> None:
        self.state, self.ahead = state, ahead
        self.wanted: list[Callable[[], bool]] = []
        self.progress = ResponseProgress(state.document, state.cursor)
        self.done: asyncio.Future[ModelResponse | None] = asyncio.get_running_loop().create_future()
        self.task: asyncio.Task[None] | None = None

    def is_stale(self, now: Snapshot) -> bool:
        """Return whether the answer cannot apply to the document's present text."""
        on_the_way = self.ahead is not None and self.ahead.rebase(now) is not None
        return not on_the_way and not self.progress.is_consistent_with(now)

    def leads_to(self, state: EditorState) -> bool:
        """Return whether the answer may be one for a state."""
        if not self.progress.is_consistent_with(state.document):
            return False
        region = self.progress.region
        if region is None:
            return state.cursor_context == self.state.cursor_context
        grown = len(state.document.lines) - len(self.state.document.lines)
        return region.first <= state.document.line_at(state.cursor) < region.end + grown


class ModelRequests:
    """A sender of requests to the model, with a cache of responses.

    Args:
        sleep: Waits for a number of seconds.
        remembered: The cache of responses. None for a new one.
    """

    def __init__(
        self, sleep: Callable[[float], Awaitable[None]], remembered: ResponseCache | None = None
    ) -> None:
        self._sleep = sleep
        self._model: ModelPredictor | None = None
        self._under_way: dict[str, _Request] = {}
        self._present: dict[str, Snapshot] = {}
        self._responses = remembered or ResponseCache()
        self._preparing: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def model(self) -> ModelPredictor | None:
        """Return the model in use."""
        return self._model

    @property
    def idle(self) -> bool:
        """Return whether no request is in flight."""
        return not self._under_way

    def set_model(self, model: ModelPredictor | None) -> None:
        """Use another model. The requests to the one before are cancelled, and its responses are forgotten."""
        before, self._model = self._model, model
        for request in list(self._under_way.values()):
            self._cancel(request)
        self._responses.clear()
        if self._preparing is not None:
            self._preparing.cancel()
        self._preparing = None if model is None else asyncio.ensure_future(prepare_backend(model.backend))
        if before is not None:
            closing = asyncio.ensure_future(close_backend(before.backend))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Close the model."""
        self.set_model(None)
        await asyncio.gather(*self._closing)

    async def get_response(
        self,
        state: EditorState,
        wanted: Callable[[], bool],
        pause: float = 0.0,
        ahead_of: Snapshot | None = None,
    ) -> ModelResponse | None:
        """Return the model's response for a state, from the cache, a request in flight or a new request.

        Return None when the request was cancelled: the document was changed, or a newer request replaced it.

        Args:
            state: The input of the prediction.
            wanted: Returns whether the user still waits for the response; see `cancel`.
            pause: The seconds before a new request.
            ahead_of: The present text, where the state is only a likely next one. There is at most one such request, and it
                gives way to any other.
        """
        uri = state.document.uri
        present = self._present.get(uri, state.document)
        if ahead_of is None and present.lines != state.document.lines:
            return None  # the document was changed while the rules were running
        while (rest := self._reuse(state, present=ahead_of is None)) is None:
            request = self._under_way.get(uri)
            if request is None:
                break
            if ahead_of is not None and request.ahead is None:
                return None
            if not request.leads_to(state):
                self._cancel(request)
                break
            if ahead_of is None:
                request.ahead = None
            request.wanted.append(wanted)
            response = await asyncio.shield(request.done)
            if response is None or response.problem is not None:
                return response
            if response.document.lines == state.document.lines:
                return response
        return rest or await self._send(state, wanted, pause, ahead_of)

    def on_change(self, document: Snapshot) -> None:
        """Drop responses that are fully applied, and a request whose answer cannot apply to the new text."""
        self._present[document.uri] = document
        for response in self._responses.for_document(document.uri):
            if response.is_fully_applied(document):
                self._responses.discard(response)  # a part that the user reverts must not be suggested again
        request = self._under_way.get(document.uri)
        if request is not None and request.is_stale(document):
            self._cancel(request)

    def on_close(self, uri: str) -> None:
        """Cancel the requests for a closed document, and forget the responses."""
        self._responses.on_close(uri)
        self._present.pop(uri, None)
        if self._model is not None:
            self._model.on_close(uri)
        if (request := self._under_way.get(uri)) is not None:
            self._cancel(request)

    def cancel(self, state: EditorState) -> None:
        """Cancel the request for a state unless another waiter needs it."""
        request = self._under_way.get(state.document.uri)
        if request is not None and request.leads_to(state) and not any(wanted() for wanted in request.wanted):
            self._cancel(request)

    def _reuse(self, state: EditorState, *, present: bool) -> ModelResponse | None:
        """Return the rest of an earlier response that applies to a state.

        Args:
            state: The input of the prediction.
            present: Whether the state has the document's present text. Responses without a rest are then dropped.
        """
        line = state.document.line_at(state.cursor)
        for response in self._responses.for_document(state.document.uri):
            rest = response.rebase(state.document)
            if rest is None and present:
                self._responses.discard(response)
            elif rest is not None and (rest.region is None or rest.region.first <= line < rest.region.end):
                self._responses.put(response)
                return rest
        return None

    async def _send(
        self, state: EditorState, wanted: Callable[[], bool], pause: float, ahead_of: Snapshot | None
    ) -> ModelResponse | None:
        model = self._model
        if model is None:
            return None
        ahead: ModelResponse | None = None
        if ahead_of is not None:
            for other in [request for request in self._under_way.values() if request.ahead is not None]:
                self._cancel(other)
            way = Rewrite(diff(ahead_of.text, state.document.text))
            ahead = ModelResponse(ahead_of, model.source, "", rewrites=(way,))
        request = self._under_way[state.document.uri] = _Request(state, ahead)
        request.wanted.append(wanted)
        request.task = asyncio.ensure_future(self._run(model, request, pause))
        return await asyncio.shield(request.done)

    async def _run(self, model: ModelPredictor, request: _Request, pause: float) -> None:
        response: ModelResponse | None = None
        try:
            if pause > 0 and model.backend.health.condition != "gone":
                await self._sleep(pause)
            background = request.ahead is not None
            response = await model.predict(request.state, background=background, progress=request.progress)
        except Exception as error:
            # The message may quote the document, so that it belongs below debug.
            log.error("asking the model failed: %s", type(error).__name__)
            log.debug("asking the model failed", exc_info=True)
        finally:
            self._finish(request, response)

    def _cancel(self, request: _Request) -> None:
        self._finish(request, None)
        if request.task is not None:
            request.task.cancel()

    def _finish(self, request: _Request, response: ModelResponse | None) -> None:
        uri = request.state.document.uri
        if self._under_way.get(uri) is request:
            del self._under_way[uri]
        if request.done.done():
            return
        if response is not None and response.rewrites:
            self._responses.put(response)
        request.done.set_result(response)


async def prepare_backend(backend: Backend) -> None:
    """Prepare the backend, so that `editahead.status` can report its health and the first request need not wait."""
    with contextlib.suppress(BackendError):
        await backend.prepare()


async def close_backend(backend: Backend) -> None:
    """Close the backend, within `CLOSE_TIMEOUT_S`."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await backend.close()
