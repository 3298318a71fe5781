"""Benchmark of the server process: time until the response to `initialize`, and memory."""

from __future__ import annotations

import sys
import time

import pytest

from editahead_evals.client.editor import Editor
from figures import SHORT, p50_p99, python_text, show
from process_memory import resident_mb

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc, which is Linux's"),
]

DOCUMENTS = 20 if SHORT else 200
LINES = 300


def test_cold_start() -> None:
    times: list[float] = []
    for _ in range(2 if SHORT else 10):
        started = time.perf_counter()
        with Editor():
            times.append((time.perf_counter() - started) * 1000)
    show(
        "From process start to the answer to initialize (ms)", ["", "p50", "p99"], [["cold", *p50_p99(times)]]
    )


def test_memory() -> None:
    rows: list[list[str]] = []
    with Editor({"debounce_ms": 0}) as editor:
        pid = editor.client.pid
        rows.append(["idle, after initialize", f"{resident_mb(pid):.0f}"])
        uris = [editor.uri(f"service{number}.py") for number in range(DOCUMENTS)]
        for number, uri in enumerate(uris):
            editor.open(uri, "python", f"# {number}\n{python_text(LINES)}")
        editor.next_edit(uris[-1], (0, 0), "manual")
        rows.append([f"{DOCUMENTS} documents of {LINES} lines open", f"{resident_mb(pid):.0f}"])
        for uri in uris:
            editor.replace(uri, 0, 1, "##")
            editor.next_edit(uri, (0, 2), "manual")
        rows.append(["each of them edited, and asked about", f"{resident_mb(pid):.0f}"])
    show("Memory of the server process (MB resident)", ["", "MB"], rows)
