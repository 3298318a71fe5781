"""Diagnostics of the document, as prompts show them."""

from __future__ import annotations

from editahead_prompts.state import EditorState

from .base import EditableRegion

MAX_MESSAGE_CHARS = 120
"""Most characters of a message that prompts show."""


def diagnostics_in(state: EditorState, region: EditableRegion, limit: int) -> tuple[tuple[int, str], ...]:
    """Return diagnostics that begin in the region, as the 0-based line and the first line of the message.

    Args:
        limit: The number of diagnostics to return. Those nearest to the cursor are chosen, in the order of the text.
    """
    document = state.document
    here = document.line_at(state.cursor)
    found = {
        (line, message.splitlines()[0][:MAX_MESSAGE_CHARS])
        for d in state.diagnostics
        if region.first <= (line := document.line_at(d.start)) < region.end and (message := d.message.strip())
    }
    return tuple(sorted(sorted(found, key=lambda pair: (abs(pair[0] - here), pair))[:limit]))
