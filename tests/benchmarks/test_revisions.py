"""Benchmark of what a key costs in 10,000 lines, beside another revision of Editahead: the two take turns, key by key.

Keys come as a fast typist's do, so that what a server computes ahead of the next key does not count for it, unless it takes
longer than the typist.

`EDITAHEAD_BENCHMARK_AGAINST=REV pytest tests/benchmarks/test_revisions.py -m benchmark -s`
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable

import pytest

from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient, server_command
from editahead_evals.data.commit_replay import Point
from editahead_evals.data.own_checkout import present_commit
from editahead_lab.revisions import checked_out
from editahead_prompts.text.snapshot import Snapshot
from figures import ROUNDS, SHORT, p50_p99, python_text, show

AGAINST = os.environ.get("EDITAHEAD_BENCHMARK_AGAINST", "")

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(not AGAINST, reason="EDITAHEAD_BENCHMARK_AGAINST names no revision to compare with"),
    pytest.mark.skipif(
        sys.platform != "linux", reason="the clock of another process has its number on Linux"
    ),
]

KEY_S = 0.12
"""Seconds between two keys."""
LINES = 1_000 if SHORT else 10_000
URI = "file:///service.py"
NEW_LINES = "        if user is None or count < 0:\n            raise ValueError(items)\n"
"""New code, typed into the middle over and over."""
RENAMED = "load_items(user"
"""What is typed over in one method after the other: `load_items` becomes `find_items`."""


class Typist:
    """A person in an editor of one revision, with the wall and CPU time of each key and its answer, in milliseconds."""

    def __init__(self, environment: dict[str, str]) -> None:
        client = LanguageClient(
            server_command(), env=os.environ | environment | {"EDITAHEAD_TELEMETRY": "off"}
        )
        self.editor = Editor({"debounce_ms": 0}, client=client)
        self._clock = (~client.pid << 3) | 2  # as clock_getcpuclockid(3) makes it of a process
        self.editor.open(URI, "python", python_text(LINES))
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def key(self, at: int, deleted: int, text: str, ask: Callable[[Editor, Point], object]) -> None:
        began, worked = time.perf_counter(), time.clock_gettime(self._clock)
        self.editor.replace(URI, at, at + deleted, text)
        ask(self.editor, self.editor.documents[URI].point(at + len(text)))
        self.wall.append((time.perf_counter() - began) * 1000)
        self.cpu.append((time.clock_gettime(self._clock) - worked) * 1000)


def keys() -> list[tuple[int, int, str]]:
    """Return places, lengths of deleted text, and typed keys: new lines, and a call renamed in method after method."""
    text = python_text(LINES)
    at = Snapshot.from_text(text).starts[LINES // 2]
    made = []
    for number in range(3 * ROUNDS):
        key = NEW_LINES[number % len(NEW_LINES)]
        made.append((at, 0, key))
        text, at = text[:at] + key + text[at:], at + 1
    for _ in range(ROUNDS // 10):
        at = text.index(RENAMED, at)
        for number, key in enumerate("find"):
            made.append((at + number, 4 if number == 0 else 0, key))
        text, at = text[:at] + "find" + text[at + 4 :], at + 4
    return made


@pytest.mark.parametrize(
    ("surface", "ask"),
    [
        ("textDocument/copilotInlineEdit", lambda editor, point: editor.inline_edit(URI, point)),
        ("textDocument/inlineCompletion", lambda editor, point: editor.inline_completion(URI, point)),
    ],
)
def test_a_key_then_and_now(surface: str, ask: Callable[[Editor, Point], object]) -> None:
    with checked_out(AGAINST) as other, contextlib.ExitStack() as open_editors:
        typists = {other.commit: Typist(other.environment), present_commit(): Typist({})}
        for typist in typists.values():
            open_editors.enter_context(typist.editor)
        for number, key in enumerate(keys()):
            for typist in list(typists.values())[:: 1 if number % 2 else -1]:
                typist.key(*key, ask)
            time.sleep(KEY_S)
        rows = [
            [commit, *p50_p99(typist.wall[1:]), *p50_p99(typist.cpu[1:]), f"{len(typist.wall) - 1}"]
            for commit, typist in typists.items()
        ]
    columns = ["commit", "p50", "p99", "CPU p50", "CPU p99", "keys"]
    show(f"didChange and {surface} in {LINES} lines (ms)", columns, rows)
