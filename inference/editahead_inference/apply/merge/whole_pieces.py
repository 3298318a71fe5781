"""Sketches of several changes that have nothing to do with each other, as one sketch for each.

An import and a statement of a function, with a mark between them, are on two levels that no one structure has. Each of them
may still have one place, and if these places come in the order of the sketch, it means them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editahead_inference.apply.placement.line_matching import (
    indent_width,
    normalize_line,
    unmatched_brackets,
)
from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch, Snippet

_MAX_PIECES = 12
"""Pieces of a sketch, which bounds the time: each is merged by itself."""
_LANGUAGES = frozenset(
    {"c", "cpp", "csharp", "go", "java", "javascript", "javascriptreact", "kotlin", "php", "python", "rust"}
    | {"swift", "typescript", "typescriptreact"}
)
_OPENS = re.compile(r"(?:[:{(\[]|=>|->|\b(?:do|then|else|begin))$")
_GOES_ON = re.compile(r"[)\]}]|</|(?:else|elif|except|finally|catch|end|case|default|when)\b")


def whole_pieces(part: FileSketch, language: str) -> list[FileSketch]:
    """Return the runs of code between the marks of a part as parts; none where a run may belong to a block of another one.

    Args:
        part: The part.
        language: The LSP language id of the file. Elsewhere than in code, blocks need neither brackets nor indentation.
    """
    if isinstance(part.content, Diff) or part.kind == "whole-file" or language not in _LANGUAGES:
        return []
    pieces: list[FileSketch] = []
    above: list[str] = []
    parts = part.content.parts
    for number, piece in enumerate(parts):
        if isinstance(piece, Elision):
            if piece.removed:
                return []
            continue
        if not any(map(str.strip, piece.lines)):
            continue
        if not _is_whole(piece.lines, above):
            return []
        above += piece.lines
        around = parts[max(number - 1, 0) : number + 2]
        pieces.append(replace(part, kind="markers", content=Snippet(tuple(_beside(around, piece)))))
    return pieces if 1 < len(pieces) <= _MAX_PIECES else []


def _beside(around: Sequence[Code | Elision], piece: Code) -> list[Code | Elision]:
    return [each for each in around if each is piece or isinstance(each, Elision)]


def _is_whole(lines: Sequence[str], above: Sequence[str]) -> bool:
    """Return whether some lines neither go on with a block that lines above them open, nor open one themselves."""
    shown = [line for line in lines if line.strip()]
    first, last = normalize_line(shown[0]), normalize_line(shown[-1])
    if _GOES_ON.match(first) or _OPENS.search(last) or unmatched_brackets(lines) != (0, 0):
        return False
    width = min(map(indent_width, shown))
    outer = next((line for line in reversed(above) if line.strip() and indent_width(line) < width), "")
    return not _OPENS.search(normalize_line(outer))
