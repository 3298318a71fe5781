"""A sketch of a change as values: what is written in it and where, before anything is placed in a file.

Everything keeps the number of the sketch's line that it comes from (0-based), so that a refusal can quote it. Lines are
bodies: without their line ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SketchKind = Literal["markers", "unified-diff", "search-replace", "begin-patch", "whole-file", "declaration"]
"""What a sketch was taken to be. The list is closed: it is part of the wire contract."""

Tag = Literal[" ", "-", "+"]


@dataclass(frozen=True, slots=True)
class Code:
    """Consecutive lines that the file is to hold. `at` is the first one's line in the sketch."""

    lines: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Elision:
    """A marker such as `# ... existing code ...`: whatever the file holds here stays. `text` is the marker's line whole,
    with its indentation. `removed` is true when the marker says that the code is gone instead (`# removed: old helper`)."""

    text: str
    at: int
    removed: bool = False


@dataclass(frozen=True, slots=True)
class HunkLine:
    """A line of a diff: " " stays, "-" goes, "+" comes."""

    tag: Tag
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Hunk:
    """Old lines that are to become new lines, in one place.

    lines: in the sketch's order; for search/replace blocks all "-" lines come first, then all "+" lines, as written.
    headings: what `@@ heading` lines above say the hunk lies in, outermost first. line: the 0-based line of the old file
    at which the sketch claims that it starts; often wrong, a hint at most. at_end: said to be the end of the file.
    """

    lines: tuple[HunkLine, ...]
    at: int
    headings: tuple[str, ...] = ()
    line: int | None = None
    at_end: bool = False

    @property
    def old(self) -> tuple[str, ...]:
        return tuple(line.text for line in self.lines if line.tag != "+")

    @property
    def new(self) -> tuple[str, ...]:
        return tuple(line.text for line in self.lines if line.tag != "-")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of the file as it is to be, with what may be left out marked. Kinds: markers, whole-file, declaration."""

    parts: tuple[Code | Elision, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """Hunks in the order of the sketch. Kinds: unified-diff, search-replace, begin-patch."""

    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class FileSketch:
    """The part of a sketch that is about one file.

    kind, why: what it was taken to be, and one sentence on what gave it away. path: as the sketch names the file, with
    `/`, relative or absolute as written; None when it names none. language: the fence's word in lower case ("py",
    "typescript"), or None. at, end: its lines in the sketch, from `at` up to, not including, `end`. action: "move" also
    edits (`moved_to` is the new path); "delete" has no content. final_newline: False when the sketch says that the file
    has none ("\\ No newline at end of file"), None when it says nothing. path_line: the sketch's line of a comment within
    the code that names the path; it is not in `content`, but a file may well begin with just such a comment.
    """

    kind: SketchKind
    why: str
    content: Snippet | Diff
    at: int
    end: int
    path: str | None = None
    language: str | None = None
    action: Literal["edit", "create", "delete", "move"] = "edit"
    moved_to: str | None = None
    final_newline: bool | None = None
    path_line: int | None = None


@dataclass(frozen=True, slots=True)
class Sketch:
    """All that was understood of a text: at least one file's part, in the order written. A file may come several times.

    lines: the text's line bodies, which every `at` counts in.
    """

    lines: tuple[str, ...]
    files: tuple[FileSketch, ...]
