"""Sketches that hold the whole new file, also if they were first taken for something else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from operator import ne
from textwrap import dedent

from editahead_inference.apply.placement.declarations import only_declares
from editahead_inference.apply.placement.elision_split import leading_blank_lines
from editahead_inference.apply.placement.line_matching import is_comment, line_weight, normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import walk
from editahead_inference.apply.placement.placement import Placement, Target, make_refusal
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch, Snippet
from editahead_prompts.text.indentation import indent_width, indentation

from .kept_indentation import keep_indentation
from .snippet_placer import place_snippet

_MIN_WHOLE_SHARE = 0.8
_MIN_WHOLE_SHARE_AT_AN_END = 0.5
"""Shares of a file, by weight, that a text without markers must hold to be the whole new file.

The lower one applies if the text begins or ends as the file does.
"""

_DECLARED = "named "
"""The beginning of the identities of functions and types."""

_MAX_LOST_END_LINES = 8
"""Lines by which a whole file may end earlier, or begin later. With more, the answer was probably cut off."""


_MIN_IMPORTS = 2
"""Imports of a file that hardly all go at once."""


def as_whole_file(part: FileSketch, target: Target) -> FileSketch:
    """Return the part as a whole file if it begins and ends as the file does and holds most of it; else the part unchanged.

    Anything taken for a marker must then be a comment of the file that only looks like one.
    """
    if isinstance(part.content, Diff) or part.kind == "whole-file":
        return part
    pieces = part.content.parts
    lines = [line for piece in pieces for line in (piece.lines if isinstance(piece, Code) else (piece.text,))]
    if not is_plainly_whole(lines, target) or not _are_comments(pieces, lines, target):
        return part
    why = "the whole file: it begins and ends as the file does, and holds most of it"
    return replace(part, kind="whole-file", why=why, content=Snippet((Code(tuple(lines), pieces[0].at),)))


def is_plainly_whole(lines: Sequence[str], target: Target) -> bool:
    """Return whether the lines begin and end as the file does, and hold most of it, or all but one line of a short one."""
    return could_be_whole(lines, target) and (
        _kept_share(lines, target) >= _MIN_WHOLE_SHARE or _differs_in_one_line(lines, target)
    )


def _differs_in_one_line(lines: Sequence[str], target: Target) -> bool:
    """Return whether one line is another one than that of the file, and all others are equal, blank lines aside."""
    shown = [key for key in map(normalize_line, lines) if key]
    there = [key for key in target.lines.keys[target.low : target.high] if key]
    return len(shown) == len(there) and sum(map(ne, shown, there)) == 1


def could_be_whole(lines: Sequence[str], target: Target) -> bool:
    """Return whether the lines begin and end as the file does."""
    return all(_ends_alike(lines, target))


def place_whole(part: FileSketch, snippet: Snippet, target: Target) -> Placement:
    """Return the sketch as the whole new text or, if it does not hold enough of the file, as a part of it."""
    lines = tuple(line for piece in snippet.parts if isinstance(piece, Code) for line in piece.lines)
    all_code = all(isinstance(piece, Code) for piece in snippet.parts)
    if all_code and not any(target.lines.keys):
        return Placement((Splice(target.low, target.high, lines, part.at, part.end),))
    is_deeper = _is_deeper(lines, target)
    share = 0.0 if is_deeper and not is_plainly_whole(lines, target) else _kept_share(lines, target)
    sent = tuple(dedent("\n".join(lines)).split("\n")) if is_deeper and share else lines
    lines = keep_indentation(sent, target.lines, target.low, target.high)
    splice = Splice(target.low, target.high, lines, part.at, part.end)
    is_alike = share >= _MIN_WHOLE_SHARE or (
        share >= _MIN_WHOLE_SHARE_AT_AN_END and any(_ends_alike(lines, target))
    )
    is_whole = is_alike or part.says_whole
    if all_code and is_whole:
        shown = set(map(normalize_line, lines))
        there = [key for key in target.lines.keys[target.low : target.high] if key]
        tail = len(there) - 1 - max((n for n, key in enumerate(there) if key in shown), default=-1)
        if tail > _MAX_LOST_END_LINES:
            said = f"The last {tail} lines of the file would be deleted."
            doubt = make_refusal("would-lose-code", said, settled_by="person")
            return Placement((splice,), doubt, round(share, 3))
        head = next((n for n, key in enumerate(there) if key in shown), len(there))
        if head > _MAX_LOST_END_LINES:
            said = f"The first {head} lines of the file would be deleted."
            doubt = make_refusal("would-lose-code", said, settled_by="person")
            return Placement((splice,), doubt, round(share, 3))
        if not is_alike and sum(map(bool, map(normalize_line, lines))) < len(there):
            said = "The file would be replaced by a different, shorter one."
            doubt = make_refusal("would-lose-code", said, settled_by="person")
            return Placement((splice,), doubt, round(share, 3))
        lost = _lost_names(lines, target) if share < _MIN_WHOLE_SHARE else []
        if lost:
            doubt = make_refusal("would-lose-code", f"`{lost[0]}` would be deleted.", settled_by="person")
            return Placement((splice,), doubt, round(share, 3))
        if leading_blank_lines(lines[::-1]) > leading_blank_lines(
            target.lines.bodies[target.low : target.high][::-1]
        ):
            doubt = make_refusal(
                "ambiguous",
                "The sketch does not say whether the file is to end with a blank line.",
                settled_by="person",
            )
            return Placement((splice,), doubt, round(share, 3))
        if lines != sent and lines == target.lines.bodies[target.low : target.high]:
            said = "The sketch differs from the file only in indentation, which is kept."
            return Placement((splice,), make_refusal("ambiguous", said, settled_by="person"), round(share, 3))
        return Placement((splice,), None, round(min(1.0, share), 3))
    declared = all_code and only_declares(lines, target.original.language)
    as_piece = place_snippet(snippet, target, declared=declared)
    if as_piece.doubt is None and not (all_code and could_be_whole(lines, target)):
        return as_piece
    doubt = replace(
        as_piece.doubt or make_refusal("would-lose-code", ""),
        reason="would-lose-code",
        detail="The sketch has no markers, but most of the file is not in it.",
    )
    return Placement(as_piece.splices, doubt, as_piece.confidence)


def _is_deeper(lines: Sequence[str], target: Target) -> bool:
    """Return whether all lines are indented, and the file has others: they are from within a block."""
    widths, there = (
        [width for width in each if width >= 0] for each in (map(indent_width, lines), target.lines.widths)
    )
    return min(widths, default=0) > 0 == min(there, default=0)


def _lost_names(lines: Sequence[str], target: Target) -> list[str]:
    """Return the names of functions and types that the sketch does not show, where it has fewer new ones in their place."""
    sketch = target.outlined(lines)
    names = map(sketch.naming.of, walk(sketch.items))
    shown = Counter(name for name in names if name is not None)
    there = Counter({name: len(items) for name, items in target.named_items.items()})
    deleted = [name.removeprefix(_DECLARED) for name in there - shown if name.startswith(_DECLARED)]
    inserted = [name for name in shown - there if name.startswith(_DECLARED)]
    return deleted if len(deleted) > len(inserted) else []


def _kept_share(lines: Sequence[str], target: Target) -> float:
    """Return the share of the lines of the file that the sketch holds, by weight."""
    old = Counter(target.lines.keys[target.low : target.high])
    kept = old & Counter(map(normalize_line, lines))
    total = _weight(old)
    return _weight(kept) / total if total else 1.0


def _weight(lines: Counter[str]) -> float:
    return sum(line_weight(key) * count for key, count in lines.items())


def _ends_alike(lines: Sequence[str], target: Target) -> tuple[bool, bool]:
    """Return whether the first lines, and whether the last lines, equal those of the file, blank lines aside."""
    shown = [key for key in map(normalize_line, lines) if key]
    there = [key for key in target.lines.keys[target.low : target.high] if key]
    if not shown or not there:
        return False, False
    return shown[0] == there[0], shown[-1] == there[-1]


def _are_comments(pieces: Sequence[Code | Elision], lines: Sequence[str], target: Target) -> bool:
    """Return whether each marker may be a comment that continues another one, or has the same neighbour in the file."""
    marks = [piece for piece in pieces if isinstance(piece, Elision)]
    if not marks:
        return True
    keys = [normalize_line(line) for line in lines]
    file = target.lines.keys
    after = set(pairwise(file))
    first = pieces[0].at
    for mark in marks:
        if mark.removed or not re.search(r"\w", mark.text):
            return False
        at = mark.at - first
        if at and _continues_comment(lines[at - 1], lines[at]):
            continue
        near = {(keys[at - 1], keys[at])} if at else set()
        near |= {(keys[at], keys[at + 1])} if at + 1 < len(keys) else set()
        if not near & after:
            return False
    return True


def _continues_comment(before: str, line: str) -> bool:
    """Return whether a comment without dots continues the one above."""
    return is_comment(before) and indentation(before) == indentation(line) and not re.search(r"\.\.|…", line)


def goes_on_below(code: Sequence[str], guess: str) -> bool:
    """Return whether the lines of a declaration, which is shown whole, are followed by others of its block."""
    shown = [line for line in code if normalize_line(line)]
    if not shown:
        return False
    lines = [line for line in guess.splitlines() if normalize_line(line)]
    run, keys = list(map(normalize_line, shown)), list(map(normalize_line, lines))
    outer = min(map(indent_width, shown))
    end = len(run)
    for at in (n for n, key in enumerate(keys) if key == run[0]):
        if keys[at : at + end] == run and at + end < len(lines):
            moved = indent_width(lines[at]) - indent_width(shown[0])
            return indent_width(lines[at + end]) > outer + moved
    return False


def loses_all_imports(target: Target, guess: str) -> bool:
    """Return whether a file with several imports at its top would have none: a sketch of its code leaves them out."""
    imports = sum((identity(key) or "").startswith("import ") for key in target.lines.keys)
    return imports >= _MIN_IMPORTS and not any(
        (identity(normalize_line(line)) or "").startswith("import ") for line in guess.splitlines()
    )
