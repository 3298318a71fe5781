"""Sketches embedded in a document: a pasted one, which its result replaces, and one in a comment, which is left there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from editahead_inference.apply.results import ChoicePlace, Refusal
from editahead_inference.apply.review.review import Hunk
from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.sketch import Sketch, Snippet
from editahead_prompts.syntax.language import is_comment
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit, Replacement, compose, invert, rebase
from editahead_prompts.text.snapshot import Snapshot, line_body

MAX_CHARS = 200_000
"""Limits the characters of a selection that is examined: clients request code actions very often."""

_MARKER = re.compile(r"\s*(//[/!]?|#+|--|;+|%+)(?= |$)")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_NAME = re.compile(r"\b(?:def|class|function|fn|func|struct|enum|trait|interface|type|const|let|var)\s+(\w+)")


@dataclass(frozen=True)
class EmbeddedSketch:
    """A sketch embedded in a document.

    Attributes:
        first: The first line of the sketch, or of the comment around it.
        end: The line after the last one.
        text: The sketch.
        keep: Whether its lines are left in the document.
    """

    document: Snapshot
    first: int
    end: int
    text: str
    keep: bool

    @cached_property
    def removal_edit(self) -> Edit:
        """Return the edit that removes the sketch's lines."""
        starts = self.document.starts
        return Edit.replace(starts[self.first], starts[self.end], "")

    @cached_property
    def remaining_document(self) -> Snapshot:
        """Return the document without the sketch's lines."""
        lines = (*self.document.lines[: self.first], *self.document.lines[self.end :])
        return replace(self.document, lines=lines or ("",))

    def sketch(self) -> Sketch | None:
        """Return the parsed sketch; None unless it is certain that the text is a sketch and not selected code."""
        name = self.document.uri.rpartition("/")[2]
        try:
            sketch = parse_sketch(self.text, language=self.document.language, path=name)
        except SketchError:
            return None
        return sketch if any(self._is_plain(sketch, number) for number in range(len(sketch.files))) else None

    def _is_plain(self, sketch: Sketch, number: int) -> bool:
        part = sketch.files[number]
        if not isinstance(part.content, Snippet) or part.kind == "markers":
            return True
        fenced = any(_FENCE.match(line) for line in sketch.lines)
        declared = _NAME.search(self.text)
        again = (
            declared is not None
            and re.search(rf"\b{declared[1]}\b", self.remaining_document.text) is not None
        )
        return (fenced and not self.keep) or (again and (fenced or part.kind == "declaration"))

    def to_document_hunks(self, hunks: Iterable[Hunk]) -> list[Hunk] | None:
        """Return hunks over the remaining document as hunks over the document, with one that removes the sketch.

        Return None when a hunk reaches over the place of a comment that is left in the document.
        """
        back = invert(self.removal_edit, self.document.text)
        out, removal = [], None if self.keep else Hunk(self.removal_edit.replacements[0], "moved", 1.0)
        for hunk in hunks:
            edit = rebase(Edit((hunk.replacement,)), back)
            if edit is None and self.keep:
                return None
            if edit is None:
                edit, removal = compose(self.removal_edit, Edit((hunk.replacement,))), None
            out.append(replace(hunk, replacement=_as_one_replacement(edit, self.document.text)))
        return sorted([*out, *([removal] if removal else [])], key=lambda hunk: hunk.replacement)

    def to_document_refusal(self, refusal: Refusal) -> Refusal:
        """Return a refusal over the remaining document as one over the document."""
        near = tuple(
            replace(near, start=self._to_document_line(near.start), end=self._to_document_line(near.end))
            for near in refusal.near
        )
        choices = tuple(
            replace(choice, places=tuple(map(self._to_document_place, choice.places)))
            for choice in refusal.choices
        )
        return replace(refusal, near=near, choices=choices)

    def _to_document_place(self, place: ChoicePlace) -> ChoicePlace:
        own = place.uri == self.document.uri
        return replace(place, line=self._to_document_line(place.line)) if own else place

    def _to_document_line(self, line: int) -> int:
        return line + self.end - self.first if line >= self.first else line


