"""The check that nothing with a name disappears unless the sketch says so, however the lines were placed.

Elements are what a person counts: functions, members, cases, routes, entries of a list, keys. A statement of a function is
none. The sketch says that an element goes if it shows lines on both sides of it as neighbours, or another version of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from editahead_inference.apply.placement.line_matching import is_annotation, normalize_line
from editahead_inference.apply.placement.outline import (
    Item,
    Naming,
    has_substance,
    is_filler,
    is_function,
    is_new_version,
    outline,
    walk,
)
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.sketch import Elision, Snippet
from editahead_prompts.text.diff import diff_lines

from .shown_runs import ShownRuns, without_blanks

_MAX_CONTEXT = 12
"""Lines from a deletion to the nearest line that says where it is."""


def lost_elements(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[Item]:
    """Yield the elements of the file that the splices delete although the snippet does not say so."""
    naming = Naming(target.lines.keys)
    whole = _whole_blocks(snippet)
    starts = [splice.start for splice in splices]
    touched = [
        (item, parent)
        for item, parent in _elements(target.items, naming, whole)
        if _splice_at(naming.naming_line(item), splices, starts) is not None
    ]
    if not touched:
        return
    target.check()
    before, after = (
        Counter(_name(item, naming) for item, _ in _elements(target.items, naming)),
        _names_after(target, splices),
    )
    runs = ShownRuns(snippet, without_blanks)
    for item, parent in touched:
        name = _name(item, naming)
        if after[name] >= before[name]:
            continue
        header = None if parent is None else naming.of(parent)
        if not _is_between_shown(item, parent, naming, target, splices, runs, replaced=header in whole):
            yield item


def _elements(
    items: Sequence[Item], naming: Naming, whole: Collection[str] = ()
) -> Iterator[tuple[Item, Item | None]]:
    """Yield the items that no function holds directly, each with the item that holds it.

    Outside of any block only those with a name count, and comments and decorators never do.

    Args:
        items: The outermost items.
        naming: Their names.
        whole: Names of functions that are left out with all that they hold.
    """
    waiting: list[tuple[Item, Item | None]] = [(item, None) for item in reversed(items)]
    while waiting:
        item, parent = waiting.pop()
        is_inside = parent is not None and is_function(naming.head(parent))
        if not is_inside and _is_element(item, parent, naming):
            yield item, parent
        if not (naming.of(item) in whole and is_function(naming.head(item))):
            waiting += [(inner, item) for inner in reversed(item.items)]


def _is_element(item: Item, parent: Item | None, naming: Naming) -> bool:
    if naming.is_named(item):
        return not (naming.of(item) or "").startswith("import ")
    head = naming.head(item)
    return parent is not None and not item.is_block and has_substance(head) and not is_annotation(head)


def _name(item: Item, naming: Naming) -> str:
    """Return what identifies an element among its neighbours: its name, or its whole line."""
    return naming.of(item) or f"line {naming.head(item).rstrip(',;')}"


def _names_after(target: Target, splices: Sequence[Splice]) -> Counter[str]:
    bodies: list[str] = []
    at = 0
    for splice in splices:
        bodies += target.lines.bodies[at : splice.start]
        bodies += splice.lines
        at = splice.end
    bodies += target.lines.bodies[at:]
    naming = Naming(list(map(normalize_line, bodies)))
    return Counter(_name(item, naming) for item, _ in _elements(outline(bodies), naming))


def _whole_blocks(snippet: Snippet) -> set[str]:
    """Return the names of the blocks that the snippet shows without a mark: containers whose members are not all shown."""
    lines: list[str] = []
    marks: set[int] = set()
    for piece in snippet.parts:
        if isinstance(piece, Elision):
            marks.add(len(lines))
            lines.append(piece.text)
        else:
            lines += piece.lines
    naming = Naming(list(map(normalize_line, lines)))
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return {
        name
        for item in walk(outline(lines))
        if item.is_block
        and (name := naming.of(item)) is not None
        and marks.isdisjoint(range(item.start, item.end))
        and (item.closes_itself or next((n for n in filled if n >= item.end), None) not in marks)
    }


def _is_between_shown(
    item: Item,
    parent: Item | None,
    naming: Naming,
    target: Target,
    splices: Sequence[Splice],
    runs: ShownRuns,
    *,
    replaced: bool,
) -> bool:
    """Return whether the sketch shows telling lines on both sides of a deleted item as neighbours of what replaces it.

    Where only the first line of a block is replaced, its next lines alone tell that it has another name. The header of the
    block that holds the item is no neighbour: sketches show it above any members that they change.

    Args:
        item: The item.
        parent: The item that holds it, if any.
        naming: The names of the file's items.
        target: The file.
        splices: The changes.
        runs: The lines that the sketch shows without a gap.
        replaced: Other lines have to replace the item: the sketch shows what holds it without a mark, and may leave it out.
    """
    keys, line = target.lines.keys, naming.naming_line(item)
    splice = _splice_at(line, splices, [splice.start for splice in splices])
    assert splice is not None
    new = list(map(normalize_line, splice.lines))
    span = next(
        (
            (splice.start + i1, splice.start + i2, j1, j2)
            for i1, i2, j1, j2 in diff_lines(keys[splice.start : splice.end], new)
            if splice.start + i1 <= line < splice.start + i2
        ),
        None,
    )
    if span is None:
        return True
    first, end, j1, j2 = span
    if (
        not naming.is_named(item)
        and end - first == j2 - j1
        and is_new_version(new[j1 + line - first], keys[line])
    ):
        return True
    if (
        parent is not None
        and j1 == j2 == 0
        and not any(map(_is_telling, keys[parent.items[0].start : first]))
    ):
        return False
    goes_whole = parent is not None and first <= parent.items[0].start and parent.items[-1].end <= end
    if goes_whole and sum(map(bool, keys[first:end])) > sum(map(bool, new[j1:j2])):
        return False  # Fewer lines than before may be only those that are new.
    before = _telling([*keys[max(0, splice.start - _MAX_CONTEXT) : splice.start], *new[:j1]][::-1])
    after = _telling([*new[j2:], *keys[splice.end : splice.end + _MAX_CONTEXT]])
    if end < item.end and j2 > j1:
        if not _is_unique(after, target):
            return False  # The lines that stay may be those of any element.
        if end == item.start + 1:
            before = before or []
    if before is None or after is None or (replaced and j1 == j2):
        return False
    return runs.contain([*before[::-1], *new[j1:j2], *after])


def _splice_at(line: int, splices: Sequence[Splice], starts: Sequence[int]) -> Splice | None:
    """Return the splice that deletes a line. `starts` are the first lines of the splices, which are in order."""
    at = bisect_right(starts, line) - 1
    while at >= 0 and splices[at].start == splices[at].end == line:
        at -= 1
    return splices[at] if at >= 0 and splices[at].start <= line < splices[at].end else None


def _telling(keys: Sequence[str]) -> list[str] | None:
    """Return the first lines up to one that is no filler; None if there is none."""
    for number, key in enumerate(keys[:_MAX_CONTEXT]):
        if _is_telling(key):
            return list(keys[: number + 1])
    return None


def _is_unique(keys: Sequence[str] | None, target: Target) -> bool:
    """Return whether the last of these lines occurs once in the file."""
    return keys is not None and len(target.lines.places.get(keys[-1], ())) == 1


def _is_telling(key: str) -> bool:
    return bool(key) and not is_filler(key)
