"""Clients of one server over TCP that open, type, ask, cancel and close, and count what they are answered."""

from __future__ import annotations

import asyncio
import json
import random
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from editahead_evals.client.lsp_client import isolated_environment
from figures import python_text
from server_harness import lsp_range, position_params
from server_process import REAL

TOKEN = "of-many-clients"
THINKS_S = (0.5, 2.0)
"""Seconds between two changes of one client."""
LINES = 150
EDITS_OF_DOCUMENT = 40
"""Changes of one document, at most, before it is closed."""
DOCUMENTS_OF_CONNECTION = 10
"""Documents of one connection, at most, before the client leaves and comes again."""
MAX_WAIT_S = 120.0
"""Seconds in which an answer must come, on a machine that does other things, too."""
SURFACES = ("editahead/nextEdit", "textDocument/copilotInlineEdit", "textDocument/inlineCompletion")
CANCELLED, CHANGED = -32800, -32801
"""Errors that are right answers: the client has cancelled, or has changed the text meanwhile."""


class BusyClient:
    """A client that types at random places of its documents and asks after each change.

    Attributes:
        ms: The time of each answer to a request that was waited for, and the milliseconds until then.
        answers: How many answers there were, by kind: "result", or the code of an error.
        unanswered: Requests whose connection the client kept open, and that had no answer within `MAX_WAIT_S`.
    """

    def __init__(self, number: int, port: int) -> None:
        self._number, self._port, self._dice = number, port, random.Random(number)
        self._waiting: set[int] = set()
        self._last = self._version = self._documents = 0
        self._uri = ""
        self.ms: list[tuple[float, float]] = []
        self.answers: Counter[str] = Counter()
        self.unanswered = self.connections = 0

    async def start(self) -> None:
        """Connect and initialize."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        self.connections += 1
        options = {"editahead": {"token": TOKEN, "debounce_ms": 0}}
        await self.ask(
            "initialize", {"processId": None, "capabilities": {}, "initializationOptions": options}
        )
        self.send("initialized", {})

    async def work_on_one_document(self, until: float) -> None:
        """Open a document, type in it until a time of `time.monotonic`, and close it."""
        await self._open()
        while time.monotonic() < until:
            await self._type_and_ask()
        self._close()

    async def work_on_many(self, until: float) -> None:
        """Go from document to document, and from connection to connection, until a time of `time.monotonic`."""
        while time.monotonic() < until:
            for _ in range(self._dice.randint(1, DOCUMENTS_OF_CONNECTION)):
                await self._open()
                for _ in range(self._dice.randint(1, EDITS_OF_DOCUMENT)):
                    if time.monotonic() >= until:
                        break
                    await self._type_and_ask()
                self._close()
            if self._dice.random() < 0.3:
                self._writer.transport.abort()  # it dies
                self._waiting.clear()
            else:
                await self.leave()
            if time.monotonic() < until:
                await self.start()
        await self.leave()

    async def leave(self) -> None:
        """Wait for all answers, and end the connection as the protocol wants it."""
        if not self._writer.is_closing():
            await self.ask("shutdown", None)
            while self._waiting:
                await self._read()
            self.send("exit", None)
            self._writer.close()

    def send(self, method: str, params: Any, id: int | None = None) -> None:
        """Send a notification, or a request."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if id is None else message | {"id": id})
        self._writer.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())

    async def ask(self, method: str, params: Any, *, cancels: bool = False) -> None:
        """Send a request and wait for its answer, or cancel it and wait for nothing."""
        self._last += 1
        id, began = self._last, time.perf_counter()
        self._waiting.add(id)
        self.send(method, params, id)
        if cancels:
            self.send("$/cancelRequest", {"id": id})
            return
        while id in self._waiting:
            await self._read()
        self.ms.append((time.monotonic(), (time.perf_counter() - began) * 1000))

    async def _read(self) -> None:
        """Read a message. Where none comes in time, all requests that wait count as unanswered."""
        try:
            async with asyncio.timeout(MAX_WAIT_S):
                header = await self._reader.readuntil(b"\r\n\r\n")
                length = int(header.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
                message = json.loads(await self._reader.readexactly(length))
        except TimeoutError:
            self.unanswered += len(self._waiting)
            self._waiting.clear()
            return
        if "method" not in message and message.get("id") in self._waiting:
            self._waiting.remove(message["id"])
            self.answers[str(message["error"]["code"]) if "error" in message else "result"] += 1

    async def _open(self) -> None:
        self._documents += 1
        self._uri, self._version = f"file:///home/{self._number}/{self._documents}.py", 1
        item = {"uri": self._uri, "languageId": "python", "version": 1, "text": python_text(LINES)}
        self.send("textDocument/didOpen", {"textDocument": item})

    def _close(self) -> None:
        self.send("textDocument/didClose", {"textDocument": {"uri": self._uri}})

    async def _type_and_ask(self) -> None:
        await asyncio.sleep(self._dice.uniform(*THINKS_S))
        line, word = self._dice.randrange(LINES), self._dice.choice(("user", "count", "size", "x"))
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        change = {"range": lsp_range(line, 0, line, self._dice.choice((0, 0, 4))), "text": word}
        self.send("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        params = position_params(self._uri, self._version, line, len(word))
        if self._dice.random() < 0.1:
            await self.ask(self._dice.choice(SURFACES), params, cancels=True)
        await self.ask(self._dice.choices(SURFACES, (8, 1, 1))[0], params)


@asynccontextmanager
async def tcp_server(folder: Path) -> AsyncIterator[tuple[Process, int]]:
    """Run a server over TCP, whose files are in a folder. Yield its process and its port; it must end by itself."""
    environment = {**isolated_environment(folder), "EDITAHEAD_TOKEN": TOKEN}
    server = await asyncio.create_subprocess_exec(*REAL, "--tcp", "127.0.0.1:0", env=environment, stderr=PIPE)
    assert server.stderr is not None
    port = int((await server.stderr.readline()).rpartition(b":")[2])
    drain = asyncio.create_task(server.stderr.read())
    try:
        yield server, port
    finally:
        server.terminate()
        code, said = await server.wait(), await drain
    assert code == 0 and b"Traceback" not in said, said.decode(errors="replace")


async def start_clients(count: int, port: int) -> list[BusyClient]:
    """Return clients, connected one after the other: a server bounds those that it does not know yet."""
    clients = [BusyClient(number, port) for number in range(count)]
    for client in clients:
        await client.start()
    return clients
