"""Jupyter notebooks: a sketch shows the code of cells, and changes the source of these cells alone.

The code of all cells, with a comment between two, is what a sketch is merged with. Outputs, metadata and the layout of the
file stay byte for byte. Source: nbformat 4, https://nbformat.readthedocs.io/en/latest/format_description.html.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from editahead_inference.apply.placement.placement import make_refusal
from editahead_inference.apply.results import MergeResult, Reading
from editahead_prompts.sketches.sketch import Diff, FileSketch
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot

_SPACE = re.compile(r"[ \t\r\n]*")
_ONLY_CODE = "A sketch of a notebook shows the code of its cells; text and new cells are added in the editor."
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Cell:
    """The code of a cell, and where its JSON is: offsets [start, end) of the notebook."""

    start: int
    end: int
    source: str


@dataclass(frozen=True, slots=True)
class Notebook:
    """The cells with code of a notebook."""

    original: Snapshot
    cells: tuple[_Cell, ...]
    language: str

    @classmethod
    def read(cls, original: Snapshot, part: FileSketch) -> Notebook | None:
        """Return the notebook for a sketch of code; None for another file, and for a sketch of the file's JSON."""
        if not original.uri.endswith(".ipynb"):
            return None
        first = next((line for line in _code_lines(part) if line.strip()), "")
        if first.lstrip()[:1] in ("{", '"', "[", "}", "]"):
            return None
        try:
            whole = json.loads(original.text)
            cells = tuple(_cells(original.text))
            language = whole.get("metadata", {}).get("language_info", {}).get("name", "python")
        except (ValueError, TypeError, AttributeError, RecursionError):
            return None
        return cls(original, cells, str(language)) if cells else None

    @property
    def _marks(self) -> list[str]:
        """The comments between cells."""
        return [f"# %% cell {number} of {self.original.uri}" for number in range(1, len(self.cells))]

    def merge(self, merge: Callable[[Snapshot], MergeResult]) -> MergeResult:
        """Return the result for the notebook of merging a sketch with the code of its cells."""
        marks = [*self._marks, ""]
        code = "".join(
            f"{cell.source.rstrip()}\n\n\n{mark}\n" if mark else cell.source
            for cell, mark in zip(self.cells, marks, strict=True)
        )
        view = Snapshot.from_text(code, uri=f"{self.original.uri}.code", language=self.language)
        result = merge(view)
        refusal = None if result.refusal is None else replace(result.refusal, near=())
        if refusal is not None and refusal.reason == "unplaced":
            refusal = replace(refusal, detail=f"{refusal.detail} {_ONLY_CODE}")
        edit = self._edit(result.guess)
        if edit is None:
            edit = Edit()
            refusal = refusal or make_refusal(
                "unplaced", "The sketch does not show which cell its lines belong to."
            )
        mapped = [(reading, self._edit(reading.edit.apply(code))) for reading in result.readings]
        readings = tuple(
            Reading(reading.title, each, reading.likelihood) for reading, each in mapped if each is not None
        )
        guess = edit.apply(self.original.text)
        return replace(
            result, original=self.original, guess=guess, edit=edit, refusal=refusal, readings=readings
        )

    def _edit(self, code: str) -> Edit | None:
        """Return the edit of the notebook that gives its cells this code, or None if cells would come or go."""
        texts: list[str] = []
        for mark in self._marks:
            before, found, code = code.partition(f"{mark}\n")
            if not found:
                return None
            texts.append(before)
        texts.append(code)
        return Edit(
            tuple(
                Replacement(cell.start, cell.end, self._json(cell, text))
                for cell, text in zip(self.cells, texts, strict=True)
                if text.rstrip() != cell.source.rstrip()
            )
        )

    def _json(self, cell: _Cell, text: str) -> str:
        """Return a cell's source as JSON, laid out as the file has it."""
        old = self.original.text[cell.start : cell.end]
        tail = cell.source[len(cell.source.rstrip()) :]
        source = text.strip("\n").rstrip() + tail
        is_ascii = old.isascii() and "\\u" in old
        if not old.startswith("["):
            return json.dumps(source, ensure_ascii=is_ascii)
        lines = [json.dumps(line, ensure_ascii=is_ascii) for line in source.splitlines(keepends=True)]
        space = _SPACE.match(old, 1)
        assert space is not None
        if "\n" not in space[0]:
            return f"[{', '.join(lines)}]"
        end = old[len(old[:-1].rstrip()) : -1]
        return f"[{space[0]}{f',{space[0]}'.join(lines)}{end}]"


def _code_lines(part: FileSketch) -> Iterator[str]:
    """Yield the lines that a sketch shows; of a diff, those that a hunk has."""
    if isinstance(part.content, Diff):
        yield from (line.text for hunk in part.content.hunks for line in hunk.lines)
    else:
        yield from (line for piece in part.content.parts for line in getattr(piece, "lines", ()))


def _cells(text: str) -> Iterator[_Cell]:
    """Yield the cells with code of a notebook, which is valid JSON.

    Raises:
        ValueError: It is not a notebook.
    """
    members = dict(_members(text, _skip(text, 0)))
    if "cells" not in members:
        raise ValueError("there are no cells")
    for start, end in _elements(text, members["cells"][0]):
        cell = json.loads(text[start:end])
        source = cell.get("source", "")
        if cell.get("cell_type") != "code":
            continue
        spans = dict(_members(text, start))
        joined = source if isinstance(source, str) else "".join(source)
        if "source" in spans:
            yield _Cell(*spans["source"], joined)


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    assert space is not None
    return space.end()


def _members(text: str, at: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the keys of an object at an offset, each with the offsets of its value."""
    if text[at] != "{":
        raise ValueError("no object")
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield key, (at, end)
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at


def _elements(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the elements of an array at an offset."""
    if text[at] != "[":
        raise ValueError("no array")
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        yield at, end
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
