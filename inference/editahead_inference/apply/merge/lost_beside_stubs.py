"""The check that a sketch which leaves bodies out in words, or by marks, removes nothing beside them.

`def load(self): # unchanged` says that the rest stays. Such a sketch leaves out the comments above its members, the
statements between them and their blank lines as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from editahead_inference.apply.placement.line_matching import is_annotation, is_comment, normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import Item, Naming, Section, has_substance
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet

from .named_scopes import blocks_around
from .shown_runs import lines_and_marks

_HEADER_ENDS = ("{", ":")
"""The last characters of the header of a block."""
_OUTSIDE = ""
"""The name of what holds the outermost blocks."""


class _ShownBlocks(NamedTuple):
    """The names of the blocks of a snippet.

    Attributes:
        partial: Blocks that hold a stub.
        complete: Blocks without any marker.
        stubs: Declarations with a marker in place of the body.
    """

    partial: set[str]
    complete: set[str]
    stubs: set[str]


def lost_beside_stubs(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[Item]:
    """Yield the lines of the file that would go, or be set apart, in a block of which the snippet leaves bodies out."""
    partial, complete, stubs = _shown_blocks(snippet, target)
    if not stubs:
        return
    target.check()
    naming = target.naming
    keys = target.lines.keys
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        beside = [
            line
            for line in range(splice.start, max(splice.end, splice.start + 1))
            if _is_beside(
                [_OUTSIDE, *(naming.of(item) for item in blocks_around(target.items, line))],
                partial,
                complete,
            )
        ]
        rows = range(splice.end, len(keys))
        below = next((keys[n] for n in rows if keys[n] and not is_annotation(keys[n])), "")
        deleted = [key for key in keys[splice.start : splice.end] if key]
        inserted = [key for key in map(normalize_line, splice.lines) if key]
        is_above = identity(below) in stubs and all(is_comment(key) or is_annotation(key) for key in deleted)
        if not beside and not is_above:
            continue
        if not is_above:
            deleted = [keys[line] for line in beside if line < splice.end and keys[line]]
        names = {identity(key) for key in inserted}
        lost = [
            key
            for key in deleted
            if (has_substance(key) or is_comment(key) or is_annotation(key))
            and identity(key) not in names - {None}
        ]
        if lost or not (deleted or inserted):
            end = max(splice.end, splice.start + 1)
            yield Item(splice.start, end, target.lines.widths[splice.start], [Section(splice.start)])


def _is_beside(around: Sequence[str | None], partial: Collection[str], complete: Collection[str]) -> bool:
    """Return whether a line in these blocks is in one that holds a stub, and in none within it that is shown."""
    inner = max((n for n, name in enumerate(around) if name in partial), default=None)
    return inner is not None and not any(name in complete for name in around[inner + 1 :])


def _shown_blocks(snippet: Snippet, target: Target) -> _ShownBlocks:
    """Return how completely the snippet shows each named block."""
    lines, marks = lines_and_marks(snippet)
    shown = target.outlined(lines)
    naming = shown.naming
    blocks_by_name = _ShownBlocks(set(), set(), set())
    waiting: list[tuple[str, Sequence[Item]]] = [(_OUTSIDE, shown.items)]
    while waiting:
        holder, items = waiting.pop()
        blocks = [item for item in items if item.is_block]
        stubs = [naming.of(item) or "" for item in blocks if _is_stub(item, naming, marks)]
        blocks_by_name.stubs.update(stubs)
        least = len(blocks) / 2 + any(item.start in marks for item in items)
        if stubs and (holder != _OUTSIDE or (len(blocks) > 1 and len(stubs) >= least)):
            blocks_by_name.partial.add(holder)
        for item in blocks:
            name = naming.of(item) or ""
            if name and marks.isdisjoint(range(item.start, item.end)):
                blocks_by_name.complete.add(name)
            waiting.append((name, item.items))
    return blocks_by_name


def _is_stub(item: Item, naming: Naming, marks: set[int]) -> bool:
    """Return whether a declaration has a mark for its body, perhaps with comments."""
    inner = next((section.items for section in reversed(item.sections) if section.items), [])
    if not naming.head(item).endswith(_HEADER_ENDS):
        opener = next((n for n, each in enumerate(inner) if naming.head(each).endswith(_HEADER_ENDS)), -1)
        inner = inner[opener + 1 :]  # Before it are lines of the header.
    is_declared = (naming.of(item) or "").startswith("named ")
    is_left_out = any(each.start in marks for each in inner)
    return (
        is_declared
        and is_left_out
        and all(each.start in marks or is_comment(naming.head(each)) for each in inner)
    )
