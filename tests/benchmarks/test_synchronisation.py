"""Benchmark of one didChange beside stock pygls: the mirror alone, and through a server process."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.workspace import Workspace

from editahead_evals.client.editor import CAPABILITIES, Editor, position
from editahead_evals.client.lsp_client import LanguageClient
from editahead_lsp.protocol.custom_messages import Position, Range, TextDocumentContentChange
from editahead_lsp.session.outcome_tracker import OutcomeTracker
from editahead_lsp.session.session import Session
from figures import ROUNDS, SHORT, p50_p99, percentile, python_text, show, timed

pytestmark = pytest.mark.benchmark

SIZES = (1_000,) if SHORT else (1_000, 10_000)
STOCK = str(Path(__file__).with_name("stock_server.py"))
URI = "file:///service.py"
CHEAP: tuple[str, Any] = (
    "textDocument/inlineCompletion",
    {
        "textDocument": {"uri": "file:///closed.py"},
        "position": position((0, 0)),
        "context": {"triggerKind": 1},
    },
)
"""A request that the server answers without any work: the document is not open."""


def keystrokes(lines: int) -> Iterator[tuple[int, int]]:
    """Yield places of typed characters: a random place, then the rest of its line."""
    rng = random.Random(7)
    for _ in range(ROUNDS):
        line = rng.randrange(lines)
        for character in range(4):
            yield line, character


def ours(lines: int) -> list[float]:
    """Measure everything that our handler does: mirror, history, state."""
    session = Session(lambda: 0.0, OutcomeTracker(lambda: 0.0, lambda: 0.0, "", None))
    session.open(URI, "python", 1, python_text(lines))
    return [
        timed(
            partial(
                session.change,
                URI,
                None,
                [TextDocumentContentChange("x", Range(Position(*at), Position(*at)))],
            )
        )
        for at in keystrokes(lines)
    ]


def stock(lines: int) -> list[float]:
    """Measure the work of pygls before any handler: its text, and its lines for a position."""
    workspace = Workspace(None)
    workspace.put_text_document(types.TextDocumentItem(URI, "python", 1, python_text(lines)))

    def change(at: tuple[int, int]) -> None:
        place = types.Position(*at)
        event = types.TextDocumentContentChangePartial(range=types.Range(place, place), text="x")
        workspace.update_text_document(types.VersionedTextDocumentIdentifier(version=2, uri=URI), event)
        workspace.get_text_document(URI).offset_at_position(place)

    return [timed(partial(change, at)) for at in keystrokes(lines)]


def test_the_mirror_alone() -> None:
    rows: list[list[str]] = []
    for lines in SIZES:
        a, b = ours(lines), stock(lines)
        ratio = percentile(a, 0.5) / percentile(b, 0.5)
        rows.append([f"{lines}", *p50_p99(a), *p50_p99(b), f"{ratio:.2f}"])
    show(
        "didChange in process (ms): mirror, history and state, beside pygls' text and one position",
        ["lines", "p50", "p99", "pygls p50", "pygls p99", "ratio of p50"],
        rows,
    )


def _through(client: LanguageClient, lines: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of a change with a cheap request behind it, and of that request alone."""
    alone, changed = [], []
    for version, at in enumerate(keystrokes(lines), 2):
        alone.append(timed(lambda: client.request(*CHEAP)))
        where = position(at)
        change = {
            "textDocument": {"uri": URI, "version": version},
            "contentChanges": [{"range": {"start": where, "end": where}, "text": "x"}],
        }

        def type_and_ask(change: Any = change) -> None:
            client.notify("textDocument/didChange", change)
            client.request(*CHEAP)

        changed.append(timed(type_and_ask))
    return changed, alone


def test_through_the_server() -> None:
    rows: list[list[str]] = []
    for lines in SIZES:
        opened = {
            "textDocument": {"uri": URI, "languageId": "python", "version": 1, "text": python_text(lines)}
        }
        with Editor({"debounce_ms": 0}) as editor:
            editor.client.notify("textDocument/didOpen", opened)
            ours_, alone = _through(editor.client, lines)
        with LanguageClient([sys.executable, STOCK]) as client:
            client.request("initialize", {"processId": None, "rootUri": None, "capabilities": CAPABILITIES})
            client.notify("initialized", {})
            client.notify("textDocument/didOpen", opened)
            stocks, stock_alone = _through(client, lines)
        mine = [a - percentile(alone, 0.5) for a in ours_]
        theirs = [a - percentile(stock_alone, 0.5) for a in stocks]
        ratio = percentile(mine, 0.5) / percentile(theirs, 0.5)
        rows.append([f"{lines}", *p50_p99(mine), *p50_p99(theirs), f"{ratio:.2f}"])
    show(
        "didChange through a server process (ms): until a request that follows is answered, less that request alone",
        ["lines", "p50", "p99", "pygls p50", "pygls p99", "ratio of p50"],
        rows,
    )
