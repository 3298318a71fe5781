"""Benchmark of one prediction, alone and through the server, in documents of three sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import pytest

from editahead_evals.client.editor import Editor
from editahead_inference.pipeline import Pipeline
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from figures import ROUNDS, SHORT, p50_p99, python_text, show, timed

pytestmark = pytest.mark.benchmark

SIZES = (200,) if SHORT else (200, 2_000, 10_000)
URI = "file:///service.py"


class Session:
    """A person in one document: every change makes a state, as in the server."""

    def __init__(self, text: str) -> None:
        self.snapshot = Snapshot.from_text(text, uri=URI, language="python")
        self.history = EditHistory()
        self.history.on_open(self.snapshot)
        self.at = 0.0

    def make(self, start: int, end: int, text: str) -> EditorState:
        before, edit = self.snapshot, Edit.replace(start, end, text)
        self.snapshot = Snapshot.from_text(
            edit.apply(before.text), uri=URI, language="python", version=before.version + 1
        )
        self.at += 10
        self.history.record_change(before, self.snapshot, edit, at=self.at, cursor=None)
        return EditorState(self.snapshot, start + len(text), self.history.edits)

    def replace(self, old: str, new: str, *, after: int = 0) -> EditorState:
        at = self.snapshot.text.index(old, after)
        return self.make(at, at + len(old), new)


def working(lines: int) -> Iterator[tuple[str, EditorState]]:
    """Yield states after long work in the document: a rename with many sites, an insertion, an added argument."""
    session = Session(python_text(lines))
    middle = session.snapshot.starts[len(session.snapshot.lines) // 3]
    method = session.snapshot.text.index("    def method_", middle)
    for _ in range(3):
        state = session.replace("user is None", "owner is None", after=method)
        yield "rename", state
        method = session.snapshot.text.index("    def method_", state.cursor)
    for _ in range(2):
        yield (
            "insertion",
            session.replace(
                "        for item in items:\n",
                "        check(items)\n        for item in items:\n",
                after=method,
            ),
        )
        method = session.snapshot.text.index("    def method_", method + 1)
    for _ in range(2):
        number = re.compile(r"load_items\(user, (\d+)\)").search(session.snapshot.text, method)
        assert number is not None
        yield "argument added", session.make(number.end() - 1, number.end() - 1, ", strict=True")
        method = session.snapshot.text.index("    def method_", method + 1)
    at = session.snapshot.text.index("return count", method) + len("return count")
    for key in " + total":
        yield "keystroke", session.make(at, at, key)
        at += 1


def test_prediction_alone() -> None:
    rows: list[list[str]] = []
    for lines in SIZES:
        everything: list[float] = []
        by_kind: dict[str, list[float]] = {"first of a document": []}
        for _ in range(max(ROUNDS // 20, 3)):
            pipeline = Pipeline()
            for number, (kind, state) in enumerate(working(lines)):
                ms = timed(partial(pipeline.predict, state))
                by_kind.setdefault("first of a document" if number == 0 else kind, []).append(ms)
                everything += [ms] if number else []
        rows += [[f"{lines}", kind, *p50_p99(values), f"{len(values)}"] for kind, values in by_kind.items()]
        rows.append([f"{lines}", "all but the first", *p50_p99(everything), f"{len(everything)}"])
    show("Prediction, in process (ms)", ["lines", "after", "p50", "p99", "times"], rows)


def test_prediction_through_the_server() -> None:
    rows: list[list[str]] = []
    for lines in SIZES:
        times: list[float] = []
        with Editor({"debounce_ms": 0, "eagerness": 0.5}) as editor:
            for round_ in range(max(ROUNDS // 40, 2)):
                uri = editor.uri(f"service{round_}.py")
                states = list(working(lines))
                editor.open(uri, "python", python_text(lines))
                for _, state in states:
                    old, new = editor.documents[uri].text, state.document.text
                    head, tail = common_affixes(old, new)
                    editor.replace(uri, head, len(old) - tail, new[head : len(new) - tail])
                    point = editor.documents[uri].point(state.cursor)
                    times.append(editor.next_edit(uri, point, "manual").ms)
                editor.close(uri)
        rows.append([f"{lines}", *p50_p99(times), f"{len(times)}"])
    show("didChange and editahead/nextEdit, through the server (ms)", ["lines", "p50", "p99", "times"], rows)
