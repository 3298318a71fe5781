"""Splices of whole lines, and the edit that they make."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.diff import diff, diff_lines
from editahead_prompts.text.edits import Edit, Replacement, normalise
from editahead_prompts.text.snapshot import Snapshot, line_body, line_end
from editahead_prompts.text.typography import carry_change


@dataclass(frozen=True, slots=True)
class Splice:
    """`lines`, without line ends, in place of lines [start, end) of the file.

    Attributes:
        sketch_start: The first line of the sketch that says so.
        sketch_end: The line after the last one.
    """

    start: int
    end: int
    lines: tuple[str, ...]
    sketch_start: int
    sketch_end: int

    def trimmed(self, bodies: Sequence[str]) -> Splice:
        """Return the splice without the first and last lines that do not change."""
        old = tuple(bodies[self.start : self.end])
        head, tail = common_affixes(old, self.lines)
        lines = self.lines[head : len(self.lines) - tail]
        return replace(self, start=self.start + head, end=self.end - tail, lines=lines)

    @property
    def is_change(self) -> bool:
        return bool(self.lines) or self.start < self.end


def overlaps(start: int, end: int, splices: Sequence[Splice]) -> bool:
    """Return whether one of the splices, which are sorted and disjoint, is at lines [start, end) or deletes one of these."""
    at = bisect_left(splices, end, key=lambda splice: splice.start) - 1
    return at >= 0 and (splices[at].end > start or splices[at].start >= start)


def drop_noops(splices: Iterable[Splice], bodies: Sequence[str]) -> tuple[Splice, ...]:
    """Return the splices that change something, as small as possible."""
    return tuple(splice for splice in (s.trimmed(bodies) for s in splices) if splice.is_change)


def split_at_kept_lines(splices: Iterable[Splice], bodies: Sequence[str]) -> Iterator[Splice]:
    """Yield a splice for each place where the lines differ from those of the file."""
    for splice in splices:
        for i1, i2, j1, j2 in diff_lines(bodies[splice.start : splice.end], splice.lines):
            yield replace(splice, start=splice.start + i1, end=splice.start + i2, lines=splice.lines[j1:j2])


def keep_blank_lines(splices: Iterable[Splice], bodies: Sequence[str]) -> Iterator[Splice]:
    """Yield the splices that leave the last blank lines of those that go, which sketches seldom show."""
    for splice in split_at_kept_lines(splices, bodies):
        end = splice.end
        while end > splice.start and not bodies[end - 1].strip():
            end -= 1
        if end < splice.end and splice.lines and not splice.lines[-1].strip():
            end = splice.end
        if end > splice.start or splice.lines:
            yield replace(splice, end=end)


def keep_typography(splices: Iterable[Splice], bodies: Sequence[str]) -> tuple[Splice, ...]:
    """Return the splices with the typographic characters of the file where they have only the plain forms of these."""
    return tuple(
        replace(splice, lines=tuple(carry_change(None, splice.lines, bodies[splice.start : splice.end])))
        for splice in splices
    )


def repeated_beside(splices: Iterable[Splice], bodies: Sequence[str]) -> Iterator[str]:
    """Yield the lines that would be there twice in a row, one of them new; blank ones do not count."""
    for splice in split_at_kept_lines(splices, bodies):
        lines = [
            *bodies[max(splice.start - 1, 0) : splice.start],
            *splice.lines,
            *bodies[splice.end : splice.end + 1],
        ]
        yield from (one for one, other in pairwise(lines) if splice.lines and one.strip() and one == other)


def to_edit(original: Snapshot, splices: Iterable[Splice], final_newline: bool | None = None) -> Edit:
    """Return the minimal edit for the splices.

    New lines get the line end of the line before them, or of the one after.

    Args:
        original: The file.
        splices: Sorted and disjoint.
        final_newline: Whether the last line has a line end if a splice reaches the end of the file; None = as before.
    """
    lines = original.lines[:-1] if original.lines[-1] == "" else original.lines
    bodies = tuple(map(line_body, lines))
    out: list[Replacement] = []
    for splice in drop_noops(splices, bodies):
        at, old, new = _texts_of(splice, original, lines, final_newline)
        inner = diff(old, new)
        out += (Replacement(r.start + at, r.end + at, r.text) for r in inner.replacements)
    return normalise(Edit(tuple(out)), original.text)


def _texts_of(
    splice: Splice, original: Snapshot, lines: Sequence[str], final_newline: bool | None
) -> tuple[int, str, str]:
    """Return where a splice changes the text of a file, and the old and the new text there."""
    start, end = splice.start, splice.end
    eol = _end_near(lines, start) or original.eol
    old = "".join(lines[start:end])
    at = original.starts[start] if start < len(lines) else original.length
    new = _joined(splice.lines, lines[start:end], eol, lines[start - 1] if start else "")
    if end < len(lines):
        if new.endswith("\r") and lines[end].startswith("\n"):
            new = new[:-1] + "\n"
        return at, old, new
    is_unended = bool(lines) and not line_end(lines[-1])
    if is_unended and start >= len(lines):
        new = eol + new  # The last line has no line end, so new lines have to bring one.
    if final_newline is None:
        final_newline = not is_unended
    if final_newline:
        return at, old, new
    new = _without_end(new)
    if new or not 0 < start < len(lines):
        return at, old, new
    before = line_end(lines[start - 1])  # What becomes the last line loses its line end.
    return at - len(before), before + old, new


def _end_near(lines: Sequence[str], at: int) -> str:
    for near in (at - 1, at):
        if 0 <= near < len(lines) and line_end(lines[near]):
            return line_end(lines[near])
    return ""


def _joined(bodies: Sequence[str], old: Sequence[str], eol: str, before: str) -> str:
    """Return the lines with the line ends of the lines that they replace, in order, then `eol`.

    No line end is joined with a carriage return before it.
    """
    out = [before]
    for number, body in enumerate(bodies):
        end = (line_end(old[number]) if number < len(old) else "") or eol
        out.append("\r" if end == "\n" and not body and out[-1].endswith("\r") else body + end)
    return "".join(out[1:])


def _without_end(text: str) -> str:
    return text[: len(text) - (2 if text.endswith("\r\n") else text.endswith(("\n", "\r")))]
