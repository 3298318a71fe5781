"""The change from the indentation of a sketch to that of a file: deeper or less deep, tabs for spaces, another unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from editahead_prompts.text.indentation import indent_steps, indent_unit, indentation, inner_steps

from .line_matching import FileLines

Pair = tuple[str, str]
"""The indentation of a line in the sketch and in the file."""

_IndentFunction = Callable[[str], str | None]
"""A function from one indentation to another. None = does not apply."""

_UNITS = ("\t", "    ", "  ", "        ", "   ")


@dataclass(frozen=True)
class IndentTransform:
    """A change of indentation.

    Attributes:
        change: The function; None = no change.
        certain: No other change explains the lines as well and gives another result.
    """

    change: _IndentFunction | None = None
    certain: bool = True

    def apply(self, body: str) -> str:
        """Return a line of the sketch, indented as in the file."""
        if self.change is None or not body:
            return body
        space = indentation(body)
        changed = self.change(space)
        if changed is None or (space == body and ("\t" in space) == ("\t" in changed)):
            return body  # The white space of a blank line stays, unless tabs and spaces differ.
        return changed + body[len(space) :]

    def apply_all(self, bodies: Iterable[str]) -> tuple[str, ...]:
        """Return lines of the sketch, indented as in the file."""
        return tuple(map(self.apply, bodies))


IDENTITY = IndentTransform()


def infer_transform(pairs: Iterable[Pair], sketch: Sequence[str], file: FileLines) -> IndentTransform | None:
    """Return the change of indentation that explains all pairs, or None if no single change does.

    Args:
        pairs: The indentations of lines that are otherwise equal.
        sketch: All lines of the sketch, to see the unit of indentation.
        file: The lines of the file, likewise.
    """
    seen = set(pairs)
    if all(a == b for a, b in seen):
        return IDENTITY
    fitting = [
        change for change in _candidate_changes(seen, sketch, file) if all(change(a) == b for a, b in seen)
    ]
    if not fitting:
        return None
    spaces = {indentation(line) for line in sketch if line.strip()}
    best, unit = fitting[0], file.indent_unit
    as_even = [each for each in fitting if _strays(each, spaces, unit) <= _strays(best, spaces, unit)]
    certain = all(best(space) is not None for space in spaces) and all(
        other(space) in (best(space), None) for other in as_even for space in spaces
    )
    return IndentTransform(best, certain)


def _strays(change: _IndentFunction, spaces: Iterable[str], unit: str) -> int:
    """Return how many indentations a change puts between two levels of a file with a unit."""
    changed = filter(None, map(change, spaces))
    return sum(space.strip(unit[0]) != "" or len(space) % len(unit) != 0 for space in changed)


def _candidate_changes(seen: set[Pair], sketch: Sequence[str], file: FileLines) -> Iterator[_IndentFunction]:
    """Yield the plausible changes, the most plausible first."""
    theirs, ours = indent_unit(sketch), file.indent_unit
    if theirs != ours:
        yield from _converting(seen, theirs, ours)
    moved = False
    for a, b in sorted(seen):
        if a != b and b.endswith(a) and b.count(ours[0]) % len(ours) == a.count(ours[0]) % len(ours):
            moved = True
            yield _adding(b[: len(b) - len(a)])
        if a != b and a.endswith(b):
            moved = True
            yield _removing(a[: len(a) - len(b)])
    if theirs == ours and not moved:
        for source in _UNITS:
            yield from _converting(seen, source, ours)
    step = gcd(*(len(indentation(line)) for line in sketch if line.strip()))
    if theirs == ours and " " * step in _UNITS and " " * step != ours:
        yield from _converting(seen, " " * step, ours)


def _adding(prefix: str) -> _IndentFunction:
    return lambda space: prefix + space


def _removing(prefix: str) -> _IndentFunction:
    return lambda space: space[len(prefix) :] if space.startswith(prefix) else None


def _converting(seen: set[Pair], source: str, target: str) -> Iterator[_IndentFunction]:
    """Yield the change from levels of one unit to levels of another, shifted by a number of levels."""
    shifts = {_level(b, target) - _level(a, source) for a, b in seen}
    if len(shifts) == 1:
        (shift,) = shifts

        def change(space: str) -> str | None:
            level, rest = divmod(_columns(space, source), len(source.expandtabs(4)))
            return target * (level + shift) + " " * rest if level + shift >= 0 else None

        yield change


def _columns(space: str, source: str) -> int:
    return len(space.expandtabs(4)) if source == "\t" or "\t" in space else len(space)


def _level(space: str, source: str) -> int:
    return _columns(space, source) // len(source.expandtabs(4))


def _has_tabs(line: str) -> bool:
    return "\t" in indentation(line)


def uses_other_indent(sketch: Sequence[str], file: FileLines) -> bool:
    """Return whether the sketch indents by another step than the file, or by tabs where the file has none."""
    own, usual = indent_steps(sketch), file.indent_steps
    if not own:
        own, usual = inner_steps(sketch), file.inner_steps
    if usual and not own <= usual:
        return True
    return file.indent_unit != "\t" and any(map(_has_tabs, sketch)) and not any(map(_has_tabs, file.bodies))


def blank_indent_is_ambiguous(indenting: IndentTransform, sketch: Iterable[str], file: Iterable[str]) -> bool:
    """Return whether the white space of blank lines of a re-indented sketch is unclear.

    It is if a blank line of the sketch has white space that the change does not apply to, or if the sketch has none and the
    file has some.
    """
    change = indenting.change
    blank = [line for line in sketch if not line.strip()]
    if change is None or not blank:
        return False
    if any(line and indenting.apply(line) == line != change(line) for line in blank):
        return True
    return not any(blank) and any(line and line.isspace() for line in file)
