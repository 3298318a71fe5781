"""The lines of a diff on a terminal."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from editahead_lsp.apply.annotated_diff import DiffLine

_SGR_CODES = {"removed": "31", "added": "32", "place": "36", "warning": "36", "name": "1"}
_WARNING_CODE = "1;33"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def supports_color(stream: TextIO | None = None) -> bool:
    """Return whether a stream, or else stdout, is a terminal on which the user wants colours."""
    return (stream or sys.stdout).isatty() and not os.environ.get("NO_COLOR")


def styled(line: DiffLine, *, colour: bool) -> str:
    """Return a line of a diff, coloured for a terminal or as it is.

    A coloured line holds no control character of the file: it must not control the terminal.
    """
    if not colour:
        return str(line)
    note = f" {_clean(line.note)}" if line.note else ""
    if line.kind == "context":
        return _clean(line.text)
    code = _SGR_CODES[line.kind]
    note_code = _WARNING_CODE if line.kind == "warning" else code
    return _colour(_clean(line.text), code) + (_colour(note, note_code) if note else "")


def _colour(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m"


def _clean(text: str) -> str:
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