def sketch_in_selection(document: Snapshot, start: int, end: int) -> EmbeddedSketch | None:
    """Return the selection as whole lines; None when its lines contain more than the selection.

    Args:
        document: The document with the selection.
        start: The offset of the start.
        end: The offset of the end.
    """
    if start >= end or end - start > MAX_CHARS:
        return None
    first, last = document.line_at(start), document.line_at(end)
    if end == document.starts[last]:
        last -= 1
    before = document.text[document.starts[first] : start]
    after = document.text[end : document.starts[last + 1]] if end > document.starts[last] else ""
    if before.strip() or after.strip():
        return None
    text = "".join(document.lines[first : last + 1])
    return EmbeddedSketch(document, first, last + 1, text, keep=False)


def sketch_in_comment(document: Snapshot, line: int, trees: SyntaxTrees) -> EmbeddedSketch | None:
    """Return the fenced block in the comment at a line: the one around the line, or the only one."""
    found = _line_comment(document, line) or _block_comment(document, line, trees)
    if found is None:
        return None
    first, bodies = found
    blocks = _fenced(bodies)
    around = [block for block in blocks if block[0] <= line - first < block[1]]
    chosen = around or (blocks if len(blocks) == 1 else [])
    if not chosen:
        return None
    begin, end = chosen[0]
    text = "\n".join(bodies[begin:end]) + "\n"
    return EmbeddedSketch(document, first, first + len(bodies), text, keep=True)


def _line_comment(document: Snapshot, line: int) -> tuple[int, list[str]] | None:
    """Return the comment's first line, and the bodies of its lines without comment markers."""
    lines = document.lines
    marker = _MARKER.match(lines[line])
    if marker is None:
        return None

    def belongs(number: int) -> bool:
        match = _MARKER.match(lines[number]) if 0 <= number < len(lines) else None
        return match is not None and match[1] == marker[1]

    first = last = line
    while belongs(first - 1):
        first -= 1
    while belongs(last + 1):
        last += 1
    bodies = (line_body(lines[number]) for number in range(first, last + 1))
    return first, [body.lstrip()[len(marker[1]) :].removeprefix(" ") for body in bodies]


def _block_comment(document: Snapshot, line: int, trees: SyntaxTrees) -> tuple[int, list[str]] | None:
    body = line_body(document.lines[line])
    at = document.starts[line] + len(body) - len(body.lstrip())
    node = trees.node_at(document, at, at)
    if node is None or not is_comment(node) or not (node.text or b"").startswith(b"/*"):
        return None
    first, last = node.start_point.row, node.end_point.row
    if last >= len(document.lines):
        return None
    bodies = [line_body(document.lines[number]) for number in range(first, last + 1)]
    if bodies[0][: len(bodies[0]) - len(bodies[0].lstrip())] + "/*" != bodies[0][: bodies[0].find("/*") + 2]:
        return None  # there is code before the comment
    if not bodies[-1].rstrip().endswith("*/"):
        return None
    inner = bodies[1:-1]
    if all(re.match(r"\s*\*(?: |$)", text) for text in inner):
        inner = [text.lstrip()[1:].removeprefix(" ") for text in inner]
    return first, ["", *inner, ""]


def _fenced(bodies: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first and the end line of each fenced block, fences included."""
    out: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for number, body in enumerate(bodies):
        fence = _FENCE.match(body)
        if fence is None:
            continue
        if opened is None:
            opened = number, fence[1]
        elif fence[1].startswith(opened[1]) and body.strip() == fence[1]:
            out.append((opened[0], number + 1))
            opened = None
    return out


def _as_one_replacement(edit: Edit, text: str) -> Replacement:
    """Return an edit as a single replacement."""
    start, end = edit.changed_span
    moved = Edit(tuple(Replacement(r.start - start, r.end - start, r.text) for r in edit.replacements))
    return Replacement(start, end, moved.apply(text[start:end]))
