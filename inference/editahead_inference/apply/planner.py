"""The plan of a sketch over several files: each part merged into its file, all of them or none.

The caller provides the files: see `FileProvider`.
"""

from __future__ import annotations

import gc
import heapq
import itertools
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Protocol

from editahead_inference.errors import ApplyRefusedError
from editahead_prompts.sketches.sketch import Action, Diff, FileSketch, Sketch, SketchKind
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit, apply_to_lines, compose, normalise
from editahead_prompts.text.snapshot import Snapshot, line_body

from .file_change import FileChange
from .new_files import find_sign_of_piece
from .results import MAX_CHOICES, Choice, ChoicePlace, MergeResult, Reading, Refusal
from .review.file_names import FileFlag
from .review.hunk_kinds import HunkOrigin
from .review.review import FileEdit, Hunk, review
from .review.review_flags import MODEL_WRITTEN

_IMPORT = re.compile(
    r"^[ \t]*(?:from|import|export|use|mod|pub[ \t]+use|#[ \t]*include)\b[^\n;]*|\brequire\([^)\n]*",
    re.MULTILINE,
)
_WORD = re.compile(r"\w+")
_FOLDERS = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Stems of files that are imported by the name of their folder."""


MAX_PARTS = 200
"""Parts of a sketch, which bounds the time of a plan."""


MAX_MARKED_CHARS = 500_000
"""Characters of all parts of a sketch that show parts of files, which bounds the time: each is merged with its file."""

_MAX_CHOICE_PLANS = 16
"""Plans that are made to find choices, which bounds the time."""


class FileProvider(Protocol):
    """The files that a sketch may change. Methods raise `ApplyRefusedError` for a file that must not be touched."""

    def resolve(self, path: str | None) -> Snapshot | None:
        """Return the file for a path of the sketch, or the file for the whole sketch; None if there is none."""

    def create(self, path: str) -> Snapshot:
        """Return an empty file that can be created at the path."""


class MergeFunction(Protocol):
    """A merge of one part, such as `editahead_inference.apply.merge.merge.merge`."""

    def __call__(
        self,
        sketch: Sketch,
        part: FileSketch,
        original: Snapshot,
        *,
        syntax: SyntaxTrees | None = None,
        span: tuple[int, int] | None = None,
        check: Callable[[], None] = ...,
    ) -> MergeResult: ...


@dataclass
class _PendingChange:
    """A file while its parts are merged one after the other. `current` is the text after the last one."""

    action: Action
    original: Snapshot
    current: Snapshot
    kind: SketchKind
    edit: Edit = field(default_factory=Edit)
    confidence: float = 1.0
    moved_to: str | None = None
    origin: HunkOrigin = "matched"
    executable: bool | None = None

    def add(self, edit: Edit, confidence: float) -> None:
        """Change the current text."""
        self.edit = compose(self.edit, edit)
        self.current = replace(self.current, lines=apply_to_lines(self.current, edit))
        self.confidence = min(self.confidence, confidence)

    def change(self) -> FileChange:
        edit = normalise(self.edit, self.original.text)
        return FileChange(
            self.action,
            self.original,
            edit,
            self.confidence,
            self.kind,
            self.moved_to,
            origin=self.origin,
            executable=self.executable,
        )


def plan_changes(
    sketch: Sketch,
    files: FileProvider,
    merge: MergeFunction,
    *,
    spans: Mapping[str, tuple[int, int]] | None = None,
    context_documents: Sequence[Snapshot] = (),
    syntax: SyntaxTrees | None = None,
    flag_file: Callable[[str], FileFlag | None] = lambda uri: None,
    is_executable: Callable[[str], bool] = lambda uri: False,
    on_settled: Callable[[FileChange], None] | None = None,
    check: Callable[[], None] = lambda: None,
) -> tuple[FileChange, ...]:
    """Return the change of each file that changes, imported files first.

    Args:
        sketch: The sketch.
        files: The files that it may change.
        merge: The merge of one part.
        spans: By URI, the offsets in code points that the change must stay within.
        context_documents: Documents in which calls are counted.
        syntax: The syntax trees of the documents.
        flag_file: Returns what a person should know about the file with a URI, if anything.
        is_executable: Returns whether the file with a URI may be run.
        on_settled: Called with the change of each file as soon as it is certain. A later file may still be refused.
        check: Called often; may raise to cancel.

    Raises:
        ApplyRefusedError: No file is changed, for the reason in the refusal. Where each part of the sketch that is not
            certain has several plausible readings, the refusal holds the likeliest plans as choices.
    """
    trees = syntax or SyntaxTrees(reproducible=True)
    planner = _Planner(
        sketch, files, merge, spans or {}, context_documents, trees, flag_file, is_executable, check
    )
    with trees.checked(check), _collected_later():
        try:
            return planner.plan({}, on_settled)
        except _UncertainPartError as error:
            refusal, choices = error.refusal, tuple(planner.choices(error))
    raise ApplyRefusedError(replace(refusal, choices=choices if len(choices) > 1 else ()))


@contextmanager
def _collected_later() -> Iterator[None]:
    """Pause the search for garbage in cycles: a merge makes hundreds of thousands of objects, and hardly any."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _UncertainPartError(ApplyRefusedError):
    """The part `number` of the sketch is refused; a person may choose one of its readings."""

    def __init__(self, refusal: Refusal, number: int, readings: tuple[Reading, ...]) -> None:
        super().__init__(refusal)
        self.number, self.readings = number, readings


