"""What one change of a document was: which lines it touched, and whether a person made it.

Only what a person did belongs in the history. Formatters, branch switches, reloads and other servers' renames
reach a server as the same notification as typing does; what tells them apart is their size, their number of
places, and whether the person was there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, split_lines

ChangeKind = Literal["typed", "external"]

NEAR_LINES = 3
"""A change within so many lines of the cursor or of the last edit is where the person is."""

PLACE_GAP = 2
"""Hunks with at most so many unchanged lines between them are one place."""

KEYSTROKE_CHARS = 8
"""What one keystroke makes at each cursor: a character, or so many that are no word (an indent, `# `)."""

REWRITE_LINES = 20
"""Replacing so many lines at once, and half of the document, is a switch to another text."""

SMALL_LINES = 3
"""In a document of so few lines replacing all of it says nothing."""

_LINE_BREAK = re.compile(r"(?:\r\n|\n|\r)[ \t]*")


class LineHunk(NamedTuple):
    """Lines `i1:i2` of the text before became lines `j1:j2` of the text after. 0-based, ends exclusive.

    before_line: the change was made at the start of a line: lines that it inserted stand before that line,
    even where they equal it.
    """

    i1: int
    i2: int
    j1: int
    j2: int
    before_line: bool = False

    @property
    def growth(self) -> int:
        """By how many lines the text gets longer (shorter when negative)."""
        return (self.j2 - self.j1) - (self.i2 - self.i1)


def changed_hunks(before: Snapshot, after: Sequence[str], edit: Edit) -> list[LineHunk]:
    """What `edit`, which made the lines `after`, changed: sorted, with unchanged lines between.

    Looks only at the lines that the edit touches, unless it replaces many.
    """
    out: list[LineHunk] = []
    shift = 0  # lines by which `after` has grown above the block at hand
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

    before_line: see `Hunk`. rewrites: lines were replaced by lines, which may be partly the same.
    """

    first: int
    last: int
    before_line: bool
    rewrites: bool


def _blocks(before: Snapshot, edit: Edit) -> list[_Block]:
    """The touched lines, a line or more between the blocks."""
    out: list[_Block] = []
    for r in edit.replacements:
        first, last = before.line_at(r.start), before.line_at(r.end)
        rewrites = first < last and _LINE_BREAK.search(r.text) is not None
        before_line = r.start == before.starts[first]
        if before_line and first and before.lines[first - 1].endswith("\r"):
            first -= 1  # a "\n" put here belongs to the line above
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
    """The lines of a block that differ."""
    if old == new:
        return []
    if block.rewrites:
        return diff_lines(old, new)
    head, tail = common_affixes(old, new, suffix_first=block.before_line)
    if block.before_line:
        head = 0  # the change begins here, even if what came first so far equals what was there
    return [(head, len(old) - tail, head, len(new) - tail)]


def _line_count(before: Snapshot, edit: Edit, first: int, end: int) -> int:
    """How many lines the lines `first:end` become."""
    low, high = before.starts[first], before.starts[end]
    inside = (r for r in edit.replacements if low <= r.start and r.end <= high)
    moved = tuple(type(r)(r.start - low, r.end - low, r.text) for r in inside)
    count = len(split_lines(Edit(moved).apply("".join(before.lines[first:end]))))
    # The block's text ends in a line end, unless it is the document's last.
    return count if end == len(before.lines) else count - 1


def classify_change(
    before: Snapshot, edit: Edit, hunks: Sequence[LineHunk], near: Collection[int]
) -> ChangeKind:
    """Whether a person made the change, or a tool.

    hunks: of `changed_hunks`. near: lines of `before` where the person is known to be: the last known
    cursor's, the last edit's; empty when nothing is known.
    """
    places = _places(hunks)
    here = [any(p.i1 - NEAR_LINES <= line <= p.i2 + NEAR_LINES for line in near) for p in places]
    if not places or (_one_keystroke(before, edit) and (len(places) == 1 or not near or any(here))):
        return "typed"
    if len(places) == 1 and _rewrites(before, places[0]):
        return "external"
    if _covers(before, edit):
        # A reload, a branch switch, a formatter, or a client that always sends the whole text.
        if len(places) > 1 or _only_spacing(before, edit, places[0]):
            return "external"
        return "typed" if here[0] or not near or _short(before, places[0]) else "external"
    if len(edit.replacements) == 1:
        # A paste over a selection; or an editor that reloads from the first difference to the last.
        return "typed" if len(places) == 1 or _around(before, edit, near) else "external"
    if len(places) == 1:
        return "typed" if len(edit.replacements) < 3 or len(hunks) == 1 else "external"
    # A completion that brings its import along: one place is the person's, the other gets whole lines.
    brings = len(places) == 2 and any(here[k] and places[1 - k].i1 == places[1 - k].i2 for k in (0, 1))
    return "typed" if brings else "external"


