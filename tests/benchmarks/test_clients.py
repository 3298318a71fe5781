"""Benchmark of fifty editors on one server over TCP: waiting times and memory over the time, and no failure."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from busy_clients import start_clients, tcp_server
from figures import SHORT, percentile, show
from process_memory import resident_mb

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc, which is Linux's"),
]

CLIENTS = 5 if SHORT else 50
LASTS_S = float(os.environ.get("EDITAHEAD_BENCHMARK_SECONDS", "6" if SHORT else "180"))
LOOKS = 6
"""How often waiting times and memory are summed up."""


async def test_many_clients(tmp_path: Path) -> None:
    rows: list[list[str]] = []
    async with tcp_server(tmp_path) as (server, port):
        clients = await start_clients(CLIENTS, port)
        started = time.monotonic()
        working = [asyncio.create_task(client.work_on_one_document(started + LASTS_S)) for client in clients]
        for look in range(LOOKS):
            await asyncio.sleep(LASTS_S / LOOKS)
            since = started + look * LASTS_S / LOOKS
            ms = [ms for client in clients for at, ms in client.ms if at >= since] or [0.0]
            figures = [f"{percentile(ms, share):.0f}" for share in (0.5, 0.95, 0.99)]
            at = f"{(look + 1) * LASTS_S / LOOKS:.0f} s"
            rows.append([at, f"{len(ms)}", *figures, f"{resident_mb(server.pid):.0f}"])
        await asyncio.gather(*working)
        await asyncio.gather(*(client.leave() for client in clients))
        rows.append(["after the last has gone", "", "", "", "", f"{resident_mb(server.pid):.0f}"])
    show(f"{CLIENTS} clients over TCP (ms to an answer)", ["", "answers", "p50", "p95", "p99", "MB"], rows)
    assert all(client.ms and not client.unanswered for client in clients)
