"""What others say of the document, as prompts show it."""

from __future__ import annotations

from editahead_prompts.state import EditorState

from .base import EditableRegion

LONGEST = 120
"""Characters of a message that are shown."""


def diagnostics_in(state: EditorState, region: EditableRegion, most: int) -> tuple[tuple[int, str], ...]:
    """Those that begin in the region, as a line (0-based) and the first line of the message: so many of those nearest to the
    cursor, in the order of the text."""
    document = state.document
    here = document.line_at(state.cursor)
    found = {
        (line, message.splitlines()[0][:LONGEST])
        for d in state.diagnostics
        if region.first <= (line := document.line_at(d.start)) < region.end and (message := d.message.strip())
    }
    return tuple(sorted(sorted(found, key=lambda pair: (abs(pair[0] - here), pair))[:most]))
