"""The middle of a line that is being typed: text that stood there before is behind the cursor."""

from __future__ import annotations

from editahead_prompts.formats.excerpts import split_cursor_line
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import line_body


def types_line_middle(state: EditorState) -> bool:
    """Return whether the user types within a line, and the cursor is where the last key left it."""
    last = state.history[-1] if state.history else None
    if last is None or not last.open or last.erases or last.uri != state.document.uri:
        return False
    row = state.document.line_at(state.cursor) - last.line
    if len(last.old) != len(last.new) or not 0 <= row < len(last.new):
        return False
    before, behind = split_cursor_line(state.document, state.cursor)
    old = line_body(last.old[row])
    head = old[: len(old) - len(behind)]
    if not old.endswith(behind) or before == head:
        return False
    return before.startswith(head) or before[-1:] != head[-1:]
