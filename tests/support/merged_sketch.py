"""A sketch merged into the text of one file."""

from __future__ import annotations

from typing import Any

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.results import MergeResult
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.text.snapshot import Snapshot


def merged(
    sketch: str, text: str, language: str = "python", path: str | None = None, **options: Any
) -> MergeResult:
    """Return the result of the sketch's first part; `options` are those of `merge`."""
    parsed = parse_sketch(sketch, language=language, path=path)
    original = Snapshot.from_text(text, uri=f"file:///{path or 'a'}", language=language)
    return merge(parsed, parsed.files[0], original, **options)


def certain(sketch: str, text: str, language: str = "python", path: str | None = None) -> str | None:
    """Return the text after the sketch, None where it is refused."""
    result = merged(sketch, text, language, path)
    assert result.edit.apply(text) == result.guess
    return result.guess if result.refusal is None else None
