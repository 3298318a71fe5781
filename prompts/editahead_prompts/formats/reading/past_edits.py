"""Past edits of a prompt: unified diffs, and blocks of text before and after, put back at their place in the document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from editahead_prompts.formats.history_events import CONTEXT
from editahead_prompts.state import EditorState, Origin, PastEdit
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.snapshot import Snapshot, line_body, line_end

from .base import make_document, uri_of

ACCEPTED = "// User accepted prediction:"
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A past edit as a prompt shows it. Lines are without their ends.

    Attributes:
        path: The path of its file.
        above: The lines above that the prompt shows with it.
        old: The lines before the edit.
        new: The lines after the edit.
        below: The lines below that the prompt shows with it.
        line: The 0-based line of `above` in the text after the edit; None if the prompt does not say it.
        origin: How the edit was made.
    """

    path: str
    above: Lines
    old: Lines
    new: Lines
    below: Lines
    line: int | None = None
    origin: Origin = "typed"


def make_change(
    path: str, old: Sequence[str], new: Sequence[str], line: int | None = None, origin: Origin = "typed"
) -> Change:
    """Return the change of a text to another. What both have in common around it is context."""
    old, new = tuple(old), tuple(new)
    head, tail = common_affixes(old, new)
    inner = slice(head, len(old) - tail), slice(head, len(new) - tail)
    return Change(path, old[:head], old[inner[0]], new[inner[1]], old[len(old) - tail :], line, origin)


def read_diffs(text: str, path: str = "") -> Iterator[Change]:
    """Yield the hunks of unified diffs.

    Args:
        text: The diffs, with or without headers.
        path: The path of a diff without a header.
    """
    origin: Origin = "typed"
    old_path = ""
    lines = iter(text.split("\n"))
    for line in lines:
        hunk = _HUNK.match(line)
        if line.startswith("--- "):
            old_path = line[4:]
        elif line.startswith("+++ "):
            path = _without_side(old_path, line[4:])
        elif line == ACCEPTED:
            origin = "accepted"
        elif hunk is not None:
            counts = [1 if count is None else int(count) for count in (hunk[1], hunk[3])]
            old, new = _read_hunk(lines, *counts)
            if old != new:
                yield make_change(path, old, new, int(hunk[2]) - (1 if new else 0), origin)
            origin = "typed"


def _without_side(old: str, new: str) -> str:
    """Return the path of a file that a diff names twice, without the letters of the two sides."""
    return new[2:] if old.startswith("a/") and new.startswith("b/") else new


def _read_hunk(lines: Iterator[str], old_count: int, new_count: int) -> tuple[list[str], list[str]]:
    """Return the lines of a hunk before and after it. The counts say where it ends."""
    old: list[str] = []
    new: list[str] = []
    while len(old) < old_count or len(new) < new_count:
        line = next(lines, None)
        if line is None:
            break
        sign = line[:1] or " "
        if sign in " -":
            old.append(line[1:])
        if sign in " +":
            new.append(line[1:])
    return old, new


def with_history(state: EditorState, changes: Sequence[Change]) -> EditorState:
    """Return the state with past edits, oldest first, each at its present place.

    A file that the prompt shows only in its edits becomes another document, which holds the lines around the last of them.
    """
    placed = _Placement(state)
    edits = [placed.undo(change) for change in reversed(changes)]
    edits.reverse()
    history = [
        PastEdit(uri_of(change.path), _moved(edits, number), old, new, float(number), change.origin)
        for number, (change, (_, _, old, new, _)) in enumerate(zip(changes, edits, strict=True))
    ]
    if history and history[-1].uri == state.document.uri:
        last, line = history[-1], state.document.line_at(state.cursor)
        touches = last.line - 1 <= line <= last.line + len(last.new)
        history[-1] = replace(last, open=touches)
    others = (*state.other_documents, *placed.snippets)
    return replace(state, history=tuple(history), other_documents=others)


_Undone = tuple[str, int, Lines, Lines, bool]
"""The URI of an edit, its line in the text of its time, its old and new lines, and whether its place was found."""


def _moved(edits: Sequence[_Undone], number: int) -> int:
    """Return the present line of an edit, after those that came later."""
    uri, line, *_ = edits[number]
    for other, at, old, new, found in edits[number + 1 :]:
        if other == uri and found:
            line = line - len(old) + len(new) if line >= at + len(old) else min(line, at)
    return line


class _Placement:
    """The places of edits in the texts of their times, found from the newest back."""

    def __init__(self, state: EditorState) -> None:
        self._texts = {document.uri: document.lines for document in (state.document, *state.other_documents)}
        self._uri, self._near = state.document.uri, state.document.line_at(state.cursor)
        self.snippets: list[Snapshot] = []

    def undo(self, change: Change) -> _Undone:
        """Find the place of a change, and take it back."""
        uri = uri_of(change.path)
        if uri not in self._texts:
            shown = "".join(f"{line}\n" for line in (*change.above, *change.new, *change.below))
            snippet = make_document(change.path, shown)
            self.snippets.append(snippet)
            self._texts[uri] = snippet.lines
        lines = self._texts[uri]
        line = self._find(lines, change, self._near if uri == self._uri else 0)
        if line is None:
            at = min(change.line or 0, len(lines) - 1)
            return uri, at, _ended(change.old), _ended(change.new), False
        end = line + len(change.new)
        new, old = lines[line:end], _ended(change.old)
        if old and end == len(lines) and (not new or not line_end(new[-1])):
            old = (*old[:-1], line_body(old[-1]))
        self._texts[uri] = (*lines[:line], *old, *lines[end:])
        return uri, line, old, new, True

    def _find(self, lines: Lines, change: Change, near: int) -> int | None:
        """Return the line at which the new lines of a change begin; None where they are not in the text."""
        for context in range(CONTEXT, -1, -1):
            above = change.above[len(change.above) - min(context, len(change.above)) :]
            block = (*above, *change.new, *change.below[:context])
            if not block:
                return None
            places = _places(lines, block)
            stated = None if change.line is None else change.line + len(change.above) - len(above)
            if places:
                at = stated if stated in places else min(places, key=lambda place: abs(place - near))
                return at + len(above)
        return None


def _places(lines: Lines, block: Lines) -> list[int]:
    bodies = tuple(map(line_body, lines))
    return [
        at
        for at in range(len(bodies) - len(block) + 1)
        if bodies[at] == block[0] and bodies[at : at + len(block)] == block
    ]


def _ended(lines: Lines) -> Lines:
    return tuple(f"{line}\n" for line in lines)
