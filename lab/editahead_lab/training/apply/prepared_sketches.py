"""Sketches of commits of one file with the texts that are right, as the merge sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from editahead_evals.data.edit_records import Record
from editahead_inference.apply.merge.merge import prepare_part
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_lab.apply.sketch_generator import Case, cases
from editahead_prompts.errors import SketchError, UnfitSketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.reparse import reparse_with_file
from editahead_prompts.sketches.sketch import FileSketch, Snippet
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot

_NOT_ALIGNED = frozenset({"unified-diff", "search-replace", "begin-patch", "whole-file"})
"""Styles of sketches that are not aligned."""

MAX_FILE_LINES = 1_500
"""Lines of a file, so that a fit does not take days."""

MAX_SKETCH_LINES = 250


@dataclass(frozen=True)
class PreparedSketch:
    """A sketch of one file.

    Attributes:
        part: The sketch without comments and code that it only left out.
        target: The file before the commit.
        accepted: The right texts after it.
    """

    part: FileSketch
    snippet: Snippet
    target: Target
    accepted: tuple[str, ...]

    @cached_property
    def _filled(self) -> list[list[str]]:
        return [filled_lines(text.split("\n")) for text in self.accepted]

    def accepts(self, splices: Sequence[Splice]) -> bool:
        """Return whether splices make a right text, but for blank lines."""
        return filled_lines(self.target.lines_after(splices)) in self._filled


def filled_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines that are not blank, without white space at their ends."""
    return [line.rstrip() for line in lines if line.strip()]


def prepared_sketches(records: Sequence[Record], count: int, seed: int) -> Iterator[PreparedSketch]:
    """Yield the sketches of commits that are aligned with their files, of `count` sketches that are made."""
    for case in cases(records, count, seed):
        if len(case.files) == 1 and case.style not in _NOT_ALIGNED and not case.only_refusal:
            found = _prepare(case)
            if found is not None:
                yield found


def _prepare(case: Case) -> PreparedSketch | None:
    (file,) = case.files
    original = Snapshot.from_text(file.before, uri=f"file:///{file.path}", language=file.language)
    target = Target(original, SyntaxTrees(reproducible=True), 0, len(original.lines), lambda: None)
    try:
        sketch = parse_sketch(case.sketch, language=file.language, path=file.path)
        part = prepare_part(reparse_with_file(sketch.files[0], sketch, original), target)
    except (SketchError, UnfitSketchError):
        return None
    if part is None or not isinstance(part.content, Snippet):
        return None
    if len(target.lines) > MAX_FILE_LINES or part.end - part.at > MAX_SKETCH_LINES:
        return None
    return PreparedSketch(part, part.content, target, file.accepted)
