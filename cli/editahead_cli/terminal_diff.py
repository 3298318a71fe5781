"""The lines of a diff on a terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from editahead_workspace.apply.annotated_diff import DiffLine

_SGR_CODES = {"removed": "31", "added": "32", "place": "36", "warning": "36", "name": "1", "context": ""}
_WARNING_CODE = "1;33"
_DIM = "2"
"""Faint, beside the colour: what renames, moves, imports, comments or formats."""


def supports_color(stream: TextIO | None = None) -> bool:
    """Return whether a stream, or else stdout, is a terminal on which the user wants colours."""
    return (stream or sys.stdout).isatty() and not os.environ.get("NO_COLOR")


def styled(line: DiffLine, *, colour: bool) -> list[tuple[str, str]]:
    """Return a line of a diff as texts with their styles, for `console.print_styled`."""
    code = _SGR_CODES[line.kind] if colour else ""
    if colour and line.is_mechanical:
        code = f"{_DIM};{code}" if code else _DIM
    pieces = [(line.text, code)]
    if line.note:
        pieces.append((f" {line.note}", _WARNING_CODE if code and line.kind == "warning" else code))
    return pieces
