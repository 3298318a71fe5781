"""Past edits of clients whose prompts hold none: what has changed from one request about a text to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from editahead_prompts.formats.next_edit.continuation import types_line_end
from editahead_prompts.formats.next_edit.typed_middle import types_line_middle
from editahead_prompts.formats.reading.base import ReadPrompt
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

MAX_CHANGED_LINES = 20
"""Lines that change from one request to the next, at most: more is another text."""
MAX_TEXTS = 16
"""Texts that are remembered, those that were asked about last."""


class SeenTexts:
    """The texts of the last requests, each with the edits since the first request about it.

    Clients show a window of the text, which moves with the cursor: what it leaves or takes in at its ends is no edit.

    Args:
        clock: Returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: list[tuple[Snapshot, EditHistory]] = []

    def with_history(self, prompt: ReadPrompt) -> ReadPrompt:
        """Return a prompt with the past edits of its text. The last one grows, or else the one that the prompt implies."""
        state = prompt.state
        past = self._follow(state.document).edits
        growing = replace(state, history=past)
        if types_line_end(growing) or types_line_middle(growing):
            return replace(prompt, state=growing)
        line = state.document.line_at(state.cursor)
        closed = (
            replace(edit, open=False) for edit in past if not edit.line <= line < edit.line + len(edit.new)
        )
        return replace(prompt, state=replace(state, history=(*closed, *state.history)))

    def _follow(self, document: Snapshot) -> EditHistory:
        """Return the history of a text, with what changed since the last request."""
        for number, (before, history) in enumerate(self._seen):
            moved = _in_window(before, document)
            if moved is None:
                continue
            del self._seen[number]
            history.on_open(moved)
            if moved.lines != document.lines:
                edit = Edit.replace(0, moved.length, document.text)
                history.record_change(moved, document, edit, at=self._clock())
            break
        else:
            history = EditHistory()
            history.on_open(document)
        self._seen = [(document, history), *self._seen][:MAX_TEXTS]
        return history


def _in_window(before: Snapshot, now: Snapshot) -> Snapshot | None:
    """Return an earlier text in the window of the present one; None where they are different texts."""
    if before.uri != now.uri or before.language != now.language:
        return None
    lines = list(now.lines)
    changed = 0
    hunks = list(diff_lines(before.lines, now.lines))
    for i1, i2, j1, j2 in reversed(hunks):
        at_edge = 0 in (i1, j1) or i2 == len(before.lines) or j2 == len(now.lines)
        if at_edge and (i1 == i2 or j1 == j2):
            continue
        changed += max(i2 - i1, j2 - j1)
        lines[j1:j2] = before.lines[i1:i2]
    same = len(before.lines) - sum(i2 - i1 for i1, i2, _, _ in hunks)
    if changed > MAX_CHANGED_LINES or same * 2 < min(len(before.lines), len(now.lines)):
        return None
    return replace(now, lines=tuple(lines))
