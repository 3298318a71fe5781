"""A part of a sketch as it is placed: its imports anchored, what it only left out put back, and read as an excerpt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.sketch import FileSketch

from .anchored_imports import anchor_imports
from .attempts import Attempt, all_attempts, as_choice, sparing
from .excerpts import Excerpt, as_excerpt
from .kept_comments import keep_comments
from .left_out_code import restore_left_out_code
from .whole_file import as_whole_file


@dataclass(frozen=True, slots=True)
class PreparedPart:
    """A part of a sketch in the steps of its preparation.

    Attributes:
        shown: The part with its imports anchored.
        written: The same with the comments of the file that it only left out.
        restored: The same with the code that it only left out.
        part: The same, read as the whole file where it may be that.
        excerpt: How the part is read as an excerpt of the file, where it may be one.
    """

    shown: FileSketch
    written: FileSketch
    restored: FileSketch
    part: FileSketch
    excerpt: Excerpt | None


def prepare_part(part: FileSketch, target: Target) -> PreparedPart | None:
    """Return a part as it is placed; None where nothing in the file shows where its imports belong."""
    shown = anchor_imports(part, target)
    if shown is None:
        return None
    written = keep_comments(shown, target)
    restored = restore_left_out_code(written, target)
    whole = as_whole_file(restored, target)
    return PreparedPart(
        shown, written, restored, whole, None if whole.says_whole else as_excerpt(whole, target)
    )


def try_all(prepared: PreparedPart, target: Target, span: tuple[int, int] | None) -> list[Attempt]:
    """Return the results of all ways to place a part, and its excerpt."""
    attempts = list(all_attempts(prepared.part, target, span))
    excerpt = prepared.excerpt
    if excerpt is None:
        return attempts
    return [
        *(sparing(attempt, excerpt) for attempt in attempts),
        *(
            replace(each if excerpt.is_certain else as_choice(each), way=f"{each.way} of the excerpt")
            for each in all_attempts(excerpt.part, target, span)
        ),
    ]
