"""Classification of document changes: the touched lines, and whether the user or a tool made the change.

Only the user's changes belong in the history. Formatters, branch switches, reloads and renames by other servers
arrive as the same notification as typing. Their size, their number of places and the distance from the cursor
tell them apart.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_prompts.text.word_patterns import WordPattern

ChangeKind = Literal["typed", "external"]

NEAR_LINES = 3
"""Greatest distance of a change from the cursor or the last edit, in lines, to count as near the user."""

PLACE_GAP = 2
"""Most unchanged lines between two hunks of one place."""

KEYSTROKE_CHARS = 8
"""Most non-word characters that one keystroke inserts at each cursor, such as an indent or `# `."""

REWRITE_LINES = 20
"""Fewest replaced lines, if they are half of the document, that count as a switch to another text."""

SMALL_LINES = 3
"""Most lines of a document for which a replacement of the whole text is no sign of a tool."""

_LINE_BREAK = re.compile(r"(?:\r\n|\n|\r)[ \t]*")


class LineHunk(NamedTuple):
    """A change of lines `i1:i2` of the old text to lines `j1:j2` of the new text. 0-based, ends exclusive.

    Attributes:
        before_line: Whether the change began at the start of a line. Inserted lines then count as before that
            line, even where they equal it.
    """

    i1: int
    i2: int
    j1: int
    j2: int
    before_line: bool = False

    @property
    def growth(self) -> int:
        """The growth of the text, in lines; negative when it shrinks."""
        return (self.j2 - self.j1) - (self.i2 - self.i1)


def changed_hunks(before: Snapshot, after: Sequence[str], edit: Edit) -> list[LineHunk]:
    """Return the changed lines of `edit`, which made the lines `after`: sorted, with unchanged lines between.

    Only the lines that the edit touches are compared, unless the edit replaces many.
    """
    out: list[LineHunk] = []
    shift = 0  # lines by which `after` has grown above the current block
    blocks = _blocks(before, edit)
    for block in blocks:
        first, end = block.first, block.last + 1
        if len(blocks) == 1:
            count = end - first + len(after) - len(before.lines)
        else:
            count = _line_count(before, edit, first, end)
        old, new = before.lines[first:end], tuple(after[first + shift : first + shift + count])
        for i1, i2, j1, j2 in _changed_lines(old, new, block):
            out.append(
                LineHunk(first + i1, first + i2, first + shift + j1, first + shift + j2, block.before_line)
            )
        shift += count - len(old)
    return out


class _Block(NamedTuple):
    """A run of lines that an edit touches: from `first` to `last`, inclusive.

    Attributes:
        before_line: As of `LineHunk`.
        rewrites: Whether lines were replaced by lines, some of which may be unchanged.
    """

    first: int
    last: int
    before_line: bool
    rewrites: bool


def _blocks(before: Snapshot, edit: Edit) -> list[_Block]:
    """Return the touched lines as blocks, with at least one line between two blocks."""
    out: list[_Block] = []
    for r in edit.replacements:
        first, last = before.line_at(r.start), before.line_at(r.end)
        rewrites = first < last and _LINE_BREAK.search(r.text) is not None
        before_line = r.start == before.starts[first]
        if before_line and first and before.lines[first - 1].endswith("\r"):
            first -= 1  # an inserted "\n" here joins the "\r" of the line above
            before_line = False
        if out and first <= out[-1].last + 1:
            above = out[-1]
            out[-1] = _Block(
                above.first, max(last, above.last), above.before_line, above.rewrites or rewrites
            )
        else:
            out.append(_Block(first, last, before_line, rewrites))
    return out


def _changed_lines(
    old: tuple[str, ...], new: tuple[str, ...], block: _Block
) -> list[tuple[int, int, int, int]]:
    """Return the spans of lines in which a block differs."""
    if old == new:
        return []
    if block.rewrites:
        return diff_lines(old, new)
    head, tail = common_affixes(old, new, suffix_first=block.before_line)
    if block.before_line:
        head = 0  # the change begins here, even if its first lines equal the old ones
    return [(head, len(old) - tail, head, len(new) - tail)]


def _line_count(before: Snapshot, edit: Edit, first: int, end: int) -> int:
    """Return the number of lines that the lines `first:end` become."""
    low, high = before.starts[first], before.starts[end]
    inside = (r for r in edit.replacements if low <= r.start and r.end <= high)
    moved = tuple(type(r)(r.start - low, r.end - low, r.text) for r in inside)
    count = len(split_lines(Edit(moved).apply("".join(before.lines[first:end]))))
    # The block's text ends in a line end, unless it is the document's last.
    return count if end == len(before.lines) else count - 1


def classify_change(
    before: Snapshot, edit: Edit, hunks: Sequence[LineHunk], near: Collection[int]
) -> ChangeKind:
    """Return whether the user or a tool made the change.

    Args:
        before: The document before the change.
        hunks: The result of `changed_hunks`.
        near: Lines of `before` at the last known cursor and the last edit; empty when neither is known.
    """
    places = _places(hunks)
    here = [any(p.i1 - NEAR_LINES <= line <= p.i2 + NEAR_LINES for line in near) for p in places]
    may_be_here = not near or any(here)
    if not places or (_one_keystroke(before, edit) and (len(places) == 1 or may_be_here)):
        return "typed"
    if len(places) == 1:
        is_typed = _is_typed_in(places[0], before, edit, may_be_here=may_be_here, hunk_count=len(hunks))
    elif _covers(before, edit):
        is_typed = False  # a reload, a branch switch, a formatter
    elif len(edit.replacements) == 1:
        # A paste over a selection, or an editor that reloads the text from the first difference to the last.
        is_typed = _around(before, edit, near)
    else:
        # A completion with an import: one place is near the user, the other only gains whole lines.
        is_typed = len(places) == 2 and any(here[k] and places[1 - k].i1 == places[1 - k].i2 for k in (0, 1))
    return "typed" if is_typed else "external"


def _is_typed_in(
    place: LineHunk, before: Snapshot, edit: Edit, *, may_be_here: bool, hunk_count: int
) -> bool:
    """Return whether the user made a change of one place, by more than a keystroke."""
    if _rewrites(before, place):
        return False
    if _covers(before, edit):
        # Some clients always send the whole text.
        return not _only_spacing(before, edit, place) and (may_be_here or _short(before, place))
    return len(edit.replacements) < 3 or hunk_count == 1


def _places(hunks: Sequence[LineHunk]) -> list[LineHunk]:
    """Merge hunks that lie close together."""
    out: list[LineHunk] = []
    for hunk in hunks:
        if out and hunk.i1 - out[-1].i2 <= PLACE_GAP:
            out[-1] = out[-1]._replace(i2=hunk.i2, j2=hunk.j2)
        else:
            out.append(hunk)
    return out


def _one_keystroke(before: Snapshot, edit: Edit) -> bool:
    """Return whether the edit is one keystroke at one cursor or several: the same small change everywhere."""
    texts = {"\n" if _LINE_BREAK.fullmatch(r.text) else r.text for r in edit.replacements}
    sizes = {r.end - r.start for r in edit.replacements}
    if len(texts) != 1 or len(sizes) != 1:
        return False
    text, size = texts.pop(), sizes.pop()
    if not _is_of_a_key(text, is_replacement=size > 0):
        return False
    deleted = {_slice(before, r.start, r.end) for r in edit.replacements} if size <= 200 else set()
    if not text and len(edit.replacements) > 1 and _strips_line_ends(before, edit, deleted):
        return False
    return size <= 1 or len(deleted) == 1


def _is_of_a_key(text: str, *, is_replacement: bool) -> bool:
    """Return whether one key can insert a text, or delete one where it is empty."""
    if not text:
        return True
    if WordPattern(r"\w").search(text):
        return len(text) == 1
    # Changed quotes or operators are those of a formatter.
    return not is_replacement and len(text) <= KEYSTROKE_CHARS


def _strips_line_ends(before: Snapshot, edit: Edit, deleted: set[str]) -> bool:
    """Return whether only white space at line ends is removed, as editors do on save."""
    ends = (_slice(before, r.end, r.end + 1) for r in edit.replacements)
    return all(g.isspace() for g in deleted) and all(end in ("", "\n", "\r") for end in ends)


def _slice(before: Snapshot, start: int, end: int) -> str:
    """Return `before.text[start:end]`, without joining all lines."""
    first, last = before.line_at(start), before.line_at(end)
    low = before.starts[first]
    return "".join(before.lines[first : last + 1])[start - low : end - low]


def _covers(before: Snapshot, edit: Edit) -> bool:
    """Return whether a document that was not empty was replaced as a whole."""
    r = edit.replacements[0]
    return len(edit.replacements) == 1 and before.length > 0 and r.start == 0 and r.end == before.length


def _rewrites(before: Snapshot, place: LineHunk) -> bool:
    """Return whether at least half of the document was replaced by many lines."""
    deleted, inserted = place.i2 - place.i1, place.j2 - place.j1
    return min(deleted, inserted) >= REWRITE_LINES and 2 * deleted >= len(before.lines)


def _only_spacing(before: Snapshot, edit: Edit, place: LineHunk) -> bool:
    """Return whether only the white space of the replaced lines changed."""
    if min(place.i2 - place.i1, place.j2 - place.j1) < 2:
        return False
    return "".join(before.text.split()) == "".join(edit.apply(before.text).split())


def _short(before: Snapshot, place: LineHunk) -> bool:
    """Return whether at most two lines changed, or the document is very short."""
    return max(place.i2 - place.i1, place.j2 - place.j1) <= 2 or len(before.lines) <= SMALL_LINES


def _around(before: Snapshot, edit: Edit, near: Collection[int]) -> bool:
    """Return whether the user is inside the replaced span or near it."""
    start, end = edit.changed_span
    first, last = before.line_at(start), before.line_at(end)
    return any(first - NEAR_LINES <= line <= last + NEAR_LINES for line in near)
