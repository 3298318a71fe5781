"""What a key costs the completion at the cursor: the update of the counts, the prediction, and ghost text by the server."""

from __future__ import annotations

from functools import partial

import pytest

from editahead_evals.client.editor import Editor
from editahead_inference.predictors.completion.open_texts import OpenTexts
from editahead_inference.predictors.completion.predictor import Completion
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import Snapshot
from figures import ROUNDS, SHORT, p50_p99, python_text, show, timed

pytestmark = pytest.mark.benchmark

SIZES = (1_000,) if SHORT else (1_000, 10_000)
TYPED = "        if user is None or count < 0:\n            raise ValueError(items)\n"


def states(lines: int, keys: int) -> list[EditorState]:
    """Lines are typed into the middle of a document."""
    snapshot = Snapshot.from_text(python_text(lines), uri="file:///service.py", language="python")
    history = EditHistory()
    history.on_open(snapshot)
    cursor = snapshot.starts[len(snapshot.lines) // 2]
    found = []
    for number in range(keys):
        edit = Edit.replace(cursor, cursor, TYPED[number % len(TYPED)])
        before = snapshot
        snapshot = Snapshot(before.uri, before.language, number + 1, apply_to_lines(before, edit))
        history.record_change(before, snapshot, edit, at=0.1 * number, cursor=cursor)
        cursor += 1
        found.append(EditorState(snapshot, cursor, history.edits))
    return found


def test_a_key() -> None:
    rows: list[list[str]] = []
    for lines in SIZES:
        first, *others = states(lines, 4 * ROUNDS)
        for state in (first, *others):
            _ = state.document.text, state.document.starts  # every predictor needs them
        texts, completion = OpenTexts(), Completion()
        for what, work in [
            ("update of the counts", lambda state, texts=texts: texts.model_at(state, lambda: None)),
            ("update and prediction", lambda state, made=completion: made.propose(state, lambda: None)),
        ]:
            opened = timed(partial(work, first))
            times = [timed(partial(work, state)) for state in others]
            rows.append([f"{lines}", what, f"{opened:.1f}", *p50_p99(times), f"{len(times)}"])
    show("Completion at the cursor (ms)", ["lines", "what", "first", "p50", "p99", "times"], rows)


@pytest.mark.parametrize("closes", [True, False])
def test_ghost_text_through_the_server(closes: bool) -> None:
    """With an editor that puts in the closing bracket, and with one that does not, so that all below is broken meanwhile."""
    rows: list[list[str]] = []
    for lines in SIZES:
        text = python_text(lines)
        cursor = Snapshot.from_text(text).starts[lines // 2]
        with Editor({"debounce_ms": 0}) as editor:
            uri = editor.uri("service.py")
            editor.open(uri, "python", text)
            times = []
            for number in range(3 * ROUNDS):
                key = TYPED[number % len(TYPED)]
                if closes and key == ")":
                    editor.replace(uri, cursor, cursor + 1, key)  # it is there already, and is typed over
                else:
                    editor.replace(uri, cursor, cursor, "()" if closes and key == "(" else key)
                cursor += 1
                point = editor.documents[uri].point(cursor)
                times.append(editor.inline_completion(uri, point).ms)
        rows.append([f"{lines}", f"{times[0]:.1f}", *p50_p99(times[1:]), f"{len(times)}"])
    title = f"didChange and textDocument/inlineCompletion, brackets {'closed' if closes else 'open'} (ms)"
    show(title, ["lines", "first", "p50", "p99", "times"], rows)
