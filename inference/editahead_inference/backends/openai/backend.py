"""A model behind OpenAI's protocol: vLLM, llama.cpp's server, Ollama, LM Studio and others.

What the server is and can do is found by asking it once, and again after it was gone.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace

from editahead_inference.backends.base import (
    BackendState,
    Capabilities,
    CompletionRequest,
    Health,
    StreamEnd,
    TextChunk,
    Usage,
)
from editahead_inference.errors import BackendError, HttpStatusError

from .circuit_breaker import CircuitBreaker
from .completion_chunks import ChunkReader
from .http_errors import REQUEST_ERROR_STATUSES, MessageRedactor
from .http_transport import BACKGROUND_TIMEOUTS, INTERACTIVE_TIMEOUTS, HttpTransport, Limits, Timeouts
from .server_profiles import ServerProfile, build_request, detect_server
from .server_url import ServerUrl


class OpenAIBackend:
    """url: of the server, with or without "/v1"; ValueError for one that is not allowed (`Address.of`). model: as the server
    calls it; None for the only one. key: for the server. secret: of the person, whose keyed hashes go with requests; None =
    one of this object's own. waiting, patient: timeouts of requests that somebody waits for, and of those in the background
    or with long answers. clock: monotonic seconds, for the circuit breaker.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        key: str | None = None,
        secret: bytes | None = None,
        waiting: Timeouts = INTERACTIVE_TIMEOUTS,
        patient: Timeouts = BACKGROUND_TIMEOUTS,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._address = ServerUrl.parse(url)
        self._transport = HttpTransport(self._address, key, limits or Limits())
        self._wanted = model
        self._waiting = waiting
        self._patient = patient
        self._breaker = CircuitBreaker(clock)
        self._serving: ServerProfile | None = None
        self._asking = asyncio.Lock()
        self._priority = True  # until the server says that it has none
        self._secret = secret or secrets.token_bytes(32)
        # So that nobody else, not even with the same key, can find out by the time it takes what was asked.
        self._salt = self._hash("cache")

    @property
    def name(self) -> str:
        kind = "openai" if self._serving is None else self._serving.kind
        return f"{kind} {self._address.root}"

    @property
    def model(self) -> str | None:
        return self._wanted if self._serving is None else self._serving.model

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities() if self._serving is None else self._serving.capabilities

    @property
    def health(self) -> Health:
        condition: BackendState = "ready"
        if self._breaker.open:
            condition = "gone"
        elif self._breaker.failing:
            condition = "degraded"
        elif self._serving is None:
            condition = "starting"
        return Health(condition, self._breaker.detail)

    async def prepare(self) -> None:
        with self._attempt(answers=False):
            await self._served(self._waiting)

    async def stream(self, query: CompletionRequest) -> AsyncGenerator[TextChunk | StreamEnd, None]:
        timeouts = self._patient if query.background or query.long else self._waiting
        with self._attempt() as came:
            serving = await self._served(timeouts)
            async with aclosing(self._answers(serving, query, timeouts)) as answers:
                async for piece in answers:
                    came()
                    yield piece

    async def prefill(self, query: CompletionRequest) -> Usage:
        # No server computes a prompt without answering it.
        one = replace(query, max_tokens=1, stop=(), samples=1, logprobs=False, background=True)
        usage = None
        async with aclosing(self.stream(one)) as answer:
            async for piece in answer:
                usage = piece.usage if isinstance(piece, StreamEnd) else None
        return usage or Usage()

    async def close(self) -> None:
        await self._transport.close()

    @contextmanager
    def _attempt(self, *, answers: bool = True) -> Iterator[Callable[[], None]]:
        """Asks the circuit breaker, and tells it how it ends. Gives a function to call when something came.

        answers: whether the model is asked. A server may tell what it has, and still fail whenever it is asked.
        """
        attempt = self._breaker.try_acquire()
        if attempt is None:
            raise BackendError("suspended", self._breaker.detail)
        answered = False

        def came() -> None:
            nonlocal answered
            answered = True

        try:
            yield came
        except BackendError as error:
            if isinstance(error, HttpStatusError) and error.status in REQUEST_ERROR_STATUSES:
                self._breaker.succeeded(attempt)
            else:
                self._breaker.failed(attempt, error.detail)
                self._serving = None  # it may come back as another
            raise
        except BaseException:  # nobody wants it any more
            (self._breaker.succeeded if answered else self._breaker.release)(attempt)
            raise
        (self._breaker.succeeded if answers else self._breaker.release)(attempt)

    async def _served(self, timeouts: Timeouts) -> ServerProfile:
        await self._transport.open()
        try:
            async with asyncio.timeout(timeouts.first), self._asking:
                if self._serving is None:
                    self._serving = await detect_server(self._transport, self._wanted, timeouts)
                return self._serving
        except TimeoutError:
            raise BackendError(
                "timeout", f"{self._address.root} did not say in time what it serves."
            ) from None

    async def _answers(
        self, serving: ServerProfile, query: CompletionRequest, timeouts: Timeouts
    ) -> AsyncGenerator[TextChunk | StreamEnd, None]:
        """The pieces of an answer; asked again, without, by a server that does not know priorities."""
        priority = self._priority and query.background
        path, body = build_request(serving, query, priority=priority, salt=self._salt)
        quote = MessageRedactor((query.prompt, query.system or "", query.prefill), self._transport.key)
        headers = {} if not query.session else {"X-Session-ID": self._hash(f"session {query.session}")}
        reader = ChunkReader(self._address.root, quote)
        try:
            url = self._address.api + path
            async with aclosing(self._transport.events(url, body, headers, timeouts, quote)) as events:
                async for event in events:
                    try:
                        chunk = json.loads(event.data)
                    except (ValueError, RecursionError):
                        chunk = None
                    if event.kind == "error":
                        raise reader.failure(chunk)
                    for piece in reader.feed(chunk):
                        yield piece
            yield reader.finish()
        except HttpStatusError as error:
            if "priority" not in body or error.status not in (400, 422):
                raise
            self._priority = False  # what it says of them may not be quotable
        else:
            return
        async with aclosing(self._answers(serving, query, timeouts)) as again:
            async for piece in again:
                yield piece

    def _hash(self, text: str) -> str:
        """The same each time, and without the secret nobody can tell of what."""
        return hmac.new(self._secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]
