"""A part of a sketch as it is placed: its imports anchored, what it only left out put back, and read as an excerpt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.outline import has_substance
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.sketch import Diff, FileSketch

from .anchored_imports import anchor_imports
from .attempts import Attempt, all_attempts, as_choice, sparing
from .excerpts import Excerpt, as_excerpt
from .kept_comments import keep_comments
from .left_out_code import restore_left_out_code
from .shown_runs import code_lines
from .whole_file import as_whole_file

_MIN_DOUBLED = 3
"""Lines that come twice and are no chance copies."""


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
            replace(
                each if excerpt.is_certain and not _doubles_lines(prepared.shown, each) else as_choice(each),
                way=f"{each.way} of the excerpt",
            )
            for each in all_attempts(excerpt.part, target, span)
        ),
    ]


def _doubles_lines(shown: FileSketch, attempt: Attempt) -> bool:
    """Return whether lines come twice that the file and the sketch have once: what stays may be their old version.

    Args:
        shown: The part, which may be the whole file.
        attempt: The result of reading it as an excerpt.
    """
    if isinstance(shown.content, Diff):
        return False
    known = _count(attempt.result.original.text.splitlines()) | _count(code_lines(shown.content))
    return (_count(attempt.result.guess.splitlines()) - known).total() >= _MIN_DOUBLED


def _count(lines: Iterable[str]) -> Counter[str]:
    """Return how often each line that does anything is there."""
    return Counter(filter(has_substance, map(normalize_line, lines)))
