"""The history for prompts: each edit at its place in the text of its time, with context lines.

A `PastEdit` holds its present place. Reverting the edits one by one, newest first, gives the text that each was made in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import line_body

CONTEXT = 3
"""Lines of context on either side of a change in a unified diff."""

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """A past edit in the text of its time.

    Attributes:
        line: The 0-based line of the text before the edit at which the old lines began.
        before: All lines of that text, with their line ends; None where the document is not open, or the edit's lines
            have changed since.
    """

    edit: PastEdit
    line: int
    before: Lines | None

    def context(self, context: int) -> tuple[Lines, Lines]:
        """Return up to `context` lines above and below the edit."""
        if self.before is None:
            return (), ()
        end = self.line + len(self.edit.old)
        below = self.before[end : end + context]
        if below and end + context >= len(self.before) and below[-1] == "":
            below = below[:-1]
        return self.before[max(self.line - context, 0) : self.line], below


def history_events(state: EditorState) -> tuple[HistoryEvent, ...]:
    """Return the history as events, oldest first."""
    texts: dict[str, Lines | None] = {}
    undone: dict[str, list[tuple[int, int, int]]] = {}
    out: list[HistoryEvent] = []
    for edit in reversed(state.history):
        if edit.uri not in texts:
            snapshot = state.snapshot(edit.uri)
            texts[edit.uri] = None if snapshot is None else snapshot.lines
        later = undone.setdefault(edit.uri, [])
        line = edit.line
        for at, old, new in later:
            line = line - new + old if line >= at + new else min(line, at)
        lines = texts[edit.uri]
        if lines is not None and lines[line : line + len(edit.new)] == edit.new:
            lines = texts[edit.uri] = (*lines[:line], *edit.old, *lines[line + len(edit.new) :])
            later.append((line, len(edit.old), len(edit.new)))
            out.append(HistoryEvent(edit, line, lines))
        else:
            out.append(HistoryEvent(edit, line, None))
    return tuple(reversed(out))


def to_unified_diff(event: HistoryEvent, context: int = CONTEXT) -> str:
    """Render the edit as one hunk of a unified diff with its header; every line ends in a line feed."""
    above, below = event.context(context)
    old, new = _bodies(event.edit.old), _bodies(event.edit.new)
    body = [" " + line for line in _bodies(above)]
    line = 0
    for i1, i2, j1, j2 in diff_lines(old, new):
        body += (" " + same for same in old[line:i1])
        body += ("-" + deleted for deleted in old[i1:i2])
        body += ("+" + inserted for inserted in new[j1:j2])
        line = i2
    body += (" " + same for same in (*old[line:], *_bodies(below)))
    around = len(above) + len(below)
    was, now = len(old) + around, len(new) + around
    first = event.line - len(above)
    header = f"@@ -{first + bool(was)},{was} +{first + bool(now)},{now} @@"
    return "".join(f"{line}\n" for line in (header, *body))


def before_and_after(event: HistoryEvent, context: int) -> tuple[str, str]:
    """Return the text before and after the edit, with `context` lines around both and no final line end."""
    above, below = event.context(context)
    return (
        "\n".join(_bodies((*above, *event.edit.old, *below))),
        "\n".join(_bodies((*above, *event.edit.new, *below))),
    )


def _bodies(lines: Sequence[str]) -> Lines:
    return tuple(map(line_body, lines))
