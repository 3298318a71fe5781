"""The second parse of a sketch's part, when its file is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from editahead_prompts.text.snapshot import Snapshot

from .combined_diff import settle_parents
from .elision_markers import parse_marker, split_code_and_elisions
from .invisible_characters import restore_invisible
from .line_numbers import strip_line_numbers
from .paths import path_of_comment
from .search_replace import fit_blank_edges, settle_splits
from .sketch import Code, Diff, Elision, FileSketch, Sketch, Snippet
from .snippet_parser import classify
from .text_edits import fit_texts

_HEAD_LINES = 3
"""First lines of a file that may hold a comment with the file's path."""


def reparse_with_file(file: FileSketch, sketch: Sketch, original: Snapshot) -> FileSketch:
    """Parse a file's part again, with lines of the file itself as code.

    Such lines are a marker that the file holds between the same two lines, and the comment with the path if the file begins
    with that comment, or with another path above the line that is next in the sketch. No-break spaces and zero-width
    characters of the file are restored. Line numbers before all lines go, and so do blank lines around a search part if the
    file has none there.

    Args:
        sketch: The whole sketch.
        original: The file.

    Raises:
        UnfitSketchError: The part does not fit the file as the part itself says.
    """
    file = settle_splits(settle_parents(fit_texts(file, original), original), original)
    file = strip_line_numbers(restore_invisible(file, sketch.pasted, original), original)
    if isinstance(file.content, Diff):
        return fit_blank_edges(file, original)
    parts = file.content.parts
    if file.says_whole and (marked := _with_marks(parts, original)) is not None:
        return replace(file, kind="markers", content=Snippet(marked), says_whole=False)
    if any(isinstance(part, Elision) for part in parts):
        parts = _with_real_lines(parts, original)
    if file.path_line is not None:
        named = sketch.lines[file.path_line]
        if _is_of_file(named, parts, original):
            parts = tuple(_joined([Code((named,), file.path_line), *parts]))
    if parts == file.content.parts:
        return file
    kind, why = file.kind, file.why
    if kind == "markers" and not any(isinstance(part, Elision) for part in parts):
        kind, why = classify(parts, original.language)
    return replace(file, kind=kind, why=why, content=Snippet(parts))


def _with_marks(parts: Sequence[Code | Elision], original: Snapshot) -> tuple[Code | Elision, ...] | None:
    """Return what is said to be the whole file with marks that the file lacks; None if there are none, or no file."""
    there = {line.strip() for line in original.lines}
    code = [part for part in parts if isinstance(part, Code)]
    if not any(there) or not any(
        (mark := parse_marker(line)) is not None and mark.certain and line.strip() not in there
        for part in code
        for line in part.lines
    ):
        return None
    return tuple(
        piece for part in code for piece in split_code_and_elisions(part.lines, part.at, original.language)
    )


def _is_of_file(named: str, parts: Sequence[Code | Elision], original: Snapshot) -> bool:
    """Return whether a comment with a path is a line of the file, or another version of one, and no label."""
    head = [line.strip() for line in original.lines[: _HEAD_LINES + 1]]
    below = parts[0].lines[0].strip() if parts and isinstance(parts[0], Code) and parts[0].lines else ""
    return named.strip() in head[:_HEAD_LINES] or any(
        below and line == below and path_of_comment(above, None) is not None for above, line in pairwise(head)
    )


def _with_real_lines(parts: Sequence[Code | Elision], original: Snapshot) -> tuple[Code | Elision, ...]:
    marks = {part.text.strip() for part in parts if isinstance(part, Elision)}
    old = [line.strip() for line in original.lines]
    found = {(old[at - 1], line, old[at + 1]) for at, line in enumerate(old[:-1]) if at and line in marks}
    out: list[Code | Elision] = []
    for number, part in enumerate(parts):
        before, after = (parts[at] if 0 <= at < len(parts) else None for at in (number - 1, number + 1))
        if (
            isinstance(part, Elision)
            and isinstance(before, Code)
            and isinstance(after, Code)
            and before.lines
            and after.lines
            and (before.lines[-1].strip(), part.text.strip(), after.lines[0].strip()) in found
        ):
            part = Code((part.text,), part.at)
        out.append(part)
    return tuple(parts if out == list(parts) else _joined(out))


def _joined(parts: Sequence[Code | Elision]) -> list[Code | Elision]:
    """Merge adjacent runs of code."""
    out: list[Code | Elision] = []
    for part in parts:
        last = out[-1] if out else None
        if isinstance(part, Code) and isinstance(last, Code) and last.at + len(last.lines) == part.at:
            out[-1] = Code(last.lines + part.lines, last.at)
        else:
            out.append(part)
    return out
