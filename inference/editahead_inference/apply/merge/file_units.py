"""Sketches that indent by another unit than their file, in the units of the file.

Lines that the file has tell their indentation themselves. A sketch that adds an element below a header at the left margin
has no such line: only the file tells how deep a level is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from editahead_inference.apply.placement.line_matching import FileLines
from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch, Snippet
from editahead_prompts.text.indentation import indent_unit, indentation

_MAX_SKETCH_LINES, _MAX_FILE_LINES = 500, 10_000
"""Lines of a sketch and of its file, which bound the time of further attempts."""


def in_file_units(part: FileSketch, file: FileLines) -> Iterator[FileSketch]:
    """Yield a part in each unit of indentation that its file uses and the part does not.

    Args:
        part: The part. Nothing is yielded for a diff, or where the levels of its lines are not clear.
        file: The lines of the file.
    """
    if isinstance(part.content, Diff) or part.kind == "whole-file" or len(file) > _MAX_FILE_LINES:
        return
    lines = [line for piece in part.content.parts if isinstance(piece, Code) for line in piece.lines]
    if len(lines) > _MAX_SKETCH_LINES or not any(map(indentation, lines)):
        return
    own = indent_unit(lines)
    for unit in sorted({file.indent_unit, *file.indent_steps} - {own}):
        content = _convert(part.content, own, unit)
        if content is not None:
            yield replace(part, content=content)


def _convert(snippet: Snippet, own: str, unit: str) -> Snippet | None:
    """Return a snippet in another unit; None if a line is between two levels, or two deeper than the one above."""
    parts: list[Code | Elision] = []
    above = 0
    for piece in snippet.parts:
        lines = []
        for line in (piece.text,) if isinstance(piece, Elision) else piece.lines:
            level = _level(line, own) if line.strip() else above
            if level is None or level > above + 1:
                return None
            rest = indentation(line)[level * len(own) :] if line.strip() else ""
            lines.append(f"{unit * level}{rest}{line.lstrip()}" if line.strip() else line)
            above = level
        parts.append(
            replace(piece, text=lines[0])
            if isinstance(piece, Elision)
            else replace(piece, lines=tuple(lines))
        )
    return Snippet(tuple(parts))


def _level(line: str, unit: str) -> int | None:
    """Return the level of a line; None between two levels, unless the line goes on with a comment (` * ...`)."""
    space = indentation(line)
    level, rest = divmod(len(space), len(unit))
    goes_on = rest == 1 and unit[0] == " " and line.lstrip().startswith("*")
    return None if space.strip(unit[0]) or (rest and not goes_on) else level
