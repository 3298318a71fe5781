"""The checks that a block ends as the sketch shows its end.

Lines behind a mark in a block do not match those of another block. A block above a mark that is not in it ends there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.line_matching import is_comment, normalize_line
from editahead_inference.apply.placement.outline import (
    Item,
    has_substance,
    is_function,
    walk,
)
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.text.indentation import indent_width

from .shown_runs import lines_and_marks


def missing_ends(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[str]:
    """Yield the last lines of functions that the sketch shows behind a mark, and that the result does not end with."""
    lines, marks = lines_and_marks(snippet)
    naming = target.outlined(lines).naming
    shown = [
        item
        for item in walk(target.outlined(lines).items)
        if item.closes_itself
        and is_function(naming.head(item))
        and (naming.of(item) or "").startswith("named ")
        and not marks.isdisjoint(range(item.start, item.end))
    ]
    if not shown or not splices:
        return
    after = target.outlined(target.lines_after(splices))
    naming_after = after.naming
    wanted = {naming.of(item) for item in shown}
    found: dict[str | None, Item] = {}
    count: Counter[str | None] = Counter()
    for item in walk(after.items):
        name = naming_after.of(item)
        if name in wanted:
            found[name] = item
            count[name] += 1
    for item in shown:
        name = naming.of(item)
        if count[name] != 1:
            continue
        last = max(mark for mark in marks if item.start <= mark < item.end)
        shown_keys = naming.keys[last + 1 : item.end]
        own_keys = naming_after.keys[found[name].start : found[name].end]
        end, there = _said(shown_keys), _said(own_keys)
        if len(end) > 1 and there[-len(end) :] != end and not _tell_other_place(shown_keys, own_keys, target):
            yield end[-2]


def unended_blocks(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[str]:
    """Yield the last lines of changed blocks that would go on below, though the sketch has a mark for what is behind them.

    A mark at the left margin may be meant for any block.
    """
    lines, marks = lines_and_marks(snippet)
    if target.original.language != "python" or not splices:
        return
    shown: list[list[str]] = []
    for item in walk(target.outlined(lines).items):
        below = next((n for n in range(item.end, len(lines)) if lines[n].strip()), None)
        if (
            item.is_block
            and below in marks
            and 0 < indent_width(lines[below]) <= item.width
            and marks.isdisjoint(range(item.start, item.end))
            and (keys := [key for key in map(normalize_line, lines[item.start : item.end]) if key])
            and not target.lines.find_normalized(keys)
        ):
            shown.append(keys)
    if not shown:
        return
    after = [line for line in target.lines_after(splices) if line.strip()]
    made = list(map(normalize_line, after))
    for keys in shown:
        size = len(keys)
        found = [at for at in range(len(made) - size) if made[at] == keys[0] and made[at : at + size] == keys]
        if found and all(indent_width(after[at + size]) > indent_width(after[at]) for at in found):
            yield keys[-1]


def _tell_other_place(shown: Sequence[str], own: Sequence[str], target: Target) -> bool:
    """Return whether one of the shown lines occurs once in the file, and not in the function: the mark goes beyond it."""
    places = target.lines.places
    return any(has_substance(key) and len(places.get(key, ())) == 1 and key not in own for key in shown)


def _said(keys: Sequence[str]) -> list[str]:
    """Return the lines without blank ones, comments and the commas at line ends."""
    return [key.rstrip(",;") for key in keys if key and not is_comment(key)]
