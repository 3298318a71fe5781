"""An HTTP server on the loopback interface: requests and answers with limits. h11 reads and writes the protocol.

A client that closes its connection cancels its request.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import h11

from editahead_cli.errors import HttpError
from editahead_lsp.transport.closing import close_connection, stop_listening

log = logging.getLogger(__name__)

MAX_BODY_BYTES = 4 << 20
MAX_HEADER_BYTES = 32 << 10
MAX_CONNECTIONS = 64
IDLE_TIMEOUT_S = 60.0
"""Seconds in which a client has to send the next request, or the rest of one."""
_CHUNK_BYTES = 1 << 16
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request. The names of headers are in small letters."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """An answer."""

    status: int
    body: bytes
    content_type: str = _JSON
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[HttpRequest], Awaitable[HttpResponse]]


def json_response(value: Any, status: int = 200) -> HttpResponse:
    """Return an answer with plain data as JSON."""
    return HttpResponse(status, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def error_response(error: HttpError) -> HttpResponse:
    """Return the answer that says why a request is refused, as OpenAI's API does."""
    kind = "server_error" if error.status >= 500 else "invalid_request_error"
    value = {"error": {"message": str(error), "type": kind, "param": None, "code": error.code}}
    return json_response(value, error.status)


class HttpServer:
    """A server on 127.0.0.1.

    Args:
        handle: Returns the answer to a request, or raises HttpError. It is cancelled when the client is gone.
    """

    def __init__(self, handle: Handler) -> None:
        self._handle = handle
        self._connections: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Server | None = None

    async def start(self, port: int) -> int:
        """Listen on a port, 0 for a free one, and return the port.

        Raises:
            OSError: The port cannot be listened on.
        """
        self._listener = await asyncio.start_server(self._on_connect, "127.0.0.1", port)
        return int(self._listener.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Close all connections."""
        await stop_listening(self._listener, self._connections)

    def _on_connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= MAX_CONNECTIONS:
            writer.transport.abort()
            return
        task = asyncio.ensure_future(_Connection(reader, writer, self._handle).serve())
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)


class _Connection:
    """The connection of one client, which may send several requests, one after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handle: Handler) -> None:
        self._reader, self._writer, self._handle = reader, writer, handle
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEADER_BYTES)
        self._is_head = False

    async def serve(self) -> None:
        """Answer requests until the client closes the connection, or breaks a limit."""
        try:
            while await self._serve_one():
                self._http.start_next_cycle()
        except (TimeoutError, ConnectionError, h11.RemoteProtocolError) as error:
            log.debug("connection closed: %s", type(error).__name__)
        finally:
            await close_connection(self._writer)

    async def _serve_one(self) -> bool:
        """Answer one request. Return whether another one may follow."""
        try:
            request = await self._read_request()
            if request is None:
                return False
            response = await self._answer(request)
            if response is None:
                return False
        except HttpError as error:
            response = error_response(error)
        except h11.RemoteProtocolError as error:
            response = error_response(
                HttpError(error.error_status_hint, "bad_request", "this is not HTTP/1.1")
            )
        await self._send(response)
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    async def _read_request(self) -> HttpRequest | None:
        """Return the next request; None at the end of the connection.

        Raises:
            HttpError: It is too large.
            TimeoutError: It does not come.
        """
        async with asyncio.timeout(IDLE_TIMEOUT_S):
            head = await self._next_event()
        if not isinstance(head, h11.Request):
            return None
        self._is_head = head.method == b"HEAD"
        body = bytearray()
        async with asyncio.timeout(IDLE_TIMEOUT_S):
            while isinstance(event := await self._next_event(), h11.Data):
                body += event.data
                if len(body) > MAX_BODY_BYTES:
                    raise HttpError(413, "too_large", f"a request has at most {MAX_BODY_BYTES} bytes")
        if not isinstance(event, h11.EndOfMessage):
            return None
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
        return HttpRequest(head.method.decode("latin-1"), head.target.decode("latin-1"), headers, bytes(body))

    async def _next_event(self) -> object:
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._http.they_are_waiting_for_100_continue:
                await self._write(h11.InformationalResponse(status_code=100, headers=[]))
            self._http.receive_data(await self._reader.read(_CHUNK_BYTES))

    async def _answer(self, request: HttpRequest) -> HttpResponse | None:
        """Return the answer; None where the client is gone before it is there."""
        answering = asyncio.ensure_future(_guarded(self._handle, request))
        try:
            while not answering.done():
                more = asyncio.ensure_future(self._reader.read(_CHUNK_BYTES))
                await asyncio.wait({answering, more}, return_when=asyncio.FIRST_COMPLETED)
                if not more.done():
                    more.cancel()
                    await asyncio.wait({more})
                elif data := more.result():
                    self._http.receive_data(data)
                    await asyncio.wait({answering})
                else:
                    return None
            return answering.result()
        finally:
            answering.cancel()

    async def _send(self, response: HttpResponse) -> None:
        headers = [("content-type", response.content_type), ("content-length", str(len(response.body)))]
        headers += [
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            *response.headers.items(),
        ]
        await self._write(h11.Response(status_code=response.status, headers=headers))
        if not self._is_head:
            await self._write(h11.Data(data=response.body))
        await self._write(h11.EndOfMessage())

    async def _write(self, event: h11.Event) -> None:
        self._writer.write(self._http.send(event) or b"")
        async with asyncio.timeout(IDLE_TIMEOUT_S):
            await self._writer.drain()


async def _guarded(handle: Handler, request: HttpRequest) -> HttpResponse:
    """Return the answer to a request, also to one that is refused or fails."""
    try:
        return await handle(request)
    except HttpError as error:
        return error_response(error)
    except Exception as error:
        # The message may quote the document, so that it belongs below debug.
        log.error("a request failed: %s", type(error).__name__)
        log.debug("a request failed", exc_info=True)
        return error_response(HttpError(500, "internal_error", "the request failed; the log says more"))
