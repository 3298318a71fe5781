"""Sketches of several changes that have nothing to do with each other, as one sketch for each.

An import and a statement of a function, with a mark between them, are on two levels that no one structure has. Each of them
may still have one place, and if these places come in the order of the sketch, it means them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editahead_inference.apply.placement.line_matching import normalize_line, unmatched_brackets
from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch, Snippet
from editahead_prompts.text.indentation import indent_width

_MAX_PIECES = 12
"""Pieces of a sketch, which bounds the time: each is merged by itself."""
_MAX_PARTS = 40 * _MAX_PIECES
"""Runs of code and marks of a sketch that is looked at."""
_LANGUAGES = frozenset(
    {"c", "cpp", "csharp", "go", "java", "javascript", "javascriptreact", "kotlin", "php", "python", "rust"}
    | {"swift", "typescript", "typescriptreact"}
)
_OPENS = re.compile(r"(?:[:{(\[]|=>|->|\b(?:do|then|else|begin))$")
_GOES_ON = re.compile(r"[)\]}]|</|(?:else|elif|except|finally|catch|end|case|default|when)\b")


def whole_pieces(part: FileSketch, language: str) -> list[FileSketch]:
    """Return the pieces of a part between the marks at which no block of it goes on; none if there is only one piece.

    Args:
        part: The part.
        language: The LSP language id of the file. Elsewhere than in code, blocks need neither brackets nor indentation.
    """
    if isinstance(part.content, Diff) or part.kind == "whole-file" or language not in _LANGUAGES:
        return []
    parts = part.content.parts
    if len(parts) > _MAX_PARTS:
        return []
    pieces: list[list[Code | Elision]] = [[]]
    above: list[str] = []
    for number, piece in enumerate(parts):
        pieces[-1].append(piece)
        if isinstance(piece, Code):
            above += piece.lines
            continue
        if piece.removed:
            return []
        below = next((_shown([each]) for each in parts[number:] if _shown([each])), [])
        if _is_closed(_shown(pieces[-1])) and below and not _goes_on(below, above):
            pieces.append([piece])
    if not 1 < len(pieces) <= _MAX_PIECES or not all(_is_closed(_shown(each)) for each in pieces):
        return []
    return [replace(part, kind="markers", content=Snippet(tuple(each))) for each in pieces]


def _shown(parts: Sequence[Code | Elision]) -> list[str]:
    """Return the lines of code that are not blank."""
    return [line for each in parts if isinstance(each, Code) for line in each.lines if line.strip()]


def _is_closed(lines: Sequence[str]) -> bool:
    """Return whether some lines open nothing that goes on below them."""
    return (
        bool(lines) and not _OPENS.search(normalize_line(lines[-1])) and unmatched_brackets(lines) == (0, 0)
    )


def _goes_on(lines: Sequence[str], above: Sequence[str]) -> bool:
    """Return whether some lines go on with a block that lines above them open."""
    if _GOES_ON.match(normalize_line(lines[0])):
        return True
    width = min(map(indent_width, lines))
    outer = next((line for line in reversed(above) if line.strip() and indent_width(line) < width), "")
    return bool(_OPENS.search(normalize_line(outer)))
