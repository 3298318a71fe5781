"""A parser of combined diffs, as `git show` prints them of merges: each line has a sign for each parent.

    @@@ -1,3 -1,4 +1,4 @@@
      a line of both parents and of the merge
     -a line of the second parent alone
     +a line of the merge and of the first parent
    ++a line of the merge alone

Over each parent the diff is a plain one. Which of them is meant shows when the file is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from editahead_prompts.errors import UnfitSketchError
from editahead_prompts.text.snapshot import Snapshot, line_body

from .sketch import Diff, FileSketch, Hunk, HunkLine, Split, Tag

_HEADER = re.compile(
    r"(?P<signs>@{3,9})(?P<old>(?: -\d{1,9}(?:,\d{1,9})?)+) \+\d{1,9}(?:,(?P<new>\d{1,9}))? (?P=signs)(?P<heading>.*)"
)
_SIDE = re.compile(r"-(\d+)(?:,(\d+))?")

MAX_HUNKS = 200
"""Hunks of one file, which bounds the time: each is looked for over each parent."""

Parents = tuple[Hunk, ...]
"""One hunk as plain ones, one over each parent."""


def parse_combined_hunk(lines: Sequence[str], at: int, end: int) -> tuple[Parents, int] | None:
    """Parse the hunk at a line.

    Returns:
        The hunk over each parent, and the line after the hunk; None if the lines are not as the header counts them.
    """
    header = _HEADER.fullmatch(lines[at])
    if header is None:
        return None
    sides = [(int(side[1]), int(side[2] or 1)) for side in _SIDE.finditer(header["old"])]
    if len(sides) != len(header["signs"]) - 1:
        return None
    left = [count for _, count in sides] + [int(header["new"] or 1)]
    tagged: list[list[HunkLine]] = [[] for _ in sides]
    stop = at + 1
    while any(left):
        signs = lines[stop][: len(sides)].ljust(len(sides)) if stop < end else "?"
        tags = list(_tags_over_parents(signs))
        left = (
            [count - here for count, here in zip(left, _counts(tags, signs), strict=True)] if tags else [-1]
        )
        if min(left) < 0:
            return None
        for body, tag in zip(tagged, tags, strict=True):
            if tag is not None:
                body.append(HunkLine(tag, lines[stop][len(sides) :], stop))
        stop += 1
    headings = (header["heading"].strip(),) if header["heading"].strip() else ()
    hunks = (
        Hunk(tuple(body), at, headings, line=max(0, line - (count > 0)), is_counted=True)
        for body, (line, count) in zip(tagged, sides, strict=True)
    )
    return tuple(hunks), stop


def _tags_over_parents(signs: str) -> Iterator[Tag | None]:
    """Yield the tag of a line over each parent, None where it is neither there nor in the merge; nothing for other signs."""
    if set(signs) - set(" +") and set(signs) - set(" -"):
        return
    for sign in signs:
        if sign == "-":
            yield "-"
        elif "-" in signs:
            yield None
        else:
            yield "+" if sign == "+" else " "


def _counts(tags: Sequence[Tag | None], signs: str) -> Iterator[int]:
    """Yield 1 for each parent that has a line, and 1 if the merge has it."""
    yield from (int(tag in (" ", "-")) for tag in tags)
    yield int("-" not in signs)


def as_one_hunk(hunks: Sequence[Parents]) -> Hunk:
    """Return the hunks of a file as one, with a reading for each parent."""
    readings = tuple(Split(over_parent, is_plain=True) for over_parent in zip(*hunks, strict=True))
    return replace(hunks[0][0], splits=readings)


def settle_parents(file: FileSketch, original: Snapshot) -> FileSketch:
    """Return a combined diff as the plain one over the only parent whose lines the file has.

    Raises:
        UnfitSketchError: The file has no parent's lines, or those of several, which differ.
    """
    if file.kind != "unified-diff" or not isinstance(file.content, Diff):
        return file
    block = next((hunk for hunk in file.content.hunks if hunk.splits), None)
    if block is None:
        return file
    text = _as_text([line_body(line) for line in original.lines])
    fit = {
        tuple(hunk.lines for hunk in split.hunks): split.hunks
        for split in block.splits
        if all(hunk.old and _as_text(hunk.old) in text for hunk in split.hunks)
    }
    if len(fit) != 1:
        reason: Literal["ambiguous", "unplaced"] = "ambiguous" if fit else "unplaced"
        has = "the lines of several parents, over which it differs" if fit else "the lines of no parent"
        raise UnfitSketchError(
            reason, f"This is the diff of a merge, and the file has {has}.", file.at, file.end
        )
    (hunks,) = fit.values()
    changed = tuple(hunk for hunk in hunks if hunk.old != hunk.new)
    return replace(file, content=Diff(changed))


def _as_text(lines: Sequence[str]) -> str:
    """Return lines as a text in which whole lines can be looked for."""
    return "\n" + "".join(f"{line}\n" for line in lines)
