"""The change in a patch of a person or an agent: one that is still to be applied, or one that the files already have."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.planner import plan_changes
from editahead_inference.apply.results import MergeResult, Refusal
from editahead_inference.errors import ApplyRefusedError
from editahead_inference.finish.report import ChangedFile
from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.sketch import Diff, FileSketch, Hunk, HunkLine, Sketch
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit, Replacement, normalise
from editahead_prompts.text.snapshot import Snapshot, line_body, split_lines
from editahead_workspace.errors import ChangeError

from .workspace_change import (
    MAX_FILES,
    WorkspaceChange,
    WorkspaceTexts,
    check_size,
)

_DELETED = "The patch deletes the file, and the text is no longer on disk."


class _Side(Enum):
    """What the files on disk have of a part of a patch."""

    OLD = "old"
    NEW = "new"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class _PatchedFile:
    """The parts of a patch that are about one file.

    Attributes:
        path: The path before, from the root.
        new_path: The path after, from the root.
        parts: The parts; their paths are from the root.
        texts: The texts on disk at both paths; None for no file.
    """

    path: str
    new_path: str
    parts: tuple[FileSketch, ...]
    texts: tuple[str | None, str | None]

    @property
    def action(self) -> str:
        """What the parts together do with the file."""
        return next((part.action for part in self.parts if part.action != "edit"), "edit")

    @property
    def hunks(self) -> list[Hunk]:
        """The hunks of all parts."""
        return [hunk for part in self.parts if isinstance(part.content, Diff) for hunk in part.content.hunks]


def read_patch_change(
    text: str, texts: WorkspaceTexts, check: Callable[[], None] = lambda: None
) -> WorkspaceChange:
    """Return the change in a patch.

    Where the files have the new side of the patch, their texts before are derived. Where they have the old side, the texts
    after are. Either is true of the whole patch.

    Args:
        text: A unified diff, or another list of hunks that Apply knows.
        texts: The texts of the workspace folder. Paths in the patch begin there.
        check: Raises to cancel.

    Raises:
        ChangeError: The text is no patch, fits the files on neither side, or names files outside of the folder.
    """
    try:
        sketch = parse_sketch(text, check=check)
    except SketchError as error:
        raise ChangeError(f"the patch cannot be read: {error}") from None
    files = list(_read_files(sketch, texts))
    sides = {file.path: _find_side(file, check) for file in files}
    by_side = {side: [path for path, found in sides.items() if found is side] for side in _Side}
    if by_side[_Side.OLD] and by_side[_Side.NEW]:
        raise ChangeError(
            f"the patch is applied to some of its files only: to {by_side[_Side.NEW][0]}, "
            f"but not to {by_side[_Side.OLD][0]}"
        )
    order = [_Side.NEW] if by_side[_Side.NEW] else [_Side.OLD]
    if not by_side[_Side.NEW] and not by_side[_Side.OLD]:
        order = [_Side.OLD, _Side.NEW]
    problem = ""
    for side in order:
        try:
            changed = [each for file in files for each in _change(sketch, file, side, texts, check)]
        except ApplyRefusedError as error:
            problem = problem or error.refusal.detail
            continue
        check_size(side.text for file in changed for side in (file.before, file.after) if side is not None)
        is_applied = side is _Side.NEW
        source = "the patch, which is applied" if is_applied else "the patch, as if it were applied"
        return WorkspaceChange(source, tuple(changed), tuple(texts.left_out.values()), is_applied)
    raise ChangeError(f"the patch does not fit the files: {problem}")


def _read_files(sketch: Sketch, texts: WorkspaceTexts) -> Iterable[_PatchedFile]:
    """Yield the files of a patch that take part."""
    by_path: dict[str, list[FileSketch]] = {}
    for part in sketch.files:
        if not isinstance(part.content, Diff) or part.path is None:
            raise ChangeError("the patch is no diff that names its files")
        path = _relative_path(part.path, texts)
        if part.unsupported:
            texts.leave_out(path, part.unsupported)
            continue
        moved = None if part.moved_to is None else _relative_path(part.moved_to, texts)
        if texts.is_allowed(path) and (moved is None or texts.is_allowed(moved)):
            by_path.setdefault(path, []).append(replace(part, path=path, moved_to=moved))
    if len(by_path) > MAX_FILES:
        raise ChangeError(f"the patch has {len(by_path)} files, and {MAX_FILES} is the limit")
    for path, parts in by_path.items():
        new_path = next((part.moved_to for part in parts if part.moved_to is not None), path)
        found: list[str | None] = []
        for place in (path, new_path):
            data = texts.read(place)
            found.append(None if data is None else texts.decode(place, data))
        if path not in texts.left_out and new_path not in texts.left_out:
            yield _PatchedFile(path, new_path, tuple(parts), (found[0], found[1]))


def _relative_path(path: str, texts: WorkspaceTexts) -> str:
    """Return the path from the root that a patch means."""
    found = os.path.normpath(texts.root / path) if "\0" not in path else ""
    prefix = os.path.join(texts.root, "")  # noqa: PTH118 - a prefix with its separator
    if not found.startswith(prefix):
        raise ChangeError(f"the patch names a file outside of the folder: {path}")
    return found.removeprefix(prefix).replace(os.sep, "/")


def _find_side(file: _PatchedFile, check: Callable[[], None]) -> _Side:
    """Return which side of its parts a file on disk has; `check` may raise to cancel."""
    old, new = file.texts
    if file.action == "move":
        return _Side.NEW if old is None and new is not None else _Side.OLD
    if file.action == "delete":
        return _Side.NEW if old is None else _Side.OLD
    if file.action == "create":
        if new is None:
            return _Side.OLD
        added = [line for hunk in file.hunks for line in hunk.new]
        return _Side.NEW if _bodies(new) == added else _Side.UNCLEAR
    if new is None:
        return _Side.UNCLEAR
    lines = _bodies(new)
    whole = "\n".join(["", *lines, ""])
    votes = set()
    growth = 0
    for hunk in file.hunks:
        check()
        votes.add(_vote(hunk, lines, whole, growth))
        growth += len(hunk.new) - len(hunk.old)
    votes.discard(_Side.UNCLEAR)
    return votes.pop() if len(votes) == 1 else _Side.UNCLEAR


def _vote(hunk: Hunk, lines: Sequence[str], whole: str, growth: int) -> _Side:
    """Return which side of a hunk some lines have. Where they have both, the place that the hunk names decides.

    Args:
        hunk: The hunk.
        lines: The lines of the file on disk.
        whole: The lines as one text, between two line ends.
        growth: The lines by which the hunks above make the file longer.
    """
    if hunk.is_text:
        return _Side.UNCLEAR
    has_old, has_new = _occurs(hunk.old, whole), _occurs(hunk.new, whole)
    if has_old and has_new and hunk.line is not None:
        has_old = _is_at(hunk.old, lines, hunk.line)
        has_new = _is_at(hunk.new, lines, hunk.line + growth)
        if has_old and has_new and len(hunk.old) != len(hunk.new):
            has_old, has_new = len(hunk.old) > len(hunk.new), len(hunk.new) > len(hunk.old)
    if has_old == has_new:
        return _Side.UNCLEAR
    return _Side.NEW if has_new else _Side.OLD


def _occurs(part: Sequence[str], whole: str) -> bool:
    return not part or "\n".join(["", *part, ""]) in whole


def _is_at(part: Sequence[str], lines: Sequence[str], at: int) -> bool:
    return list(lines[at : at + len(part)]) == list(part)


def _bodies(text: str) -> list[str]:
    lines = [line_body(line) for line in split_lines(text)]
    return lines if lines[-1] else lines[:-1]


def _change(
    sketch: Sketch, file: _PatchedFile, side: _Side, texts: WorkspaceTexts, check: Callable[[], None]
) -> Iterable[ChangedFile]:
    """Yield the change of one file: none, and a note, for a deleted file whose text is no longer on disk.

    Raises:
        ApplyRefusedError: The parts do not fit the file on this side.
    """
    if side is _Side.OLD:
        for plan in _plan(sketch, file.parts, texts, check):
            before = None if plan.action == "create" else plan.original
            path = file.new_path if plan.action == "move" else file.path
            after = None if plan.action == "delete" else texts.snapshot(path, plan.new_text)
            yield ChangedFile(before, after)
        return
    present = file.texts[1]
    if file.action == "delete" and present is None:
        texts.leave_out(file.path, _DELETED)
    elif file.action == "create" and present is not None:
        if _find_side(file, check) is not _Side.NEW:
            raise ApplyRefusedError(
                Refusal("would-lose-code", f"{file.path} exists already, with another text.")
            )
        yield ChangedFile(None, texts.snapshot(file.path, present))
    else:
        parts = tuple(_invert(part, file.new_path) for part in file.parts[::-1])
        plans = list(_plan(sketch, [part for part in parts if part.content != Diff(())], texts, check))
        text = plans[0].new_text if plans else present or ""
        yield ChangedFile(texts.snapshot(file.path, text), texts.snapshot(file.new_path, present or ""))


def _invert(part: FileSketch, path: str) -> FileSketch:
    """Return the part that takes a part back in the file at a path."""
    assert isinstance(part.content, Diff)
    hunks = []
    growth = 0
    for hunk in part.content.hunks:
        line = None if hunk.line is None else hunk.line + growth
        hunks.append(replace(hunk, lines=_invert_lines(hunk.lines), line=line))
        growth += len(hunk.new) - len(hunk.old)
    final = False if part.final_newline else None
    return replace(
        part, action="edit", path=path, moved_to=None, content=Diff(tuple(hunks)), final_newline=final
    )


def _invert_lines(lines: Sequence[HunkLine]) -> tuple[HunkLine, ...]:
    """Return lines with removed and added exchanged. In each run, those that are removed come first."""
    out: list[HunkLine] = []
    added: list[HunkLine] = []
    for line in lines:
        if line.tag == "+":
            out.append(replace(line, tag="-"))
        elif line.tag == "-":
            added.append(replace(line, tag="+"))
        else:
            out += [*added, line]
            added = []
    return (*out, *added)


@dataclass(frozen=True)
class _Files:
    """The files on disk, for a plan."""

    texts: WorkspaceTexts

    def resolve(self, path: str | None) -> Snapshot | None:
        """Return the file at a path from the root; None where there is none."""
        data = None if path is None else self.texts.read(path)
        if path is None or data is None:
            return None
        return self.texts.snapshot(path, self.texts.decode(path, data) or "")

    def create(self, path: str) -> Snapshot:
        """Return an empty file."""
        return self.texts.snapshot(path, "")


def _plan(
    sketch: Sketch, parts: Sequence[FileSketch], texts: WorkspaceTexts, check: Callable[[], None]
) -> tuple[FileChange, ...]:
    if not parts:
        return ()
    one = Sketch(sketch.lines, tuple(parts), sketch.pasted)
    return plan_changes(one, _Files(texts), _merge_part, syntax=SyntaxTrees(), check=check)


def _merge_part(
    sketch: Sketch,
    part: FileSketch,
    original: Snapshot,
    *,
    syntax: SyntaxTrees | None = None,
    span: tuple[int, int] | None = None,
    check: Callable[[], None] = lambda: None,
) -> MergeResult:
    """Merge a part where its numbers say, or else where Apply places it."""
    edit = _place_by_numbers(part, original)
    if edit is not None:
        return MergeResult(original, edit.apply(original.text), edit, None)
    return merge(sketch, part, original, syntax=syntax, span=span, check=check)


def _place_by_numbers(part: FileSketch, original: Snapshot) -> Edit | None:
    """Return the edit of hunks whose old lines are where their headers say; None if any is not, or ends the file."""
    if not isinstance(part.content, Diff) or part.final_newline is not None:
        return None
    lines = _bodies(original.text)
    replacements = []
    for hunk in part.content.hunks:
        at = hunk.line
        if at is None or hunk.is_text or not _is_at(hunk.old, lines, at):
            return None
        end = at + len(hunk.old)
        if end > len(original.lines) - 1:  # the last line has no line end
            return None
        text = "".join(f"{line}{original.eol}" for line in hunk.new)
        replacements.append(Replacement(original.starts[at], original.starts[end], text))
    try:
        return normalise(Edit.from_replacements(replacements, original.length), original.text)
    except ValueError:  # hunks that overlap
        return None
