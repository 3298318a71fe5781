"""Benchmark of fifty editors on one server over TCP: waiting times and memory over the time, and no failure."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from editahead_evals.client.lsp_client import isolated_environment
from figures import SHORT, percentile, python_text, show
from process_memory import resident_mb
from server_harness import lsp_range, position_params
from server_process import REAL

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc, which is Linux's"),
]

CLIENTS = 5 if SHORT else 50
LASTS_S = float(os.environ.get("EDITAHEAD_BENCHMARK_SECONDS", "6" if SHORT else "180"))
LOOKS = 6
"""How often waiting times and memory are summed up."""
THINKS_S = (0.5, 2.0)
"""Seconds between two changes of one client."""
TOKEN = "of-fifty-clients"
LINES = 150


class Client:
    """A client that types at random places of its document and asks after each change."""

    def __init__(self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer, self._dice = reader, writer, random.Random(number)
        self.uri, self.version, self._last = f"file:///home/{number}/a.py", 1, 0
        self.ms: list[tuple[float, float]] = []

    def send(self, method: str, params: Any, id: int | None = None) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        if id is None:
            body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params})
        self._writer.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())

    async def ask(self, method: str, params: Any) -> Any:
        self._last += 1
        self.send(method, params, self._last)
        while True:
            header = await self._reader.readuntil(b"\r\n\r\n")
            length = int(header.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            message = json.loads(await self._reader.readexactly(length))
            if message.get("id") == self._last and "method" not in message:
                assert "error" not in message, message["error"]
                return message["result"]

    async def start(self) -> None:
        options = {"editahead": {"token": TOKEN, "debounce_ms": 0}}
        await self.ask(
            "initialize", {"processId": None, "capabilities": {}, "initializationOptions": options}
        )
        self.send("initialized", {})
        item = {"uri": self.uri, "languageId": "python", "version": 1, "text": python_text(LINES)}
        self.send("textDocument/didOpen", {"textDocument": item})

    async def work(self, until: float) -> None:
        while time.monotonic() < until:
            await asyncio.sleep(self._dice.uniform(*THINKS_S))
            line, word = self._dice.randrange(LINES), self._dice.choice(("user", "count", "size", "x"))
            self.version += 1
            document = {"uri": self.uri, "version": self.version}
            change = {"range": lsp_range(line, 0, line, self._dice.choice((0, 0, 4))), "text": word}
            self.send("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
            began = time.perf_counter()
            params = position_params(self.uri, self.version, line, len(word))
            await self.ask("editahead/nextEdit", params)
            self.ms.append((time.monotonic(), (time.perf_counter() - began) * 1000))
        await self.ask("shutdown", None)
        self._writer.close()


async def test_many_clients(tmp_path: Path) -> None:
    environment = {**isolated_environment(tmp_path), "EDITAHEAD_TOKEN": TOKEN}
    server = await asyncio.create_subprocess_exec(
        *REAL, "--tcp", "127.0.0.1:0", env=environment, stderr=asyncio.subprocess.PIPE
    )
    assert server.stderr is not None
    port = int((await server.stderr.readline()).rpartition(b":")[2])
    drain = asyncio.create_task(server.stderr.read())
    clients = []
    for number in range(CLIENTS):  # the server bounds those that it does not know yet
        clients.append(Client(number, *await asyncio.open_connection("127.0.0.1", port)))
        await clients[-1].start()
    started = time.monotonic()
    working = [asyncio.create_task(client.work(started + LASTS_S)) for client in clients]
    rows: list[list[str]] = []
    for look in range(LOOKS):
        await asyncio.sleep(LASTS_S / LOOKS)
        since = started + look * LASTS_S / LOOKS
        ms = [ms for client in clients for at, ms in client.ms if at >= since] or [0.0]
        figures = [f"{percentile(ms, share):.0f}" for share in (0.5, 0.95, 0.99)]
        rows.append(
            [
                f"{(look + 1) * LASTS_S / LOOKS:.0f} s",
                f"{len(ms)}",
                *figures,
                f"{resident_mb(server.pid):.0f}",
            ]
        )
    await asyncio.gather(*working)
    memory = resident_mb(server.pid)
    server.terminate()
    assert await server.wait() == 0
    assert b"Traceback" not in await drain
    rows.append(["after the last has gone", "", "", "", "", f"{memory:.0f}"])
    show(f"{CLIENTS} clients over TCP (ms to an answer)", ["", "answers", "p50", "p95", "p99", "MB"], rows)
    assert all(client.ms for client in clients)
