"""An HTTP client that trusts no server: timeouts for each stage, limits, no redirects.

This is the only module that uses the HTTP library, httpx2, the successor of httpx. The library is loaded late, on another
thread.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from editahead_inference.errors import BackendError

from .http_errors import MessageRedactor, to_backend_error
from .server_url import ServerUrl
from .sse import MAX_LINE, EventDecoder, ServerSentEvent

if TYPE_CHECKING:
    import httpx2

_MAX_IDLE_S = 4.0
"""Seconds for which an idle connection is reused: less than uvicorn's 5 s, so that the server does not close it first."""
_TAIL_S = 0.05
"""Seconds to wait for the bytes behind an answer's end: only a connection that was read to the end can be reused."""
_MAX_WHOLE = 1_000_000
"""Bytes of an answer that is not streamed: a list of models, an error."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts in seconds.

    Attributes:
        connect: To connect.
        first: From the start to the first event of an answer.
        between: Between two events.
        total: For the whole answer.
    """

    connect: float = 1.0
    first: float = 5.0
    between: float = 3.0
    total: float = 30.0


INTERACTIVE_TIMEOUTS = Timeouts()
"""For requests that a user waits for."""
BACKGROUND_TIMEOUTS = Timeouts(connect=5.0, first=60.0, between=30.0, total=120.0)
"""For requests that no user waits for. A server may have to load its model first."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most bytes of an event's line, and of a whole body."""

    line: int = MAX_LINE
    answer: int = 16_000_000


