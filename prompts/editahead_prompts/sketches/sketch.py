"""A sketch of a change as values, before its lines are placed in a file.

Every value keeps its 0-based line number in the sketch, so that a refusal can quote the line. Lines have no line ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal

SketchKind = Literal["markers", "unified-diff", "search-replace", "begin-patch", "whole-file", "declaration"]
"""Kind of a sketch. The list is closed, because it is part of the wire contract."""

Tag = Literal[" ", "-", "+"]
Action = Literal["edit", "create", "delete", "move"]
"""What becomes of a file."""


@dataclass(frozen=True, slots=True)
class Code:
    """A run of lines for the file.

    Attributes:
        at: The line of the sketch at which the run begins.
    """

    lines: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Elision:
    """An elision marker such as `# ... existing code ...`, in place of code that stays.

    Attributes:
        text: The whole line of the marker, with its indentation.
        at: The line of the sketch.
        removed: Whether the marker says instead that code was removed (`# removed: old helper`).
    """

    text: str
    at: int
    removed: bool = False


@dataclass(frozen=True, slots=True)
class HunkLine:
    """A line of a diff: " " context, "-" removed, "+" added."""

    tag: Tag
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Hunk:
    """A change of old lines to new lines, in one place.

    Attributes:
        lines: The lines in the sketch's order. In search/replace blocks, all "-" lines come before all "+" lines.
        at: The line of the sketch at which the hunk begins.
        headings: The texts of the `@@ heading` lines above, outermost first.
        line: The 0-based line of the old file at which the hunk claims to begin. Often wrong, so only a hint.
        at_end: Whether the sketch says that the hunk is the end of the file.
        is_text: The old lines are a text that may begin and end within lines of the file.
        occurrences: How often this text occurs in the file, where all of them change; 0 = however often.
        is_counted: The header of the hunk counts just its lines.
        splits: The readings of a search/replace block whose separators allow several; `lines` are those of the first one.
    """

    lines: tuple[HunkLine, ...]
    at: int
    headings: tuple[str, ...] = ()
    line: int | None = None
    at_end: bool = False
    is_text: bool = False
    occurrences: int = 1
    is_counted: bool = False
    splits: tuple[Split, ...] = ()

    @property
    def old(self) -> tuple[str, ...]:
        return tuple(line.text for line in self.lines if line.tag != "+")

    @property
    def new(self) -> tuple[str, ...]:
        return tuple(line.text for line in self.lines if line.tag != "-")


@dataclass(frozen=True, slots=True)
class Split:
    """A reading of a search/replace block with several separators.

    Attributes:
        hunks: What the block changes.
        is_plain: Whether nothing else speaks against the reading: its separator underlines no heading.
        is_escaped: Whether lines that look like separators are said to be text.
    """

    hunks: tuple[Hunk, ...]
    is_plain: bool
    is_escaped: bool = False


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of the new file, in which elision markers may replace code. Kinds: markers, whole-file, declaration."""

    parts: tuple[Code | Elision, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """A list of hunks in the order of the sketch. Kinds: unified-diff, search-replace, begin-patch."""

    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class FileSketch:
    r"""A part of a sketch that is about one file.

    Attributes:
        kind: The kind of the part.
        why: The reason for the kind, in a sentence.
        content: The code or the hunks.
        at: The first line of the part in the sketch.
        end: The line after the part.
        path: The path as the sketch writes it, with `/`, relative or absolute; None without one.
        other_path: The path to take where there is no file at `path`: what of it is a prefix is not clear.
        language: The fence's word in lower case ("py", "typescript"), or None.
        action: The effect on the file. "move" also edits; the content of "delete" is what goes, if the sketch shows it.
        moved_to: The new path of a moved file.
        final_newline: False if the sketch says that the file has none ("\ No newline at end of file"), True if it
            says that the file gets one; None if the sketch does not say.
        path_line: The sketch's line of a comment in the code that names the path. The line is not part of `content`, but
            a file may begin with such a comment.
        is_said_there: The words above, or a range of lines, say that the file is there already.
        executable: Whether the file gets or loses the permission to be run; None if the sketch does not say.
        old_blob: The beginning of git's name of the text that the part was made for.
        says_whole: The sketch says that this is all of the file: the call of a tool that writes files.
        unsupported: What of the part Apply does not do, in a sentence; "" if Apply does all of it.
    """

    kind: SketchKind
    why: str
    content: Snippet | Diff
    at: int
    end: int
    path: str | None = None
    language: str | None = None
    action: Action = "edit"
    moved_to: str | None = None
    final_newline: bool | None = None
    path_line: int | None = None
    is_said_there: bool = False
    executable: bool | None = None
    old_blob: str | None = None
    unsupported: str = ""
    other_path: str | None = None
    says_whole: bool = False


@dataclass(frozen=True, slots=True)
class Sketch:
    """A parsed sketch, with the parts of at least one file.

    Attributes:
        lines: The lines of the text without line ends, which every `at` counts in.
        files: The parts in the order of the text. A file may have several parts.
        pasted: By number, the lines with no-break spaces or zero-width characters, which `lines` lacks.
    """

    lines: tuple[str, ...]
    files: tuple[FileSketch, ...]
    pasted: Mapping[int, str] = field(default_factory=dict)


_NUMBERS = frozenset(["at", "end", "path_line"])
"""Attributes that are lines of the sketch."""


def move_lines(value: Any, by: int) -> Any:
    """Return a part of a sketch, or a tuple of such, as it is below lines of another sketch."""
    if isinstance(value, tuple):
        return tuple(move_lines(each, by) for each in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    moved = {}
    for each in fields(value):
        held = getattr(value, each.name)
        is_number = each.name in _NUMBERS and held is not None
        moved[each.name] = held + by if is_number else move_lines(held, by)
    return replace(value, **moved)
