"""Sketches of commits of one file with the texts that are right, as the merge sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from editahead_evals.data.edit_records import Record
from editahead_evals.scenarios.merge_cases import MERGES
from editahead_inference.apply.merge.prepared_part import PreparedPart, prepare_part
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_lab.apply.sketch_generator import cases
from editahead_prompts.errors import SketchError, UnfitSketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.reparse import reparse_with_file
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.syntax.languages import language_of
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
        prepared: The sketch in the steps of its preparation.
        snippet: What is aligned: the sketch with the comments and code that it only left out.
        target: The file before the change.
        accepted: The right texts after it; none where no text is certain.
    """

    prepared: PreparedPart
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


def prepared_sketches(
    records: Sequence[Record], count: int, seed: int, *, with_refusals: bool = False
) -> Iterator[PreparedSketch]:
    """Yield the sketches of commits that are aligned with their files, of `count` sketches that are made.

    Args:
        records: The edits of the commits.
        count: Sketches that are made, of which some are not aligned.
        seed: The seed of their choice.
        with_refusals: Also those with two places, for which only a refusal is right.
    """
    for case in cases(records, count, seed):
        if (
            len(case.files) == 1
            and case.style not in _NOT_ALIGNED
            and (with_refusals or not case.only_refusal)
        ):
            (file,) = case.files
            found = _prepare(file.before, file.path, file.language, case.sketch, file.accepted)
            if found is not None:
                yield found


def written_sketches(folder: Path) -> Iterator[PreparedSketch]:
    """Yield the written cases in a folder. Where a refusal is right, no text is accepted.

    Raises:
        OSError: The folder cannot be read.
        ScenarioError: A file in it is no such case.
    """
    for case in MERGES.load_folder(folder):
        accepted = (case.after,) if case.after is not None and case.wanted.startswith("exact") else ()
        language = case.language or language_of(case.path)
        found = _prepare(case.before, case.path, language, case.sketch, accepted)
        if found is not None:
            yield found


def _prepare(
    before: str, path: str, language: str, text: str, accepted: tuple[str, ...]
) -> PreparedSketch | None:
    original = Snapshot.from_text(before, uri=f"file:///{path}", language=language)
    target = Target(original, SyntaxTrees(reproducible=True), 0, len(original.lines), lambda: None)
    try:
        sketch = parse_sketch(text, language=language, path=path)
        prepared = prepare_part(reparse_with_file(sketch.files[0], sketch, original), target)
    except (SketchError, UnfitSketchError):
        return None
    if prepared is None or len(sketch.files) > 1:
        return None
    part = prepared.restored
    if not isinstance(part.content, Snippet) or part.kind == "whole-file":
        return None
    if len(target.lines) > MAX_FILE_LINES or part.end - part.at > MAX_SKETCH_LINES:
        return None
    return PreparedSketch(prepared, part.content, target, accepted)
