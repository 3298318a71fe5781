"""A planned change as a unified diff, with a description of each hunk behind its `@@`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.review.hunk_kinds import HunkClass
from editahead_inference.apply.review.review import Hunk
from editahead_prompts.sketches.quoted_names import quote_name
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.control_characters import escape_line
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_retrieval.files.file_identity import path_from_folder, real_path
from editahead_workspace import uris

CONTEXT_LINES = 3
"""Most unchanged lines before and after a hunk."""

HUNK_LABELS: dict[HunkClass, str] = {
    "semantic": "Changes what the code does",
    "rename": "Renames",
    "moved": "Moves",
    "import": "Changes imports",
    "comment": "Changes comments",
    "formatting": "Changes the layout",
}
"""What a hunk does, for a person."""

LineKind = Literal["name", "place", "warning", "context", "removed", "added"]
"""What a line of a diff is. A "warning" is a place with something that a person should read."""


@dataclass(frozen=True)
class DiffLine:
    r"""A line of a diff, without a line end. `note` is the description of a hunk, behind the text.

    Attributes:
        is_mechanical: Whether the line is of a hunk that only renames, moves, imports, comments or formats.
        carriage_return: "\r" where the file's line ends in "\r\n", which a patch of the file needs.
    """

    kind: LineKind
    text: str
    note: str = ""
    carriage_return: str = ""
    is_mechanical: bool = False

    def __str__(self) -> str:
        return f"{self.text} {self.note}" if self.note else self.text


def diff_lines(
    change: FileChange, original: Snapshot, hunks: Sequence[Hunk], folders: Sequence[Path]
) -> Iterator[DiffLine]:
    """Yield the lines of the diff of one file.

    Args:
        change: The planned change of the file.
        original: The text that the hunks are over.
        hunks: The hunks of the change.
        folders: The workspace folders, of which names in the head are relative to one.
    """
    name = _path_from_workspace(change.original.uri, folders)
    after = _path_from_workspace(change.moved_to, folders) if change.moved_to is not None else name
    yield from _mode_lines(change, name, after)
    if change.executable is not None and not hunks:
        return
    yield DiffLine("name", "--- /dev/null" if change.action == "create" else f"--- {_head_name('a', name)}")
    yield DiffLine("name", "+++ /dev/null" if change.action == "delete" else f"+++ {_head_name('b', after)}")
    blocks = [_Block.from_hunk(hunk, original) for hunk in hunks]
    growth, free = 0, 0  # lines by which the text above has grown; the first line that no hunk has shown
    for number, (block, hunk) in enumerate(zip(blocks, hunks, strict=True)):
        above = min(CONTEXT_LINES, block.line - free)
        following = blocks[number + 1].line if number + 1 < len(blocks) else _count_lines(original)
        end = block.line + len(block.old)
        below = min(CONTEXT_LINES, following - end)
        free = end + below
        start = block.line - above
        counts = above + below + len(block.old), above + below + len(block.new)
        head = f"@@ -{_span(start, counts[0])} +{_span(start + growth, counts[1])} @@"
        dim = not hunk.needs_reading
        yield DiffLine("place" if dim else "warning", head, _mark(hunk), is_mechanical=dim)
        yield from _body(" ", "context", original.lines[start : block.line], dim)
        yield from _body("-", "removed", block.old, dim)
        yield from _body("+", "added", block.new, dim)
        yield from _body(" ", "context", original.lines[end:free], dim)
        growth += len(block.new) - len(block.old)


def _mode_lines(change: FileChange, name: str, after: str) -> Iterator[DiffLine]:
    """Yield git's header of a file that gets or loses the permission to be run."""
    if change.executable is None:
        return
    old, new = ("100644", "100755") if change.executable else ("100755", "100644")
    yield DiffLine("name", f"diff --git {quote_name(f'a/{name}')} {quote_name(f'b/{after}')}")
    if change.action == "create":
        yield DiffLine("name", f"new file mode {new}")
        return
    yield DiffLine("name", f"old mode {old}")
    yield DiffLine("name", f"new mode {new}")


def display_name(uri: str, folders: Sequence[Path]) -> str:
    """Return a file's path from the workspace folder that it is in, with slashes; else its name. The text is one line."""
    return escape_line(_path_from_workspace(uri, folders))


def _path_from_workspace(uri: str, folders: Sequence[Path]) -> str:
    path = uris.uri_to_path(uri)
    if path is not None:
        inner = (path_from_folder(real_path(path), real_path(folder)) for folder in folders)
        if (found := next(filter(None, inner), None)) is not None:
            return found.as_posix()
    return PurePosixPath(uris.canonical_key(uri)).name


def _head_name(side: str, name: str) -> str:
    """Return a name in the head of a file. The tab after one with spaces says where it ends, as with git."""
    return quote_name(f"{side}/{name}") + ("\t" if " " in name else "")


def _body(sign: str, kind: LineKind, lines: Sequence[str], dim: bool) -> Iterator[DiffLine]:
    for line in lines:
        text = line.rstrip("\r\n")
        end = "\r" if line.endswith("\r\n") else ""
        yield DiffLine(kind, f"{sign}{text}", carriage_return=end, is_mechanical=dim)
        if text == line:
            yield DiffLine("context", "\\ No newline at end of file", is_mechanical=dim)


@dataclass(frozen=True)
class _Block:
    """The lines that a hunk replaces, from `line` on."""

    line: int
    old: Sequence[str]
    new: Sequence[str]

    @classmethod
    def from_hunk(cls, hunk: Hunk, original: Snapshot) -> _Block:
        r = hunk.replacement
        first, last = original.line_at(r.start), original.line_at(r.end)
        old = original.lines[first : last + 1]
        head = original.text[original.starts[first] : r.start]
        new = split_lines(head + r.text + original.text[r.end : original.starts[last + 1]])
        old, new = (lines if lines[-1] else lines[:-1] for lines in (old, new))
        above, below = common_affixes(old, new)
        return cls(first + above, old[above : len(old) - below], new[above : len(new) - below])


def _count_lines(snapshot: Snapshot) -> int:
    """Return the number of lines, without the empty one behind a final line end."""
    return len(snapshot.lines) - (not snapshot.lines[-1])


def _span(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"


def _mark(hunk: Hunk) -> str:
    return " ".join([f"{HUNK_LABELS[hunk.kind]}.", *(flag.sentence for flag in hunk.flags)])