def _places(hunks: Sequence[LineHunk]) -> list[LineHunk]:
    """Hunks that lie close together as one."""
    out: list[LineHunk] = []
    for hunk in hunks:
        if out and hunk.i1 - out[-1].i2 <= PLACE_GAP:
            out[-1] = out[-1]._replace(i2=hunk.i2, j2=hunk.j2)
        else:
            out.append(hunk)
    return out


def _one_keystroke(before: Snapshot, edit: Edit) -> bool:
    """The same small thing everywhere: typing with several cursors (or one)."""
    texts = {"\n" if _LINE_BREAK.fullmatch(r.text) else r.text for r in edit.replacements}
    sizes = {r.end - r.start for r in edit.replacements}
    if len(texts) != 1 or len(sizes) != 1:
        return False
    text, size = texts.pop(), sizes.pop()
    if len(text) > 1 and (len(text) > KEYSTROKE_CHARS or re.search(r"\w", text)):
        return False
    if text and size and not re.search(r"\w", text):
        return False  # other quotes, other operators: a formatter's
    gone = {_slice(before, r.start, r.end) for r in edit.replacements} if size <= 200 else set()
    if not text and len(edit.replacements) > 1 and _strips_line_ends(before, edit, gone):
        return False
    return size <= 1 or len(gone) == 1


def _strips_line_ends(before: Snapshot, edit: Edit, gone: set[str]) -> bool:
    """Whether all that goes is white space at the ends of lines: what editors remove when they save."""
    ends = (_slice(before, r.end, r.end + 1) for r in edit.replacements)
    return all(g.isspace() for g in gone) and all(end in ("", "\n", "\r") for end in ends)


def _slice(before: Snapshot, start: int, end: int) -> str:
    """`before.text[start:end]`, from the lines."""
    first, last = before.line_at(start), before.line_at(end)
    low = before.starts[first]
    return "".join(before.lines[first : last + 1])[start - low : end - low]


def _covers(before: Snapshot, edit: Edit) -> bool:
    """Whether the whole document was replaced (and there was something to replace)."""
    r = edit.replacements[0]
    return len(edit.replacements) == 1 and before.length > 0 and r.start == 0 and r.end == before.length


def _rewrites(before: Snapshot, place: LineHunk) -> bool:
    """Whether most of the document went, and as much came."""
    gone, come = place.i2 - place.i1, place.j2 - place.j1
    return min(gone, come) >= REWRITE_LINES and 2 * gone >= len(before.lines)


def _only_spacing(before: Snapshot, edit: Edit, place: LineHunk) -> bool:
    """Whether lines were replaced by the same lines with other indents, breaks or ends."""
    if min(place.i2 - place.i1, place.j2 - place.j1) < 2:
        return False
    return "".join(before.text.split()) == "".join(edit.apply(before.text).split())


def _short(before: Snapshot, place: LineHunk) -> bool:
    """Whether hardly more than one line changed, or the document is that small."""
    return max(place.i2 - place.i1, place.j2 - place.j1) <= 2 or len(before.lines) <= SMALL_LINES


def _around(before: Snapshot, edit: Edit, near: Collection[int]) -> bool:
    """Whether the person is inside of the replaced stretch or close to it."""
    start, end = edit.changed_span
    first, last = before.line_at(start), before.line_at(end)
    return any(first - NEAR_LINES <= line <= last + NEAR_LINES for line in near)