@dataclass(frozen=True)
class _Planner:
    """The plan of one sketch."""

    sketch: Sketch
    files: FileProvider
    merge: MergeFunction
    spans: Mapping[str, tuple[int, int]]
    context_documents: Sequence[Snapshot]
    trees: SyntaxTrees
    flag_file: Callable[[str], FileFlag | None]
    is_executable: Callable[[str], bool]
    check: Callable[[], None]
    _merged: dict[int, MergeResult] = field(default_factory=dict)
    """The last merge of each part, by the number of the part."""

    def plan(
        self, chosen: Mapping[int, Reading], on_settled: Callable[[FileChange], None] | None = None
    ) -> tuple[FileChange, ...]:
        """Return the changes; `chosen` holds the reading of each part, by number, that is not certain by itself."""
        parts = self.sketch.files
        if len(parts) > MAX_PARTS:
            raise ApplyRefusedError(Refusal("too-large", f"The sketch has more than {MAX_PARTS} parts."))
        if sum(map(self._count_marked, parts)) > MAX_MARKED_CHARS:
            said = f"The sketch shows parts of files in more than {MAX_MARKED_CHARS:,} characters; apply it in pieces."
            raise ApplyRefusedError(Refusal("too-large", said))
        work: dict[str, _PendingChange] = {}
        for number, part in enumerate(parts):
            self.check()
            item = self._merge_part(number, work, chosen.get(number))
            change = item.change()
            last = all(part.path != later.path for later in parts[number + 1 :])
            if on_settled is not None and last and not change.is_noop:
                on_settled(self._review([change])[0])
        changes = [change for item in work.values() if not (change := item.change()).is_noop]
        return tuple(_sort_by_imports(self._review(changes)))

    def _count_marked(self, part: FileSketch) -> int:
        """Return the characters of a part that shows a part of a file; 0 for diffs and whole files."""
        if isinstance(part.content, Diff) or part.kind == "whole-file":
            return 0
        return sum(len(line) + 1 for line in self.sketch.lines[part.at : part.end])

    def _review(self, changes: Sequence[FileChange]) -> list[FileChange]:
        """Return the changes with their hunks and flags."""
        reviewed = review_changes(changes, self.context_documents, self.trees, self.check)
        return [
            _add_flag(change, self.flag_file(change.moved_to or change.original.uri)) for change in reviewed
        ]

    def choices(self, uncertain: _UncertainPartError) -> Iterator[Choice]:
        """Yield the plans in which each part that is not certain has one of its readings, likeliest first."""
        order = itertools.count()
        waiting: list[tuple[float, int, dict[int, Reading]]] = []

        def add(chosen: Mapping[int, Reading], likelihood: float, more: _UncertainPartError) -> None:
            for reading in more.readings if len(more.readings) > 1 else ():
                entry = -likelihood * reading.likelihood, next(order), {**chosen, more.number: reading}
                heapq.heappush(waiting, entry)

        add({}, 1.0, uncertain)
        found = 0
        for _ in range(_MAX_CHOICE_PLANS):
            if not waiting or found == MAX_CHOICES:
                return
            negative, _, chosen = heapq.heappop(waiting)
            try:
                changes = self.plan(chosen)
            except _UncertainPartError as more:
                add(chosen, -negative, more)
                continue
            except ApplyRefusedError:
                continue
            if changes:
                found += 1
                places = tuple(_first_changed_place(change) for change in changes)
                title = "; ".join(reading.title for reading in chosen.values())
                yield Choice(title, places, changes, -negative, found)

    def _merge_part(
        self, number: int, work: dict[str, _PendingChange], chosen: Reading | None
    ) -> _PendingChange:
        """Merge one part into its file."""
        part = self.sketch.files[number]
        try:
            if part.unsupported:
                raise ApplyRefusedError(Refusal("unparsed", part.unsupported))
            item = _resolve_part(part, self.files, work, self.trees)
            if part.executable is not None:
                changes_mode = part.executable != self.is_executable(item.original.uri)
                item.executable = part.executable if changes_mode else None
            if part.action == "delete":
                _check_deletion(part, item.current)
                item.action, item.edit = "delete", Edit.replace(0, item.original.length, "")
                return item
            if part.moved_to is not None and _moves(part):
                item.action, item.moved_to = "move", self.files.create(part.moved_to).uri
            if isinstance(part.content, Diff) and not part.content.hunks:
                return item  # The file is only moved, or created empty.
            if chosen is not None:
                item.add(chosen.edit, 0.0)
                return item
            span = self.spans.get(item.original.uri) if item.current is item.original else None
            merged = self._merged.get(number)
            if merged is None or merged.original.text != item.current.text:
                merged = self.merge(
                    self.sketch, part, item.current, syntax=self.trees, span=span, check=self.check
                )
                self._merged[number] = merged
        except ApplyRefusedError as error:
            raise ApplyRefusedError(_with_part(error.refusal, self.sketch, part)) from None
        if merged.refusal is not None:
            refusal = _with_part(merged.refusal, self.sketch, part)
            raise _UncertainPartError(refusal, number, merged.readings)
        item.add(merged.edit, merged.confidence)
        item.origin = merged.origin if merged.origin == "model" else item.origin
        return item


