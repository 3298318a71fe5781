"""The campaign of clients: fifty of them on one server over TCP for an hour, who come, open, type, ask, close and leave.

`.venv/bin/python tools/campaigns clients --count 50 --minutes 60` runs it. The cache folder keeps the figures of each run
(`clients/log.jsonl`).
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from busy_clients import CANCELLED, CHANGED, BusyClient, start_clients, tcp_server
from figures import percentile
from process_memory import resident_mb

LOOK_S = 300.0
"""Seconds between two looks."""
REST_S = 5.0
"""Seconds after the last client has left, until memory is looked at."""
RIGHT = {"result", str(CANCELLED), str(CHANGED)}


def sum_up(clients: list[BusyClient], since: float) -> dict[str, Any]:
    """Return how many answers there were of each kind, and how long those waited since a time of `time.monotonic`."""
    answers = sum((client.answers for client in clients), Counter[str]())
    ms = [ms for client in clients for at, ms in client.ms if at >= since] or [0.0]
    return {
        "answers": dict(answers),
        "errors": sum(count for kind, count in answers.items() if kind not in RIGHT),
        "unanswered": sum(client.unanswered for client in clients),
        "connections": sum(client.connections for client in clients),
        **{f"p{share}_ms": round(percentile(ms, share / 100), 1) for share in (50, 95, 99)},
    }


async def stay(count: int, lasts_s: float, folder: Path) -> list[dict[str, Any]]:
    """Let clients work on a server of their own, and return what was seen at each look, at the end and after it."""
    rows: list[dict[str, Any]] = []

    def look(when: str, since: float) -> None:
        rows.append({"at": when, "mb": round(resident_mb(server.pid)), **sum_up(clients, since)})
        print(json.dumps(rows[-1]), flush=True)

    async with tcp_server(folder) as (server, port):
        empty_mb = round(resident_mb(server.pid))
        clients = await start_clients(count, port)
        began = time.monotonic()
        working = asyncio.gather(*(client.work_on_many(began + lasts_s) for client in clients))
        while (left := began + lasts_s - time.monotonic()) > 0:
            since = time.monotonic()
            await asyncio.wait({working}, timeout=min(LOOK_S, left))
            if working.done():
                break
            look(f"{(time.monotonic() - began) / 60:.0f} min", since)
        await working
        await asyncio.sleep(REST_S)
        look("after the last has left", began)
        rows[-1]["empty_mb"] = empty_mb
    return rows


def main(count: int, minutes: float) -> int:
    """Run the campaign; return 1 if a request was not answered, or with an error."""
    cache = Path(os.environ.get("EDITAHEAD_CACHE") or Path.home() / ".cache" / "editahead") / "clients"
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="editahead-clients-") as name:
        rows = asyncio.run(stay(count, minutes * 60, Path(name)))
    with (cache / "log.jsonl").open("a") as file:
        file.write(json.dumps({"clients": count, "minutes": minutes, "looks": rows}) + "\n")
    return 1 if rows[-1]["errors"] or rows[-1]["unanswered"] else 0
