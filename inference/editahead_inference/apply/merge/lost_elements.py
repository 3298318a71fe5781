"""The check that nothing with a name disappears unless the sketch says so, however the lines were placed.

Elements are what a person counts: functions, members, cases, routes, entries of a list, keys. A statement of a function is
none. The sketch says that an element goes if it shows lines on both sides of it as neighbours, or another version of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from editahead_inference.apply.placement.line_matching import (
    is_annotation,
    is_comment,
    normalize_line,
    unmatched_brackets,
)
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import (
    Item,
    Naming,
    Section,
    has_substance,
    is_filler,
    opens_list,
    walk,
)
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, overlaps, split_at_kept_lines
from editahead_prompts.sketches.sketch import Elision, Snippet

from .lost_beside_stubs import lost_beside_stubs
from .shown_boundaries import is_bounded, span_at, splice_at
from .shown_neighbours import encloses_removal
from .shown_removals import Removal, is_bare_call, naming_line
from .shown_runs import ShownRuns, lines_and_marks, without_blanks

_DOCSTRING = re.compile(r"[rRuU]?(?:\"\"\"|'''|\"(?!\"))")

_WITHIN = "within "
"""The beginning of the names for lines of a block without a name."""

_ANONYMOUS = "namespace {"


def lost_elements(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[Item]:
    """Yield the elements of the file that the splices delete although the snippet does not say so."""
    naming = target.naming
    whole = _whole_blocks(snippet, target)
    starts = [splice.start for splice in splices]
    near = _elements(target.items, naming, whole, splices)
    elements = [each for each in near if _may_be_deleted(each[0], naming, splices, starts)]
    before = Counter(_name(item, naming) for item, _ in _elements(target.items, naming, whole) if elements)
    touched = [
        (item, parent, line)
        for item, parent in elements
        if (line := _deleted_line(item, naming, splices, starts, before)) is not None
    ]
    yield from _lost_comments(snippet, target, splices)
    yield from _lost_docstrings(target, splices)
    yield from lost_beside_stubs(snippet, target, splices)
    if not touched:
        return
    target.check()
    if whole:
        before = Counter(_name(item, naming) for item, _ in _elements(target.items, naming))
    after = _names_after(target, splices)
    runs = ShownRuns(snippet, without_blanks)
    uncut = _uncut_blocks(snippet, target)
    for number, (item, parent, line) in enumerate(touched):
        if number % 100 == 0:
            target.check()
        name = _name(item, naming)
        is_vague = _is_vague(item, naming, before)
        stays = after[name] >= before[name] and (
            before[name] == 1 or is_vague or _keeps_name(item, naming, target, splices)
        )
        may_be_added = _is_shown_whole(item, line, naming, target, splices, uncut)
        if stays and not (is_vague and may_be_added) and not _becomes_another(item, naming, target, splices):
            continue
        is_whole = parent is not None and _container(parent, naming) in whole
        vanishes = after[name] < before[name]
        may_be_added = may_be_added and (vanishes or is_vague)
        may_be_deleted = not (is_whole and vanishes and naming.is_named(item))
        is_explained = may_be_deleted and is_bounded(
            item, line, parent, naming, target, splices, runs, outside=may_be_added
        )
        is_explained = is_explained or (
            not may_be_added
            and Removal(item, parent, target, uncut).is_between_shown(line, splices, runs, replaced=is_whole)
        )
        # A line of the file in the new element would be no neighbour of it.
        may_be_enclosed = may_be_deleted and not (is_vague and may_be_added)
        if not is_explained and not (may_be_enclosed and encloses_removal(snippet, target, splices, line)):
            yield item


def _is_vague(item: Item, naming: Naming, names: Counter[str]) -> bool:
    """Return whether a block begins as others do, whose first line inside is the same."""
    name = _name(item, naming)
    return item.is_block and names[name] > 1 and (not name[0].isalpha() or not naming.is_named(item))


def _keeps_name(item: Item, naming: Naming, target: Target, splices: Sequence[Splice]) -> bool:
    """Return whether the line that names an element becomes another one of that name."""
    span = span_at(naming_line(item, naming), target, splices) if naming.is_named(item) else None
    if span is None:
        return False
    splice, _, first, end, j1, j2 = span
    name = identity(naming.head(item))
    old, new = target.tally.names(first, end), target.difference(splice).tally.names(j1, j2)
    return name is not None and old[name] == new[name]


def _is_shown_whole(
    item: Item, line: int, naming: Naming, target: Target, splices: Sequence[Splice], uncut: Collection[str]
) -> bool:
    """Return whether what replaces a line of a block is part of a whole block, which may as well be added beside it."""
    if not item.is_block:
        return False
    span = span_at(line, target, splices)
    if span is None or span[4] == span[5]:
        return False
    splice, new, _, _, j1, j2 = span
    if not re.search(r"\w", naming.head(item)) and any(_WITHIN + key in uncut for key in new[j1:j2]):
        return True
    names = target.difference(splice).tally.names(j1, j2)
    return naming.of(item) in uncut or any(name in uncut for name in names)


def _may_be_deleted(item: Item, naming: Naming, splices: Sequence[Splice], starts: Sequence[int]) -> bool:
    """Return whether a line is deleted that may identify an element."""
    is_named = naming.is_named(item)
    if item.is_block and not (is_named and _name(item, naming)[0].isalpha()):
        return True
    return splice_at(naming_line(item, naming), splices, starts) is not None


def _deleted_line(
    item: Item, naming: Naming, splices: Sequence[Splice], starts: Sequence[int], names: Counter[str]
) -> int | None:
    """Return the deleted line that identifies an element; None if no such line is deleted."""
    is_unnamed = not naming.is_named(item) and naming_line(item, naming) == item.start
    if item.is_block and (is_unnamed or _is_vague(item, naming, names)):
        lines = range(item.start, item.end)  # All of them do.
    else:
        lines = range(naming_line(item, naming), naming_line(item, naming) + 1)
    return next((line for line in lines if splice_at(line, splices, starts) is not None), None)


def _lost_comments(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[Item]:
    """Yield the comments that go although what is below them stays and is not shown: they are not known to be meant."""
    bodies, keys = target.lines.bodies, target.lines.keys
    shown: set[str] | None = None
    for splice in split_at_kept_lines(splices, bodies):
        if splice.start == splice.end or not is_comment(bodies[splice.end - 1]):
            continue
        below = splice.end
        while below < len(bodies) and is_comment(bodies[below]):
            below += 1
        if below == len(bodies) or not keys[below] or (splice.lines and not is_comment(splice.lines[-1])):
            continue
        if shown is None:
            shown = {
                normalize_line(line)
                for piece in snippet.parts
                if not isinstance(piece, Elision)
                for line in piece.lines
            }
        stay = (key for key in keys[splice.end : below + 1] if key and not is_filler(key))
        if shown.isdisjoint(stay) and _is_own_line(below, splices):
            start, width = splice.start, target.lines.widths[splice.start]
            yield Item(start, splice.end, width, [Section(start)])


def _lost_docstrings(target: Target, splices: Sequence[Splice]) -> Iterator[Item]:
    """Yield the docstrings that go with nothing in their place, though the header above stays: sketches leave them out."""
    keys = target.lines.keys
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        first = next((line for line in range(splice.start, splice.end) if keys[line]), None)
        above = next((keys[line] for line in range(splice.start - 1, -1, -1) if keys[line]), "")
        if (
            first is not None
            and _DOCSTRING.match(keys[first])
            and above.endswith(":")
            and not any(_DOCSTRING.match(normalize_line(line)) for line in splice.lines)
        ):
            yield Item(first, splice.end, target.lines.widths[first], [Section(first)])


def _is_own_line(line: int, splices: Sequence[Splice]) -> bool:
    """Return whether no splice changes a line."""
    return splice_at(line, splices, [splice.start for splice in splices]) is None


def _elements(
    items: Sequence[Item],
    naming: Naming,
    whole: Collection[str] = (),
    near: Sequence[Splice] | None = None,
) -> Iterator[tuple[Item, Item | None]]:
    """Yield the items that no function holds directly, each with the item that holds it.

    Outside of any block only those with a name count, and comments and decorators never do.

    Args:
        items: The outermost items.
        naming: Their names.
        whole: Names of functions that are left out with all that they hold.
        near: If given, only items count that one of these splices deletes a line of.
    """
    deleted = None if near is None else [splice for splice in near if splice.start < splice.end]
    waiting: list[tuple[Item, Item | None, bool]] = [(item, None, False) for item in reversed(items)]
    while waiting:
        item, parent, is_inside = waiting.pop()
        if deleted is not None and not overlaps(item.start, item.end, deleted):
            continue
        if not is_inside and _is_element(item, parent, naming):
            yield item, parent
        if item.end == item.start + 1 or (naming.of(item) in whole and naming.is_function(item)):
            continue
        for section in reversed(item.sections):
            holds_code = naming.is_function(item) and not opens_list(naming.keys[section.line])
            waiting += [(inner, item, holds_code) for inner in reversed(section.items)]


def _is_element(item: Item, parent: Item | None, naming: Naming) -> bool:
    if naming.is_named(item):
        return not (naming.of(item) or "").startswith("import ")
    head = naming.head(item)
    if item.is_block and parent is not None:
        return opens_list(naming.head(parent)) and re.search(r"\w", head) is not None
    return parent is not None and not item.is_block and has_substance(head) and not is_annotation(head)


def _name(item: Item, naming: Naming) -> str:
    """Return what identifies an element among its neighbours: its name, or its whole line.

    A call over several lines is identified by the first of its arguments, too.
    """
    head = naming.head(item)
    if is_bare_call(item, naming):
        return f"{head} {naming.head(item.sections[0].items[0])}"
    if item.is_block and not naming.is_named(item):
        return "\n".join(naming.text(item))
    return naming.of(item) or f"line {head.rstrip(',;')}"


def _names_after(target: Target, splices: Sequence[Splice]) -> Counter[str]:
    after = target.outlined(target.lines_after(splices))
    return Counter(_name(item, after.naming) for item, _ in _elements(after.items, after.naming))


def _whole_blocks(snippet: Snippet, target: Target) -> set[str]:
    """Return the names of the blocks that the snippet shows without a mark: containers whose members are not all shown."""
    lines, marks = lines_and_marks(snippet)
    shown = target.outlined(lines)
    naming = shown.naming
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return {
        name
        for item in walk(shown.items)
        if item.is_block
        and (name := _container(item, naming)) is not None
        and marks.isdisjoint(range(item.start, item.end))
        and (item.closes_itself or next((n for n in filled if n >= item.end), None) not in marks)
    }


def _uncut_blocks(snippet: Snippet, target: Target) -> set[str]:
    """Return the names of the blocks that the snippet shows without a mark inside, and the lines of those without a name."""
    lines, marks = lines_and_marks(snippet)
    shown = target.outlined(lines)
    naming = shown.naming
    found: set[str] = set()
    for item in walk(shown.items):
        is_uncut = item.is_block and marks.isdisjoint(range(item.start, item.end))
        if not is_uncut or unmatched_brackets(lines[item.start : item.end])[1]:
            continue
        name = naming.of(item)
        if name is not None:
            found.add(name)
        if not re.search(r"\w", naming.head(item)):
            found.update(_WITHIN + key for key in naming.keys[item.start : item.end] if has_substance(key))
    return found


def _container(item: Item, naming: Naming) -> str | None:
    """Return the name of a block that holds elements; the one without a name that has some is C++'s namespace."""
    return naming.of(item) or (_ANONYMOUS if naming.head(item).startswith(_ANONYMOUS) else None)


def _becomes_another(item: Item, naming: Naming, target: Target, splices: Sequence[Splice]) -> bool:
    """Return whether the line that names an element becomes one that the file has elsewhere, which may be the meant one."""
    line = naming_line(item, naming)
    span = span_at(line, target, splices)
    if span is None or line != item.start:
        return False
    _, new, first, end, j1, j2 = span
    key = new[j1 + line - first] if end - first == j2 - j1 else ""
    return bool(key) and not is_filler(key) and key in target.lines.places
