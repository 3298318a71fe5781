"""The process itself: `python -m editahead_retrieval.process`, with the task as the first line on stdin."""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress

from .messages import IndexReport, IndexRequest, decode_request, decode_task, encode
from .worker import IndexWorker, run

NICENESS = 10
"""What is added to the niceness of the process, so that the editor and the server come first."""


def main() -> None:
    """Keep an index up to date until stdin ends."""
    with suppress(AttributeError, OSError):
        os.nice(NICENESS)
    first = sys.stdin.readline()
    if not first:
        return
    requests: queue.SimpleQueue[IndexRequest | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    run(IndexWorker(decode_task(first), _send), lambda pause: _receive(requests, pause))


def _read(requests: queue.SimpleQueue[IndexRequest | None]) -> None:
    try:
        for line in sys.stdin:
            requests.put(decode_request(line))
    finally:
        requests.put(None)


def _receive(requests: queue.SimpleQueue[IndexRequest | None], pause: float) -> Sequence[IndexRequest] | None:
    """Return the requests that have come; None at the end of stdin."""
    found: list[IndexRequest] = []
    while True:
        try:
            request = requests.get(timeout=pause) if pause > 0 and not found else requests.get_nowait()
        except queue.Empty:
            return found
        if request is None:
            return None
        found.append(request)


def _send(report: IndexReport) -> None:
    sys.stdout.write(encode(report))
    sys.stdout.flush()


if __name__ == "__main__":
    with suppress(BrokenPipeError, KeyboardInterrupt):
        main()
