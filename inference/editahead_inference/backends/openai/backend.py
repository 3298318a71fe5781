"""A model behind OpenAI's protocol: vLLM, llama.cpp's server, Ollama, LM Studio and others.

The kind of the server and its abilities are detected once, and again after the server was gone.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets  # noqa: TID251  # a key of this process, unless one is passed in
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager

from editahead_inference.backends.base import (
    BackendState,
    Capabilities,
    CompletionRequest,
    Health,
    StreamEnd,
    TextChunk,
)
from editahead_inference.errors import BackendError, HttpStatusError

from .circuit_breaker import CircuitBreaker
from .completion_chunks import ChunkReader
from .http_errors import REQUEST_ERROR_STATUSES, MessageRedactor
from .http_transport import BACKGROUND_TIMEOUTS, INTERACTIVE_TIMEOUTS, HttpTransport, Limits, Timeouts
from .server_profiles import ServerProfile, build_request, detect_server
from .server_url import ServerUrl


class OpenAIBackend:
    """A backend for one server with OpenAI's protocol.

    Args:
        url: The server's address, with or without "/v1".
        model: The server's name for the model; None for the only model.
        key: The server's key.
        secret: The user's secret. Requests carry hashes that are keyed with it; None = a secret of this object only.
        waiting: Timeouts of requests that a user waits for.
        patient: Timeouts of background requests, and of requests for long answers.
        limits: The most bytes of answers.
        clock: Monotonic seconds, for the circuit breaker.

    Raises:
        ValueError: The URL or the key is not allowed (`ServerUrl.parse`).
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
        clock: Callable[[], float] = time.monotonic,  # noqa: TID251  # unless another is passed in
    ) -> None:
        self._address = ServerUrl.parse(url)
        self._transport = HttpTransport(self._address, key, limits or Limits())
        self._wanted = model
        self._waiting = waiting
        self._patient = patient
        self._breaker = CircuitBreaker(clock)
        self._serving: ServerProfile | None = None
        self._lock = asyncio.Lock()
        self._priority = True  # until the server rejects a priority
        self._secret = secret or secrets.token_bytes(32)
        # The salt prevents that others with the same key learn from response times what was asked.
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

    async def close(self) -> None:
        await self._transport.close()

    @contextmanager
    def _attempt(self, *, answers: bool = True) -> Iterator[Callable[[], None]]:
        """Run one attempt under the circuit breaker, and yield a function to call when a part of the answer came.

        Args:
            answers: Whether the model is asked. A server may list its models and still fail all completions.

        Raises:
            BackendError: The circuit breaker is open, or the attempt failed.
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
                self._serving = None  # another server may come back
            raise
        except BaseException:  # cancelled, or the generator was closed
            (self._breaker.succeeded if answered else self._breaker.release)(attempt)
            raise
        (self._breaker.succeeded if answers else self._breaker.release)(attempt)

    async def _served(self, timeouts: Timeouts) -> ServerProfile:
        await self._transport.open()
        try:
            async with asyncio.timeout(timeouts.first), self._lock:
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
        """Yield the parts of an answer. A server that rejects priorities is asked again without one."""
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
            self._priority = False  # whatever the message says: it may not be quotable
        else:
            return
        async with aclosing(self._answers(serving, query, timeouts)) as again:
            async for piece in again:
                yield piece

    def _hash(self, text: str) -> str:
        """Return the keyed hash of a text. Without the secret, the text cannot be found from it."""
        return hmac.new(self._secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]
