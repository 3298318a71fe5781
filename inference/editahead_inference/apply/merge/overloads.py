"""Check that new functions are not overloads of the functions that they would replace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.line_matching import DISTINCTIVE, line_weight, normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import opens_named, walk
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.syntax.languages import find_language

from .hidden_versions import is_whole_beside_mark
from .shown_neighbours import encloses_removal


def replaced_overloads(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines of functions that others of the same name would replace, which may as well be added beside them.

    These are functions with other parameters, and in Go `init`, of which a file may have several.
    """
    keys = target.lines.keys
    for line, _ in _overloads(target, splices):
        if not encloses_removal(snippet, target, splices, line):
            yield line
    if target.original.language == "go":
        for d in target.declarations:
            if d.name == "init" and keys[d.head].startswith("func init()"):
                kept = set(range(d.head + 1, d.end))
                kept.difference_update(*(range(splice.start, splice.end) for splice in splices))
                told = sum(line_weight(keys[line]) >= DISTINCTIVE for line in range(d.head + 1, d.end))
                if told and not any(line_weight(keys[line]) >= DISTINCTIVE for line in kept):
                    yield d.head


def overloads_beside_marks(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines of functions that others with other parameters would replace, which are whole beside a mark."""
    for line, others in _overloads(target, splices):
        if any(is_whole_beside_mark(key, snippet, target) for key in others):
            yield line
    parts = list(split_at_kept_lines(splices, target.lines.bodies))
    for line in _overloads_of_python(target) if target.original.language == "python" else ():
        item = next((each for each in walk(target.items) if each.start == line and each.is_block), None)
        is_changed = item and any(part.start < item.end and item.start < part.end for part in parts)
        if is_changed and is_whole_beside_mark(target.lines.keys[line], snippet, target):
            yield line


def _overloads_of_python(target: Target) -> Iterator[int]:
    """Yield the first lines of functions with the decorator `overload`."""
    keys = target.lines.keys
    for key in ("@overload", "@typing.overload"):
        yield from (line + 1 for line in target.lines.places.get(key, ()) if line + 1 < len(keys))


def _overloads(target: Target, splices: Sequence[Splice]) -> Iterator[tuple[int, list[str]]]:
    """Yield the first lines of removed functions, each with the inserted functions of the same name."""
    keys = target.lines.keys
    for splice in splices if find_language(target.original.language).overloads else ():
        inserted = [key for key in map(normalize_line, splice.lines) if opens_named(key)]
        for line in range(splice.start, splice.end):
            old = keys[line]
            same = [key for key in inserted if opens_named(old) and identity(key) == identity(old)]
            if same and old not in same and all("(" in key for key in (old, *same)):
                yield line, same
