"""Edits of texts, as the calls of edit tools are, fitted to their file as one edit of whole lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from editahead_prompts.errors import UnfitSketchError
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import Snapshot, line_body

from .hunk_lines import TAGS
from .invisible_characters import to_plain
from .sketch import Diff, FileSketch, Hunk, HunkLine


def fit_texts(file: FileSketch, original: Snapshot) -> FileSketch:
    """Return edits of texts as one edit of whole lines of the file.

    Raises:
        UnfitSketchError: A text does not occur as often as the sketch says.
    """
    if not isinstance(file.content, Diff) or not any(hunk.is_text for hunk in file.content.hunks):
        return file
    made = _one_hunk(file.content.hunks, [line_body(line) for line in original.lines])
    return replace(file, content=Diff((made,)))


def _as_texts(hunk: Hunk, text: str) -> tuple[str, str]:
    """Return the old and the new text, plain if the text has only the plain form of the old one."""
    old, new = "\n".join(hunk.old), "\n".join(hunk.new)
    return (old, new) if old in text else (to_plain(old), to_plain(new))


def _places(old: str, text: str) -> Iterator[int]:
    """Yield the places of a text in another one. They may overlap."""
    at = text.find(old)
    while at >= 0:
        yield at
        at = text.find(old, at + 1)


def _replaced(hunk: Hunk, text: str) -> str:
    """Return a text after one replacement.

    Raises:
        UnfitSketchError: The old text does not occur as often as the hunk says, or its occurrences overlap.
    """
    old, new = _as_texts(hunk, text)
    end = hunk.at + len(hunk.lines)
    count = sum(1 for _ in _places(old, text))
    if not count:
        raise UnfitSketchError("unplaced", "The file has no such text.", hunk.at, end)
    if hunk.occurrences not in (0, count):
        expected = "once" if hunk.occurrences == 1 else f"{hunk.occurrences} times"
        said = f"The old text occurs {count} times in the file, and the call says {expected}."
        raise UnfitSketchError("ambiguous", said, hunk.at, end)
    if count != text.count(old):
        raise UnfitSketchError("ambiguous", "The occurrences of the old text overlap.", hunk.at, end)
    return text.replace(old, new)


def _inserted(hunk: Hunk, text: str) -> str:
    """Return a text after the lines of a hunk were added behind the line that the hunk names.

    Raises:
        UnfitSketchError: The text has fewer lines.
    """
    rows = text.split("\n")
    if hunk.at_end:
        hunk = replace(hunk, line=len(rows) - (not rows[-1]))
    if hunk.line is None or hunk.line > len(rows) - (not rows[-1]):
        said = "The file has no line with this number."
        raise UnfitSketchError("unplaced", said, hunk.at, hunk.at + len(hunk.lines))
    added = "\n".join(hunk.new).removesuffix("\n").split("\n")
    return "\n".join([*rows[: hunk.line], *added, *rows[hunk.line :]])


def _one_hunk(hunks: Sequence[Hunk], bodies: Sequence[str]) -> Hunk:
    """Return one hunk with the effect of all, and as many lines around as make its place the only one."""
    after, low, high = _after_all(hunks, bodies)
    same, tail = _unchanged_ends(bodies, after)
    low, high = min(low, same), max(high, len(bodies) - tail)
    step = 4
    while (low > 0 or high < len(bodies)) and not _is_only(bodies, low, high):
        low, high, step = max(0, low - step), min(len(bodies), high + step), step * 2
    deleted, inserted = list(bodies[low:high]), after[low : len(after) - (len(bodies) - high)]
    if high == len(bodies) and deleted[-1:] == inserted[-1:] == [""]:
        deleted, inserted = deleted[:-1], inserted[:-1]
    return Hunk(tuple(_tagged(deleted, inserted, hunks[0].at)), hunks[0].at, line=low)


def _after_all(hunks: Sequence[Hunk], bodies: Sequence[str]) -> tuple[list[str], int, int]:
    """Return the lines after all hunks, and the first line that they name, and the line after the last one."""
    before = text = "\n".join(bodies)
    low, high = len(bodies), 0
    for hunk in hunks:
        old = _as_texts(hunk, text)[0]
        if not old:
            text = _inserted(hunk, text)
            at = len(bodies) if hunk.at_end else hunk.line or 0
            low, high = min(low, max(0, at - 1)), max(high, min(len(bodies), at + 1))
            continue
        text = _replaced(hunk, text)
        first, last = before.find(old), before.rfind(old)
        if first >= 0:
            low = min(low, before.count("\n", 0, first))
            high = max(high, before.count("\n", 0, last + len(old.removesuffix("\n"))) + 1)
    return text.split("\n"), low, high


def _unchanged_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Return how many lines stay at the beginning, and how many of the others stay at the end."""
    shorter = min(len(before), len(after))
    same = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    left = shorter - same
    return same, next((n for n in range(left) if before[-1 - n] != after[-1 - n]), left)


def _tagged(deleted: Sequence[str], inserted: Sequence[str], at: int) -> Iterator[HunkLine]:
    """Yield the lines of a hunk that is at a line of the sketch."""
    done = 0
    for i1, i2, j1, j2 in diff_lines(deleted, inserted):
        for tag, lines in ((" ", deleted[done:i1]), ("-", deleted[i1:i2]), ("+", inserted[j1:j2])):
            yield from (HunkLine(TAGS[tag], line, at) for line in lines)
        done = i2
    yield from (HunkLine(" ", line, at) for line in deleted[done:])


def _is_only(bodies: Sequence[str], low: int, high: int) -> bool:
    """Return whether lines [low, high) occur once, and say something."""
    block = list(bodies[low:high])
    if not any(line.strip() for line in block):
        return False
    starts = (at for at, body in enumerate(bodies) if body == block[0])
    return sum(list(bodies[at : at + len(block)]) == block for at in starts) == 1
