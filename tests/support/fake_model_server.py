"""A model server on a real socket, with answers that a test sets."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
VLLM = {"object": "list", "data": [{"id": "m", "owned_by": "vllm", "max_model_len": 2048}]}


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    connection: int


@dataclass
class Exchange:
    """One request and its response."""

    request: Request
    writer: asyncio.StreamWriter
    hung_up: asyncio.Event
    """Set when the client closes the connection before the response is complete."""

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        with suppress(ConnectionError):
            await self.writer.drain()

    async def whole(
        self, data: bytes, status: int = 200, kind: str = "application/json", more: str = ""
    ) -> None:
        head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n{more}\r\n"
        await self.raw(head.encode() + data)

    async def json(self, value: Any, status: int = 200) -> None:
        await self.whole(json.dumps(value).encode(), status)

    async def start(self) -> None:
        """Send the head of a streamed response."""
        await self.raw(STREAM)

    async def chunk(self, data: bytes) -> None:
        await self.raw(b"%x\r\n%b\r\n" % (len(data), data))

    async def event(self, value: Any) -> None:
        text = value if isinstance(value, str) else json.dumps(value)
        await self.chunk(f"data: {text}\n\n".encode())

    async def text(self, text: str, reason: str | None = None, **more: Any) -> None:
        choice = {"index": 0, "text": text, "finish_reason": reason, "logprobs": None} | more
        await self.event({"choices": [choice]})

    async def end(self) -> None:
        await self.event("[DONE]")
        await self.raw(b"0\r\n\r\n")

    def hang_up(self) -> None:
        self.writer.transport.abort()


Handler = Callable[[Exchange], Awaitable[None]]


@dataclass
class ModelServer:
    """A model server; by default a vLLM with the model "m".

    Attributes:
        answers: Handlers that replace the default response, by path.
        requests: All requests so far.
    """

    answers: dict[str, Handler] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    port: int = 0
    tls: ssl.SSLContext | None = None

    async def __aenter__(self) -> ModelServer:
        self._tasks: set[asyncio.Task[None]] = set()
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port, ssl=self.tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}"

    def sent(self, path: str) -> list[Any]:
        """Return the bodies of the requests to a path."""
        return [request.body for request in self.requests if request.path == path]

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        number = self.connections
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    await self._answered(await _read(reader, number), reader, writer)
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answered(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.requests.append(request)
        exchange = Exchange(request, writer, asyncio.Event())
        answering = asyncio.ensure_future(self._answer(exchange))
        hanging_up = asyncio.ensure_future(_closed(reader, exchange.hung_up))
        try:
            await answering
        finally:
            answering.cancel()
            hanging_up.cancel()
            await asyncio.gather(answering, hanging_up, return_exceptions=True)

    async def _answer(self, exchange: Exchange) -> None:
        path = exchange.request.path
        if path in self.answers:
            await self.answers[path](exchange)
        elif path == "/v1/models":
            await exchange.json(VLLM)
        elif path == "/version":
            await exchange.json({"version": "0.32.0"})
        elif path in ("/v1/completions", "/v1/chat/completions"):
            await exchange.start()
            await exchange.text("fine", "stop")
            await exchange.end()
        else:
            await exchange.json({"detail": "Not Found"}, 404)


async def _read(reader: asyncio.StreamReader, connection: int) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    method, path, _ = first.split(" ")
    return Request(method, path, headers, json.loads(body) if body else None, connection)


async def _closed(reader: asyncio.StreamReader, closed: asyncio.Event) -> None:
    """Wait for the end of the connection: no client sends anything while it waits for a response."""
    try:
        data = await reader.read(1)
    except ConnectionError:
        data = b""
    assert data == b""
    closed.set()
