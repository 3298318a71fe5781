"""Sketches of sections of a Markdown document: a heading with its new text, or a new section beside one that the file has.

A section is to a document what a declaration is to code. A sketch that begins with a heading shows sections whole, up to the
next heading of any level; what it does not show stays. It is read as if it showed the lines around each change, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rapidfuzz.fuzz import ratio

from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch, Snippet
from editahead_prompts.text.diff import diff_lines

from .shown_runs import lines_and_marks
from .whole_file import could_be_whole

_SUFFIXES = (".md", ".markdown", ".mdx", ".mdown")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+\S")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_ITEM = re.compile(r" ?(?:[-*+]|\d+[.)])\s+\S")
"""The first line of an item of an outermost list."""

_CONTEXT = 3
"""Lines of the file shown around each change."""

_MIN_SIMILARITY = 50
"""Percent of similarity from which a paragraph is certainly another version of one at its place."""

_MIN_SAME = 85
"""Percent of similarity of each paragraph from which a new section may be one of the file under another heading."""


@dataclass(frozen=True, slots=True)
class Sections:
    """A sketch of sections, with the lines around each change.

    Attributes:
        splices: The changes.
        is_certain: Each paragraph that goes has another version.
    """

    part: FileSketch
    splices: tuple[Splice, ...]
    is_certain: bool


@dataclass(frozen=True, slots=True)
class _Section:
    """Lines [start, end) with a heading and what is below it, up to the next heading; `level` is 1 for `#`."""

    start: int
    end: int
    level: int
    heading: str


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines [start, end) of the file, and the lines [first, last) of the sketch that take their place."""

    start: int
    end: int
    first: int
    last: int

    def text(self, lines: Sequence[str], size: int) -> tuple[str, ...]:
        """Return the new lines, with a blank one beside a new section. `size` counts the lines of the file."""
        new = tuple(lines[self.first : self.last])
        if self.start < self.end:
            return new
        return (*new, "") if self.start < size else ("", *new)


def shows_headings(snippet: Snippet, target: Target) -> bool:
    """Return whether a sketch of a document shows headings: what follows one is no block of code."""
    return is_document(target) and bool(_sections(*lines_and_marks(snippet)))


def is_document(target: Target) -> bool:
    """Return whether a file is a Markdown document."""
    original = target.original
    return original.language == "markdown" or original.uri.lower().endswith(_SUFFIXES)


def as_sections(part: FileSketch, target: Target) -> Sections | None:
    """Return a sketch of sections with the lines around them, or None for other sketches, and where a place is not clear."""
    if isinstance(part.content, Diff) or part.kind == "whole-file" or not is_document(target):
        return None
    lines, marks = lines_and_marks(part.content)
    if not marks and could_be_whole(lines, target):
        return None
    reader = _SectionReader(lines, marks, target)
    changes = reader.changes()
    if not changes:
        return None
    at = part.content.parts[0].at
    parts = tuple(_with_context(changes, lines, target.lines.bodies, at))
    why = "sections of a document, without markers for the others"
    splices = tuple(
        Splice(
            each.start,
            each.end,
            each.text(lines, len(target.lines.bodies)),
            at + each.first,
            at + each.last,
        )
        for each in changes
    )
    part = replace(part, kind="markers", why=why, content=Snippet(parts))
    return Sections(part, splices, reader.is_certain)


