"""Headers that a sketch shows without a modifier of the file's: `class Store {` for `export class Store {`.

Where the sketch changes something else, the modifier may only be left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.line_names import identity, leading_modifiers
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.text.indentation import indentation

_GO_WITH_BODY = frozenset(["async"])
"""Modifiers that a function loses where its body waits for nothing any more."""


def lost_modifiers(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the headers that would lose a modifier, if anything else changes."""
    bodies = target.lines.bodies
    parts = list(split_at_kept_lines(splices, bodies))
    found = [each for part in parts for each in _narrowed(part, bodies)]
    kept = list(split_at_kept_lines(with_all_modifiers(splices, target), bodies)) if found else []
    if kept:
        yield from (line for line, _, _ in found)


def with_all_modifiers(splices: Sequence[Splice], target: Target) -> tuple[Splice, ...]:
    """Return splices, each for changed lines only, of which no header loses a modifier."""
    parts = split_at_kept_lines(splices, target.lines.bodies)
    return tuple(_widened(part, target.lines.bodies) for part in parts)


def _widened(part: Splice, bodies: Sequence[str]) -> Splice:
    lines = list(part.lines)
    for _, number, line in _narrowed(part, bodies):
        lines[number] = line
    return replace(part, lines=tuple(lines))


def _narrowed(part: Splice, bodies: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the headers that lose modifiers: the line of the file, the number in the splice, and the line with them."""
    old = _headers(bodies[part.start : part.end])
    for name, number in _headers(part.lines).items() if old else ():
        if name not in old:
            continue
        there, line = bodies[part.start + old[name]], part.lines[number]
        had, has = leading_modifiers(there.strip()), leading_modifiers(line.strip())
        left = had.split()
        if set(has.split()) < set(left) and not set(left) - set(has.split()) <= _GO_WITH_BODY:
            yield part.start + old[name], number, indentation(line) + had + line.strip()[len(has) :]


def _headers(lines: Sequence[str]) -> Mapping[str, int]:
    """Return the numbers of the lines that declare something under a name of their own, by what names it."""
    named = [(identity(normalize_line(line)), number) for number, line in enumerate(lines)]
    return {
        name: number for name, number in reversed(named) if name is not None and name.startswith("named ")
    }
