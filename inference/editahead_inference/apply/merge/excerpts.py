"""Excerpts: sketches of some declarations of a file or of a class, without marks for what is between them.

What an excerpt does not show stays, so it is read as if marks stood there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from editahead_inference.apply.placement.declarations import only_declares
from editahead_inference.apply.placement.line_matching import is_annotation, is_comment
from editahead_inference.apply.placement.outline import Item, Naming, normalized, outline
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch, Snippet

from .whole_file import could_be_whole

_CONTAINER = re.compile(
    r"(?:[\w()]+ )*?(?:class|interface|trait|impl|object|namespace|module|mod|extension|protocol)\b"
)
"""Headers of blocks whose members are declarations, in any order."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A declaration with the annotations and comments above it: lines [start, end) of the sketch.

    Attributes:
        there: The item of the file with its name, or None for a new one.
    """

    start: int
    end: int
    there: Item | None


def as_excerpt(part: FileSketch, target: Target) -> FileSketch | None:
    """Return an excerpt with marks for what it does not show, or None for any other sketch.

    The declarations are in one block of the file, which has at least one of them. A new one belongs below the one before it,
    or above the first one that the file has.
    """
    if isinstance(part.content, Diff) or any(
        isinstance(piece, Elision) and piece.removed for piece in part.content.parts
    ):
        return None
    lines: list[str] = []
    marks: set[int] = set()
    for piece in part.content.parts:
        marks |= {len(lines)} if isinstance(piece, Elision) else set()
        lines += piece.lines if isinstance(piece, Code) else [piece.text]
    naming = Naming(normalized(lines))
    items = [item for item in outline(lines) if item.start not in marks]
    known: Mapping[str, Item | None]
    if len(items) == 1 and marks and _CONTAINER.match(naming.keys[items[0].start]):
        named = target.named_items.get(naming.of(items[0]) or "", [])
        found = [item for item in named if _CONTAINER.match(target.lines.keys[item.start])]
        if len(found) != 1:
            return None
        items, known = items[0].items, _by_name(found[0].items, target)
    elif part.kind == "whole-file" and not marks:
        if could_be_whole(lines, target) or not only_declares(lines, target.original.language):
            return None
        known = _block_of(items, naming, target)
    else:
        return None
    units = list(_units([item for item in items if item.start not in marks], naming, known))
    shown = [unit for unit in units if unit.there is not None]
    if not shown:
        return None
    width = " " * min(item.width for item in items)
    at = part.content.parts[0].at
    new_marks = {units[0].start, units[-1].end, *(unit.start for unit in shown[1:])}
    parts = _with_marks(lines, marks, new_marks, f"{width}...", at)
    why = "some declarations of the file, without markers for the others"
    return replace(part, kind="markers", why=why, content=Snippet(tuple(parts)))


def _block_of(items: Sequence[Item], naming: Naming, target: Target) -> Mapping[str, Item | None]:
    """Return the items by name of the only block of the file that has all of those in the sketch that the file has."""
    names = [naming.of(item) for item in items]
    found = [target.named_items[name] for name in names if name in target.named_items]
    blocks = [
        block
        for block in _blocks(target.items)
        if found and all(any(one is item for item in block) for (one, *_) in found)
    ]
    unique = all(len(ones) == 1 for ones in found)
    return _by_name(blocks[0], target) if unique and len(blocks) == 1 else {}


def _blocks(items: list[Item]) -> Iterator[list[Item]]:
    """Yield the items of each block, the outermost first."""
    waiting = [items]
    while waiting:
        yield (block := waiting.pop())
        waiting += (section.items for item in block for section in item.sections if section.items)


def _by_name(items: Sequence[Item], target: Target) -> Mapping[str, Item | None]:
    """Return the items by name, with None where two have one name."""
    naming = Naming(target.lines.keys)
    found: dict[str, Item | None] = {}
    for item in items:
        name = naming.of(item)
        if name is not None:
            found[name] = None if name in found else item
    return found


def _units(items: Sequence[Item], naming: Naming, known: Mapping[str, Item | None]) -> Iterator[_Unit]:
    start = None
    for item in items:
        start = item.start if start is None else start
        key = naming.keys[item.start]
        if is_annotation(key) or (is_comment(key) and not item.is_block):
            continue
        name = naming.of(item)
        yield _Unit(start, item.end, known.get(name) if name is not None else None)
        start = None


def _with_marks(
    lines: Sequence[str], marks: set[int], new_marks: set[int], text: str, at: int
) -> Iterator[Code | Elision]:
    """Yield the parts of a sketch, with further marks above some of its lines, except beside a mark that is there."""
    edges = sorted({0, len(lines), *marks, *(mark + 1 for mark in marks), *new_marks})
    was_mark = False
    for start, end in pairwise([*edges, len(lines)]):
        is_mark = start in marks
        if start in new_marks and not is_mark and not was_mark:
            yield Elision(text, at + max(0, start - 1))
            was_mark = True
        if start == end:
            return
        code = tuple(lines[start:end])
        if is_mark:
            yield Elision(lines[start], at + start)
        elif any(map(str.strip, code)):
            # A blank line before a mark says that the declaration above is whole.
            yield Code((*code, "") if end in new_marks and code[-1].strip() else code, at + start)
        else:
            yield Code(code, at + start)
            continue
        was_mark = is_mark
