"""The comments behind the headers that a sketch shows: they stay where the sketch leaves them out.

`class Store(Base):` above a mark says where a change is. The file's `class Store(Base):  # noqa: N801` is meant, and nothing
says that its comment is to go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch, Snippet

_HEADER = re.compile(r".*[\w)\]>'\"]\s*[:{]")
"""A line that opens a block, without a comment."""

_COMMENT = re.compile(r"(?P<code>.*[:{])(?P<comment>\s*(?:#|//|/\*).*)")


def keep_comments(part: FileSketch, target: Target) -> FileSketch:
    """Return the part with the comments of the file behind the headers that begin the sketch, or are beside a mark."""
    if isinstance(part.content, Diff) or not any(isinstance(each, Elision) for each in part.content.parts):
        return part
    comments: Mapping[str, str] | None = None
    parts = list(part.content.parts)
    for at, piece in enumerate(parts):
        if not isinstance(piece, Code):
            continue
        lines = list(piece.lines)
        filled = [number for number, line in enumerate(lines) if line.strip()]
        edges = {*filled[:1], *(filled[-1:] if at + 1 < len(parts) else [])}
        for number in edges:
            key = normalize_line(lines[number])
            if key in target.lines.places or not _HEADER.fullmatch(key):
                continue
            comments = _comments(target) if comments is None else comments
            lines[number] = lines[number].rstrip() + comments.get(key, "")
        parts[at] = replace(piece, lines=tuple(lines))
    return part if tuple(parts) == part.content.parts else replace(part, content=Snippet(tuple(parts)))


def _comments(target: Target) -> dict[str, str]:
    """Return the comment behind each header of the file that is there once."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for body in target.lines.bodies:
        match = _COMMENT.fullmatch(body)
        key = "" if match is None else normalize_line(match["code"])
        if match is not None and key not in target.lines.places and _HEADER.fullmatch(key):
            if key in found:
                twice.add(key)
            found[key] = match["comment"]
    return {key: comment for key, comment in found.items() if key not in twice}
