"""Text that goes on at the cursor: when it is asked for, and what of it is behind the cursor already."""

from __future__ import annotations

import re

from editahead_prompts.formats.excerpts import split_cursor_line
from editahead_prompts.state import EditorState

_CLOSERS = re.compile(r"""[\s)\]}>"'`;,:]*""")


def types_line_end(state: EditorState) -> bool:
    """Return whether the user is typing, with nothing but closing marks behind the cursor in its line."""
    document, cursor = state.document, state.cursor
    last = state.history[-1] if state.history else None
    if last is None or not last.open or last.erases or last.uri != document.uri:
        return False
    if not last.line <= document.line_at(cursor) < last.line + max(len(last.new), 1):
        return False
    return _CLOSERS.fullmatch(split_cursor_line(document, cursor)[1]) is not None


def without_tail(text: str, tail: str) -> str:
    """Return a continuation up to where it says the text behind the cursor again: closing marks that it did not open.

    A tail with other text in it is left alone: the continuation may well say a closing mark before it.
    """
    if not tail or not _CLOSERS.fullmatch(tail):
        return text
    depth = 0
    for at, char in enumerate(text):
        if char == tail[0] and depth == 0:
            return text[:at]
        depth += char in "([{"
        depth -= char in ")]}" and depth > 0
    return text
