"""The check for lines that a sketch moves within a function: it shows their new place, and a mark hides the old one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.outline import Item, Naming, has_substance, is_filler
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet

from .named_scopes import blocks_around
from .shown_runs import code_lines

_MIN_LINES = 3
"""Lines in a row that are no chance copy of others."""

_MIN_TELLING = 2
"""Those of them that say something."""

_HOLDERS = ("named ", "value ", "call ")
"""The beginnings of the names of functions and of what they are assigned or given to."""

_MAX_PLACES = 20
"""Places of a line that are looked at."""


def moved_lines(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the first of several lines that would be twice in a function, and that the sketch shows once."""
    keys, places = target.lines.keys, target.lines.places
    changed = {line for splice in splices for line in range(splice.start, splice.end)}
    naming = Naming(keys)
    shown: list[str] | None = None
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        inserted = [key for key in map(normalize_line, splice.lines) if key]
        at = 0
        while at + _MIN_LINES <= len(inserted):
            size = 1
            for place in places.get(inserted[at], ())[:_MAX_PLACES] if has_substance(inserted[at]) else ():
                there = list(_following(keys, place, len(inserted) - at))
                size = max(size, _count_same(inserted[at:], [keys[line] for line in there]))
                run = inserted[at : at + size]
                telling = sum(has_substance(key) and not is_filler(key) for key in run)
                if size < _MIN_LINES or telling < _MIN_TELLING or not changed.isdisjoint(there[:size]):
                    continue
                function = _function_around(target, naming, place)
                if function is None or function is not _function_around(target, naming, splice.start):
                    continue
                if shown is None:
                    shown = [key for key in map(normalize_line, code_lines(snippet)) if key]
                if sum(shown[n : n + size] == run for n in range(len(shown))) == 1:
                    yield place
            at += size


def _following(keys: Sequence[str], start: int, count: int) -> Iterator[int]:
    """Yield some lines from one on, without blank ones."""
    for line in range(start, len(keys)):
        if count <= 0:
            return
        if keys[line]:
            yield line
            count -= 1


def _count_same(some: Sequence[str], others: Sequence[str]) -> int:
    """Return how many lines are the same at the beginning."""
    pairs = zip(some, others, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(some), len(others)))


def _function_around(target: Target, naming: Naming, line: int) -> Item | None:
    """Return the innermost function or type around a line."""
    named = [
        each for each in blocks_around(target.items, line) if (naming.of(each) or "").startswith(_HOLDERS)
    ]
    return named[-1] if named else None