class HttpTransport:
    """An HTTP client for one server, in one event loop.

    Args:
        address: The server.
        key: The key for the header. No message quotes it.
        limits: The most bytes of answers.

    Raises:
        ValueError: The key has characters that no key has.
    """

    def __init__(self, address: ServerUrl, key: str | None, limits: Limits) -> None:
        if key is not None and not (key.isascii() and key.isprintable() and " " not in key and key):
            raise ValueError("The key holds characters that no key has.")
        self._address = address
        self._key = key
        self._limits = limits
        self._opening: asyncio.Future[httpx2.AsyncClient] | None = None

    @property
    def address(self) -> ServerUrl:
        return self._address

    @property
    def key(self) -> str | None:
        return self._key

    async def close(self) -> None:
        if self._opening is not None:
            with suppress(BackendError):
                await (await self._opening).aclose()

    async def json(self, method: str, url: str, timeouts: Timeouts, body: Any = None) -> Any:
        """Return a whole answer, parsed.

        Raises:
            BackendError: The request failed, or the answer is not JSON.
        """
        due = asyncio.get_running_loop().time() + timeouts.first
        async with self._answer(method, url, body, {}, due, timeouts.connect) as answer:
            data = await answer.whole(due)
            if answer.status != 200:
                raise self._rejected(answer.status, data, MessageRedactor((), self._key), None)
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise self._no_json(data) from None

    async def events(
        self,
        url: str,
        body: Mapping[str, Any],
        headers: Mapping[str, str],
        timeouts: Timeouts,
        quote: MessageRedactor,
    ) -> AsyncGenerator[ServerSentEvent, None]:
        """Yield the events of a streamed answer, up to "[DONE]" or the end of the connection.

        Raises:
            BackendError: The request failed.
        """
        clock = asyncio.get_running_loop().time
        end = clock() + timeouts.total
        due = min(end, clock() + timeouts.first)
        async with self._answer("POST", url, body, headers, due, timeouts.connect) as answer:
            if answer.status != 200:
                raise self._rejected(answer.status, await answer.whole(due), quote, body.get("model"))
            if not answer.kind.startswith("text/event-stream"):
                raise self._no_json(await answer.whole(due))
            decoder = EventDecoder(self._limits.line)
            while (data := await answer.read(due)) is not None:
                try:
                    found = decoder.feed(data)
                except ValueError:
                    raise self._broken() from None
                for event in found:
                    if event.data == "[DONE]":
                        # A connection is used again only when its answer was read to the end.
                        with suppress(BackendError):
                            await answer.whole(clock() + _TAIL_S)
                        return
                    yield event
                if found:
                    due = min(end, clock() + timeouts.between)

    @asynccontextmanager
    async def _answer(
        self,
        method: str,
        url: str,
        body: Any,
        headers: Mapping[str, str],
        due: float,
        connect: float,
    ) -> AsyncIterator[_Answer]:
        """Send a request and yield the answer, whose body is not read yet.

        Args:
            method: The HTTP method.
            url: The URL.
            body: The JSON body, or None.
            headers: Additional headers.
            due: When the answer's head must be there, by the loop's clock.
            connect: Seconds to connect.
        """
        client = await self.open()
        timeout = {"connect": connect, "pool": None, "read": None, "write": None}
        request = client.build_request(
            method, url, json=body, headers=headers, extensions={"timeout": timeout}
        )
        with _failures(self._address.root):
            async with asyncio.timeout_at(due):
                response = await _sent(client, request)
        answer = _Answer(response, self._address.root, self._limits.answer)
        try:
            yield answer
        finally:
            await answer.close()

    async def open(self) -> httpx2.AsyncClient:
        """Load the HTTP library and return its client. Requests do this themselves.

        Raises:
            BackendError: The client cannot be made. The next call tries again.
        """
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            self._opening = asyncio.ensure_future(asyncio.to_thread(self._new_client))
        return await asyncio.shield(self._opening)  # goes on if the first request is cancelled

    def _new_client(self) -> httpx2.AsyncClient:
        try:
            return self._made_client()
        except (
            Exception
        ) as error:  # mostly a proxy or certificates of the environment that the library rejects
            raise BackendError(
                "refused", f"Requests to {self._address.root} cannot be set up: {type(error).__name__}."
            ) from error

    def _made_client(self) -> httpx2.AsyncClient:
        import httpx2

        headers = {"Accept-Encoding": "identity", "User-Agent": "editahead"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        return httpx2.AsyncClient(
            headers=headers,
            limits=httpx2.Limits(keepalive_expiry=_MAX_IDLE_S),
            follow_redirects=False,
            trust_env=not self._address.loopback,  # requests to this machine use no proxy
        )

    def _rejected(self, status: int, data: bytes, quote: MessageRedactor, model: str | None) -> BackendError:
        try:
            said = quote(json.loads(data))
        except (ValueError, RecursionError):
            said = ""
        return to_backend_error(self._address.root, status, said, self._key is not None, model)

    def _no_json(self, data: bytes) -> BackendError:
        if data.lstrip()[:1] == b"<":
            return BackendError(
                "broken", f"{self._address.root} answers with a web page: it is no model's server."
            )
        return self._broken()

    def _broken(self) -> BackendError:
        return BackendError("broken", f"{self._address.root} answers with something that is no completion.")


class _Answer:
    """A response whose body is being read. where: the server, for messages. limit: the most bytes of the body."""

    def __init__(self, response: httpx2.Response, where: str, limit: int) -> None:
        self._response = response
        self._raw = response.aiter_raw()  # not unpacked: a small answer may unpack to a large one
        self._where = where
        self._left = limit
        self.status = response.status_code
        self.kind = str(response.headers.get("content-type", ""))

    async def read(self, due: float) -> bytes | None:
        """Return the next bytes, or None at the end. due: the deadline by the loop's clock."""
        with _failures(self._where):
            async with asyncio.timeout_at(due):
                data = await anext(self._raw, None)
        self._left -= len(data or b"")
        if self._left < 0:
            raise BackendError("broken", f"{self._where} does not come to an end with its answer.")
        return data

    async def whole(self, due: float) -> bytes:
        """Return the rest of the body. due: the deadline by the loop's clock."""
        self._left = min(self._left, _MAX_WHOLE)
        parts = []
        while (data := await self.read(due)) is not None:
            parts.append(data)
        return b"".join(parts)

    async def close(self) -> None:
        await self._raw.aclose()
        await self._response.aclose()


async def _sent(client: httpx2.AsyncClient, request: httpx2.Request) -> httpx2.Response:
    """Send a request, and again if a connection that was kept from an earlier request has ended meanwhile.

    A server ends idle connections when it wants to, also just when a request is on its way (RFC 9112, section 9.3.1).
    A completion can be requested twice: it changes nothing (RFC 9110, section 9.2.2).
    """
    import httpx2

    kept = True

    async def trace(event: str, info: Mapping[str, Any]) -> None:
        nonlocal kept
        kept = kept and not event.startswith("connection.connect")

    request.extensions["trace"] = trace
    while True:
        try:
            return await client.send(request, stream=True)
        except (httpx2.NetworkError, httpx2.RemoteProtocolError):
            if not kept:  # a kept connection that has ended is not in the pool any more, so this ends
                raise


@contextmanager
def _failures(where: str) -> Iterator[None]:
    """Raise the library's exceptions, which hold the whole request, as `BackendError` with a sentence for the user."""
    import httpx2

    try:
        yield
    except (TimeoutError, httpx2.TimeoutException) as error:
        connecting = isinstance(error, httpx2.ConnectTimeout)
        what = "There is no connection to {} in time." if connecting else "{} did not answer in time."
        raise BackendError("timeout", what.format(where)) from None
    except httpx2.ConnectError as error:
        if _has_cause(error, ssl.SSLCertVerificationError):
            raise BackendError("unreachable", f"The certificate of {where} is not trusted.") from None
        if _has_cause(error, ssl.SSLError):
            raise BackendError("unreachable", f"There is no https at {where}.") from None
        raise BackendError("unreachable", f"Nothing answers at {where}.") from None
    except httpx2.ProxyError:
        raise BackendError("unreachable", f"The proxy on the way to {where} refuses.") from None
    except httpx2.HTTPError as error:
        # Only the message distinguishes a connection that ended from an answer that is not HTTP.
        ended = str(error).startswith(("Server disconnected", "peer closed"))
        if isinstance(error, httpx2.RemoteProtocolError) and not ended:
            raise BackendError("broken", f"{where} does not speak HTTP.") from None
        raise BackendError("unreachable", f"{where} ended the connection too early.") from None


def _has_cause(error: BaseException | None, kind: type[BaseException]) -> bool:
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False
