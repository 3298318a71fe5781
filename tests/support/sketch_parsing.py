"""Parse a sketch for one file."""

from __future__ import annotations

from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.sketch import FileSketch


def only(text: str, language: str | None = None, path: str | None = None) -> FileSketch:
    """Return the only file of a sketch."""
    (file,) = parse_sketch(text, language=language, path=path).files
    return file