def _resolve_part(
    part: FileSketch, files: FileProvider, work: dict[str, _PendingChange], syntax: SyntaxTrees
) -> _PendingChange:
    """Return the file of a part, as earlier parts left it."""
    found = files.resolve(part.path)
    if found is None and part.other_path is not None:
        found = files.resolve(part.other_path)
    if found is None:
        if part.path is None:
            raise ApplyRefusedError(Refusal("unplaced", "The sketch names no file, and none was given."))
        empty = files.create(part.path)
        if empty.uri not in work and part.action != "create":
            _check_new(part, empty, syntax)
        return work.setdefault(empty.uri, _PendingChange("create", empty, empty, part.kind))
    if part.action == "create" and found.length:
        raise ApplyRefusedError(
            Refusal("would-lose-code", f"{part.path} exists already, and the sketch would create it.")
        )
    known = work.setdefault(found.uri, _PendingChange("edit", found, found, part.kind))
    if known.action in ("delete", "move"):
        raise ApplyRefusedError(
            Refusal("unplaced", f"An earlier part of the sketch removes {part.path or 'the file'}.")
        )
    return known


def _moves(part: FileSketch) -> bool:
    """Return whether a part gives its file another path. Tools write a move to the same one for a plain edit."""
    if part.action != "move" or part.moved_to is None:
        return False
    return part.path is None or posixpath.normpath(part.path) != posixpath.normpath(part.moved_to)


