"""The sizes above which a sketch is refused at once, so that any other is merged within seconds."""

from __future__ import annotations

import re

from editahead_inference.apply.placement.placement import make_refusal
from editahead_inference.apply.results import Refusal
from editahead_prompts.sketches.sketch import FileSketch, Sketch, Snippet
from editahead_prompts.text.snapshot import Snapshot

from .verify import MAX_CHARS

MAX_SKETCH_CHARS = 400_000
"""Characters of a sketch."""

MAX_FILE_LINES = 40_000
"""Lines of a file for sketches that are no diffs: lines are short in such a file."""

MAX_LINE_CHARS = 100_000
"""Characters of a line of a sketch that is no diff, or of its file: such lines are of generated code."""

MAX_PIECES = 4000
"""Runs of code and marks between them."""

MAX_SNIPPET_LINES = 5000
"""Lines of a sketch that shows a part of a file: each is looked at by every check."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def find_size_refusal(sketch: Sketch, part: FileSketch, original: Snapshot) -> Refusal | None:
    """Return why a part is not merged at all: it is too large, or holds half of a character; None if it may be.

    Args:
        sketch: The whole sketch.
        part: The part for the file.
        original: The file.
    """
    shown = sketch.lines[part.at : part.end]
    size = sum(len(line) + 1 for line in shown)
    if original.length > MAX_CHARS or size > MAX_SKETCH_CHARS:
        return make_refusal("too-large", f"The file has {original.length:,} characters, the sketch {size:,}.")
    if isinstance(part.content, Snippet):
        said = ""
        if len(original.lines) > MAX_FILE_LINES:
            said = f"The file has {len(original.lines):,} lines; use a diff."
        elif max(map(len, original.lines)) > MAX_LINE_CHARS:
            said = f"The file has a line of more than {MAX_LINE_CHARS:,} characters; use a diff."
        elif max(map(len, shown), default=0) > MAX_LINE_CHARS:
            said = f"The sketch has a line of more than {MAX_LINE_CHARS:,} characters."
        elif len(part.content.parts) > MAX_PIECES:
            said = f"The sketch has more than {MAX_PIECES // 2:,} markers."
        if said:
            return make_refusal("too-large", said)
    if any(map(_SURROGATE.search, shown)):
        return make_refusal(
            "unparsed", "The sketch holds half of a surrogate pair, which is not a character."
        )
    return None