class _SectionReader:
    """The comparison of the sections of a sketch with those of the file."""

    def __init__(self, lines: Sequence[str], marks: set[int], target: Target) -> None:
        self._lines, self._marks = lines, marks
        self._bodies = target.lines.bodies
        self._shown = _sections(lines, marks)
        self._there = _sections(self._bodies)
        self.is_certain = True

    def changes(self) -> list[_Change] | None:
        """Return what changes, in the order of the file; None where the sketch does not only show sections whole."""
        first = self._shown[0].start if self._shown else len(self._lines)
        if not self._shown or any(self._lines[n].strip() and n not in self._marks for n in range(first)):
            return None
        places = [self._place(section) for section in self._shown]
        known = [place for place in places if place is not None]
        if known != sorted(set(known)) or not (known or self._is_end()):
            return None
        found: list[_Change] = []
        for number, (section, place) in enumerate(zip(self._shown, places, strict=True)):
            inner = [n for n in range(section.start + 1, section.end) if self._lines[n].strip()]
            marked = [n for n in inner if n in self._marks]
            if marked and (marked != inner[-1:] or (place is not None and len(inner) > 1)):
                return None
            text = [n for n in inner if n not in marked]
            if place is None:
                before = next((p for p in reversed(places[:number]) if p is not None), None)
                after = next((p for p in places[number:] if p is not None), None)
                new = self._added(section, text, before, after)
                if new is None:
                    return None
                found.append(new)
            elif text:
                found += self._rewritten(section, text, self._there[place])
        if any(b.start < a.end or a.start == b.start for a, b in pairwise(found)):
            return None
        return found

    def _is_end(self) -> bool:
        """Return whether the sketch has one section, behind a mark: the end of the document."""
        filled = [n for n, line in enumerate(self._lines) if line.strip()]
        return len(self._shown) == 1 and filled[0] in self._marks and filled[-1] not in self._marks

    def _place(self, section: _Section) -> int | None:
        """Return the number of the file's section with this heading; None for a new one."""
        found = [n for n, other in enumerate(self._there) if other.heading == section.heading]
        return found[0] if len(found) == 1 and self._there[found[0]].level == section.level else None

    def _rewritten(self, section: _Section, text: Sequence[int], there: _Section) -> Iterator[_Change]:
        """Yield the change of the text below a heading. Blank lines at its end stay."""
        end = _without_blanks(self._bodies, there.start + 1, there.end)
        last = text[-1] + 1
        old, new = self._bodies[there.start + 1 : end], self._lines[section.start + 1 : last]
        if [line.rstrip() for line in old] == [line.rstrip() for line in new]:
            return
        if not _are_versions(_paragraphs(old), _paragraphs(new)):
            self.is_certain = False
        yield _Change(there.start + 1, end, section.start + 1, last)

    def _added(
        self, section: _Section, text: Sequence[int], before: int | None, after: int | None
    ) -> _Change | None:
        """Return the change for a new section, between those of the file that the sketch shows before and after it."""
        names = {other.heading for other in self._there}
        if section.heading in names or not text:
            return None
        new = _paragraphs(self._lines[section.start + 1 : text[-1] + 1])
        texts = (_paragraphs(self._bodies[other.start + 1 : other.end]) for other in self._there)
        if any(old and _are_versions(old, new, _MIN_SAME) for old in texts):
            self.is_certain = False  # It may be one of them under another heading.
        if before is not None:
            end = before + 1
            while end < len(self._there) and self._there[end].level > section.level:
                end += 1
            place = self._there[end].start if end < len(self._there) else len(self._bodies)
            if after is not None and self._there[after].start < place:
                place = self._there[after].start
        else:
            place = len(self._bodies) if after is None else self._there[after].start
        return _Change(place, place, section.start, text[-1] + 1)


def _sections(lines: Sequence[str], marks: Collection[int] = ()) -> list[_Section]:
    """Return the sections of a document; `#` within a fence or at a mark is no heading."""
    starts: list[tuple[int, int]] = []
    fence = ""
    for number, line in enumerate(lines):
        opened = _FENCE.match(line)
        if opened is not None and (not fence or opened[1].startswith(fence)):
            fence = "" if fence else opened[1]
        heading = None if fence or number in marks else _HEADING.match(line)
        if heading is not None:
            starts.append((number, len(heading[1])))
    return [
        _Section(start, end, level, " ".join(lines[start].split()))
        for (start, level), (end, _) in pairwise([*starts, (len(lines), 0)])
    ]


def _without_blanks(lines: Sequence[str], start: int, end: int) -> int:
    """Return the end of lines [start, end) without the blank ones at their end."""
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def _paragraphs(lines: Sequence[str]) -> list[str]:
    """Return the runs of lines without a blank one; a fenced block and each item of a list are one of them."""
    out: list[list[str]] = [[]]
    fence = ""
    for line in lines:
        opened = _FENCE.match(line)
        if opened is not None and (not fence or opened[1].startswith(fence)):
            fence = "" if fence else opened[1]
        if line.strip() or fence:
            if _ITEM.match(line) and not fence and out[-1]:
                out.append([])
            out[-1].append(line.strip())
        elif out[-1]:
            out.append([])
    return ["\n".join(run) for run in out if run]


def _are_versions(old: Sequence[str], new: Sequence[str], min_similarity: int = _MIN_SIMILARITY) -> bool:
    """Return whether each paragraph that goes has another version at its place."""
    for i1, i2, j1, j2 in diff_lines(old, new):
        # Nothing tells whether the last items of a list are left out.
        is_within_list = i2 < len(old) and all(map(_ITEM.match, old[max(0, i1 - 1) : i2 + 1]))
        if i2 > i1 and (
            (i2 - i1 > j2 - j1 and not is_within_list)
            or any(ratio(a, b) < min_similarity for a, b in zip(old[i1:i2], new[j1:j2], strict=False))
        ):
            return False
    return True


def _with_context(
    changes: Sequence[_Change], lines: Sequence[str], bodies: Sequence[str], at: int
) -> Iterator[Code | Elision]:
    """Yield the changes with the lines around them, and marks for the rest of the file."""
    shown_to = 0
    run: list[str] = []
    begins = at
    for number, change in enumerate(changes):
        low = max(shown_to, change.start - _CONTEXT)
        if low > shown_to:
            if run:
                yield Code(tuple(run), begins)
            yield Elision("<!-- ... -->", at + change.first)
            run = []
        begins = begins if run else at + change.first
        run += [*bodies[low : change.start], *change.text(lines, len(bodies))]
        following = changes[number + 1].start if number + 1 < len(changes) else len(bodies)
        shown_to = min(change.end + _CONTEXT, following)
        run += bodies[change.end : shown_to]
    yield Code(tuple(run), begins)
    if shown_to < len(bodies):
        yield Elision("<!-- ... -->", at + len(lines) - 1)