def _check_deletion(part: FileSketch, current: Snapshot) -> None:
    """Check that a diff which deletes a file removes all that the file has.

    Raises:
        ApplyRefusedError: The file is not the one that the diff deletes.
    """
    if not isinstance(part.content, Diff) or (part.kind == "begin-patch" and not part.content.hunks):
        return
    lines = [line for hunk in part.content.hunks for line in hunk.lines]
    bodies = [line_body(line) for line in current.lines]
    has_end = bodies[-1] == ""
    is_same = [line.text for line in lines] == bodies[: len(bodies) - has_end]
    has_same_end = not lines or has_end == (part.final_newline is None)
    if is_same and has_same_end and all(line.tag == "-" for line in lines):
        return
    said = "The text of the file differs from the one that the diff deletes."
    if not lines:
        said = "The diff deletes the file, but does not show its text."
    raise ApplyRefusedError(Refusal("would-lose-code", said))


def _first_changed_place(change: FileChange) -> ChoicePlace:
    line = change.original.line_at(change.edit.changed_span[0]) if change.edit else 0
    return ChoicePlace(change.original.uri, line)


def _check_new(part: FileSketch, empty: Snapshot, syntax: SyntaxTrees) -> None:
    """Check that a part can be all of a file that is not there.

    Raises:
        ApplyRefusedError: The part deletes or moves the file, or is a piece of it.
    """
    sign = find_sign_of_piece(part, empty, syntax) if part.action == "edit" else ""
    if sign or part.action != "edit":
        said = f"There is no file {part.path}{', and ' if sign else ''}{sign}."
        raise ApplyRefusedError(Refusal("unplaced", said))


def _with_part(refusal: Refusal, sketch: Sketch, part: FileSketch) -> Refusal:
    return refusal if refusal.part else replace(refusal, part="\n".join(sketch.lines[part.at : part.end]))


def review_changes(
    changes: Sequence[FileChange],
    context_documents: Sequence[Snapshot],
    trees: SyntaxTrees,
    check: Callable[[], None] = lambda: None,
) -> list[FileChange]:
    """Return the changes with their hunks.

    Args:
        changes: The changes.
        context_documents: Documents in which calls are counted.
        trees: The syntax trees of the documents.
        check: Called often; may raise to cancel.
    """
    edits = [FileEdit(c.original, c.edit, c.confidence) for c in changes]
    found = review(edits, context_documents, trees, check)
    return [
        replace(
            change, hunks=tuple(map(_mark_as_model_written, hunks)) if change.origin == "model" else hunks
        )
        for change, hunks in zip(changes, found, strict=True)
    ]


def _add_flag(change: FileChange, flag: FileFlag | None) -> FileChange:
    if flag is None or change.action == "delete":
        return change
    hunks = tuple(replace(hunk, flags=(*hunk.flags, flag)) for hunk in change.hunks)
    return replace(change, flag=flag, hunks=hunks)


def _mark_as_model_written(hunk: Hunk) -> Hunk:
    return replace(hunk, origin="model", flags=(*hunk.flags, MODEL_WRITTEN))


def _sort_by_imports(changes: Sequence[FileChange]) -> list[FileChange]:
    """Return the changes so that imported files come before those that import them.

    Otherwise, and where files import each other, the order is that of the sketch.
    """
    if len(changes) < 2:
        return list(changes)
    names = [_module_name(change) for change in changes]
    imported = [set(_WORD.findall("\n".join(_IMPORT.findall(change.new_text)))) for change in changes]
    before = {
        user: [other for other, name in enumerate(names) if other != user and name in imported[user]]
        for user in range(len(changes))
    }
    out: list[int] = []
    seen: set[int] = set()

    def visit(number: int) -> None:
        if number not in seen:
            seen.add(number)
            for other in before[number]:
                visit(other)
            out.append(number)

    for number in before:
        visit(number)
    return [changes[number] for number in out]


def _module_name(change: FileChange) -> str:
    """Return the name by which other files import the file."""
    path = PurePosixPath((change.moved_to or change.original.uri).rpartition(":")[2])
    stem = path.name.partition(".")[0]
    return path.parent.name if stem in _FOLDERS or path.suffix == ".go" else stem
